"""What each query adds to a gap, against literally leaving queries out."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from plain import (
    MEASURES,
    Measure,
    distinct,
    inclusion_probabilities,
    permutation_means,
    random_world,
    systematic_expectation,
)

from falsify_nb import falsify

every_metric = pytest.mark.parametrize("measure", MEASURES, ids=lambda m: m.name)
WORLDS = {
    "single": random_world(1, 15, 10, most_gold=1),
    "shared": random_world(2, 15, 10, same_gold=4),
    "several": random_world(3, 15, 10),
    "few": random_world(4, 7, 8),
}
every_world = pytest.mark.parametrize("kind", WORLDS)


@cache
def nulls_of(kind, measure):
    world = WORLDS[kind]
    return falsify(
        world.run,
        qrels=world.qrels,
        corpus=world.corpus,
        metric=measure.name,
        n_boot=64,
        decision="point",
        strict=False,
    ).nulls


def left_out(matrix, i):
    keep = [j for j in range(len(matrix)) if j != i]
    return matrix[np.ix_(keep, keep)]


def pseudo_values(whole, without):
    n = len(without)
    return np.array([n * whole - (n - 1) * w for w in without])


def gap_to_pairs(matrix):
    """Δ_U: mean score less the mean over pairs of different queries."""
    n = len(matrix)
    pairs = [matrix[i, j] for i in range(n) for j in range(n) if i != j]
    return matrix.trace() / n - sum(pairs) / len(pairs)


def gap_to_pool(matrix, golds):
    pool = distinct(golds)
    return matrix.trace() / len(matrix) - matrix[:, pool].mean()


@every_world
@every_metric
def test_permuted_gold_against_a_delete_one_loop(measure, kind):
    matrix = WORLDS[kind].matrix(measure)
    n = len(matrix)
    null = nulls_of(kind, measure)["A"]
    without = [gap_to_pairs(left_out(matrix, i)) for i in range(n)]
    expected = pseudo_values(gap_to_pairs(matrix), without)
    np.testing.assert_allclose(null.contributions, expected, atol=1e-10)
    assert null.contributions.mean() == pytest.approx(gap_to_pairs(matrix), abs=1e-12)
    assert null.scale == pytest.approx(1 - 1 / n)
    assert null.contributions.mean() * null.scale == pytest.approx(null.delta, abs=1e-12)


@every_world
@every_metric
def test_uniform_gold_against_a_delete_one_loop(measure, kind):
    world = WORLDS[kind]
    matrix, golds = world.matrix(measure), world.golds(measure)
    n = len(matrix)
    null = nulls_of(kind, measure)["B"]
    without = [
        gap_to_pool(left_out(matrix, i), [g for j, g in enumerate(golds) if j != i])
        for i in range(n)
    ]
    whole = gap_to_pool(matrix, golds)
    expected = pseudo_values(whole, without)
    expected += whole - expected.mean()
    np.testing.assert_allclose(null.contributions, expected, atol=1e-10)
    assert null.scale == 1.0


@every_world
@every_metric
def test_random_retrieval_contributes_plain_differences(measure, kind):
    world = WORLDS[kind]
    result = nulls_of(kind, measure)["C"]
    scores = world.matrix(measure).diagonal()
    difference = scores - result.contributions
    # What is subtracted depends on the query's own gold alone.
    golds = world.golds(measure)
    for i, one in enumerate(golds):
        for j, other in enumerate(golds):
            if sorted(one.values()) == sorted(other.values()):
                assert difference[i] == pytest.approx(difference[j], abs=1e-12)
    assert difference.mean() == pytest.approx(result.mean, abs=1e-12)


@pytest.mark.parametrize("measure", [m for m in MEASURES if m.rel is None], ids=lambda m: m.name)
def test_with_single_gold_marginal_gold_contributes_what_permuted_gold_does(measure):
    nulls = nulls_of("single", measure)
    np.testing.assert_allclose(
        nulls["D"].contributions, nulls["A"].contributions, rtol=0, atol=1e-12
    )
    assert nulls["D"].scale == nulls["A"].scale
    assert nulls["D"].bounds == nulls["A"].bounds


def gap_to_margins(world, measure):
    """Δ_D under a linear metric, its probabilities fitted anew by an independent solver."""
    golds, rankings = world.golds(measure), world.rankings(measure)
    pi = inclusion_probabilities(golds)
    alone = Measure(measure.family, measure.k)
    gaps = []
    for i, (ranking, gold) in enumerate(zip(rankings, golds, strict=True)):
        gain = sum(gold.values()) / len(gold)
        best = measure.score(sorted(gold, key=lambda d: -gold[d]), gold)
        ideal = sum(
            g / np.log2(r + 1) for r, g in enumerate(sorted(gold.values())[::-1][: measure.k], 1)
        )
        per_doc = {"nDCG": gain / ideal, "R": 1 / len(gold), "P": 1.0}[measure.family]
        assert best > 0
        docs = ranking[: measure.k]
        hit = sum(pi.get((i, d), 0.0) * alone.score(ranking, {d: 1.0}) for d in docs)
        gaps.append(measure.score(ranking, gold) - hit * per_doc)
    return float(np.mean(gaps))


def compare_with_refits(n, measure):
    world = random_world(n, n, 20, most_gold=4, skew=0.8)
    null = falsify(
        world.run,
        qrels=world.qrels,
        corpus=world.corpus,
        metric=measure.name,
        n_boot=100,
        strict=False,
    ).nulls["D"]
    whole = gap_to_margins(world, measure)
    assert null.delta == pytest.approx(whole, abs=1e-7)
    without = [gap_to_margins(world.without(q), measure) for q in sorted(world.qrels)]
    expected = pseudo_values(whole, without)
    expected += whole - expected.mean()
    return null.contributions, expected


@pytest.mark.parametrize(
    "measure", [Measure("nDCG", 5), Measure("R", 5), Measure("P", 5)], ids=lambda m: m.name
)
def test_linearised_margins_against_refitting_without_each_query(measure):
    """To first order the same: what is left is of second order, and shrinks as 1/N.

    A pseudo-value multiplies the error of one deletion, which is O(1/N²), by N. Held fixed, the
    margins would be off by as much as the correction itself, which stays as N grows.
    """
    off = {}
    for n in (12, 48):
        ours, refitted = compare_with_refits(n, measure)
        assert np.corrcoef(ours, refitted)[0, 1] > 0.995
        off[n] = np.sqrt(np.mean((ours - refitted) ** 2)) / refitted.std()
    assert off[12] < 0.2
    assert off[48] < off[12] / 2


def gaps_to_systematic_samples(world, measure):
    """s_i − e_i, the expectation by listing every systematic sample from probabilities refitted."""
    golds = world.golds(measure)
    pi = inclusion_probabilities(golds)
    return np.array(
        [
            measure.score(ranking, gold)
            - systematic_expectation(
                measure, ranking, gold, {d: p for (j, d), p in pi.items() if j == i}
            )
            for i, (ranking, gold) in enumerate(zip(world.rankings(measure), golds, strict=True))
        ]
    )


@pytest.mark.parametrize(
    ("measure", "least"),
    [(Measure("RR", 3), 0.95), (Measure("AP", 3), 0.95), (Measure("Success", 2), 0.75)],
    ids=lambda m: getattr(m, "name", ""),
)
def test_other_metrics_take_their_margins_into_account_as_refitting_does(measure, least):
    """Compared is the correction alone, what the moving margins add to s_i − e_i.

    The slope takes the documents of a draw as independent, which is crudest with as few labels as
    can be listed whole, and for Success, where they compete most.
    """
    world = random_world(5, 10, 5, skew=0.8, depth=4)
    null = falsify(
        world.run,
        qrels=world.qrels,
        corpus=world.corpus,
        metric=measure.name,
        decision="point",
        strict=False,
    ).nulls["D"]
    fixed = gaps_to_systematic_samples(world, measure)
    without = [
        gaps_to_systematic_samples(world.without(q), measure).mean() for q in sorted(world.qrels)
    ]
    refitted = pseudo_values(fixed.mean(), without)
    ours, theirs = null.contributions - fixed, refitted - fixed
    assert np.corrcoef(ours, theirs)[0, 1] > least
    assert (ours - theirs).std() < 0.7 * theirs.std()


@pytest.mark.parametrize("kind", ["single", "shared", "several"])
@every_metric
def test_bounds_are_the_documented_reach(measure, kind):
    world = WORLDS[kind]
    matrix = world.matrix(measure)
    n = len(matrix)
    nulls = nulls_of(kind, measure)
    row = (matrix.sum(axis=1) - matrix.diagonal()) / (n - 1)
    pool = matrix[:, distinct(world.golds(measure))].mean(axis=1)
    for name, e in (("A", row), ("B", pool)):
        t = nulls[name].contributions
        low, high = nulls[name].bounds
        assert low == pytest.approx(min(0 - e.max(), t.min()), abs=1e-12)
        assert high == pytest.approx(max(1 - e.min(), t.max()), abs=1e-12)
    e = matrix.diagonal() - nulls["C"].contributions
    assert nulls["C"].bounds == pytest.approx((0 - e.max(), 1 - e.min()), abs=1e-12)


@every_metric
def test_below_ten_queries_whose_expectations_vary_the_bounds_reach_as_far_as_any_gap(measure):
    nulls = nulls_of("few", measure)
    for name in "ABD":
        low, high = nulls[name].bounds
        t = nulls[name].contributions
        assert low == pytest.approx(min(-1.0, t.min()), abs=1e-12)
        assert high == pytest.approx(max(1.0, t.max()), abs=1e-12)


@pytest.mark.parametrize(("n", "verdict"), [(9, "UNDER-NS"), (10, "FAIL")])
def test_few_queries_with_one_answer_that_is_always_found_are_no_proof_of_failing(n, verdict):
    run = {f"q{i}": ["d", f"x{i}"] for i in range(n)}
    result = falsify(run, qrels={q: {"d": 1} for q in run}, corpus=1000, strict=False, n_boot=100)
    for name in "ABD":
        assert result.nulls[name].mean == pytest.approx(1.0)
        assert result.nulls[name].verdict == verdict


@pytest.mark.parametrize("n", [5, 6, 9])
def test_no_contribution_lies_outside_its_bounds(n):
    """One query that everybody finds, and whose ranking finds everybody's gold."""
    qrels = {f"q{i}": {"shared": 1.0} for i in range(n - 1)} | {"z": {"shared": 1.0, "own": 1.0}}
    run = {q: ["shared"] for q in qrels} | {"q0": ["none"]}
    for metric in ("Success@1", "R@1", "RR"):
        nulls = falsify(run, qrels=qrels, corpus=50, metric=metric, n_boot=100).nulls
        for null in nulls.values():
            assert null.bounds[0] <= null.contributions.min()
            assert null.bounds[1] >= null.contributions.max()


