"""M_ij, the score of ranking i against gold set j, only where the two share a document."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt

from falsify_nb.core.benchmark import Gold
from falsify_nb.core.grouping import expand, group_rows, sums_by
from falsify_nb.core.metrics import Metric
from falsify_nb.errors import MemoryNeededError

__all__ = ["Hits", "Pairs", "pair_scores"]

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

# Joined (ranking, document, gold set) triples held at once, about 60 bytes each.
_CHUNK_TRIPLES = 2_000_000
# The pairs themselves, at 24 bytes each.
PAIR_BUDGET_BYTES = 4_000_000_000


@dataclass(frozen=True, slots=True, eq=False)
class Hits:
    """The gold documents that each query's ranking meets.

    Parameters
    ----------
    indptr : numpy.ndarray of int, shape (n_queries + 1,)
        Where each query's hits begin.
    rank : numpy.ndarray of int, shape (n_hits,)
        1-based ranks within the cutoff, increasing within a query.
    doc : numpy.ndarray of int, shape (n_hits,)
        Positions among the gold documents.
    """

    indptr: IntArray
    rank: IntArray
    doc: IntArray

    @property
    def owner(self) -> IntArray:
        """The query of each hit, shape (n_hits,)."""
        return np.repeat(np.arange(len(self.indptr) - 1), np.diff(self.indptr))

    @classmethod
    def of_oracle(cls, gold: Gold, depth: int) -> Hits:
        """Return those of a perfect system: gold first, best gain first, down to a depth."""
        owner = gold.owner
        order = np.lexsort((-gold.gain, owner))
        rank = np.arange(len(owner)) - np.repeat(gold.indptr[:-1], gold.sizes) + 1
        keep = rank <= depth
        kept = np.concatenate([[0], np.cumsum(keep)])[gold.indptr]
        return cls(kept, rank[keep], gold.doc[order][keep])

    def own_scores(self, gold: Gold, metric: Metric) -> FloatArray:
        """Return each query's score against its own gold, shape (n_queries,)."""
        owner = self.owner
        if gold.is_single:
            at, own = owner, gold.doc[owner] == self.doc
        else:
            keys = gold.owner * gold.n_docs + gold.doc
            wanted = owner * gold.n_docs + self.doc
            at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
            own = keys[at] == wanted
        owner, ranks, at = owner[own], self.rank[own], at[own]
        starts = np.flatnonzero(np.diff(owner, prepend=-1))
        found = metric.combine(ranks, gold.worth[at], starts, gold.sizes[owner[starts]])
        scores = np.zeros(len(self.indptr) - 1)
        scores[owner[starts]] = found
        return scores


@dataclass(frozen=True, eq=False)
class Pairs:
    """The non-zero part of M between distinct rankings and distinct gold sets.

    Parameters
    ----------
    ranking : numpy.ndarray of int, shape (n_queries,)
        Each query's number among the distinct rankings.
    gold_set : numpy.ndarray of int, shape (n_queries,)
        Each query's number among the distinct gold sets.
    n_rankings, n_sets : int
        How many there are.
    row, column, value : numpy.ndarray, shape (n_pairs,)
        Ranking, gold set and score of each pair that shares a document; sorted by row, column.
    """

    ranking: IntArray
    gold_set: IntArray
    n_rankings: int
    n_sets: int
    row: IntArray
    column: IntArray
    value: FloatArray

    @property
    def set_counts(self) -> IntArray:
        """Number of queries with each gold set, shape (n_sets,)."""
        return np.bincount(self.gold_set, minlength=self.n_sets)

    @cached_property
    def row_sums(self) -> FloatArray:
        """Σ_j M_ij over all queries j, shape (n_queries,)."""
        weights = self.value * self.set_counts[self.column]
        return sums_by(self.row, weights, self.n_rankings)[self.ranking]

    @property
    def column_sums(self) -> FloatArray:
        """Σ_j M_ji over all queries j, shape (n_queries,)."""
        return self.set_sums[self.gold_set]

    @cached_property
    def set_sums(self) -> FloatArray:
        """Σ_j of M between ranking j and each distinct gold set, shape (n_sets,)."""
        repeats = np.bincount(self.ranking, minlength=self.n_rankings)
        return sums_by(self.column, self.value * repeats[self.row], self.n_sets)

    @cached_property
    def pool_sums(self) -> FloatArray:
        """Σ of M_i over the distinct gold sets, shape (n_queries,)."""
        return sums_by(self.row, self.value, self.n_rankings)[self.ranking]

    def at(self, queries: IntArray, golds: IntArray) -> FloatArray:
        """Return M for pairs of queries (whose ranking, whose gold), shape like the arguments."""
        if not len(self.row):
            return np.zeros(len(queries))
        keys = self.row * self.n_sets + self.column
        wanted = self.ranking[queries] * self.n_sets + self.gold_set[golds]
        place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        return np.where(keys[place] == wanted, self.value[place], 0.0)


