"""The task of a metric that is a function: nothing is known of it but its values.

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

from falsify_nb.core.benchmark import Benchmark
from falsify_nb.core.blind_list import REPETITIONS
from falsify_nb.core.draw_cache import DRAWS, unchanged
from falsify_nb.core.function_calls import Argument, Caller, Pair
from falsify_nb.core.grouping import group_rows
from falsify_nb.core.label_draws import DrawArray, Kind, draws_of_sets
from falsify_nb.core.notices import Notice
from falsify_nb.core.pairs import PAIR_BUDGET_BYTES, Pairs
from falsify_nb.core.rankings import Rankings
from falsify_nb.core.task import Null, Task
from falsify_nb.errors import MemoryNeededError

__all__ = ["FEWER_DRAWS", "FunctionTask", "planned_calls"]

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
        from falsify_nb.core.function_nulls import FUNCTION_NULLS

        return FUNCTION_NULLS

    def notices(self) -> list[Notice]:
        """Say which nulls made fewer draws, and what was not asked for."""
        fewer = "Null C" if self.is_single else "Nulls C and D"
        n = min(FEWER_DRAWS, self.n_draws)
        found = []
        if n < self.n_draws:
            text = f"The metric is a function: {fewer} made {n} draws, not {self.n_draws:,}."
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
