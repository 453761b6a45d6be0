"""The gate: one system, four nulls, one frozen result."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from falsify_nb.core.benchmark import Benchmark, Gold
from falsify_nb.core.blind_list import blind_list
from falsify_nb.core.collection import collection_size, known_ids
from falsify_nb.core.contributions import Contributions, Units
from falsify_nb.core.draw_cache import DRAWS
from falsify_nb.core.intervals import (
    FEWEST_FOR_INTERVAL,
    N_NULLS,
    GapInterval,
    gap_interval,
    p_null,
)
from falsify_nb.core.label_draws import sets_to_draw_ahead
from falsify_nb.core.likeness import coinciding_nulls, repeated_queries
from falsify_nb.core.metrics import FunctionMetric, Metric
from falsify_nb.core.notices import Notice
from falsify_nb.core.pairs import Hits
from falsify_nb.core.planning import with_needs
from falsify_nb.core.protocol import Protocol
from falsify_nb.core.rankings import Rankings, short_lists
from falsify_nb.core.result import GateResult, Labels, NullResult
from falsify_nb.core.second_opinions import strict_pair
from falsify_nb.core.tables import Corpus, Qrels, Run
from falsify_nb.core.task import Expected, Null, Progress, Task
from falsify_nb.core.verdict import gate_verdict, headroom_notice, judge, point_verdict
from falsify_nb.errors import InputError

__all__ = ["Inputs", "Plan", "plan_calls", "run_gate"]

FloatArray = npt.NDArray[np.float64]
# Below this many queries the intervals are wide, and the result says so.
SMALL = 40


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


def run_gate(
    inputs: Inputs,
    protocol: Protocol,
    *,
    sealed: bool = False,
    progress: Progress | None = None,
) -> GateResult:
    """Judge one system by the four nulls.

    Parameters
    ----------
    inputs : Inputs
        The tables and the metric.
    protocol : Protocol
        Every parameter that changes a number.
    sealed : bool
        Whether the protocol was fixed beforehand.
    progress : callable, optional
        ``progress(stage, done, total)``, called between blocks of work; raising in it cancels.

    Returns
    -------
    GateResult
    """
    benchmark = Benchmark.build(inputs.qrels, inputs.metric.rel)
    gold = Gold.of(benchmark, inputs.metric)
    units = _units(inputs.groups, benchmark)
    # What is dealt does not depend on the system: it is made while the system's output is read.
    is_known = isinstance(inputs.metric, Metric)
    sources = sets_to_draw_ahead(gold, units, protocol.seed) if is_known else []
    with DRAWS.making(sources, protocol.n_boot):
        return _gate(inputs, protocol, benchmark, gold, units, progress, sealed=sealed)


def _gate(
    inputs: Inputs,
    protocol: Protocol,
    benchmark: Benchmark,
    gold: Gold,
    units: Units,
    progress: Progress | None,
    *,
    sealed: bool,
) -> GateResult:
    metric = inputs.metric
    asked = protocol.top_k or metric.k
    rankings = Rankings.build(inputs.run, benchmark, asked, drop_self=protocol.drop_self)
    corpus_size, corpus_notices = collection_size(inputs.corpus, benchmark, rankings)
    depth = min(rankings.depth, corpus_size)
    task = _task(inputs, protocol, benchmark, gold, units, rankings, corpus_size, progress)
    blind = rankings.is_query_blind
    # First what takes no draws, which are being made meanwhile.
    gaps = _gaps(task, protocol)
    fixed_list = blind_list(task, protocol.tau)
    seen = task.pairs.ranking if isinstance(metric, Metric) else None
    alike = repeated_queries(benchmark.query_ids, inputs.texts, rankings, gold, seen)
    judged = {k: _judge(k, task, gaps[k], protocol, is_query_blind=blind) for k in _TO_DRAW}
    judged = {k: judged[k] for k in gaps}
    per_query = np.stack([gap.expected.per_query for gap in gaps.values()])
    nulls, needed = with_needs(judged, per_query, protocol, is_query_blind=blind)
    score = float(task.scores.mean())
    labels = _labels(gold, benchmark)
    notices = (
        *(_beside_trec_eval(n, score, inputs.qrels, benchmark) for n in benchmark.notices),
        *rankings.notices,
        *short_lists(rankings, asked, corpus_size, benchmark),
        *corpus_notices,
        *task.notices(),
        *_notices(task, nulls, protocol),
        *([] if task.units.grouped else alike),
    )
    verdict = gate_verdict(n.verdict for n in nulls.values())
    strict = strict_pair(metric, benchmark, rankings, task, protocol=protocol, verdict=verdict)
    task.finish()
    return GateResult(
        verdict=verdict,
        score=score,
        metric=str(metric),
        n_queries=benchmark.n_queries,
        nulls=nulls,
        query_ids=tuple(benchmark.query_ids),
        scores=task.scores.copy(),
        null_scores=per_query,
        protocol=protocol,
        labels=labels,
        point_verdict=point_verdict((n.delta for n in nulls.values()), protocol.tau),
        corpus_size=corpus_size,
        depth=depth,
        texts=tuple(inputs.texts.get(q, "") for q in benchmark.query_ids) if inputs.texts else (),
        sealed=sealed,
        notices=notices,
        system=inputs.run.name,
        judged=rankings.judged,
        is_query_blind=rankings.is_query_blind,
        strict=strict,
        blind=fixed_list,
        queries_needed=needed,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Gap:
    """What is known of the gap to a null before it is drawn."""

    expected: Expected
    part: Contributions | None
    interval: GapInterval | None
    headroom: float | None


# In which order nulls are drawn. Null A's draws take longest: they are made by a thread meanwhile.
_TO_DRAW = ("B", "C", "D", "A")
# Contributions and their interval, as far as they were found.
_Known = list[tuple[Contributions, GapInterval | None]]


@dataclass(frozen=True, slots=True)
class Plan:
    """How often a metric function would be called at most, each distinct pair once.

    Parameters
    ----------
    parts : dict of str to int
        Calls by part: the system, nulls A and B together, C, D, the query-blind list, and the
        headroom.

    Examples
    --------
    >>> Plan({"system": 10, "null C": 90}).calls
    100
    """

    parts: dict[str, int]

    @property
    def calls(self) -> int:
        """All calls."""
        return sum(self.parts.values())

    def hours(self, seconds_per_call: float) -> float:
        """Return how long that takes, one call after the other."""
        return self.calls * seconds_per_call / 3600

    def __str__(self) -> str:
        listed = ", ".join(f"{name} {n:,}" for name, n in self.parts.items())
        return f"at most {self.calls:,} calls: {listed}"


def plan_calls(inputs: Inputs, protocol: Protocol) -> Plan:
    """Return the plan of calls for a function; a built-in metric needs none."""
    from falsify_nb.core.function_task import FunctionTask, planned_calls

    benchmark = Benchmark.build(inputs.qrels, inputs.metric.rel)
    depth = protocol.top_k or inputs.metric.k
    rankings = Rankings.build(inputs.run, benchmark, depth, drop_self=protocol.drop_self)
    corpus_size, _ = collection_size(inputs.corpus, benchmark, rankings)
    gold, units = Gold.of(benchmark, inputs.metric), _units(inputs.groups, benchmark)
    task = _task(inputs, protocol, benchmark, gold, units, rankings, corpus_size, None)
    return Plan(planned_calls(task) if isinstance(task, FunctionTask) else {})


def _task(
    inputs: Inputs,
    protocol: Protocol,
    benchmark: Benchmark,
    gold: Gold,
    units: Units,
    rankings: Rankings,
    corpus_size: int,
    progress: Progress | None,
) -> Task:
    metric, depth = inputs.metric, min(rankings.depth, corpus_size)
    common: dict[str, Any] = {
        "gold": gold,
        "corpus_size": corpus_size,
        "units": units,
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
        benchmark=benchmark,
        rankings=rankings,
        corpus_ids=known_ids(inputs.corpus, benchmark, rankings),
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
            remedy="There is nothing to deal out between groups: give at least three groups.",
        )
    return Units.of_groups(group)


def _gaps(task: Task, protocol: Protocol) -> dict[str, _Gap]:
    """Measure the gap to each null: all that takes no draws."""
    known: _Known = []
    found: dict[str, _Gap] = {}
    # First of all, so that a function that fails is told by the queries that it fails for.
    assert len(task.scores) == task.n_queries
    oracle = task.for_oracle()
    for name, null in task.nulls.items():
        expected = null.expect(task)
        part = None
        if len(task.units) >= FEWEST_FOR_INTERVAL:
            part = null.contribute(task, expected)
        interval = None if part is None else _interval(part, protocol, known)
        found[name] = _Gap(expected, part, interval, _headroom(null, oracle))
    return found


def _judge(
    name: str, task: Task, gap: _Gap, protocol: Protocol, *, is_query_blind: bool
) -> NullResult:
    """Draw one null, and judge the gap to it."""
    score = float(task.scores.mean())
    draws = task.nulls[name].draw(task) if task.n_draws else np.empty(0)
    p = p_null(score, draws) if len(draws) else None
    expected, part, found = gap.expected, gap.part, gap.interval
    result = NullResult(
        name=name,
        mean=expected.mean,
        mean_is_exact=expected.is_exact,
        mean_error=expected.error,
        delta=score - expected.mean,
        interval=None if found is None else found.interval,
        interval_adjusted=None if found is None else found.interval_adjusted,
        p_value=p,
        p_adjusted=None if p is None else min(1.0, N_NULLS * p),
        p_pass=None if found is None else found.p_pass,
        p_fail=None if found is None else found.p_fail,
        verdict="UNDER-NS",
        draws=draws,
        n_draws=len(draws),
        headroom=gap.headroom,
        contributions=np.empty(0) if part is None else part.values,
        weights=None if part is None else part.sizes,
        bounds=(-1.0, 1.0) if part is None else (part.low, part.high),
        scale=1.0 if part is None else part.scale,
    )
    verdict, reason = judge(result, protocol, len(task.units), is_query_blind=is_query_blind)
    return dataclasses.replace(result, verdict=verdict, reason=reason)


def _interval(part: Contributions, protocol: Protocol, known: _Known) -> GapInterval | None:
    """Return the interval of a gap; two nulls that are one test share it."""
    for other, interval in known:
        if part.is_like(other):
            return interval
    found = gap_interval(
        part, protocol.tau, protocol.interval, seed=protocol.seed, n_boot=protocol.n_boot
    )
    known.append((part, found))
    return found


def _headroom(null: Null, oracle: Task | None) -> float | None:
    if oracle is None:
        return None
    return float(oracle.scores.mean()) - null.expect(oracle).mean


def _beside_trec_eval(notice: Notice, score: float, qrels: Qrels, benchmark: Benchmark) -> Notice:
    """Add trec_eval's mean over all judged queries where leaving some out has moved ours."""
    n = benchmark.n_queries
    judged = n + len(benchmark.excluded) - len(set(qrels.empty_queries))
    if notice.code != "no-relevant" or not score or judged == n:
        return notice
    mean = score * n / judged
    text = f"{notice.text} Over all {judged:,} judged queries trec_eval's mean is {mean:.4f}."
    return dataclasses.replace(notice, text=text)


