"""How many queries would do: checked by drawing benchmarks of that size."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from plain import random_world

from falsify_nb import GateResult, falsify
from falsify_nb.core.contributions import Contributions
from falsify_nb.core.intervals import ALPHA_ADJUSTED, one_sided
from falsify_nb.core.null_result import QueriesNeeded
from falsify_nb.core.outlook import Outlook
from falsify_nb.core.planning import with_needs

SAMPLES = 400
# 80 ± 5 %, and three standard errors of the simulation.
FEWEST, MOST = 0.75 - 0.06, 0.85 + 0.06


def passes(values, low, tau, *, shrinks=False):
    part = Contributions(values, low, 1.0, 1 - 1 / len(values) if shrinks else 1.0)
    return one_sided(part, tau, "dirichlet", seed=0, n_boot=0)[0] <= ALPHA_ADJUSTED / 2


def population(name, rng, n):
    return {
        "beta": rng.beta(0.5, 2, n),
        "hits": (rng.random(n) < 0.15).astype(float),
        "graded": np.where(rng.random(n) < 0.7, 0, rng.choice([1, 0.63, 0.5, 0.43], n)),
        "barely above": 0.08 + 0.1 * rng.standard_normal(n),
    }[name]


@pytest.mark.parametrize("shrinks", [False, True])
@pytest.mark.parametrize("name", ["beta", "hits", "graded", "barely above"])
def test_samples_of_the_number_named_pass_in_four_of_five_cases(name, shrinks):
    rng = np.random.default_rng(11)
    values = population(name, rng, 60)
    low = min(0.0, values.min())
    atoms, counts = np.unique(values, return_counts=True)
    outlook = Outlook(atoms, np.ones(len(atoms)), counts / 60, low, 0.05, shrinks)
    n = int(np.ceil(outlook.needed(0.8)))
    passed = [passes(rng.choice(values, n), low, 0.05, shrinks=shrinks) for _ in range(SAMPLES)]
    assert FEWEST < np.mean(passed) < MOST


def test_samples_of_groups_too():
    rng = np.random.default_rng(12)
    sizes = rng.integers(1, 6, 40).astype(float)
    sums = sizes * (rng.random(40) < 0.3)
    pairs, counts = np.unique(np.column_stack([sums, sizes]), axis=0, return_counts=True)
    outlook = Outlook(pairs[:, 0], pairs[:, 1], counts / 40, 0.0, 0.05)
    n = int(np.ceil(outlook.needed(0.8)))
    passed = 0
    for _ in range(SAMPLES):
        chosen = rng.integers(0, 40, n)
        part = Contributions(sums[chosen], 0.0, 1.0, sizes=sizes[chosen])
        p_pass, _ = one_sided(part, 0.05, "dirichlet", seed=0, n_boot=0)
        passed += p_pass <= ALPHA_ADJUSTED / 2
    assert FEWEST < passed / SAMPLES < MOST


def undecided(**options):
    """A gate that is open, with every gap 0.08 or more above τ."""
    world = random_world(0, 20, 12, most_gold=3)
    inputs = {"qrels": world.qrels, "corpus": 5000, "n_boot": 200}
    first = falsify(world.run, **inputs)
    tau = round(min(null.delta for null in first.nulls.values()) - 0.08, 3)
    return falsify(world.run, tau=tau, **inputs, **options)


def test_the_gate_needs_as_many_as_all_four_need_together():
    result = undecided()
    assert result.verdict == "UNDER-NS"
    rng = np.random.default_rng(13)
    n = result.queries_needed.n
    needs = [null.queries_needed.n for null in result.nulls.values() if null.queries_needed]
    assert n >= max(needs)
    passed = 0
    for _ in range(SAMPLES):
        chosen = rng.integers(0, result.n_queries, n)
        passed += all(
            passes(null.contributions[chosen], null.bounds[0], result.tau, shrinks=null.scale != 1)
            for null in result.nulls.values()
        )
    assert FEWEST < passed / SAMPLES < MOST


def test_an_open_null_names_more_queries_than_it_has():
    for seed in range(4):
        result = falsify(
            (world := random_world(seed, 20, 12)).run, qrels=world.qrels, tau=0.1, n_boot=200
        )
        for null in result.nulls.values():
            needed = null.queries_needed
            if null.verdict == "PASS":
                assert needed is None
            elif null.delta <= result.tau:
                assert needed == QueriesNeeded(None)
            else:
                assert result.n_queries < needed.n
                assert needed.low <= needed.n
                assert needed.high is None or needed.n <= needed.high


def test_a_gate_with_a_gap_below_tau_needs_what_no_number_gives():
    result = undecided()
    below = result.at(tau=max(null.delta for null in result.nulls.values()) + 0.01)
    assert below.queries_needed == QueriesNeeded(None)
    assert result.at(tau=result.tau).queries_needed == result.queries_needed


def test_who_passes_needs_nothing():
    qrels = {f"q{i:02}": {f"d{i}": 1} for i in range(60)}
    result = falsify({q: list(d) for q, d in qrels.items()}, qrels=qrels, corpus=999, n_boot=100)
    assert result.verdict == "PASS"
    assert result.queries_needed is None


def test_a_query_blind_system_needs_what_no_number_gives():
    qrels = {f"q{i}": {"hub" if i % 2 else f"d{i}": 1} for i in range(9)}
    result = falsify({q: ["hub"] for q in qrels}, qrels=qrels, corpus=999, n_boot=100)
    assert result.nulls["A"].queries_needed == QueriesNeeded(None)
    assert result.queries_needed == QueriesNeeded(None)


def test_the_bare_gap_is_never_open():
    bare = undecided(decision="point")
    assert bare.verdict == "PASS"
    assert bare.queries_needed is None
    assert all(null.queries_needed is None for null in bare.nulls.values())


@pytest.mark.parametrize("n", [1, 2])
def test_below_three_queries_nothing_is_known(n):
    qrels = {f"q{i}": {f"d{i}": 1} for i in range(n)}
    result = falsify({q: list(d) for q, d in qrels.items()}, qrels=qrels, corpus=999, n_boot=100)
    assert result.queries_needed is None


@pytest.mark.parametrize("n", [3, 4])
def test_as_few_as_are_too_few_to_judge_name_a_number(n):
    qrels = {f"q{i}": {f"d{i}": 1} for i in range(n)}
    result = falsify({q: list(d) for q, d in qrels.items()}, qrels=qrels, corpus=999, n_boot=100)
    assert result.verdict == "UNDER-NS"
    # All have been right so far: five would do.
    assert 5 <= result.queries_needed.n <= 12


def test_it_comes_back_from_json():
    result = undecided()
    again = GateResult.from_json(result.to_json())
    assert again.queries_needed == result.queries_needed
    assert again.nulls["D"].queries_needed == result.nulls["D"].queries_needed


def test_the_range_holds_in_about_four_of_five_cases():
    rng = np.random.default_rng(14)
    qrels = {f"q{i:03}": {f"d{i}": 1} for i in range(40)}
    pilot = falsify({q: ["x"] for q in qrels}, qrels=qrels, corpus=10**6, n_boot=100, tau=0.05)
    truth = Outlook(np.array([0.0, 1.0]), np.ones(2), np.array([0.8, 0.2]), 0.0, 0.05).needed(0.8)
    held = []
    for _ in range(120):
        hits = (rng.random(40) < 0.2).astype(float)
        # Null C alone, with the hits as its contributions.
        null = dataclasses.replace(
            pilot.nulls["C"],
            contributions=hits,
            delta=float(hits.mean()),
            verdict="UNDER-NS",
            bounds=(0.0, 1.0),
            draws=np.empty(0),
        )
        filled, _ = with_needs({"C": null}, np.zeros((1, 40)), pilot.protocol, is_query_blind=False)
        need = filled["C"].queries_needed
        held.append(need.low is not None and need.low <= truth <= (need.high or np.inf))
    assert 0.8 - 3 * 0.037 < np.mean(held) < 0.8 + 3 * 0.037 + 0.05
