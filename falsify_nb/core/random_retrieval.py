"""Null C: what K documents drawn without replacement score, exactly and in draws."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln

from falsify_nb.core.benchmark import Gold
from falsify_nb.core.metrics import Metric
from falsify_nb.core.streams import Block

__all__ = ["RandomRetrieval", "draw_documents"]

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
# Samples of more go class by class, since a step's work grows with those before it.
_MOST_STEPS = 16


@dataclass(frozen=True, eq=False)
class RandomRetrieval:
    """Random rankings of a corpus, each judged by its own query's gold.

    Parameters
    ----------
    gold : Gold
        The effective gold; all of it lies in the corpus.
    metric : Metric
        A built-in metric.
    corpus_size : int
        M, the number of documents.
    depth : int
        k′, the ranks that count: the smaller of the cutoff, the depth read, and M.
    """

    gold: Gold
    metric: Metric
    corpus_size: int
    depth: int

    def expectation(self) -> FloatArray:
        """Return each query's expected score in closed form, shape (n_queries,).

        Linear metrics: every rank holds each document with probability 1/M. Success and RR: the
        hypergeometric chance of no hit before a rank. AP: by pairs of ranks.
        """
        size, which = np.unique(self.gold.sizes, return_inverse=True)
        if self.metric.is_linear:
            weight = self.metric.rank_weights(self.depth).sum() / self.corpus_size
            worth = np.add.reduceat(self.gold.worth, self.gold.indptr[:-1])
            return weight * worth
        by_size = {"Success": self._success, "RR": self._reciprocal, "AP": self._average}
        return by_size[self.metric.family](size.astype(float))[which]

    def _no_hit(self, size: FloatArray) -> FloatArray:
        """P(no relevant document at ranks 1 … r) for r = 0 … k′, shape (n_sizes, k′ + 1)."""
        left = self.corpus_size - np.arange(self.depth)
        steps = np.maximum(1.0 - size[:, None] / left, 0.0)
        return np.concatenate([np.ones((len(size), 1)), np.cumprod(steps, axis=1)], axis=1)

    def _success(self, size: FloatArray) -> FloatArray:
        return 1.0 - self._no_hit(size)[:, -1]

    def _reciprocal(self, size: FloatArray) -> FloatArray:
        ranks = np.arange(1, self.depth + 1)
        hit_now = size[:, None] / (self.corpus_size - ranks + 1)
        return (self._no_hit(size)[:, :-1] * np.minimum(hit_now, 1.0)) @ (1.0 / ranks)

    def _average(self, size: FloatArray) -> FloatArray:
        m = self.corpus_size
        ranks = np.arange(1, self.depth + 1)
        another = (size - 1)[:, None] / (m - 1) if m > 1 else np.ones((len(size), 1))
        return ((1.0 + (ranks - 1) * another) @ (1.0 / ranks)) / m

    def draw(self, block: Block) -> FloatArray:
        """Return the mean score of each of a block's draws, shape (block.length,).

        Queries with one relevant document are alike: how many of them meet it at each rank is
        multinomial. For the others the number of relevant documents among the first k′ is
        hypergeometric; where they stand and which they are is uniform, and only queries with a
        hit are followed further.
        """
        totals, n = np.zeros(block.length), len(self.gold.sizes)
        several = self._several
        if len(several) < n:
            met = block.rng.multinomial(n - len(several), self._chance, block.length)
            totals += met[:, :-1] @ self._value
        if len(several):
            totals += self._draw_several(block, several)
        return totals / n

    @cached_property
    def _several(self) -> IntArray:
        """The queries with more than one relevant document."""
        return np.flatnonzero(self.gold.sizes > 1)

    @cached_property
    def _chance(self) -> FloatArray:
        """Where one document stands: at each rank that counts, or at none."""
        chance = np.full(self.depth + 1, 1 / self.corpus_size)
        chance[-1] = max(1.0 - self.depth / self.corpus_size, 0.0)
        return chance

    @cached_property
    def _value(self) -> FloatArray:
        """What a query's only relevant document is worth at each rank."""
        worth = self.gold.worth[self.gold.indptr[:-1][self.gold.sizes == 1]]
        # It is worth the same in every query under every built-in metric.
        assert np.ptp(worth) <= 1e-9 * worth[0]
        value: FloatArray = self.metric.rank_weights(self.depth) * worth[0]
        return value

    def _draw_several(self, block: Block, queries: IntArray) -> FloatArray:
        which, cdfs = self._hits
        which = which[queries]
        u = block.rng.random((block.length, len(queries)))
        draw, query = np.nonzero(u >= cdfs[which, 0])
        found = np.ones(len(draw), dtype=np.int64)
        for n in range(1, cdfs.shape[1]):
            more = u[draw, query] >= cdfs[which[query], n]
            if not more.any():
                break
            found[more] = n + 1
        totals = np.zeros(block.length)
        for n in np.unique(found):
            mine = found == n
            scores = self._scores(block.rng, queries[query[mine]], int(n))
            totals += np.bincount(draw[mine], scores, block.length)
        return totals

    @cached_property
    def _hits(self) -> tuple[IntArray, FloatArray]:
        """Return the class of each query's R, and by class P(at most h hits), h = 0, 1, …."""
        m, k = self.corpus_size, self.depth
        size, which = np.unique(self.gold.sizes, return_inverse=True)
        h = np.arange(min(int(size.max()), k) + 1)
        r = size[:, None]
        possible = (h <= r) & (k - h <= m - r)
        inside = np.where(possible, h, np.maximum(k - m + r, 0))
        log_p = _log_choose(r, inside) + _log_choose(m - r, k - inside) - _log_choose(m, k)
        pmf = np.where(possible, np.exp(log_p), 0.0)
        cdf = np.cumsum(pmf / pmf.sum(axis=1, keepdims=True), axis=1)
        # Rounding must not leave a class without its last value.
        cdf[h >= np.minimum(r, k)] = 1.0
        return which, cdf

    def _scores(self, rng: np.random.Generator, query: IntArray, n: int) -> FloatArray:
        """Return the score of each query given that it has n hits, at random places."""
        ranks = np.sort(_subsets(rng, len(query), n, self.depth), axis=1) + 1
        sizes = self.gold.sizes[query]
        entry = np.repeat(self.gold.indptr[:-1][query][:, None], n, axis=1)
        if self.metric.reads_gains:
            entry += _subsets_of_each(rng, n, sizes)
        worth = self.gold.worth[entry]
        starts = np.arange(len(query)) * n
        return self.metric.combine(ranks.ravel(), worth.ravel(), starts, sizes)