def pair_scores(hits: Hits, gold: Gold, metric: Metric) -> Pairs:
    """Score every ranking against every gold set that it shares a document with.

    Rankings that meet the same gold documents at the same ranks are scored once, and so are equal
    gold sets. Memory is O(hits + gold + pairs); the join runs in chunks of about 120 MB.

    Parameters
    ----------
    hits : Hits
        The gold documents that each ranking meets, within the cutoff.
    gold : Gold
        The effective gold.
    metric : Metric
        A built-in metric.

    Raises
    ------
    MemoryNeededError
        If the pairs would need more than 4 GB.
    """
    ranking, models = group_rows(hits.indptr, hits.rank, hits.doc)
    sizes = np.diff(hits.indptr)[models]
    entries = expand(hits.indptr[:-1][models], sizes)
    row = np.repeat(np.arange(len(models)), sizes)
    sets = _SetsByDocument.of(gold)
    fan = sets.count[hits.doc[entries]]
    _check_memory(int(fan.sum()))
    ends = np.cumsum(fan)
    parts, begin = [], 0
    while begin < len(entries):
        # A chunk ends where a ranking ends, so that all documents of a pair stand in one chunk.
        goal = (ends[begin - 1] if begin else 0) + _CHUNK_TRIPLES
        stop = int(np.searchsorted(ends, goal, side="right"))
        if stop < len(entries):
            last = max(stop - 1, begin)
            side: Literal["left", "right"] = "left" if row[last] > row[begin] else "right"
            stop = int(np.searchsorted(row, row[last], side=side))
        part = slice(begin, stop)
        parts.append(_join(row[part], hits, entries[part], sets, gold, metric))
        begin = stop
    columns = [np.concatenate(c) for c in zip(*parts, strict=True)] if parts else _NO_PAIRS
    n_sets = len(gold.set_query)
    return Pairs(ranking, gold.gold_set, len(models), n_sets, *columns)


_NO_PAIRS = [np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0)]


@dataclass(frozen=True, slots=True, eq=False)
class _SetsByDocument:
    """The distinct gold sets, turned around: document → the sets that hold it."""

    start: IntArray
    count: IntArray
    gold_set: IntArray
    entry: IntArray

    @classmethod
    def of(cls, gold: Gold) -> _SetsByDocument:
        sizes = gold.sizes[gold.set_query]
        entry = expand(gold.indptr[:-1][gold.set_query], sizes)
        gold_set = np.repeat(np.arange(len(sizes)), sizes)
        order = np.argsort(gold.doc[entry], kind="stable")
        count = np.bincount(gold.doc[entry], minlength=gold.n_docs)
        return cls(np.cumsum(count) - count, count, gold_set[order], entry[order])


def _join(
    row: IntArray,
    hits: Hits,
    entries: IntArray,
    sets: _SetsByDocument,
    gold: Gold,
    metric: Metric,
) -> tuple[IntArray, IntArray, FloatArray]:
    doc = hits.doc[entries]
    fan = sets.count[doc]
    at = expand(sets.start[doc], fan)
    row, column = np.repeat(row, fan), sets.gold_set[at]
    key = row * len(gold.set_query) + column
    rank = np.repeat(hits.rank[entries], fan)
    # Stable, so that the ranks of a pair stay in increasing order.
    order = np.argsort(key, kind="stable")
    key, rank, at = key[order], rank[order], at[order]
    starts = np.flatnonzero(np.diff(key, prepend=-1))
    pair_row, column = row[order[starts]], column[order[starts]]
    n_rel = gold.sizes[gold.set_query[column]]
    value = metric.combine(rank, gold.worth[sets.entry[at]], starts, n_rel)
    return pair_row, column, value


def _check_memory(triples: int) -> None:
    need = 24 * triples
    if need > PAIR_BUDGET_BYTES:
        raise MemoryNeededError(
            f"rankings and gold sets overlap in up to {triples:,} places, which would need about "
            f"{need / 1e9:.1f} GB of memory; the budget is {PAIR_BUDGET_BYTES / 1e9:.0f} GB",
            remedy="Read rankings less deep (top_k, or a cutoff in the metric), or gate a sample "
            "of the queries.",
        )
