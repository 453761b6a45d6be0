"""The four nulls behind one protocol: what is expected, what is drawn, what each query adds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
import numpy.typing as npt

from falsify_nb.core import contributions as contrib
from falsify_nb.core.benchmark import Gold
from falsify_nb.core.contributions import Contributions
from falsify_nb.core.label_draws import Dealt, DrawCache, MarginalDraws, draw_sets, gold_key
from falsify_nb.core.lookup import Lookup
from falsify_nb.core.marginal_shift import margin_shift
from falsify_nb.core.marginals import Marginals
from falsify_nb.core.metrics import Metric
from falsify_nb.core.pairs import Hits, Pairs, pair_scores
from falsify_nb.core.random_retrieval import RandomRetrieval
from falsify_nb.core.streams import blocks

__all__ = ["NULLS", "Expected", "Null", "Progress", "Task"]

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
Progress = Callable[[str, int, int], None]

_CACHE = DrawCache()


@dataclass(frozen=True, slots=True, eq=False)
class Expected:
    """What a null expects.

    Parameters
    ----------
    per_query : numpy.ndarray of float, shape (n_queries,)
        Expected score of each query.
    mean : float
        E[null], over the queries.
    is_exact : bool
        Whether it comes from a formula.
    error : float
        Standard error of `mean`; 0 when exact.
    """

    per_query: FloatArray
    mean: float
    is_exact: bool = True
    error: float = 0.0


@dataclass(frozen=True, eq=False)
class Task:
    """One system on one benchmark under one built-in metric: all that the nulls read.

    Parameters
    ----------
    metric : Metric
        The metric.
    gold : Gold
        The effective gold.
    hits : Hits
        The gold documents that the rankings meet within the cutoff.
    corpus_size : int
        M.
    depth : int
        The ranks that count, at most M.
    bounds : tuple of float
        Range of the metric.
    seed, n_draws : int
        Root of the streams; draws per null. 0 draws: expectations from formulas only.
    progress : callable or None
        ``progress(stage, done, total)``, called between blocks; raising in it stops the work.
    """

    metric: Metric
    gold: Gold
    hits: Hits
    corpus_size: int
    depth: int
    bounds: tuple[float, float] = (0.0, 1.0)
    seed: int = 2026
    n_draws: int = 1000
    progress: Progress | None = None

    @cached_property
    def scores(self) -> FloatArray:
        """The system's score per query, shape (n_queries,)."""
        return self.hits.own_scores(self.gold, self.metric)

    @cached_property
    def pairs(self) -> Pairs:
        """M wherever a ranking and a gold set share a document."""
        return pair_scores(self.hits, self.gold, self.metric)

    @cached_property
    def marginals(self) -> Marginals:
        """Null D's inclusion probabilities."""
        return Marginals.fit(self.gold)

    @property
    def n_queries(self) -> int:
        """Number of evaluated queries."""
        return len(self.gold.norm)

    def tell(self, stage: str, done: int, total: int) -> None:
        """Call the progress hook, if there is one."""
        if self.progress is not None:
            self.progress(stage, done, total)

    def for_oracle(self) -> Task:
        """Return the same task for a perfect system."""
        oracle = Hits.of_oracle(self.gold, self.depth)
        return Task(
            self.metric,
            self.gold,
            oracle,
            self.corpus_size,
            self.depth,
            self.bounds,
            self.seed,
            self.n_draws,
            self.progress,
        )


class Null(Protocol):
    """What each null offers."""

    def expect(self, task: Task) -> Expected:
        """Return the expected score."""

    def draw(self, task: Task) -> FloatArray:
        """Return draws of the mean score, shape (task.n_draws,)."""

    def contribute(self, task: Task, expected: Expected) -> Contributions:
        """Return what each query adds to the gap."""


class PermutedGold:
    """Null A: a uniform random permutation of the queries deals the gold sets out."""

    def expect(self, task: Task) -> Expected:
        """Mean of all M_ij, i = j included: a permutation has one fixed point on average."""
        per_query = task.pairs.row_sums() / task.n_queries
        return Expected(per_query, float(per_query.mean()))

    def draw(self, task: Task) -> FloatArray:
        """Look the dealt sets up among the overlapping pairs."""
        return _draw_sets(task, "permuted", "null A")

    def contribute(self, task: Task, expected: Expected) -> Contributions:
        """Pseudo-values of the mean over pairs."""
        pairs = task.pairs
        return contrib.permuted(task.scores, pairs.row_sums(), pairs.column_sums(), task.bounds)


class UniformGold:
    """Null B: each query independently gets one of the distinct gold sets, uniformly."""

    def expect(self, task: Task) -> Expected:
        """Mean over queries and over the distinct gold sets."""
        per_query = task.pairs.pool_sums() / task.pairs.n_sets
        return Expected(per_query, float(per_query.mean()))

    def draw(self, task: Task) -> FloatArray:
        """Look the dealt sets up among the overlapping pairs."""
        return _draw_sets(task, "uniform", "null B")

    def contribute(self, task: Task, expected: Expected) -> Contributions:
        """Pseudo-values, the pool changing with the query left out."""
        pairs = task.pairs
        return contrib.uniform(
            task.scores, pairs.pool_sums(), pairs.set_sums(), pairs.gold_set, task.bounds
        )


