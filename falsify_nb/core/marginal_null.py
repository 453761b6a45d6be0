"""Null D: each query keeps R_i and its gains; its documents are drawn by how frequent they are."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt

from falsify_nb.core import contributions as contrib
from falsify_nb.core.contributions import Contributions
from falsify_nb.core.draw_cache import DRAWS
from falsify_nb.core.grouping import sums_by
from falsify_nb.core.marginal_draws import Dealt, MarginalDraws, Meetings
from falsify_nb.core.marginal_shift import margin_pull, margin_shift
from falsify_nb.core.set_scores import score_sets
from falsify_nb.core.task import Expected, Task
from falsify_nb.core.within import within_units

__all__ = ["MarginalGold"]

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
DrawArray = npt.NDArray[np.int32]
# Means per draw, and sums per query (empty where not asked for).
Judged = tuple[FloatArray, FloatArray]


# With fewer documents and pairs than this, a draw's steps are too short for threads.
_LONG_STEPS = 50_000


class MarginalGold:
    """Null D behind the nulls' protocol."""

    # Without a formula, E[D] is drawn until its standard error is below 1 % of the 98.75 %
    # interval's width, which is at least 5 standard errors of the gap, and 5/(N + 1) of the
    # metric's range where all queries score alike. The last bound stops what cannot get there.
    _ERROR_SHARE = 0.05
    _MOST_DRAWS = 16

    def expect(self, task: Task) -> Expected:
        """Exact for single gold and for linear metrics, else the mean of draws."""
        if task.is_single:
            per_query = task.pairs.row_sums / task.n_queries
            return Expected(per_query, float(per_query.mean()))
        if task.metric.is_linear:
            query, doc, gradient = _gradient(task)
            terms = gradient * task.marginals.of(query, doc)
            per_query = sums_by(query, terms, task.n_queries)
            return Expected(per_query, float(per_query.mean()))
        return self._by_draws(task)

    def draw(self, task: Task) -> FloatArray:
        """Draw documents with the fitted probabilities; with single gold, whole gold sets."""
        if task.is_single:
            return score_sets(task, "frequent", "null D")
        drawn = _drawn(task, task.n_draws, per_query=False)
        return np.concatenate([means for means, _ in drawn])

    def contribute(self, task: Task, expected: Expected) -> Contributions:
        """Deletions: with single gold by the pairs, else by the linearised margins."""
        pairs, units = task.pairs, task.units
        if task.is_single and not units.grouped:
            return contrib.permuted(task.scores, pairs.row_sums, pairs.column_sums, task.bounds)
        delta = float(task.scores.mean()) - expected.mean
        without = self._without_group(task) if task.is_single else self._without(task, expected)
        return contrib.from_deletions(delta, without, expected.per_query, task.bounds, units)

    @staticmethod
    def _without(task: Task, expected: Expected) -> FloatArray:
        """Return the gap without each unit, the margins moving to first order."""
        pull = margin_pull(task.gold, task.marginals, *_gradient(task))
        shift = margin_shift(task.gold, task.marginals, *pull)
        gaps, units = task.scores - expected.per_query, task.units
        left = gaps.sum() - units.sums(gaps) - units.sums(shift)
        return left / (task.n_queries - units.sizes)

    @staticmethod
    def _without_group(task: Task) -> FloatArray:
        """Return the gap without each group, single gold: all pairs that are left, i = j too."""
        pairs, units, scores = task.pairs, task.units, task.scores
        rows, columns = pairs.row_sums, pairs.column_sums
        left = rows.sum() - units.sums(rows + columns - within_units(pairs, units)[0])
        rest = task.n_queries - units.sizes
        return (scores.sum() - units.sums(scores)) / rest - left / rest**2

    def _by_draws(self, task: Task) -> Expected:
        least, total = max(task.n_draws, 1), np.zeros(task.n_queries)
        spread = float(np.std(task.scores)) / np.sqrt(task.n_queries)
        least_spread = (task.bounds[1] - task.bounds[0]) / (task.n_queries + 1)
        target = self._ERROR_SHARE * max(spread, least_spread)
        means: list[FloatArray] = []
        n, error = 0, 0.0
        for means_now, sums in _drawn(task, self._MOST_DRAWS * least, per_query=True):
            means.append(means_now)
            total += sums
            n += len(means_now)
            if n >= least:
                error = float(np.std(np.concatenate(means)) / np.sqrt(n))
                if error <= target:
                    break
        per_query = total / n
        return Expected(per_query, float(per_query.mean()), is_exact=False, error=error)


