"""From figures to verdicts: the rules, one row each, and the gate's own decision."""

from __future__ import annotations

import numpy as np
import pytest
from plain import random_world

from falsify_nb import Protocol, falsify
from falsify_nb.core.null_result import Interval, NullResult
from falsify_nb.core.verdict import gate_verdict, judge, point_verdict

LEVEL = 0.00625


def null_with(name="B", *, delta=0.3, low=0.1, high=0.5, p_pass=1e-4, p_fail=0.9, p_value=0.001):
    return NullResult(
        name=name,
        mean=0.2,
        mean_is_exact=True,
        mean_error=0.0,
        delta=delta,
        interval=Interval(low + 0.01, high - 0.01),
        interval_adjusted=Interval(low, high),
        p_value=p_value,
        p_adjusted=None if p_value is None else min(1, 4 * p_value),
        p_pass=p_pass,
        p_fail=p_fail,
        verdict="UNDER-NS",
    )


PASSING = {"low": 0.1, "high": 0.5, "p_pass": 1e-4, "p_fail": 0.9}
FAILING = {"delta": 0.0, "low": -0.1, "high": 0.04, "p_pass": 0.99, "p_fail": 1e-4}
OPEN = {"delta": 0.1, "low": 0.01, "high": 0.3, "p_pass": 0.02, "p_fail": 0.8}


@pytest.mark.parametrize(
    ("figures", "n", "options", "blind", "verdict", "says"),
    [
        pytest.param(PASSING, 50, {}, False, "PASS", "lower end", id="clear of tau"),
        pytest.param(FAILING, 50, {}, False, "FAIL", "upper end", id="below tau"),
        pytest.param(OPEN, 50, {}, False, "UNDER-NS", "both sides", id="around tau"),
        pytest.param(
            PASSING | {"p_value": 0.0126}, 50, {}, False, "UNDER-NS", "by chance", id="by chance"
        ),
        pytest.param(
            PASSING | {"p_value": 0.0125}, 50, {}, False, "PASS", "lower", id="p at level"
        ),
        pytest.param(PASSING | {"p_pass": LEVEL}, 50, {}, False, "PASS", "lower", id="low at tau"),
        pytest.param(
            FAILING | {"p_fail": LEVEL}, 50, {}, False, "UNDER-NS", "both", id="high at tau"
        ),
        pytest.param(
            FAILING | {"p_value": 0.001}, 50, {}, False, "FAIL", "upper", id="small p, still FAIL"
        ),
        pytest.param(PASSING | {"p_value": None}, 50, {}, False, "PASS", "lower", id="no draws"),
        pytest.param(PASSING, 5, {}, False, "PASS", "lower", id="five queries"),
        pytest.param(PASSING, 4, {}, False, "UNDER-NS", "too few", id="four queries"),
        pytest.param(FAILING, 4, {}, False, "UNDER-NS", "too few", id="four failing"),
        pytest.param(PASSING, 1, {}, False, "UNDER-NS", "too few", id="one query"),
        pytest.param(
            {"name": "A"} | FAILING, 50, {}, True, "FAIL", "same ranking", id="query-blind"
        ),
        pytest.param({"name": "A"} | FAILING, 3, {}, True, "FAIL", "same", id="query-blind, few"),
        pytest.param({"name": "A"} | OPEN, 50, {}, True, "FAIL", "same", id="query-blind, open"),
        pytest.param(PASSING, 50, {}, True, "PASS", "lower", id="query-blind judges A only"),
        pytest.param(
            OPEN, 50, {"decision": "point"}, False, "PASS", "at least", id="point: gap over tau"
        ),
        pytest.param(
            OPEN | {"delta": 0.05},
            50,
            {"decision": "point"},
            False,
            "PASS",
            "at",
            id="point: at tau",
        ),
        pytest.param(
            OPEN | {"delta": 0.0499},
            50,
            {"decision": "point"},
            False,
            "FAIL",
            "below",
            id="point: no",
        ),
        pytest.param(OPEN, 2, {"decision": "point"}, False, "PASS", "at least", id="point, two"),
        pytest.param(
            {"name": "A"} | OPEN, 50, {"decision": "point"}, True, "FAIL", "same", id="point, blind"
        ),
    ],
)
def test_one_null(figures, n, options, blind, verdict, says):
    null = null_with(**figures)
    found, reason = judge(null, Protocol(**options), n, is_query_blind=blind)
    assert found == verdict
    assert says in reason


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [
        (["PASS"] * 4, "PASS"),
        (["PASS", "UNDER-NS", "PASS", "PASS"], "UNDER-NS"),
        (["PASS", "UNDER-NS", "FAIL", "PASS"], "FAIL"),
        (["FAIL", "PASS", "PASS", "PASS"], "FAIL"),
        (["UNDER-NS"] * 4, "UNDER-NS"),
    ],
)
def test_the_gate_takes_the_worst(verdicts, expected):
    assert gate_verdict(verdicts) == expected


@pytest.mark.parametrize(
    ("deltas", "expected"),
    [([0.05] * 4, "PASS"), ([0.5, 0.5, 0.5, 0.049], "FAIL"), ([0.0] * 4, "FAIL")],
)
def test_definition_one_to_the_letter(deltas, expected):
    assert point_verdict(deltas, 0.05) == expected


def world_of(n, *, found):
    """n queries with a document each; the first `found` of them find it."""
    qrels = {f"q{i:04d}": {f"g{i:04d}": 1} for i in range(n)}
    run = {q: [f"g{q[1:]}" if i < found else f"x{i}"] for i, q in enumerate(qrels)}
    return run, qrels


