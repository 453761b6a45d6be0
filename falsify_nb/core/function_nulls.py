"""The four nulls of a metric that is a function: they ask for its values, each pair once."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from falsify_nb.core import contributions as contrib
from falsify_nb.core.contributions import Contributions
from falsify_nb.core.draw_cache import DRAWS, unchanged
from falsify_nb.core.function_calls import Argument, Pair
from falsify_nb.core.function_task import FEWER_DRAWS, FunctionTask
from falsify_nb.core.label_draws import DrawArray, Kind
from falsify_nb.core.marginal_draws import MarginalDraws
from falsify_nb.core.marginal_shift import margin_shift
from falsify_nb.core.nulls import PermutedGold, UniformGold
from falsify_nb.core.pairs import Pairs
from falsify_nb.core.random_retrieval import draw_documents
from falsify_nb.core.streams import blocks
from falsify_nb.core.task import Expected, Null, Task

__all__ = ["FUNCTION_NULLS"]

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


class FunctionPermuted(PermutedGold):
    """Null A of a function."""

    kind: Kind = "permuted"

    def expect(self, task: Task) -> Expected:
        """Mean of all M_ij, or of the drawn ones."""
        assert isinstance(task, FunctionTask)
        return super().expect(task) if task.is_full else _expect_drawn(task, self.kind)

    def contribute(self, task: Task, expected: Expected) -> Contributions:
        """Pseudo-values, row and column means from the draws where M is not whole."""
        assert isinstance(task, FunctionTask)
        if task.is_full:
            return super().contribute(task, expected)
        n = task.n_queries
        columns = _column_means(task, self.kind)[task.gold.gold_set]
        return contrib.permuted(task.scores, expected.per_query * n, columns * n, task.bounds)


class FunctionUniform(UniformGold):
    """Null B of a function."""

    kind: Kind = "uniform"

    def expect(self, task: Task) -> Expected:
        """Mean over the distinct gold sets, or over the drawn ones."""
        assert isinstance(task, FunctionTask)
        return super().expect(task) if task.is_full else _expect_drawn(task, self.kind)

    def contribute(self, task: Task, expected: Expected) -> Contributions:
        """Pseudo-values, sums over the pool estimated from the draws where M is not whole."""
        assert isinstance(task, FunctionTask)
        if task.is_full:
            return super().contribute(task, expected)
        n, n_sets = task.n_queries, len(task.gold.set_query)
        sums = _column_means(task, self.kind) * n
        pool = expected.per_query * n_sets
        without = contrib.uniform_without(task.scores, pool, sums, task.gold.gold_set)
        delta = float(task.scores.mean()) - expected.mean
        return contrib.from_deletions(delta, without, expected.per_query, task.bounds, task.units)


class FunctionRetrieval:
    """Null C of a function: random lists, called one by one."""

    def expect(self, task: Task) -> Expected:
        """Mean of the draws."""
        return _mean_of(self._values(task))

    def draw(self, task: Task) -> FloatArray:
        """The same draws."""
        return self._values(task).mean(axis=1)

    def contribute(self, task: Task, expected: Expected) -> Contributions:
        """Plain differences."""
        return contrib.retrieval(task.scores, expected.per_query, task.bounds, task.units)

    @staticmethod
    def _values(task: Task) -> FloatArray:
        """Scores by draw and query, shape (n_draws, n_queries)."""
        assert isinstance(task, FunctionTask)
        cached = task.__dict__.get("retrieval_values")
        if cached is not None:
            return np.asarray(cached)
        n_draws, n = min(FEWER_DRAWS, task.n_draws), task.n_queries
        depth = min(task.depth, task.corpus_size)
        rows: list[FloatArray] = []
        for block in blocks(task.seed, "documents", n_draws, n * depth):
            lists = draw_documents(block, n, depth, task.corpus_size)
            rows.extend(_scores_of_lists(task, docs) for docs in lists)
        values = np.array(rows[:n_draws])
        task.__dict__["retrieval_values"] = values
        return values


class FunctionMarginal:
    """Null D of a function."""

    def expect(self, task: Task) -> Expected:
        """With single gold the mean over pairs, else of the draws."""
        assert isinstance(task, FunctionTask)
        if task.is_single:
            return FunctionPermuted().expect(task)
        return _mean_of(self._dealt(task)[0])

    def draw(self, task: Task) -> FloatArray:
        """Draws of the mean score."""
        assert isinstance(task, FunctionTask)
        if not task.is_single:
            return self._dealt(task)[0].mean(axis=1)
        return _by_label(task)

    def contribute(self, task: Task, expected: Expected) -> Contributions:
        """With several gold documents: linearised margins, the gradient from the draws.

        ∂Φ/∂β_d = Σ_j Cov(M_j, a_jd) over the draws, a_jd whether d was dealt to j (the score
        function of independent cells); ∂Φ/∂α vanishes, since every query keeps its R.
        """
        assert isinstance(task, FunctionTask)
        if task.is_single:
            return FunctionPermuted().contribute(task, expected)
        values, docs, owner = self._dealt(task)
        gold, model = task.gold, task.marginals
        centred = (values - values.mean(axis=0))[:, owner]
        on_beta = np.bincount(docs.ravel(), centred.ravel(), gold.n_docs) / len(values)
        shift = margin_shift(gold, model, on_beta, np.zeros(len(model.size)))
        gaps, units = task.scores - expected.per_query, task.units
        left = gaps.sum() - units.sums(gaps) - units.sums(shift)
        without = left / (task.n_queries - units.sizes)
        delta = float(task.scores.mean()) - expected.mean
        return contrib.from_deletions(delta, without, expected.per_query, task.bounds, units)

    @staticmethod
    def _dealt(task: FunctionTask) -> tuple[FloatArray, npt.NDArray[np.int32], IntArray]:
        cached = task.__dict__.get("dealt_values")
        if cached is not None:
            return cached
        dealer = MarginalDraws(task.gold, task.marginals, task.units)
        n_draws, own = min(FEWER_DRAWS, task.n_draws), dealer.own_gains
        values, docs = [], []
        for block, dealt in DRAWS.blocks(dealer.source(task.seed), n_draws, unchanged):
            documents, gains = dealer.documents(dealt), dealer.gains(dealt)
            for row in range(block.wanted):
                gain = own if gains is None else gains[row]
                values.append(_scores_of_golds(task, dealer.owner, documents[row], gain))
                docs.append(documents[row])
        found = (np.array(values), np.array(docs), dealer.owner)
        task.__dict__["dealt_values"] = found
        return found


FUNCTION_NULLS: dict[str, Null] = {
    "A": FunctionPermuted(),
    "B": FunctionUniform(),
    "C": FunctionRetrieval(),
    "D": FunctionMarginal(),
}


def _expect_drawn(task: FunctionTask, kind: Kind) -> Expected:
    pairs, n = task.pairs, task.n_queries
    total, means = np.zeros(n), []
    for sets in task.drawn_sets(kind):
        for row in sets:
            value = _lookup(pairs, row)
            total += value
            means.append(value.mean())
    error = float(np.std(means) / np.sqrt(len(means)))
    per_query = total / len(means)
    return Expected(per_query, float(per_query.mean()), is_exact=False, error=error)


def _column_means(task: FunctionTask, kind: Kind) -> FloatArray:
    n_sets = len(task.gold.set_query)
    total, count = np.zeros(n_sets), np.zeros(n_sets)
    for sets in task.drawn_sets(kind):
        for row in sets:
            total += np.bincount(row, _lookup(task.pairs, row), n_sets)
            count += np.bincount(row, minlength=n_sets)
    return np.divide(total, count, out=np.zeros(n_sets), where=count > 0)


def _lookup(pairs: Pairs, sets: DrawArray) -> FloatArray:
    keys = pairs.row * pairs.n_sets + pairs.column
    return pairs.value[np.searchsorted(keys, pairs.ranking * pairs.n_sets + sets)]


def _by_label(task: FunctionTask) -> FloatArray:
    """Null D with single gold: each query gets the gold of a random query."""
    pairs = task.pairs
    means: list[FloatArray] = []
    keys = pairs.row * pairs.n_sets + pairs.column
    for sets in task.drawn_sets("frequent"):
        wanted = pairs.ranking * pairs.n_sets + sets
        if not task.is_full:
            at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
            if not (keys[at] == wanted).all():
                return _by_label_calls(task, sets, means)
        means.append(pairs.value[np.searchsorted(keys, wanted)].mean(axis=1))
    return np.concatenate(means)


def _by_label_calls(task: FunctionTask, sets: DrawArray, means: list[FloatArray]) -> FloatArray:
    """The same where M is not whole: fewer draws, each pair asked for."""
    queries = task.gold.set_query
    for row in sets[:FEWER_DRAWS]:
        asked = [task.pair(i, queries[s]) for i, s in enumerate(row)]
        means.append(np.array([task.caller.scores(asked).mean()]))
    return np.concatenate(means)


def _mean_of(values: FloatArray) -> Expected:
    means = values.mean(axis=1)
    error = float(np.std(means) / np.sqrt(len(means)))
    return Expected(values.mean(axis=0), float(means.mean()), is_exact=False, error=error)


def _scores_of_lists(task: FunctionTask, docs: IntArray) -> FloatArray:
    known, ids = task.corpus_ids, task.benchmark.query_ids

    def name(d: int) -> str:
        return str(known[d]) if d < len(known) else f"unseen-document-{d}"

    asked = [
        Pair(Argument.of(tuple(map(name, row)), ids[i]), task.gold_of(i))
        for i, row in enumerate(docs.tolist())
    ]
    return task.caller.scores(asked)


def _scores_of_golds(
    task: FunctionTask, owner: IntArray, docs: npt.NDArray[np.int32], gains: FloatArray
) -> FloatArray:
    ids, names = task.benchmark.query_ids, task.benchmark.gold_ids
    dealt: list[list[tuple[str, float]]] = [[] for _ in range(task.n_queries)]
    for query, doc, gain in zip(owner.tolist(), docs.tolist(), gains.tolist(), strict=True):
        dealt[query].append((names[doc], gain))
    asked = [
        Pair(task.pair(i, i).ranking, Argument.of(tuple(sorted(gold)), ids[i]))
        for i, gold in enumerate(dealt)
    ]
    return task.caller.scores(asked)
