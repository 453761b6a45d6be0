"""Which column holds what: the spellings of other tools, and what to do when two fit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from falsify_nb.errors import ReadError, near_names

__all__ = ["SPELLINGS", "find_column", "need_column", "plain_name", "refuse_scores"]

# Role -> groups of spellings. The first group that occurs decides; two names of one group are
# ambiguous. Compared without case, with "-", " " and "." read as "_".
SPELLINGS: Mapping[str, tuple[tuple[str, ...], ...]] = MappingProxyType(
    {
        "query": (
            ("query_id", "qid", "q_id", "queryid", "topic_id", "topicid"),
            ("topic", "query"),
        ),
        "doc": (
            ("doc_id", "docno", "corpus_id", "document_id", "pid", "passage_id", "chunk_id"),
            # PyTerrier's frames carry an internal docid beside the docno.
            ("docid", "doc", "document", "id", "_id"),
        ),
        "score": (("score", "sim", "similarity", "scores"),),
        "rank": (("rank", "position"),),
        "grade": (
            ("relevance", "label", "rel", "grade", "judgment", "judgement", "relevance_grade"),
            # BEIR's judgments call their grade a score.
            ("score",),
        ),
        "retrieved": (("retrieved", "retrieved_ids", "ranking", "results"),),
        "gold": (("gold", "gold_ids", "relevant", "gold_id"),),
        # Beside the judgments: a query's text, and the question that it is a form of.
        "asked": (
            ("query_id", "qid", "q_id", "queryid", "topic_id", "topicid"),
            ("topic", "id", "_id"),
            ("query",),
        ),
        "text": (("text", "query_text"), ("query", "question", "title")),
        "group": (("group", "group_id"), ("groups", "cluster", "cluster_id")),
    }
)

# Blanks around a name do not count, but a name of many is none.
_LONGEST = 24
_WORDS = {
    "query": "query ids",
    "doc": "document ids",
    "score": "scores",
    "rank": "ranks",
    "grade": "grades",
    "retrieved": "retrieved ids",
    "gold": "gold ids",
    "asked": "query ids",
    "text": "texts",
    "group": "groups",
}


def plain_name(name: str) -> str:
    """Return a column name as spellings are compared."""
    return name.strip().lower().replace("-", "_").replace(" ", "_").replace(".", "_")


def find_column(names: Iterable[object], role: str, where: str) -> str | None:
    """Return the column that fills a role, or None.

    Raises
    ------
    ReadError
        If two columns fit equally well.
    """
    by_plain: dict[str, list[str]] = {}
    for name in names:
        # Every query's documents may be looked at here: long names are no spelling.
        if isinstance(name, str) and len(name) <= _LONGEST:
            by_plain.setdefault(plain_name(name), []).append(name)
    for group in SPELLINGS[role]:
        found = [name for spelling in group for name in by_plain.get(spelling, ())]
        if len(found) > 1:
            raise ReadError(
                f"Two columns may hold the {_WORDS.get(role, role)}: "
                f"{' and '.join(repr(f) for f in found)}",
                where=where,
                remedy="Leave one of them out.",
            )
        if found:
            return found[0]
    return None


def need_column(names: Iterable[object], role: str, where: str) -> str:
    """Return the column that fills a role, or refuse the table by naming what it has.

    Raises
    ------
    ReadError
        If none or two columns fit.
    """
    names = list(names)
    found = find_column(names, role, where)
    if found is not None:
        return found
    known = [spelling for group in SPELLINGS[role] for spelling in group]
    taken = {s for groups in SPELLINGS.values() for group in groups for s in group}
    texts = [n for n in names if isinstance(n, str) and plain_name(n) not in taken]
    near = [t for t in texts if near_names(t, known, 1)]
    listed = ", ".join(repr(n) for n in names[:8]) if names else "none"
    hint = f" Rename {near[0]!r}?" if near else ""
    raise ReadError(
        f"No column holds the {_WORDS.get(role, role)}; the columns are {listed}",
        where=where,
        remedy=f"Name one of them {', '.join(repr(k) for k in known[:3])}.{hint}",
    )


def refuse_scores(grade_name: str, doc_name: str, where: str) -> None:
    """Refuse scores given as grades: BEIR's judgments alone call their grade a score.

    Raises
    ------
    ReadError
        If the column of grades is named as a system's scores are.
    """
    if plain_name(grade_name) == "score" and plain_name(doc_name) != "corpus_id":
        raise ReadError(
            "The table has scores and no grades: this is a run, not qrels",
            where=where,
            remedy="Give it as the run; or, if these are grades, name the column 'relevance'.",
        )