def draw_documents(block: Block, n_lists: int, depth: int, corpus_size: int) -> Iterator[IntArray]:
    """Yield, draw by draw, lists of distinct random documents, shape (n_lists, depth)."""
    for _ in range(block.wanted):
        yield _subsets(block.rng, n_lists, depth, corpus_size)


def _log_choose(n: float | IntArray, k: float | IntArray) -> FloatArray:
    return gammaln(np.add(n, 1)) - gammaln(np.add(k, 1)) - gammaln(np.subtract(n, k) + 1)


def _subsets_of_each(rng: np.random.Generator, size: int, of: IntArray) -> IntArray:
    """Draw, for every n of `of`, an ordered sample without replacement of 0 … n − 1."""
    if size > _MOST_STEPS:
        out = np.empty((len(of), size), dtype=np.int64)
        for n in np.unique(of):
            mine = of == n
            out[mine] = _subsets(rng, int(mine.sum()), size, int(n))
        return out
    # The next one is so many places along those that are left: stepping over each one taken, the
    # smallest first, gives its number among all.
    out = np.empty((size, len(of)), dtype=np.int64)
    for i in range(size):
        chosen = rng.integers(0, of - i)
        for taken in np.sort(out[:i], axis=0):
            chosen += chosen >= taken
        out[i] = chosen
    return out.T


def _subsets(rng: np.random.Generator, n: int, size: int, of: int) -> IntArray:
    """Draw n ordered samples without replacement of `size` out of 0 … of − 1."""
    if size * size > of:
        # Sorting random keys, in slices that hold at most 16 MB of them.
        slices = [
            slice(b, b + max(1, 2_000_000 // of)) for b in range(0, n, max(1, 2_000_000 // of))
        ]
        parts = [np.argsort(rng.random((len(range(n)[s]), of)), axis=1)[:, :size] for s in slices]
        return np.concatenate(parts) if parts else np.empty((0, size), dtype=np.int64)
    out = rng.integers(0, of, (n, size))
    todo = np.arange(n)
    while size > 1 and len(todo):
        ordered = np.sort(out[todo], axis=1)
        todo = todo[(ordered[:, 1:] == ordered[:, :-1]).any(axis=1)]
        out[todo] = rng.integers(0, of, (len(todo), size))
    return out
