"""The nulls of a metric that is a function: nothing is known of it but its values.

Nulls A and B read M over the distinct rankings and gold sets: all of it where that is no more than
the draws would ask for, else only the pairs that are drawn. Nulls C and, with several gold
documents, D ask for a fresh call per query and draw; they make a smaller number of draws.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from falsify_nb.core import contributions as contrib
from falsify_nb.core.benchmark import Benchmark
from falsify_nb.core.blind_list import REPETITIONS
from falsify_nb.core.contributions import Contributions
from falsify_nb.core.draw_cache import DRAWS, unchanged
from falsify_nb.core.function_calls import Argument, Caller, Pair
from falsify_nb.core.grouping import group_rows
from falsify_nb.core.label_draws import DrawArray, Kind, draws_of_sets
from falsify_nb.core.marginal_draws import MarginalDraws
from falsify_nb.core.marginal_shift import margin_shift
from falsify_nb.core.notices import Notice
from falsify_nb.core.nulls import PermutedGold, UniformGold
from falsify_nb.core.pairs import PAIR_BUDGET_BYTES, Pairs
from falsify_nb.core.random_retrieval import draw_documents
from falsify_nb.core.rankings import Rankings
from falsify_nb.core.streams import blocks
from falsify_nb.core.task import Expected, Null, Task
from falsify_nb.errors import MemoryNeededError

__all__ = ["FEWER_DRAWS", "FUNCTION_NULLS", "FunctionTask", "planned_calls"]

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]
StrArray = npt.NDArray[np.object_]

# What one pair to be scored takes up, about: the two arguments' places, the key, the value.
_BYTES_PER_PAIR = 400
# Draws of a null that needs fresh calls for each: its smallest p-value is then 1/201, below 0.0125.
FEWER_DRAWS = 200


@dataclass(frozen=True, eq=False)
class FunctionTask(Task):
    """One system on one benchmark under a function.

    Parameters
    ----------
    caller : Caller
        The function, and what it has scored.
    benchmark : Benchmark
        Ids of queries and documents.
    rankings : Rankings
        The system's rankings.
    corpus_ids : numpy.ndarray of object (str)
        The ids known of the corpus; the rest of `corpus_size` gets made-up ones.
    """

    caller: Caller = dataclasses.field(kw_only=True)
    benchmark: Benchmark = dataclasses.field(kw_only=True)
    rankings: Rankings = dataclasses.field(kw_only=True)
    corpus_ids: StrArray = dataclasses.field(kw_only=True)

    @cached_property
    def scores(self) -> FloatArray:
        """The system's score per query, each query asked first."""
        _check_memory(_n_most_pairs(self))
        n = self.n_queries
        return self.caller.scores([self.pair(i, i) for i in range(n)], collect=True)

    @cached_property
    def distinct(self) -> tuple[IntArray, IntArray]:
        """Each query's number among the distinct rankings, and a query for each of those."""
        return group_rows(self.rankings.indptr, self.rankings.doc)

    @cached_property
    def is_full(self) -> bool:
        """Whether all of M is asked for.

        With groups it always is: a group's deletion needs the pairs within it, which are never
        drawn.
        """
        few = _n_all_pairs(self) <= self.n_queries * max(self.n_draws, 1)
        return few or self.units.grouped

    @cached_property
    def pairs(self) -> Pairs:
        """M over distinct rankings and gold sets; without `is_full`, only where drawn."""
        ranking, models = self.distinct
        sets = self.gold.set_query
        if self.is_full:
            row = np.repeat(np.arange(len(models)), len(sets))
            column = np.tile(np.arange(len(sets)), len(models))
        else:
            row, column = self._drawn_pairs(ranking)
        asked = [self.pair(models[r], sets[c]) for r, c in zip(row, column, strict=True)]
        value = self.caller.scores(asked)
        shape = (len(models), len(sets))
        return Pairs(ranking, self.gold.gold_set, *shape, row, column, value)

    @property
    def is_single(self) -> bool:
        """Whether dealing documents is dealing gold sets: single gold, one gain per document."""
        gold = self.gold
        if not gold.is_single:
            return False
        return len(gold.set_query) == len(np.unique(gold.doc))

    def _drawn_pairs(self, ranking: IntArray) -> tuple[IntArray, IntArray]:
        n_sets = len(self.gold.set_query)
        keys = [ranking * n_sets + self.gold.gold_set]
        kinds: tuple[Kind, ...] = ("permuted", "uniform")
        for kind in kinds:
            dealt = self.drawn_sets(kind)
            keys += [np.unique(ranking * n_sets + sets) for sets in dealt]
        row, column = np.divmod(np.unique(np.concatenate(keys)), n_sets)
        return row, column

    def drawn_sets(self, kind: Kind) -> Iterator[DrawArray]:
        """Yield the dealt gold sets, some draws at a time."""
        source = draws_of_sets(self.gold, kind, self.units, self.seed)
        for block, sets in DRAWS.blocks(source, self.n_draws, unchanged):
            yield sets[: block.wanted]

    def pair(self, ranking_query: int, gold_query: int) -> Pair:
        """Return one query's ranking with another's gold."""
        return Pair(self._rankings[ranking_query], self._golds[gold_query])

    @cached_property
    def _rankings(self) -> list[Argument]:
        names = self.rankings.doc_ids[self.rankings.doc].tolist()
        return _arguments(names, self.rankings.indptr, self.benchmark)

    @cached_property
    def _golds(self) -> list[Argument]:
        docs = self.benchmark.gold_ids[self.gold.doc].tolist()
        pairs = list(zip(docs, self.gold.gain.tolist(), strict=True))
        return _arguments(pairs, self.gold.indptr, self.benchmark)

    def gold_of(self, query: int) -> Argument:
        """Return a query's own gold."""
        return self._golds[query]

    def list_scores(self, documents: IntArray, queries: BoolArray) -> FloatArray:
        """Return what one fixed list scores for some of the queries, each asked."""
        names = tuple(self.benchmark.gold_ids[documents].tolist())
        ranking = Argument.of(names, "the query-blind list")
        return self.caller.scores([Pair(ranking, self._golds[i]) for i in np.flatnonzero(queries)])

    @property
    def nulls(self) -> dict[str, Null]:
        """The four nulls by letter."""
        return FUNCTION_NULLS

    def notices(self) -> list[Notice]:
        """Say which nulls made fewer draws, and what was not asked for."""
        fewer = "C" if self.is_single else "C and D"
        n = min(FEWER_DRAWS, self.n_draws)
        found = []
        if n < self.n_draws:
            text = f"The metric is a function: Null {fewer} made {n} draws, not {self.n_draws:,}."
            found.append(Notice("fewer-draws", text, n))
        if not self.is_full:
            text = (
                "The metric is a function: Nulls A and B rest on the pairs that were drawn, "
                "and the headroom was not computed."
            )
            found.append(Notice("drawn-pairs", text, len(self.pairs.row)))
        return found

    def finish(self) -> None:
        """Let go of the scored pairs."""
        self.caller.done()

    def for_oracle(self) -> FunctionTask | None:
        """Return the task of a perfect system; None where M is not whole: its calls double."""
        if not self.is_full:
            return None
        gold = self.gold
        order = np.lexsort((-gold.gain, gold.owner))
        place = np.arange(len(order)) - np.repeat(gold.indptr[:-1], gold.sizes)
        keep = place < self.depth
        indptr = np.concatenate([[0], np.cumsum(np.minimum(gold.sizes, self.depth))])
        doc = gold.doc[order][keep]
        ideal = dataclasses.replace(
            self.rankings, indptr=indptr, doc=doc, doc_ids=self.benchmark.gold_ids, gold=doc
        )
        return dataclasses.replace(self, rankings=ideal)