def _labels(gold: Gold, benchmark: Benchmark) -> Labels:
    counts = gold.frequency
    order = np.argsort(-counts, kind="stable")
    order = order[counts[order] > 0]
    top = tuple(benchmark.gold_ids[order[:20]])
    return Labels(counts[order], top, benchmark.n_queries, len(gold.set_query))


def _notices(
    task: Task,
    nulls: dict[str, NullResult],
    protocol: Protocol,
) -> list[Notice]:
    n, units = task.n_queries, task.units
    found = []
    if units.grouped:
        text = f"Intervals go by {len(units):,} groups of the {n:,} queries."
        found.append(Notice("groups", text, len(units)))
        if np.ptp(units.sizes) > 0:
            text = "The groups differ in size and cannot be permuted: Null A has no p-value."
            found.append(Notice("groups-differ", text, len(units)))
    if n < SMALL:
        text = f"With {n} {'query' if n == 1 else 'queries'} the intervals are wide; below {SMALL} "
        found.append(Notice("few-queries", text + "many true gaps stay undecided.", n))
    found += coinciding_nulls(task.gold, nulls)
    if n > 1 and float(task.scores.min()) >= protocol.bounds[1]:
        text = "Every query has a perfect score. Were the judgments made from this system's output?"
        found.append(Notice("perfect-scores", text, n))
    return [*found, *headroom_notice(nulls, protocol.tau)]
