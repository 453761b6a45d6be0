"""The strict pair: the same verdict as the gate's own under the strict metric, for less work."""

from __future__ import annotations

import math

import numpy as np
import pytest
from plain import random_world
from scipy import stats

from falsify_nb import GateResult, falsify
from falsify_nb.core.second_opinions import _chance_bound


def gate(run, qrels, metric, **options):
    options = {"n_boot": 200, "corpus": 1000} | options
    return falsify(run, qrels=qrels, metric=metric, **options)


@pytest.mark.parametrize("decision", ["interval", "point"])
@pytest.mark.parametrize("interval", ["dirichlet", "percentile"])
@pytest.mark.parametrize("seed", range(6))
def test_it_is_the_gate_under_the_strict_metric(seed, interval, decision):
    world = random_world(seed, 12 + 9 * seed, 14, most_gold=4)
    options = {"interval": interval, "decision": decision, "tau": 0.02 * seed}
    strict = gate(world.run, world.qrels, "nDCG@5", **options).strict
    whole = gate(world.run, world.qrels, "R@5_top1", **options)
    assert strict.metric == "R@5_top1"
    assert strict.verdict == whole.verdict
    assert strict.score == pytest.approx(whole.score)
    assert strict.deltas == pytest.approx({k: n.delta for k, n in whole.nulls.items()})
    assert whole.strict is None


def test_it_is_the_gate_on_published_runs(data_dir):
    qrels = data_dir / "adi" / "qrels.txt"
    for path in sorted((data_dir / "adi" / "runs").iterdir()):
        strict = falsify(path, qrels=qrels, n_boot=200).strict
        whole = falsify(path, qrels=qrels, metric="R@10_top1", n_boot=200)
        assert strict.verdict == whole.verdict, path.name


@pytest.mark.parametrize(
    ("metric", "strict"),
    [("AP", "R@10_top1"), ("P(rel=2)@3", "R(rel=2)@3_top1"), ("RR@20", "R@20_top1")],
)
def test_its_cutoff_and_relevance_are_the_metrics(metric, strict):
    world = random_world(1, 20, 14, most_gold=4)
    assert gate(world.run, world.qrels, metric).strict.metric == strict


def test_when_it_is_made():
    several = {f"q{i:02}": {f"d{i}": 2, "x": 1} for i in range(20)}
    single = {q: {f"d{i}": 2} for i, q in enumerate(several)}
    run = {q: [f"d{i}"] for i, q in enumerate(several)}
    assert gate(run, several, "nDCG@5").strict is not None
    assert gate(run, several, "nDCG@5", strict=False).strict is None
    assert gate(run, single, "nDCG@5").strict is None
    assert gate(run, single, "nDCG@5", strict=True).strict.verdict == "PASS"


def test_a_disagreement_is_a_question_to_the_metric():
    # The second-best document is found, the best never.
    qrels = {f"q{i:03}": {f"d{i}": 2, f"e{i}": 1} for i in range(120)}
    run = {q: [f"e{i}"] for i, q in enumerate(qrels)}
    result = gate(run, qrels, "nDCG@5")
    assert result.verdict == "PASS"
    assert result.strict.verdict == "FAIL"
    assert result.strict.disagrees
    assert "ask what nDCG@5 rewards besides the best document" in result.strict.text
    again = GateResult.from_json(result.to_json())
    assert again.strict == result.strict
    assert again.blind == result.blind


def test_no_second_opinion_where_the_top_grade_overflows(data_dir):
    where = data_dir / "med"
    result = falsify(where / "runs" / "lsa.trec.gz", qrels=where / "qrels.txt", n_boot=100)
    assert result.strict.verdict is None
    assert not result.strict.disagrees
    assert "offers no strict second opinion" in result.strict.text
    # A perfect system finds ten of a query's R documents.
    judged = [line.split() for line in (where / "qrels.txt").read_text().splitlines()]
    sizes = [sum(q == p and float(g) > 0 for p, _, _, g in judged) for q in {j[0] for j in judged}]
    assert result.strict.oracle == pytest.approx(np.mean([min(10, r) / r for r in sizes if r]))


def test_at_another_tau_it_says_that_it_was_not_judged():
    world = random_world(1, 20, 14, most_gold=4)
    moved = gate(world.run, world.qrels, "nDCG@5").at(tau=0.3)
    assert moved.strict.verdict is None
    assert "τ = 0.3" in moved.strict.text


def test_a_query_blind_system_fails_the_strict_form_too():
    qrels = {f"q{i:02}": {"hub": 2, f"d{i}": 1} for i in range(60)}
    strict = gate({q: ["hub"] for q in qrels}, qrels, "nDCG@5").strict
    assert strict.score == 1.0
    assert strict.verdict == "FAIL"


@pytest.mark.parametrize("name", ["B", "C", "D"])
@pytest.mark.parametrize(("mean", "score"), [(0.1, 0.2), (0.02, 0.2), (0.5, 0.8), (0.3, 1.0)])
def test_the_bound_holds_for_independent_hits(name, mean, score):
    n = 40
    exact = stats.binom.sf(math.ceil(n * score) - 1, n, mean)
    # At a score of 1 the bound is the chance itself.
    assert exact <= _chance_bound(name, score, mean, n) * (1 + 1e-12) <= 1


@pytest.mark.parametrize("marked", [1, 2, 4])
def test_the_bound_holds_for_permutations(marked):
    # a_ij = 1 in a square of marked × marked cells: the sum is hypergeometric.
    n = 8
    mean = marked**2 / n**2
    for hits in range(1, marked + 1):
        exact = stats.hypergeom.sf(hits - 1, n, marked, marked)
        assert exact <= _chance_bound("A", hits / n, mean, n)


def test_without_a_gap_the_bound_says_nothing():
    assert _chance_bound("A", 0.2, 0.2, 50) == 1
    assert _chance_bound("B", 0.1, 0.2, 50) == 1
    assert _chance_bound("B", 0.1, 0.0, 50) == 0