def _arguments(items: list[Any], indptr: IntArray, benchmark: Benchmark) -> list[Argument]:
    bounds = zip(indptr[:-1].tolist(), indptr[1:].tolist(), benchmark.query_ids, strict=True)
    return [Argument.of(tuple(items[begin:stop]), query) for begin, stop, query in bounds]


def planned_calls(task: FunctionTask) -> dict[str, int]:
    """Return how many calls each part asks for at most, before any is made."""
    n, fewer = task.n_queries, min(FEWER_DRAWS, task.n_draws)
    parts = {
        "system": n,
        "nulls A and B": _n_most_pairs(task),
        "null C": n * fewer,
        "null D": 0 if task.is_single else n * fewer,
        "query-blind list": n * (REPETITIONS + 1),
    }
    if task.is_full:
        # A perfect system's rankings are as many as the gold sets.
        parts["headroom"] = len(task.gold.set_query) ** 2 + parts["null D"]
    return parts


def _n_all_pairs(task: FunctionTask) -> int:
    return len(task.distinct[1]) * len(task.gold.set_query)


def _n_most_pairs(task: FunctionTask) -> int:
    """Return how many pairs Nulls A and B ask for at most."""
    whole = _n_all_pairs(task)
    return whole if task.is_full else min(whole, 2 * task.n_queries * task.n_draws)


def _check_memory(n_pairs: int) -> None:
    need = _BYTES_PER_PAIR * n_pairs
    if need > PAIR_BUDGET_BYTES:
        raise MemoryNeededError(
            f"the function would be called for {n_pairs:,} pairs of a ranking and a gold set, "
            f"which would need about {need / 1e9:.1f} GB of memory; the budget is "
            f"{PAIR_BUDGET_BYTES / 1e9:.0f} GB",
            remedy="Gate a sample of the queries, or lower n_boot.",
        )


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
