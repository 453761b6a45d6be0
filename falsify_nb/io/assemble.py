"""From checked columns to a run, qrels or corpus: finite numbers, no pair twice."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from falsify_nb.core.notices import Notice
from falsify_nb.core.tables import Corpus, IdColumn, Origin, Qrels, Run
from falsify_nb.errors import DuplicateError, ReadError, ScoreError

__all__ = ["build_corpus", "build_qrels", "build_run", "check_finite", "repeated_rows"]


def repeated_rows(query: IdColumn, doc: IdColumn) -> npt.NDArray[np.int64]:
    """Return the rows whose (query, document) pair occurred before, in order."""
    n = len(query)
    key = query.codes * max(len(doc.labels), 1) + doc.codes
    in_order = np.sort(key)
    if n < 2 or not (in_order[1:] == in_order[:-1]).any():
        return np.empty(0, dtype=np.int64)
    # Only a faulty table comes here: a stable order brings each pair's first row to the front.
    order = np.argsort(key, kind="stable")
    is_again = np.zeros(n, dtype=bool)
    is_again[order[1:]] = key[order[1:]] == key[order[:-1]]
    return np.flatnonzero(is_again)


def _check_pairs(query: IdColumn, doc: IdColumn, origin: Origin, what: str) -> None:
    again = repeated_rows(query, doc)
    if not len(again):
        return
    row = int(again[0])
    q, d = query.codes[row], doc.codes[row]
    first = int(np.flatnonzero((query.codes == q) & (doc.codes == d))[0])
    more = f"; {len(again):,} such rows in all" if len(again) > 1 else ""
    place = f"{origin.at(row)}; first at {origin.unit} {_number(origin, first)}"
    raise DuplicateError(
        f"Query {query.labels[q]!r} has document {doc.labels[d]!r} twice in the {what}{more}",
        where=origin.name if origin.unit == "entry" else place,
        remedy="Keep each document once a query, for example with drop_duplicates().",
    )


def _number(origin: Origin, row: int) -> int:
    return row + origin.first if origin.numbers is None else int(origin.numbers[row])


def check_finite(
    values: npt.NDArray[np.float64], query: IdColumn, doc: IdColumn, origin: Origin, what: str
) -> None:
    """Refuse a score or grade that is NaN or infinite, naming its query and document."""
    finite = np.isfinite(values)
    if finite.all():
        return
    bad = np.flatnonzero(~finite)
    row = int(bad[0])
    value = "NaN" if np.isnan(values[row]) else f"{values[row]:+g}"
    q, d = query.labels[query.codes[row]], doc.labels[doc.codes[row]]
    more = f"; {len(bad):,} such {what}s in all" if len(bad) > 1 else ""
    raise ScoreError(
        f"The {what} of query {q!r} and document {d!r} is {value}{more}",
        where=origin.name if origin.unit == "entry" else origin.at(row),
        remedy=f"Give a finite {what}, or leave the row out.",
    )


def build_run(
    query: IdColumn,
    doc: IdColumn,
    score: npt.NDArray[np.float64] | None,
    *,
    rank: npt.NDArray[np.int64] | None = None,
    origin: Origin,
    notices: Sequence[Notice] = (),
    empty_queries: Sequence[str] = (),
    name: str = "",
) -> Run:
    """Check the columns of a run and freeze them.

    Raises
    ------
    ReadError
        If it holds nothing at all.
    ScoreError, DuplicateError
        If a score is not finite, or a document stands twice in one ranking.
    """
    if not len(query) and not empty_queries:
        raise ReadError("The run is empty", where=origin.name, remedy="Give at least one ranking.")
    if score is not None:
        check_finite(score, query, doc, origin, "score")
    _check_pairs(query, doc, origin, "run")
    _freeze(query, doc, score, rank)
    return Run(query, doc, score, rank, origin, tuple(notices), tuple(empty_queries), name)


def build_qrels(
    query: IdColumn,
    doc: IdColumn,
    grade: npt.NDArray[np.float64],
    *,
    origin: Origin,
    notices: Sequence[Notice] = (),
    empty_queries: Sequence[str] = (),
) -> Qrels:
    """Check the columns of the qrels and freeze them.

    Raises
    ------
    ReadError
        If there is no judgment at all.
    ScoreError, DuplicateError
        If a grade is not finite, or a pair is judged twice.
    """
    if not len(query):
        raise ReadError(
            "The qrels are empty", where=origin.name, remedy="Give at least one judgment."
        )
    check_finite(grade, query, doc, origin, "grade")
    _check_pairs(query, doc, origin, "qrels")
    _freeze(query, doc, grade, None)
    return Qrels(query, doc, grade, origin, tuple(notices), tuple(empty_queries))


def build_corpus(doc: IdColumn, *, origin: Origin) -> Corpus:
    """Return the distinct ids of a corpus, repeated ones counted once with a notice.

    Raises
    ------
    ReadError
        If there is no id.
    """
    if not len(doc):
        raise ReadError("The corpus is empty", where=origin.name, remedy="Give the document ids.")
    counts = np.bincount(doc.codes, minlength=len(doc.labels))
    labels = doc.labels[counts > 0]
    labels.flags.writeable = False
    extra = len(doc) - len(labels)
    notices: tuple[Notice, ...] = ()
    if extra:
        often = np.argsort(-counts, kind="stable")[:3]
        examples = tuple(str(doc.labels[i]) for i in often if counts[i] > 1)
        text = f"{extra:,} repeated {'id' if extra == 1 else 'ids'} in the corpus: counted once."
        notices = (Notice("repeated-corpus-ids", text, extra, examples),)
    return Corpus(len(labels), labels, notices)


def _freeze(query: IdColumn, doc: IdColumn, *arrays: npt.NDArray[np.generic] | None) -> None:
    query.freeze()
    doc.freeze()
    for array in arrays:
        if array is not None:
            array.flags.writeable = False
