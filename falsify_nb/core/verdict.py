"""From intervals and p-values to verdicts: per null, and for the gate."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Literal

from falsify_nb.core.contributions import Contributions
from falsify_nb.core.intervals import ALPHA_ADJUSTED, one_sided
from falsify_nb.core.notices import Notice
from falsify_nb.core.null_result import NullResult, Verdict
from falsify_nb.core.protocol import Protocol
from falsify_nb.core.result import GateResult
from falsify_nb.errors import InputError

__all__ = [
    "decide",
    "gate_verdict",
    "headroom_notice",
    "judge",
    "judge_again",
    "point_verdict",
]

# At or below this many queries no verdict but UNDER-NS is given.
TOO_FEW = 4


def decide(
    delta: float,
    p_pass: float | None,
    p_fail: float | None,
    protocol: Protocol,
    n_units: int,
    *,
    p_value: float | None = None,
) -> Verdict:
    """Return the verdict that one null's figures lead to.

    Parameters
    ----------
    delta, p_pass, p_fail
        As in `NullResult`; the p-values may be None below three units.
    protocol : Protocol
        τ and the rule of decision.
    n_units : int
        Number of queries, or of groups.
    p_value : float, optional
        p_null; None leaves the draws out of the decision.
    """
    if protocol.decision == "point":
        return "PASS" if delta >= protocol.tau else "FAIL"
    if n_units <= TOO_FEW:
        return "UNDER-NS"
    assert p_pass is not None
    assert p_fail is not None
    if p_fail < ALPHA_ADJUSTED / 2:
        return "FAIL"
    by_chance = p_value is not None and p_value > ALPHA_ADJUSTED
    return "UNDER-NS" if by_chance or p_pass > ALPHA_ADJUSTED / 2 else "PASS"


def judge(
    null: NullResult, protocol: Protocol, n_units: int, *, is_query_blind: bool
) -> tuple[Verdict, str]:
    """Return one null's verdict and, in a sentence, its reason.

    Parameters
    ----------
    null : NullResult
        Its numbers; its own verdict is not read.
    protocol : Protocol
        τ and the rule of decision.
    n_units : int
        Number of queries, or of groups.
    is_query_blind : bool
        Whether the system returned one ranking for every query.
    """
    tau = protocol.tau
    if null.name == "A" and is_query_blind:
        return "FAIL", "The system returns the same ranking for every query."
    verdict = decide(null.delta, null.p_pass, null.p_fail, protocol, n_units, p_value=null.p_value)
    if protocol.decision == "point":
        relation = "at least" if verdict == "PASS" else "below"
        return verdict, f"The gap {null.delta:.4f} is {relation} τ = {tau:g}."
    if n_units <= TOO_FEW:
        return verdict, f"{n_units} are too few to decide anything."
    adjusted = null.interval_adjusted
    assert adjusted is not None
    assert null.p_pass is not None
    if verdict == "FAIL":
        text = f"Even the upper end of the gap, {adjusted.high:.4f}, is below τ = {tau:g}."
    elif verdict == "PASS":
        text = f"Even the lower end of the gap, {adjusted.low:.4f}, is at least τ = {tau:g}."
    elif null.p_pass > ALPHA_ADJUSTED / 2:
        text = (
            f"The gap may lie from {adjusted.low:.4f} to {adjusted.high:.4f}: on both sides of "
            f"τ = {tau:g}."
        )
    else:
        text = (
            f"The gap clears τ = {tau:g}, but the null reaches the score too often by chance "
            f"(p = {null.p_value:.4f})."
        )
    return verdict, text


def gate_verdict(verdicts: Iterable[Verdict]) -> Verdict:
    """Return FAIL if any null fails, else UNDER-NS if any is undecided, else PASS.

    Examples
    --------
    >>> gate_verdict(["PASS", "UNDER-NS", "PASS", "PASS"])
    'UNDER-NS'
    """
    seen = set(verdicts)
    if "FAIL" in seen:
        return "FAIL"
    return "UNDER-NS" if "UNDER-NS" in seen else "PASS"


def point_verdict(deltas: Iterable[float], tau: float) -> Literal["PASS", "FAIL"]:
    """Return Definition 1 to the letter: PASS when every gap is at least τ."""
    return "PASS" if all(delta >= tau for delta in deltas) else "FAIL"


def headroom_notice(nulls: Mapping[str, NullResult], tau: float) -> list[Notice]:
    """Return a notice where not even a perfect system would clear τ, else nothing."""
    short = [k for k, r in nulls.items() if r.headroom is not None and r.headroom < tau]
    if not short:
        return []
    listed = f"Nulls {', '.join(short[:-1])} and {short[-1]}" if short[1:] else f"Null {short[0]}"
    text = (
        f"Not even a perfect system would clear τ = {tau:g} against {listed}: this benchmark and "
        "metric cannot carry the question."
    )
    return [Notice("no-headroom", text, len(short))]


def judge_again(result: GateResult, tau: float) -> GateResult:
    """Return the result at another τ: p-values and verdicts anew, nothing drawn."""
    from falsify_nb.core.blind_list import against
    from falsify_nb.core.planning import with_needs
    from falsify_nb.core.second_opinions import rejudged

    protocol = result.protocol.with_tau(tau)
    blind = result.blind
    if blind is not None:
        blind = against(result.score, tau, blind.score, blind.spread, blind.in_sample)
    nulls, needed = with_needs(
        {name: _at(null, result, protocol) for name, null in result.nulls.items()},
        result.null_scores,
        protocol,
        is_query_blind=result.is_query_blind,
    )
    return dataclasses.replace(
        result,
        nulls=nulls,
        protocol=protocol,
        verdict=gate_verdict(n.verdict for n in nulls.values()),
        point_verdict=point_verdict((n.delta for n in nulls.values()), tau),
        sealed=False,
        strict=rejudged(result.strict, tau),
        blind=blind,
        queries_needed=needed,
        notices=(
            *(n for n in result.notices if n.code != "no-headroom"),
            *headroom_notice(nulls, tau),
        ),
    )


def _at(null: NullResult, result: GateResult, protocol: Protocol) -> NullResult:
    if null.interval is not None:
        p_pass, p_fail = _p_values(null, protocol)
        null = dataclasses.replace(null, p_pass=p_pass, p_fail=p_fail)
    units = result.n_queries if null.weights is None else len(null.weights)
    verdict, reason = judge(null, protocol, units, is_query_blind=result.is_query_blind)
    return dataclasses.replace(null, verdict=verdict, reason=reason)


def _p_values(null: NullResult, protocol: Protocol) -> tuple[float, float]:
    if not len(null.contributions):
        raise InputError(
            "this result was saved without its contributions and cannot be judged at another tau",
            remedy="Save it with to_json(arrays=True), or gate the system again.",
        )
    low, high = null.bounds
    part = Contributions(null.contributions, low, high, null.scale, null.weights)
    return one_sided(
        part, protocol.tau, protocol.interval, seed=protocol.seed, n_boot=protocol.n_boot
    )
