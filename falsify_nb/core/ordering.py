"""A run brought into trec_eval's order, once, whatever it is gated on afterwards."""

from __future__ import annotations

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from falsify_nb.core.labels import Labels
from falsify_nb.core.tables import Run

__all__ = ["OrderedRun", "ordered"]

BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

# A table may hold this many cells per row of the run.
_PADDING = 1.5
_ORDERED: WeakKeyDictionary[Run, OrderedRun] = WeakKeyDictionary()


def ordered(run: Run) -> OrderedRun:
    """Return the run in order; the order is kept for as long as the run itself."""
    found = _ORDERED.get(run)
    if found is None:
        found = _ORDERED[run] = OrderedRun.of(run)
    return found


@dataclass(frozen=True, slots=True, eq=False)
class OrderedRun:
    """The rankings of all queries of a run, best document first.

    Parameters
    ----------
    starts : numpy.ndarray of int, shape (n_labels + 1,)
        Where the ranking of each of the run's query labels begins.
    doc : numpy.ndarray of int, shape (n_rows,)
        Document codes, ranking by ranking.
    tied : numpy.ndarray of bool, shape (n_rows,)
        Whether a row has the score of the next row of its ranking.
    constant, float32_differs, rank_differs : numpy.ndarray of bool, shape (n_labels,)
        Whether a ranking of two or more has one score only; would be ordered otherwise by
        float32; contradicts its rank column.
    """

    starts: IntArray
    doc: IntArray
    tied: BoolArray
    constant: BoolArray
    float32_differs: BoolArray
    rank_differs: BoolArray

    @classmethod
    def of(cls, run: Run) -> OrderedRun:
        """Sort by score, descending as float64; ties by document id, descending as strings.

        That is trec_eval's order (``trec_eval/form_res_rels.c``). Without scores the rows of a
        query are in order already. A rank column never decides.
        """
        rows = _sorted_rows(run)
        n_labels = len(run.query.labels)
        starts = np.searchsorted(rows.query, np.arange(n_labels + 1))
        if rows.score is None:
            nothing, none = np.zeros(len(rows.query), dtype=bool), np.zeros(n_labels, dtype=bool)
            return cls(starts, rows.doc, nothing, none, none, none)
        tied = rows.ties()
        n_ties = np.bincount(rows.query[tied], minlength=n_labels)
        sizes = np.diff(starts)
        return cls(
            starts,
            rows.doc,
            tied,
            (sizes >= 2) & (n_ties == sizes - 1),
            _marked(rows.query[rows.swapped_by_float32(tied, run.doc.labels)], n_labels),
            _marked(rows.contradicted(tied), n_labels),
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """A run's rows, sorted by query."""

    query: IntArray
    doc: IntArray
    score: FloatArray | None
    rank: IntArray | None

    def taken(self, which: IntArray) -> _Rows:
        score = None if self.score is None else self.score[which]
        rank = None if self.rank is None else self.rank[which]
        return _Rows(self.query[which], self.doc[which], score, rank)

    def ties(self) -> BoolArray:
        """Whether each row has the query and the score of the next, shape (n_rows,)."""
        assert self.score is not None
        tied = np.zeros(len(self.query), dtype=bool)
        tied[:-1] = (self.score[:-1] == self.score[1:]) & (self.query[:-1] == self.query[1:])
        return tied

    def ties_by_id(self, labels: Labels) -> _Rows:
        """Return the rows with each run of equal scores ordered by document id, descending."""
        tied = self.ties()
        if not tied.any():
            return self
        follows = np.concatenate([[False], tied[:-1]])
        at = np.flatnonzero(tied | follows)
        block = np.cumsum(~follows)[at]
        used, code = np.unique(self.doc[at], return_inverse=True)
        position = np.empty(len(used), dtype=np.int64)
        position[np.argsort(labels[used], kind="stable")] = np.arange(len(used))
        order = np.arange(len(self.query))
        order[at] = at[np.lexsort((-position[code], block))]
        return self.taken(order)

    def swapped_by_float32(self, tied: BoolArray, ids: Labels) -> IntArray:
        """Return rows that trec_eval would put behind the next: equal to it in float32 only."""
        assert self.score is not None
        with np.errstate(over="ignore"):
            narrow = self.score.astype(np.float32)
        same = (narrow[:-1] == narrow[1:]) & (self.query[:-1] == self.query[1:]) & ~tied[:-1]
        merged = np.flatnonzero(same)
        return merged[(ids[self.doc[merged]] < ids[self.doc[merged + 1]]).astype(bool)]

    def contradicted(self, tied: BoolArray) -> IntArray:
        """Return the queries whose rank column contradicts strictly different scores."""
        if self.rank is None or not len(self.query):
            return np.empty(0, dtype=np.int64)
        starts = np.concatenate([[0], np.flatnonzero(~tied[:-1]) + 1])
        worst = np.maximum.reduceat(self.rank, starts)
        best = np.minimum.reduceat(self.rank, starts)
        query = self.query[starts]
        return query[:-1][(query[:-1] == query[1:]) & (worst[:-1] > best[1:])]


def _sorted_rows(run: Run) -> _Rows:
    rows = _Rows(run.query.codes, run.doc.codes, run.score, run.rank)
    score, step = rows.score, np.diff(rows.query)
    if score is None:
        in_order = bool((step >= 0).all())
        return rows if in_order else rows.taken(np.argsort(rows.query, kind="stable"))
    if not ((step > 0) | ((step == 0) & (score[:-1] >= score[1:]))).all():
        rows = rows.taken(_best_first(rows.query, score))
    return rows.ties_by_id(run.doc.labels)


def _best_first(query: IntArray, score: FloatArray) -> IntArray:
    """Return the order of rows by query, then score descending; ties in any order.

    Where rows come query by query and the queries have about as many, sorting short rows of a
    table takes a fraction of the time of sorting one long column.
    """
    sizes = np.bincount(query)
    width = int(sizes.max())
    if (np.diff(query) < 0).any() or width * len(sizes) > _PADDING * len(query):
        return np.lexsort((-score, query))
    starts = np.cumsum(sizes) - sizes
    table = np.full((len(sizes), width), np.inf)
    table[query, np.arange(len(query)) - starts[query]] = -score
    order = np.argsort(table, axis=1)
    order += starts[:, None]
    return order[np.arange(width) < sizes[:, None]]


def _marked(queries: IntArray, n_labels: int) -> BoolArray:
    mark = np.zeros(n_labels, dtype=bool)
    mark[queries] = True
    return mark
