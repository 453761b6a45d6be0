"""What is gated: the tables, the benchmark that they make, and the task for the nulls."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

import numpy as np

from falsify_nb.core.benchmark import Benchmark, Gold
from falsify_nb.core.collection import known_ids
from falsify_nb.core.contributions import Units
from falsify_nb.core.metrics import FunctionMetric, Metric
from falsify_nb.core.pairs import Hits
from falsify_nb.core.protocol import Protocol
from falsify_nb.core.rankings import Rankings
from falsify_nb.core.tables import Corpus, Qrels, Run
from falsify_nb.core.task import Progress, Task
from falsify_nb.errors import InputError

__all__ = ["Bench", "Inputs"]


@dataclass(frozen=True, slots=True, eq=False)
class Inputs:
    """What is gated, as tables.

    Parameters
    ----------
    run : Run
        The system's output.
    qrels : Qrels
        The judgments.
    corpus : Corpus or None
        The collection.
    metric : Metric or FunctionMetric
        The metric.
    texts : dict of str to str
        Query texts, for display.
    groups : dict of str to str, optional
        Query id to group.
    n_jobs : int, optional
        Workers for a function.
    """

    run: Run
    qrels: Qrels
    corpus: Corpus | None
    metric: Metric | FunctionMetric
    texts: dict[str, str] = dataclasses.field(default_factory=dict)
    groups: dict[str, str] | None = None
    n_jobs: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Bench:
    """All that does not depend on the system.

    Parameters
    ----------
    benchmark : Benchmark
        The judgments.
    gold : Gold
        What the metric sees of them.
    units : Units
        Queries, or groups of queries.
    """

    benchmark: Benchmark
    gold: Gold
    units: Units

    @classmethod
    def of(cls, inputs: Inputs) -> Bench:
        """Read the judgments and the groups.

        Raises
        ------
        InputError
            If there is no relevant document, or the groups do not fit the queries.
        """
        benchmark = Benchmark.build(inputs.qrels, inputs.metric.rel)
        gold = Gold.of(benchmark, inputs.metric)
        return cls(benchmark, gold, _units(inputs.groups, benchmark))

    def task(
        self,
        inputs: Inputs,
        protocol: Protocol,
        rankings: Rankings,
        corpus_size: int,
        progress: Progress | None = None,
    ) -> Task:
        """Return the system's task, as the nulls read it.

        Parameters
        ----------
        inputs : Inputs
            What the bench was made of.
        protocol : Protocol
            Bounds, seed and number of draws.
        rankings : Rankings
            The system.
        corpus_size : int
            M.
        progress : callable, optional
            ``progress(stage, done, total)``.
        """
        metric, depth = inputs.metric, min(rankings.depth, corpus_size)
        common: dict[str, Any] = {
            "gold": self.gold,
            "corpus_size": corpus_size,
            "units": self.units,
            "bounds": protocol.bounds,
            "seed": protocol.seed,
            "n_draws": protocol.n_boot,
            "progress": progress,
        }
        if isinstance(metric, Metric):
            read = min(metric.k or depth, depth)
            return Task(metric=metric, hits=Hits(*rankings.hits(read)), depth=read, **common)
        from falsify_nb.core.function_calls import Caller
        from falsify_nb.core.function_task import FunctionTask

        return FunctionTask(
            metric=Metric("RR"),
            hits=Hits(*rankings.hits(depth)),
            depth=depth,
            caller=Caller(metric, protocol.bounds, inputs.n_jobs, progress),
            benchmark=self.benchmark,
            rankings=rankings,
            corpus_ids=known_ids(inputs.corpus, self.benchmark, rankings),
            **common,
        )


def _units(groups: dict[str, str] | None, benchmark: Benchmark) -> Units:
    if groups is None:
        return Units.single(benchmark.n_queries)
    names = [groups.get(q) for q in benchmark.query_ids]
    missing = [q for q, g in zip(benchmark.query_ids, names, strict=True) if g is None]
    if missing:
        raise InputError(
            f"{len(missing):,} evaluated queries have no group: "
            + ", ".join(repr(q) for q in missing[:3]),
            where="groups",
            remedy="Give every query a group; a query alone is a group of its own.",
        )
    unknown = sorted(set(groups) - benchmark.known_queries)
    if unknown:
        raise InputError(
            f"{len(unknown):,} queries with a group are not in the qrels: "
            + ", ".join(repr(q) for q in unknown[:3]),
            where="groups",
            remedy="Bring the query ids into the same form, or leave those queries out.",
        )
    _, group = np.unique(np.array(names, dtype=object).astype(str), return_inverse=True)
    if group.max() == 0 and len(group) > 1:
        raise InputError(
            "all queries are in one group",
            where="groups",
            remedy="There is nothing to deal out between groups: give at least two, and three for "
            "an interval.",
        )
    return Units.of_groups(group)