def gate(n, found, **options):
    run, qrels = world_of(n, found=found)
    options = {"corpus": 10**9, "metric": "Success@1", "n_boot": 500, "strict": False} | options
    return falsify(run, qrels=qrels, **options)


@pytest.mark.parametrize(
    ("n", "found", "verdict"),
    [
        (3, 3, "UNDER-NS"),
        (4, 4, "UNDER-NS"),
        (40, 40, "PASS"),
        (40, 0, "UNDER-NS"),
        (40, 3, "UNDER-NS"),
        (200, 0, "FAIL"),
        (400, 4, "FAIL"),
        (400, 60, "PASS"),
    ],
)
def test_the_gate_on_systems_of_known_quality(n, found, verdict):
    result = gate(n, found)
    assert result.verdict == verdict
    assert result.passed == (verdict == "PASS")
    # Each ranking that finds its document would meet one gold set in n.
    gap = found / n - found / n**2
    assert result.nulls["A"].delta == pytest.approx(gap)
    assert result.point_verdict == ("PASS" if gap >= 0.05 else "FAIL")


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 60])
@pytest.mark.parametrize("decision", ["interval", "point"])
def test_a_system_that_never_reads_the_query_fails_at_any_number_of_queries(n, decision):
    qrels = {f"q{i:02d}": {f"d{i:02d}": 1} for i in range(n)}
    run = {q: ["d00", "d01"] for q in qrels}
    result = falsify(run, qrels=qrels, corpus=100, metric="R@2", n_boot=100, decision=decision)
    if n == 1:  # one ranking is the same for every query of one, whatever it read
        assert result.verdict != "PASS"
        return
    assert result.is_query_blind
    assert result.nulls["A"].verdict == "FAIL"
    assert result.verdict == "FAIL"


def test_only_the_ranks_that_are_read_make_a_system_query_blind():
    qrels = {f"q{i:02d}": {f"d{i:02d}": 1} for i in range(30)}
    run = {q: ["d00", "d01", f"own-{q}"] for q in qrels}
    assert falsify(run, qrels=qrels, metric="R@2", n_boot=100).is_query_blind
    assert not falsify(run, qrels=qrels, metric="R@3", n_boot=100).is_query_blind


def test_an_empty_run_is_not_query_blind_but_does_not_pass():
    qrels = {"q1": {"a": 1}, "q2": {"b": 1}}
    result = falsify({"q1": [], "q2": []}, qrels=qrels, n_boot=100)
    assert result.score == 0
    assert not result.is_query_blind
    assert result.verdict != "PASS"


@pytest.mark.parametrize("interval", ["dirichlet", "percentile"])
@pytest.mark.parametrize("n_boot", [100, 1000])
def test_verdict_and_interval_never_contradict(interval, n_boot):
    """PASS exactly where the lower end reaches τ (and p allows), FAIL where the upper misses it."""
    world = random_world(21, 60, 15)
    options = {"interval": interval, "n_boot": n_boot, "corpus": world.corpus, "strict": False}
    result = falsify(world.run, qrels=world.qrels, metric="R@3", **options)
    for name, null in result.nulls.items():
        ends = (null.interval_adjusted.low, null.interval_adjusted.high)
        inside = (ends[0] + ends[1]) / 2
        expected = {inside: "UNDER-NS"}
        for nudge in (1e-2, 1e-5):
            expected[ends[0] - nudge] = "PASS" if null.p_value <= 0.0125 else "UNDER-NS"
            expected[ends[0] + nudge] = "UNDER-NS"
            expected[ends[1] - nudge] = "UNDER-NS"
            expected[ends[1] + nudge] = "FAIL"
        for tau, verdict in expected.items():
            if 0 <= tau <= 1:
                assert result.at(tau=tau).nulls[name].verdict == verdict, (tau, ends)


def without_origin(result):
    """All figures; not whether the protocol was sealed."""
    return result.to_dict() | {"sealed": None}


@pytest.mark.parametrize("interval", ["dirichlet", "percentile"])
@pytest.mark.parametrize("metric", ["nDCG@3", "RR@3"])
@pytest.mark.parametrize("tau", [0.0, 0.37, 0.9])
def test_judging_again_is_gating_at_that_threshold(interval, metric, tau):
    world = random_world(22, 30, 15)
    options = {"interval": interval, "n_boot": 200, "metric": metric, "corpus": world.corpus}
    options |= {"strict": False}
    result = falsify(world.run, qrels=world.qrels, **options)
    again = result.at(tau=tau)
    anew = falsify(world.run, qrels=world.qrels, tau=tau, **options)
    assert without_origin(again) == without_origin(anew)
    assert again.protocol.tau == tau
    assert result.protocol.tau == 0.05


def test_judging_again_draws_nothing_and_is_exploratory():
    world = random_world(23, 30, 15)
    sealed = falsify(world.run, qrels=world.qrels, protocol=Protocol(n_boot=100))
    assert sealed.sealed
    again = sealed.at(tau=0.2)
    assert not again.sealed
    for name, null in sealed.nulls.items():
        assert again.nulls[name].draws is null.draws
        assert again.nulls[name].interval == null.interval


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_judging_again_works_on_few_queries(n):
    result = gate(n, n)
    assert result.at(tau=0.5).verdict == "UNDER-NS"


def test_both_decisions_stand_on_every_result():
    by_interval, by_point = gate(40, 4), gate(40, 4, decision="point")
    assert by_interval.verdict == "UNDER-NS"
    assert by_interval.point_verdict == by_point.point_verdict == by_point.verdict == "PASS"
    np.testing.assert_array_equal(by_interval.scores, by_point.scores)