def test_holding_the_expectation_fixed_would_give_another_interval():
    """With a popularity-biased system and skewed gold the correction is large."""
    measure = Measure("R", 5)
    world = WORLDS["shared"]
    matrix = world.matrix(measure)
    fixed = matrix.diagonal() - matrix.mean(axis=1)
    ours = nulls_of("shared", measure)["A"].contributions
    assert abs(ours.std() / fixed.std() - 1) > 0.02


def test_the_interval_of_permuted_gold_belongs_to_the_reported_gap():
    """All ranks first and no shared gold: contributions are 1, so that Δ_U = 1 and Δ = 1 − 1/N."""
    n = 20
    qrels = {f"q{i:02d}": {f"d{i:02d}": 1} for i in range(n)}
    result = falsify(
        {q: list(g) for q, g in qrels.items()}, qrels=qrels, corpus=10**9, metric="Success@1"
    )
    null = result.nulls["A"]
    np.testing.assert_allclose(null.contributions, 1.0, atol=1e-12)
    assert null.delta == pytest.approx(1 - 1 / n)
    assert null.delta == pytest.approx(1 - permutation_means(np.eye(5)).mean() * 5 / n)
    low = 0.00625 ** (1 / n)
    assert null.interval_adjusted.low == pytest.approx(low * (1 - 1 / n), abs=1e-7)
    assert null.interval_adjusted.high == pytest.approx(1 - 1 / n, abs=1e-7)
    # p_pass = P(1 − w₀ ≤ τ/(1 − 1/N)) with w₀ ~ Beta(1, N).
    assert null.p_pass == pytest.approx((0.05 / (1 - 1 / n)) ** n, rel=1e-6)
