"""The file formats: how each is known, what it is read as, and what it refuses."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import IO, Any, Literal, overload

from falsify_nb.core.tables import Corpus, Qrels, Run
from falsify_nb.errors import ReadError
from falsify_nb.io import delimited, jsons, parquet, tables, trec
from falsify_nb.io.corpora import corpus_of_lines
from falsify_nb.io.frames import Table
from falsify_nb.io.problems import Problems
from falsify_nb.io.text import Source, open_source

__all__ = ["FILE_FORMATS", "Kind", "read_file"]

Kind = Literal["run", "qrels", "corpus"]
Reader = Callable[[Source, Problems], Any]


@dataclass(frozen=True, slots=True)
class FileFormat:
    """One file format.

    Parameters
    ----------
    name : str
        Its name.
    known_by : str
        In words, how a file of it is recognised.
    is_it : callable
        The same as a function of the opened file.
    readers : mapping of kind to callable
        Who reads it as a run, as qrels, as a corpus.
    reads : mapping of kind to str
        In words, what is read, the columns or keys first.
    refuses : str
        In words, what is refused.
    """

    name: str
    known_by: str
    is_it: Callable[[Source], bool]
    readers: Mapping[Kind, Reader]
    reads: Mapping[Kind, str] = field(default_factory=dict)
    refuses: str = ""


def _has_header(source: Source) -> bool:
    return delimited.header_of(source.data) is not None


def _table(source: Source, problems: Problems) -> Table:
    header = delimited.header_of(source.data)
    assert header is not None
    return delimited.read_delimited(source, *header, problems)


def _refuse_headless(source: Source) -> None:
    line = delimited.first_line(source.data)
    if "\t" not in line and " " not in line and line.count(",") >= 2:
        raise ReadError(
            "This looks like CSV, and its first line names no column",
            where=f"{source.name}, line 1",
            remedy="Put a header line first: query_id,doc_id,score (relevance for qrels).",
        )


def _trec_run(source: Source, problems: Problems) -> Run:
    _refuse_headless(source)
    return trec.read_trec_run(source, problems)


def _trec_qrels(source: Source, problems: Problems) -> Qrels:
    _refuse_headless(source)
    return trec.read_trec_qrels(source, problems)


# The first that says yes reads the file; TREC, which has no mark of its own, stands last.
FILE_FORMATS: tuple[FileFormat, ...] = (
    FileFormat(
        "Parquet",
        "the bytes PAR1 at its start",
        parquet.is_parquet,
        {
            "run": lambda s, _: tables.run_of_table(parquet.read_parquet(s), "run"),
            "qrels": lambda s, _: tables.qrels_of_table(parquet.read_parquet(s)),
            "corpus": lambda s, _: tables.corpus_of_table(parquet.read_parquet(s)),
        },
        {
            "run": "columns as in a frame",
            "qrels": "columns as in a frame",
            "corpus": "a column of ids",
        },
        "id columns of fractions or truth values; a missing id, score or grade",
    ),
    FileFormat(
        "JSON lines",
        "a whole JSON object on its first line",
        jsons.is_json_lines,
        {"run": jsons.run_of_json, "qrels": jsons.qrels_of_json, "corpus": jsons.corpus_of_json},
        {
            "run": "`query_id` and `retrieved` (ids, pairs or {id: score}); or one result a line",
            "qrels": "`query_id`, `gold` (an id, ids or {id: grade}) and `rel` (1 if absent); "
            "or one judgment a line",
            "corpus": "`_id`, `docno` or `doc_id` a line",
        },
        "a query on two lines; a key twice in one object; NaN; fractions as ids",
    ),
    FileFormat(
        "JSON",
        "`{` or `[` at its start",
        jsons.is_json,
        {"run": jsons.run_of_json, "qrels": jsons.qrels_of_json, "corpus": jsons.corpus_of_json},
        {
            "run": "{query: {document: score}}, {query: [document, …]}, or a list of records",
            "qrels": "{query: {document: grade}}, {query: [document, …]}, or a list of records",
            "corpus": "a list of ids or of records, or {id: text}",
        },
        "a key twice in one object; NaN; fractions as ids",
    ),
    FileFormat(
        "CSV, TSV",
        "a first line that names a query or document column; the separator is a tab, comma, "
        "semicolon or bar",
        _has_header,
        {
            "run": lambda s, p: tables.run_of_table(_table(s, p), "run"),
            "qrels": lambda s, p: tables.qrels_of_table(_table(s, p)),
            "corpus": lambda s, p: tables.corpus_of_table(_table(s, p)),
        },
        {
            "run": "query, document, and score or rank, by name",
            "qrels": "query, document and grade, by name (BEIR's `query-id corpus-id score` too)",
            "corpus": "a column of ids",
        },
        "two columns for one thing; another number of fields than the header; decimal commas",
    ),
    FileFormat(
        "TREC, or lines of ids",
        "none of the above",
        lambda _: True,
        {"run": _trec_run, "qrels": _trec_qrels, "corpus": corpus_of_lines},
        {
            "run": "query, Q0, document, rank, score, tag; the tag may be missing",
            "qrels": "query, 0, document, grade; or query, document, grade",
            "corpus": "an id a line; what follows a tab is ignored",
        },
        "qrels given as a run and the reverse; another number of columns; ids with blanks",
    ),
)


@overload
def read_file(
    source: str | os.PathLike[str] | IO[Any], kind: Literal["run"], problems: Problems
) -> Run: ...
@overload
def read_file(
    source: str | os.PathLike[str] | IO[Any], kind: Literal["qrels"], problems: Problems
) -> Qrels: ...
@overload
def read_file(
    source: str | os.PathLike[str] | IO[Any], kind: Literal["corpus"], problems: Problems
) -> Corpus: ...
def read_file(
    source: str | os.PathLike[str] | IO[Any], kind: Kind, problems: Problems
) -> Run | Qrels | Corpus:
    """Read a file as what it is to hold.

    Raises
    ------
    InputError
        If it cannot be used; with file and line.
    """
    opened = open_source(source, kind)
    if not opened.data or opened.data.isspace():
        raise ReadError(f"The {kind} file is empty", where=opened.name, remedy="Give another.")
    found = next(f for f in FILE_FORMATS if f.is_it(opened))
    result: Run | Qrels | Corpus = found.readers[kind](opened, problems)
    return result