class RetrievalNull:
    """Null C: each ranking becomes K documents drawn from the corpus without replacement."""

    def expect(self, task: Task) -> Expected:
        """Closed form."""
        per_query = self._model(task).expectation()
        return Expected(per_query, float(per_query.mean()))

    def draw(self, task: Task) -> FloatArray:
        """Draw numbers and places of relevant documents, not lists."""
        parts = []
        for block in blocks(task.seed, "retrieval", task.n_draws, task.n_queries):
            task.tell("null C", block.first, task.n_draws)
            parts.append(self._model(task).draw(block))
        return np.concatenate(parts)

    def contribute(self, task: Task, expected: Expected) -> Contributions:
        """Plain differences: no query's expectation depends on another's."""
        return contrib.retrieval(task.scores, expected.per_query, task.bounds)

    @staticmethod
    def _model(task: Task) -> RandomRetrieval:
        return RandomRetrieval(task.gold, task.metric, task.corpus_size, task.depth)


class MarginalGold:
    """Null D: each query keeps R_i and its gains; its documents are drawn by frequency."""

    # Without a formula, E[D] is drawn until its standard error is below 1 % of the 98.75 %
    # interval's width, which is at least 5 standard errors of the gap, and 5/(N + 1) of the
    # metric's range where all queries score alike. The last bound stops what cannot get there.
    _ERROR_SHARE = 0.05
    _MOST_DRAWS = 16

    def expect(self, task: Task) -> Expected:
        """Exact for single gold and for linear metrics, else the mean of draws."""
        if task.gold.is_single:
            per_query = task.pairs.row_sums() / task.n_queries
            return Expected(per_query, float(per_query.mean()))
        if task.metric.is_linear:
            per_query = self._linear(task)
            return Expected(per_query, float(per_query.mean()))
        return self._by_draws(task)

    def draw(self, task: Task) -> FloatArray:
        """Draw documents with the fitted probabilities."""
        parts = [means for means, _ in self._drawn(task, task.n_draws, per_query=False)]
        return np.concatenate(parts)

    def contribute(self, task: Task, expected: Expected) -> Contributions:
        """With single gold those of Null A, else with the linearised margins."""
        if task.gold.is_single:
            return PermutedGold().contribute(task, expected)
        query, doc, gradient = _gradient(task)
        shift = margin_shift(task.gold, task.marginals, query, doc, gradient)
        return contrib.marginal(task.scores, expected.per_query, shift, task.bounds)

    @staticmethod
    def _linear(task: Task) -> FloatArray:
        query, doc, gradient = _gradient(task)
        terms = gradient * task.marginals.of(query, doc)
        return np.bincount(query, terms, task.n_queries)

    def _by_draws(self, task: Task) -> Expected:
        least, total = max(task.n_draws, 1), np.zeros(task.n_queries)
        means: list[FloatArray] = []
        n = 0
        spread = float(np.std(task.scores)) / np.sqrt(task.n_queries)
        least_spread = (task.bounds[1] - task.bounds[0]) / (task.n_queries + 1)
        target = self._ERROR_SHARE * max(spread, least_spread)
        for means_now, sums in self._drawn(task, self._MOST_DRAWS * least, per_query=True):
            means.append(means_now)
            total += sums
            n += len(means_now)
            error = float(np.std(np.concatenate(means))) / np.sqrt(n)
            if n >= least and (error <= target or error == 0):
                break
        per_query = total / n
        return Expected(per_query, float(per_query.mean()), is_exact=False, error=error)

    def _drawn(
        self, task: Task, n_draws: int, *, per_query: bool
    ) -> Iterator[tuple[FloatArray, FloatArray]]:
        """Yield the mean scores of a block's draws, and the sums per query where asked."""
        source = MarginalDraws(task.gold, task.marginals)
        judge = _marginal_judge(task, source)
        drawn = _CACHE.blocks(
            gold_key(task.gold), "marginal", task.seed, n_draws, len(source.owner), source.draw
        )
        for block, dealt in drawn:
            task.tell("null D", block.first, n_draws)
            assert isinstance(dealt, Dealt)
            wanted = slice(0, block.stop - block.first)
            worth = source.worth
            if dealt.gains is not None:
                worth = dealt.gains[wanted] / task.gold.norm[source.owner]
            yield judge(dealt.docs[wanted], worth, per_query=per_query)


NULLS: dict[str, Null] = {
    "A": PermutedGold(),
    "B": UniformGold(),
    "C": RetrievalNull(),
    "D": MarginalGold(),
}


