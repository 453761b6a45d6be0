"""What may be handed over, as a table for the docs: ``python -m falsify_nb.io.catalog``."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass

from falsify_nb.io.columns import SPELLINGS
from falsify_nb.io.formats import FILE_FORMATS
from falsify_nb.io.limits import MAX_BYTES, MAX_JSON, MAX_LINE, MAX_RATIO

__all__ = ["OBJECT_FORMS", "ObjectForm", "as_markdown"]


@dataclass(frozen=True, slots=True)
class ObjectForm:
    """One kind of object in memory.

    Parameters
    ----------
    name : str
        What it is.
    run, qrels, corpus : str
        How it is read as each; empty where it is not.
    refuses : str
        What is refused.
    """

    name: str
    run: str = ""
    qrels: str = ""
    corpus: str = ""
    refuses: str = ""


OBJECT_FORMS: tuple[ObjectForm, ...] = (
    ObjectForm(
        "dict by query",
        "{query: {document: score}}, {query: [(document, score), …]} or {query: [document, …]}, "
        "best first",
        "{query: {document: grade}}, or {query: document or documents} with grade 1",
        "",
        "scores for some queries only; a set as a ranking; 1 beside '1'; NaN, infinity, None; the "
        "columns of a table; whole numbers under whole numbers",
    ),
    ObjectForm(
        "records, named tuples, tuples",
        "(query, document, score), or names as in a frame; ir_measures' ScoredDoc",
        "(query, document, grade), or names as in a frame; Qrel of ir_measures and ir_datasets",
        "names as in a frame",
        "rows without score or rank; text as a number; scores given as grades",
    ),
    ObjectForm(
        "records, one a query",
        "`query_id` and `retrieved`, in dicts or in a frame",
        "`query_id`, `gold` and `rel` (1 if absent)",
        "",
        "a query twice",
    ),
    ObjectForm(
        "generator",
        "any rows; consumed once",
        "any rows; consumed once",
        "ids",
        "an empty one",
    ),
    ObjectForm(
        "pandas, polars or Arrow frame",
        "query, document, and score or rank, by name, in columns or index levels",
        "query, document and grade, by name",
        "a column of ids",
        "fractions, truth values or dates as ids; text as numbers; a missing cell; two columns "
        "for one thing",
    ),
    ObjectForm(
        "Hugging Face dataset",
        "as a frame",
        "as a frame; BEIR's `query-id`, `corpus-id`, `score`",
        "as a frame",
        "a dataset of several splits: take one",
    ),
    ObjectForm("ranx Run, Qrels", "its dict", "its dict", "", "one given as the other"),
    ObjectForm(
        "dataset of ir_datasets or PyTerrier", "", "its judgments", "the ids of its documents", ""
    ),
    ObjectForm(
        "retriever",
        "a function search(text), or an object with invoke, get_relevant_documents, retrieve or "
        "search; asked once per query of `queries`; ids, pairs, {id: score}, document objects or "
        "a frame",
        "",
        "",
        "none given as `queries`; an answer that is no ranking, or a document in it twice; one "
        "that has to be awaited",
    ),
    ObjectForm("list, set, array or column of ids", "", "", "the ids", "a missing id"),
    ObjectForm("whole number", "", "", "the number of documents", "less than 1; a fraction"),
)


def as_markdown() -> str:
    """Return docs/formats.md."""
    head = (
        "# What can be handed over\n\n"
        "Made by `python -m falsify_nb.io.catalog > docs/formats.md` from the code's own list.\n\n"
        "Everything that takes a run, qrels or a corpus takes any of these. Ids are text: whole "
        "numbers become their decimal text, nothing is trimmed or merged, and `007`, `1e5`, `NA` "
        "and `True` stay what they are. A missing score is an error, as is NaN, infinity, or the "
        "same document twice for one query.\n"
    )
    files = _table(
        ("File", "Known by", "Run", "Qrels", "Corpus", "Refused"),
        (
            (f.name, f.known_by, f.reads["run"], f.reads["qrels"], f.reads["corpus"], f.refuses)
            for f in FILE_FORMATS
        ),
    )
    objects = _table(
        ("Object", "Run", "Qrels", "Corpus", "Refused"),
        ((o.name, o.run, o.qrels, o.corpus, o.refuses) for o in OBJECT_FORMS),
    )
    limits = (
        "Text is UTF-8, or UTF-16 with its mark; a byte-order mark and Windows line ends are "
        "understood. gzip, bzip2 and xz are known by their first bytes, whatever the name. Lines "
        "of a TREC file that begin with `#` are comments. Limits: "
        f"{MAX_BYTES >> 30} GiB of content, {MAX_LINE >> 20} MiB a line, {MAX_JSON >> 20} MiB for "
        f"one JSON document, and {MAX_RATIO} times the compressed size.\n"
    )
    options = (
        "- `read_run`, `read_qrels` and `read_corpus` take all of this and return a checked table, "
        "which can be handed over in turn.\n"
        '- `errors="collect"` lists up to twenty problems of a file at once.\n'
        "- `read_run(chunks, doc_of=...)`, a mapping or function from chunk id to document id, "
        "turns rankings of chunks into rankings of documents: each stands where its best chunk "
        "did.\n"
        "- `falsify(search, queries={query_id: text}, ...)` asks a retriever once per query. If it "
        "fails, the error names the query, and its `done` keeps the answers so far. "
        "`read_run(search, queries=..., doc_of=...)` asks one that returns chunks.\n"
        "- `queries=` and `groups=` take {query: text} or {query: group}, a Series by query, "
        "a frame or a file with a column of each, JSON lines, or lines of an id, a tab and the "
        "text or group. A missing one is refused.\n"
    )
    names = _table(
        ("Column", "Names, compared without case; `-`, ` ` and `.` count as `_`"),
        (
            (_COLUMNS.get(role, role), ", ".join(f"`{s}`" for group in groups for s in group))
            for role, groups in SPELLINGS.items()
        ),
    )
    sections = {"Files": f"{files}\n{limits}", "Objects": objects, "Options": options}
    sections["Column names"] = names
    parts = (head, *(f"## {title}\n\n{text}" for title, text in sections.items()))
    return "\n".join(parts)


# Roles whose word alone would not say what they are.
_COLUMNS = {"asked": "query, beside its text or group"}


def _table(header: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [header, ("---",) * len(header), *rows]
    return "".join("| " + " | ".join(c.replace("|", "\\|") for c in row) + " |\n" for row in lines)


if __name__ == "__main__":
    sys.stdout.write(as_markdown())
