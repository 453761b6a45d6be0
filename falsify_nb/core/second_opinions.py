"""The strict pair: the same gate, when only a query's best document counts."""

from __future__ import annotations

import dataclasses
import math

import numpy as np

from falsify_nb.core.benchmark import Benchmark, Gold
from falsify_nb.core.beside import StrictPair
from falsify_nb.core.intervals import ALPHA_ADJUSTED, FEWEST_FOR_INTERVAL, one_sided, p_null
from falsify_nb.core.metrics import FunctionMetric, Metric
from falsify_nb.core.null_result import Verdict
from falsify_nb.core.nulls import NULLS
from falsify_nb.core.pairs import Hits
from falsify_nb.core.protocol import Protocol
from falsify_nb.core.rankings import Rankings
from falsify_nb.core.task import Task
from falsify_nb.core.verdict import decide, gate_verdict

__all__ = ["rejudged", "strict_metric", "strict_pair"]

# Cutoff of the strict form where the metric has none.
STRICT_CUTOFF = 10
# Below this score of a perfect system, more documents share the top grade than the cutoff holds.
LEAST_ORACLE = 0.9
# A chance bounded by this is as good as none among any number of draws that anybody makes.
_CERTAINLY_SMALL = 1e-9


def strict_metric(metric: Metric | FunctionMetric) -> Metric:
    """Return the strict single-gold form to judge beside a metric.

    Examples
    --------
    >>> str(strict_metric(Metric("nDCG", 5)))
    'R@5_top1'
    """
    return Metric("R", metric.k or STRICT_CUTOFF, metric.rel, top1=True)


def strict_pair(
    metric: Metric | FunctionMetric,
    benchmark: Benchmark,
    rankings: Rankings,
    base: Task,
    *,
    protocol: Protocol,
    verdict: Verdict,
) -> StrictPair | None:
    """Judge the system under the strict form, and compare the verdicts.

    Parameters
    ----------
    metric : Metric or FunctionMetric
        The metric of the gate.
    benchmark, rankings : Benchmark, Rankings
        The judgments and the system.
    base : Task
        The gate's task, for corpus, units, seed and draws.
    protocol : Protocol
        Threshold, rule of decision, and whether the strict form is wanted: "auto" means on
        benchmarks where some query has several relevant documents.
    verdict : {"PASS", "FAIL", "UNDER-NS"}
        The gate's verdict under the metric.

    Returns
    -------
    StrictPair or None
        None where it is not wanted, or the metric itself is strict.
    """
    several = len(benchmark.doc) > benchmark.n_queries
    wanted = several if protocol.strict == "auto" else protocol.strict
    if not wanted or (isinstance(metric, Metric) and metric.top1):
        return None
    strict = strict_metric(metric)
    depth = min(strict.k or STRICT_CUTOFF, rankings.depth, base.corpus_size)
    task = Task(
        strict,
        Gold.of(benchmark, strict),
        Hits(*rankings.hits(depth)),
        base.corpus_size,
        depth,
        base.units,
        seed=base.seed,
        n_draws=base.n_draws,
        progress=base.progress,
    )
    oracle = float(Hits.of_oracle(task.gold, depth).own_scores(task.gold, strict).mean())
    score = float(task.scores.mean())
    if oracle < LEAST_ORACLE:
        text = (
            f"This benchmark offers no strict second opinion: a perfect system would reach only "
            f"{oracle:.3f} under {strict}, because more documents share a query's top grade "
            f"than {depth} places hold."
        )
        return StrictPair(str(strict), None, score, oracle, {}, disagrees=False, text=text)
    found, deltas = _judge(task, protocol, is_query_blind=rankings.is_query_blind)
    text = _sentence(str(metric), verdict, str(strict), found, score)
    return StrictPair(str(strict), found, score, oracle, deltas, found != verdict, text)


def _judge(
    task: Task, protocol: Protocol, *, is_query_blind: bool
) -> tuple[Verdict, dict[str, float]]:
    """Return the gate's verdict and the gaps; no interval's ends, and draws only if they matter."""
    score, n_units = float(task.scores.mean()), len(task.units)
    verdicts: list[Verdict] = ["FAIL"] if is_query_blind else []
    deltas, means = {}, {}
    for name, null in NULLS.items():
        expected = null.expect(task)
        means[name], deltas[name] = expected.mean, score - expected.mean
        p_pass = p_fail = None
        if n_units >= FEWEST_FOR_INTERVAL:
            part = null.contribute(task, expected)
            p_pass, p_fail = one_sided(
                part, protocol.tau, protocol.interval, seed=protocol.seed, n_boot=protocol.n_boot
            )
        verdicts.append(decide(deltas[name], p_pass, p_fail, protocol, n_units))
    verdict = gate_verdict(verdicts)
    if verdict != "PASS" or protocol.decision == "point":
        return verdict, deltas
    by_chance = any(_by_chance(name, task, score, mean) for name, mean in means.items())
    return ("UNDER-NS" if by_chance else "PASS"), deltas


def _by_chance(name: str, task: Task, score: float, mean: float) -> bool:
    """Return whether the null's draws reach the score too often; drawn only if it is open."""
    if not task.units.grouped and _chance_bound(name, score, mean, task.n_queries) < (
        _CERTAINLY_SMALL
    ):
        return False
    draws = NULLS[name].draw(task)
    return len(draws) > 0 and p_null(score, draws) > ALPHA_ADJUSTED


def _chance_bound(name: str, score: float, mean: float, n: int) -> float:
    """Bound the chance that one draw's mean reaches the score, for scores from 0 to 1.

    Null A is a sum over a random permutation: Chatterjee 2007, Probability Theory and Related
    Fields 138, proposition 1.1. In the others the queries are independent with the stated mean (in
    Null D given the order of the labels, which leaves each query's mean under a linear metric as it
    is): Hoeffding 1963, Journal of the American Statistical Association 58, theorem 1.
    """
    if score <= mean:
        return 1.0
    if name == "A":
        reach = n * (score - mean)
        return 2.0 * math.exp(-(reach**2) / (4.0 * n * mean + 2.0 * reach))
    if mean <= 0.0:
        return 0.0
    log_ratio = score * math.log(score / mean)
    if score < 1.0:
        log_ratio += (1.0 - score) * math.log((1.0 - score) / (1.0 - mean))
    return float(np.exp(-n * log_ratio))


def _sentence(metric: str, verdict: Verdict, strict: str, found: Verdict, score: float) -> str:
    head = f"{strict}, which counts only a query's best document, gives {score:.3f}"
    if found == verdict:
        return f"{head} and the same verdict, {found}."
    if found == "UNDER-NS":
        return (
            f"{head} and leaves open what {metric} decides ({verdict}): ask how much of {metric} "
            "comes from documents of lesser grade."
        )
    if verdict == "UNDER-NS":
        return f"{head} and decides what {metric} leaves open: {found}."
    return (
        f"{head} and {found}, where {metric} says {verdict}: ask what {metric} rewards besides "
        "the best document."
    )


def rejudged(pair: StrictPair | None, tau: float) -> StrictPair | None:
    """Return what remains of a strict pair when τ is moved: it was judged at another one."""
    if pair is None or pair.verdict is None:
        return pair
    text = f"{pair.metric} was judged at another τ only; gate the system again at τ = {tau:g}."
    return dataclasses.replace(pair, verdict=None, disagrees=False, text=text)
