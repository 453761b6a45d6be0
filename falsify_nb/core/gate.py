"""The gate: one system, four nulls, one frozen result."""

from __future__ import annotations

import dataclasses

import numpy as np
import numpy.typing as npt

from falsify_nb.core.benchmark import Benchmark, Gold
from falsify_nb.core.beside import Labels
from falsify_nb.core.blind_list import blind_list
from falsify_nb.core.collection import collection_size
from falsify_nb.core.draw_cache import DRAWS
from falsify_nb.core.gaps import judge_gap, measure_gaps
from falsify_nb.core.inputs import Bench, Inputs
from falsify_nb.core.label_draws import sets_to_draw_ahead
from falsify_nb.core.likeness import coinciding_nulls, repeated_queries
from falsify_nb.core.metrics import Metric
from falsify_nb.core.notices import Notice
from falsify_nb.core.null_result import NullResult
from falsify_nb.core.planning import with_needs
from falsify_nb.core.protocol import Protocol
from falsify_nb.core.rankings import Rankings, short_lists
from falsify_nb.core.result import GateResult
from falsify_nb.core.second_opinions import strict_pair
from falsify_nb.core.tables import Qrels
from falsify_nb.core.task import Progress, Task
from falsify_nb.core.verdict import gate_verdict, headroom_notice, point_verdict

__all__ = ["run_gate"]

FloatArray = npt.NDArray[np.float64]
# In which order nulls are drawn. Null A's draws take longest: they are made by a thread meanwhile.
_TO_DRAW = ("B", "C", "D", "A")
# Below this many queries the intervals are wide, and the result says so.
SMALL = 40


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
    bench = Bench.of(inputs)
    # What is dealt does not depend on the system: it is made while the system's output is read.
    is_known = isinstance(inputs.metric, Metric)
    sources = sets_to_draw_ahead(bench.gold, bench.units, protocol.seed) if is_known else []
    with DRAWS.making(sources, protocol.n_boot):
        return _gate(inputs, protocol, bench, progress, sealed=sealed)


def _gate(
    inputs: Inputs,
    protocol: Protocol,
    bench: Bench,
    progress: Progress | None,
    *,
    sealed: bool,
) -> GateResult:
    metric, benchmark, gold = inputs.metric, bench.benchmark, bench.gold
    asked = protocol.top_k or metric.k
    rankings = Rankings.build(inputs.run, benchmark, asked, drop_self=protocol.drop_self)
    corpus_size, corpus_notices = collection_size(inputs.corpus, benchmark, rankings)
    depth = min(rankings.depth, corpus_size)
    task = bench.task(inputs, protocol, rankings, corpus_size, progress)
    blind = rankings.is_query_blind
    # First what takes no draws, which are being made meanwhile.
    gaps = measure_gaps(task, protocol)
    fixed_list = blind_list(task, protocol.tau)
    seen = task.pairs.ranking if isinstance(metric, Metric) else None
    alike = repeated_queries(benchmark.query_ids, inputs.texts, rankings, gold, seen)
    judged = {k: judge_gap(k, task, gaps[k], protocol, is_query_blind=blind) for k in _TO_DRAW}
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
