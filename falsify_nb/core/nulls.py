"""The four nulls behind one protocol: what is expected, what is drawn, what each query adds."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from falsify_nb.core import contributions as contrib
from falsify_nb.core.contributions import Contributions
from falsify_nb.core.draw_cache import DRAWS, Source
from falsify_nb.core.marginal_null import MarginalGold
from falsify_nb.core.random_retrieval import RandomRetrieval
from falsify_nb.core.set_scores import score_sets
from falsify_nb.core.streams import Block
from falsify_nb.core.task import Expected, Null, Task
from falsify_nb.core.within import pairs_within, within_units

__all__ = ["NULLS", "PermutedGold", "RetrievalNull", "UniformGold"]

FloatArray = npt.NDArray[np.float64]


class PermutedGold:
    """Null A: a uniform random permutation of the queries deals the gold sets out.

    With groups, whole groups are dealt out, never a group to itself.
    """

    def expect(self, task: Task) -> Expected:
        """Mean of all M_ij, i = j included: a permutation has one fixed point on average."""
        n, units = task.n_queries, task.units
        if not units.grouped:
            per_query = task.pairs.row_sums / n
            return Expected(per_query, float(per_query.mean()))
        others = n - units.sizes[units.of]
        foreign = task.pairs.row_sums - within_units(task.pairs, units)[0]
        mean = float(foreign.sum() / others.sum())
        return Expected(foreign / others, mean)

    def draw(self, task: Task) -> FloatArray:
        """Look the dealt sets up among the overlapping pairs."""
        if task.units.grouped and np.ptp(task.units.sizes) > 0:
            return np.empty(0)
        return score_sets(task, "permuted", "null A")

    def contribute(self, task: Task, expected: Expected) -> Contributions:
        """Pseudo-values of the mean over pairs."""
        pairs, units = task.pairs, task.units
        rows, columns = pairs.row_sums, pairs.column_sums
        if not units.grouped:
            return contrib.permuted(task.scores, rows, columns, task.bounds)
        own_rows, own_columns = within_units(pairs, units)
        left = (rows - own_rows).sum() - units.sums(rows - own_rows + columns - own_columns)
        sizes = units.sizes.astype(float)
        n = float(task.n_queries)
        counts = (sizes * (n - sizes)).sum() - 2 * sizes * (n - sizes)
        score = (task.scores.sum() - units.sums(task.scores)) / (n - sizes)
        without = score - left / counts
        delta = float(task.scores.mean()) - expected.mean
        return contrib.from_deletions(delta, without, expected.per_query, task.bounds, units)


class UniformGold:
    """Null B: each query (or group) independently gets one of the distinct gold sets, uniformly."""

    def expect(self, task: Task) -> Expected:
        """Mean over queries and over the distinct gold sets."""
        per_query = task.pairs.pool_sums / task.pairs.n_sets
        return Expected(per_query, float(per_query.mean()))

    def draw(self, task: Task) -> FloatArray:
        """Look the dealt sets up among the overlapping pairs."""
        return score_sets(task, "uniform", "null B")

    def contribute(self, task: Task, expected: Expected) -> Contributions:
        """Pseudo-values, the pool changing with what is left out."""
        pairs = task.pairs
        without = (
            _uniform_without_groups(task)
            if task.units.grouped
            else contrib.uniform_without(
                task.scores, pairs.pool_sums, pairs.set_sums, pairs.gold_set
            )
        )
        delta = float(task.scores.mean()) - expected.mean
        return contrib.from_deletions(delta, without, expected.per_query, task.bounds, task.units)


class RetrievalNull:
    """Null C: each ranking becomes K documents drawn from the corpus without replacement."""

    def expect(self, task: Task) -> Expected:
        """Closed form."""
        per_query = self._model(task).expectation()
        return Expected(per_query, float(per_query.mean()))

    def draw(self, task: Task) -> FloatArray:
        """Draw numbers and places of relevant documents, not lists.

        They are judged by each query's own gold: no system enters, and the next one on the same
        benchmark meets the same draws.
        """
        model = self._model(task)
        asked = f"{task.metric} {task.corpus_size} {task.depth}".encode()
        key = (task.gold.fingerprint, asked)
        source = Source(key, "retrieval", task.seed, task.n_queries, model.draw)
        parts = []
        for block, means in DRAWS.blocks(source, task.n_draws, _wanted):
            task.tell("null C", block.first, task.n_draws)
            parts.append(means)
        return np.concatenate(parts)

    def contribute(self, task: Task, expected: Expected) -> Contributions:
        """Plain differences: no query's expectation depends on another's."""
        return contrib.retrieval(task.scores, expected.per_query, task.bounds, task.units)

    @staticmethod
    def _model(task: Task) -> RandomRetrieval:
        return RandomRetrieval(task.gold, task.metric, task.corpus_size, task.depth)


NULLS: dict[str, Null] = {
    "A": PermutedGold(),
    "B": UniformGold(),
    "C": RetrievalNull(),
    "D": MarginalGold(),
}


def _wanted(block: Block, means: FloatArray) -> FloatArray:
    return means[: block.wanted]


def _uniform_without_groups(task: Task) -> FloatArray:
    """Return Null B's gap without each group; gold sets that it alone has leave the pool."""
    pairs, units, scores = task.pairs, task.units, task.scores
    pool_sums, set_sums = pairs.pool_sums, pairs.set_sums
    unit_of_set = np.full(pairs.n_sets, -1)
    unit_of_set[pairs.gold_set] = units.of
    shared = np.zeros(pairs.n_sets, dtype=bool)
    shared[pairs.gold_set[units.of != unit_of_set[pairs.gold_set]]] = True
    alone = np.flatnonzero(~shared)
    owner = unit_of_set[alone]
    n_alone = np.bincount(owner, minlength=len(units))
    leaving = np.bincount(owner, set_sums[alone], len(units))
    # What the group's own rankings earn with its own sets was subtracted twice.
    both = np.zeros(len(units))
    is_first = np.zeros(task.n_queries, dtype=bool)
    is_first[np.unique(pairs.gold_set, return_index=True)[1]] = True
    model = is_first & ~shared[pairs.gold_set]
    for i, j in pairs_within(units):
        keep = model[j]
        value = pairs.at(i[keep], j[keep])
        both += np.bincount(units.of[i[keep]], value, len(units))
    n = float(task.n_queries)
    left = pool_sums.sum() - units.sums(pool_sums) - leaving + both
    rest = n - units.sizes
    score = (scores.sum() - units.sums(scores)) / rest
    return score - left / (rest * np.maximum(pairs.n_sets - n_alone, 1))
