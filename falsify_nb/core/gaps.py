"""The gap to each null: measured first, then drawn and judged."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np

from falsify_nb.core.contributions import Contributions
from falsify_nb.core.intervals import (
    FEWEST_FOR_INTERVAL,
    N_NULLS,
    GapInterval,
    gap_interval,
    p_null,
)
from falsify_nb.core.null_result import NullResult
from falsify_nb.core.protocol import Protocol
from falsify_nb.core.task import Expected, Null, Task
from falsify_nb.core.verdict import judge

__all__ = ["Gap", "judge_gap", "measure_gaps"]

# Contributions and their interval, as far as they were found.
_Known = list[tuple[Contributions, GapInterval | None]]


@dataclass(frozen=True, slots=True, eq=False)
class Gap:
    """What is known of the gap to a null before it is drawn.

    Parameters
    ----------
    expected : Expected
        What the null expects.
    part : Contributions or None
        What each query adds; None where there are too few units for an interval.
    interval : GapInterval or None
        The interval of the gap, and its p-values at τ.
    headroom : float or None
        The gap of a perfect system.
    """

    expected: Expected
    part: Contributions | None
    interval: GapInterval | None
    headroom: float | None


def measure_gaps(task: Task, protocol: Protocol) -> dict[str, Gap]:
    """Measure the gap to each null: all that takes no draws.

    Parameters
    ----------
    task : Task
        The system's task.
    protocol : Protocol
        τ, and the interval.

    Returns
    -------
    dict of str to Gap
        By letter.
    """
    known: _Known = []
    found: dict[str, Gap] = {}
    # First of all, so that a function that fails is told by the queries that it fails for.
    _ = task.scores
    oracle = task.for_oracle()
    for name, null in task.nulls.items():
        expected = null.expect(task)
        part = None
        if len(task.units) >= FEWEST_FOR_INTERVAL:
            part = null.contribute(task, expected)
        interval = None if part is None else _interval(part, protocol, known)
        found[name] = Gap(expected, part, interval, _headroom(null, oracle))
    return found


def judge_gap(
    name: str, task: Task, gap: Gap, protocol: Protocol, *, is_query_blind: bool
) -> NullResult:
    """Draw one null, and judge the gap to it.

    Parameters
    ----------
    name : {"A", "B", "C", "D"}
        The null.
    task : Task
        The system's task.
    gap : Gap
        The gap, as measured.
    protocol : Protocol
        τ, and the rule of decision.
    is_query_blind : bool
        Whether every query has the same ranking.
    """
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