def _draw_sets(task: Task, kind: str, stage: str) -> FloatArray:
    pairs, gold = task.pairs, task.gold
    shape = (pairs.n_rankings, pairs.n_sets)
    lookup = Lookup.build(pairs.ranking, shape, pairs.row, pairs.column, pairs.value)
    parts = []
    drawn = _CACHE.blocks(
        gold_key(gold),
        kind,
        task.seed,
        task.n_draws,
        task.n_queries,
        lambda block: draw_sets(gold, kind, block),
    )
    for block, sets in drawn:
        task.tell(stage, block.first, task.n_draws)
        assert not isinstance(sets, Dealt)
        parts.append(lookup.totals(sets[: block.stop - block.first]))
    return np.concatenate(parts) / task.n_queries


def _gradient(task: Task) -> tuple[IntArray, IntArray, FloatArray]:
    """Return ∂φ_j/∂π_jd at the hits, φ_j the expected score of ranking j under Null D.

    Exact for linear metrics. For the others the documents of a draw are taken as independent,
    which is their limit for many labels; it enters only how the margins move, not E[D] itself.
    """
    hits, gold, metric = task.hits, task.gold, task.metric
    owner = hits.owner
    if metric.is_linear:
        mean_worth = np.add.reduceat(gold.worth, gold.indptr[:-1]) / gold.sizes
        weights = metric.rank_weights(int(hits.rank.max(initial=1)))
        return owner, hits.doc, weights[hits.rank - 1] * mean_worth[owner]
    pi = task.marginals.of(owner, hits.doc)
    gradient = np.empty(len(owner))
    for begin, stop in zip(hits.indptr[:-1], hits.indptr[1:], strict=True):
        part = slice(begin, stop)
        gradient[part] = _GRADIENTS[metric.family](hits.rank[part], pi[part])
    if metric.family == "AP":
        gradient /= gold.sizes[owner]
    return owner, hits.doc, gradient


def _gradient_success(rank: IntArray, pi: FloatArray) -> FloatArray:
    before, after = _none_before(pi), _none_before(pi[::-1])[::-1]
    return before * after


def _gradient_reciprocal(rank: IntArray, pi: FloatArray) -> FloatArray:
    """RR = Σ_r (1/r) π_r Π_{s<r} (1 − π_s)."""
    before = _none_before(pi)
    later = np.zeros(len(pi))
    best = 0.0
    for i in range(len(pi) - 1, -1, -1):
        later[i] = best
        best = pi[i] / rank[i] + (1 - pi[i]) * best
    return before * (1.0 / rank - later)


def _gradient_average(rank: IntArray, pi: FloatArray) -> FloatArray:
    """R·AP = Σ_r (1/r) π_r (1 + Σ_{s<r} π_s)."""
    earlier = np.cumsum(pi) - pi
    later = (pi / rank)[::-1].cumsum()[::-1] - pi / rank
    return (1.0 + earlier) / rank + later


def _none_before(pi: FloatArray) -> FloatArray:
    return np.concatenate([[1.0], np.cumprod(1.0 - pi)[:-1]]) if len(pi) else np.empty(0)


_GRADIENTS = {
    "Success": _gradient_success,
    "RR": _gradient_reciprocal,
    "AP": _gradient_average,
}


def _marginal_judge(task: Task, source: MarginalDraws):  # type: ignore[no-untyped-def]  # noqa: ANN202
    """Return a function that scores dealt documents: means per draw, sums per query."""
    hits, gold, metric = task.hits, task.gold, task.metric
    ranking, row = _distinct_rankings(hits)
    by_rank = metric.is_linear or gold.is_single
    weights = metric.rank_weights(int(hits.rank.max(initial=1)))
    value = weights[row.rank - 1] if by_rank else row.rank.astype(float)
    shape = (int(ranking.max(initial=0)) + 1, gold.n_docs)
    owner = source.owner
    lookup = Lookup.build(ranking[owner], shape, row.owner, row.doc, value)
    n = task.n_queries

    def linear(docs, worth, *, per_query):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
        return lookup.totals(docs, worth) / n, np.empty(0)

    def by_groups(docs, worth, *, per_query):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
        draw, slot, rank = lookup.hits(docs)
        key = draw * n + owner[slot]
        ranks = rank.astype(np.int64)
        order = np.lexsort((ranks, key))
        key, ranks = key[order], ranks[order]
        starts = np.flatnonzero(np.diff(key, prepend=-1))
        who = key[starts] % n
        scores = metric.combine(ranks, np.ones(len(ranks)), starts, gold.sizes[who])
        means = np.bincount(key[starts] // n, scores, len(docs)) / n
        return means, np.bincount(who, scores, n) if per_query else np.empty(0)

    return linear if by_rank else by_groups


def _distinct_rankings(hits: Hits) -> tuple[IntArray, Hits]:
    from falsify_nb.core.grouping import expand, group_rows

    ranking, models = group_rows(hits.indptr, hits.rank, hits.doc)
    sizes = np.diff(hits.indptr)[models]
    entries = expand(hits.indptr[:-1][models], sizes)
    indptr = np.concatenate([[0], np.cumsum(sizes)])
    return ranking, Hits(indptr, hits.rank[entries], hits.doc[entries])