def _drawn(task: Task, n_draws: int, *, per_query: bool) -> Iterator[Judged]:
    """Yield the mean scores of each block's draws, and the sums per query where asked."""
    dealer = MarginalDraws(task.gold, task.marginals, task.units)
    judge = _judge(task, dealer, per_query=per_query)
    in_steps = len(dealer.live) + len(task.hits.doc) < _LONG_STEPS
    found = DRAWS.blocks(
        dealer.source(task.seed),
        n_draws,
        lambda block, dealt: judge(dealt, block.wanted),
        in_steps=in_steps,
    )
    for block, judged in found:
        task.tell("null D", block.first, n_draws)
        yield judged


# Scores the first so many draws of a block.
Judge = Callable[[Dealt, int], Judged]


def _judge(task: Task, dealer: MarginalDraws, *, per_query: bool) -> Judge:
    """Find the retrieved documents that were dealt, and score each query by them."""
    hits, gold, metric, n = task.hits, task.gold, task.metric, task.n_queries
    owner = hits.owner
    meetings = Meetings(dealer, owner, hits.doc)
    weight = metric.rank_weights(int(hits.rank.max(initial=1)))[hits.rank - 1]
    first_slot, norm = dealer.first_slot[owner], gold.norm[owner]
    own_worth = dealer.worth[first_slot]

    def linear(dealt: Dealt, n_draws: int) -> Judged:
        draw, hit, slot = meetings.of_draws(dealt, n_draws)
        worth = own_worth[hit]
        if dealt.gains is not None:
            worth = dealer.palette[dealt.gains[draw, first_slot[hit] + slot]] / norm[hit]
        return sums_by(draw, weight[hit] * worth, n_draws) / n, np.empty(0)

    def by_groups(dealt: Dealt, n_draws: int) -> Judged:
        draw, hit, _ = meetings.of_draws(dealt, n_draws)
        # Hits are sorted by query and rank, and so is what is left of them.
        key = draw * n + owner[hit]
        starts = np.flatnonzero(np.diff(key, prepend=-1))
        draw, who = np.divmod(key[starts], n)
        scores = metric.combine(hits.rank[hit], np.ones(len(hit)), starts, gold.sizes[who])
        means = sums_by(draw, scores, n_draws) / n
        return means, sums_by(who, scores, n) if per_query else np.empty(0)

    return linear if metric.is_linear else by_groups


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


def _gradient_success(_rank: IntArray, pi: FloatArray) -> FloatArray:
    return _none_before(pi) * _none_before(pi[::-1])[::-1]


def _gradient_reciprocal(rank: IntArray, pi: FloatArray) -> FloatArray:
    """RR = Σ_r (1/r) π_r Π_{s<r} (1 − π_s)."""
    later, best = np.zeros(len(pi)), 0.0
    for i in range(len(pi) - 1, -1, -1):
        later[i] = best
        best = pi[i] / rank[i] + (1 - pi[i]) * best
    return _none_before(pi) * (1.0 / rank - later)


def _gradient_average(rank: IntArray, pi: FloatArray) -> FloatArray:
    """R·AP = Σ_r (1/r) π_r (1 + Σ_{s<r} π_s)."""
    earlier = np.cumsum(pi) - pi
    later = (pi / rank)[::-1].cumsum()[::-1] - pi / rank
    return (1.0 + earlier) / rank + later


def _none_before(pi: FloatArray) -> FloatArray:
    return np.concatenate([[1.0], np.cumprod(1.0 - pi)[:-1]]) if len(pi) else np.empty(0)


_GRADIENTS: dict[str, Callable[[IntArray, FloatArray], FloatArray]] = {
    "Success": _gradient_success,
    "RR": _gradient_reciprocal,
    "AP": _gradient_average,
}
