"""The four nulls against loops over all pairs and full enumeration of what can be drawn."""

from __future__ import annotations

import itertools
import math
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

N_DRAWS = 1000
# Small enough for every permutation and every ordered subset to be listed.
WORLDS = {
    "single": random_world(1, 6, 6, most_gold=1, depth=4),
    "shared": random_world(2, 6, 6, same_gold=3, depth=4),
    "several": random_world(3, 6, 6, depth=4),
}
SEVERAL = ("shared", "several")
LINEAR = [m for m in MEASURES if m.is_linear]
NONLINEAR = [m for m in MEASURES if not m.is_linear]
every_metric = pytest.mark.parametrize("measure", MEASURES, ids=lambda m: m.name)
every_world = pytest.mark.parametrize("kind", WORLDS)


def gate(world, metric, **options):
    cheap = {"decision": "point", "strict": False}
    options = {"n_boot": N_DRAWS, "corpus": world.corpus} | cheap | options
    return falsify(world.run, qrels=world.qrels, metric=metric, **options)


@cache
def result_of(kind, measure):
    return gate(WORLDS[kind], measure.name, top_k=4)


def spread(draws):
    """The standard error of the draws' mean."""
    return draws.std() / math.sqrt(len(draws))


def assert_drawn_from(draws, values):
    """Draws lie on the enumerated values, and their mean and variance are theirs, 4 s.e."""
    support = np.unique(values)
    at = np.clip(np.searchsorted(support, draws), 1, len(support) - 1)
    gap = np.minimum(abs(support[at] - draws), abs(support[at - 1] - draws))
    assert gap.max() < 1e-12
    centred = values - values.mean()
    variance, fourth = (centred**2).mean(), (centred**4).mean()
    n = len(draws)
    assert abs(draws.mean() - values.mean()) <= 4 * math.sqrt(variance / n) + 1e-12
    error = math.sqrt(max(fourth - variance**2, 0) / n)
    assert abs(draws.var() - variance) <= 4 * error + 4 * variance / n + 1e-15


def independent_choices(table):
    """The mean of one entry from each row, for every way to choose."""
    sums = np.zeros(1)
    for row in table:
        sums = np.add.outer(sums, row).ravel()
    return sums / len(table)


@every_world
@every_metric
def test_permuted_gold_is_every_permutation(measure, kind):
    null = result_of(kind, measure).nulls["A"]
    means = permutation_means(WORLDS[kind].matrix(measure))
    assert null.mean_is_exact
    assert null.mean == pytest.approx(means.mean(), abs=1e-12)
    assert_drawn_from(null.draws, means)


@every_world
@every_metric
def test_uniform_gold_is_every_choice_of_distinct_sets(measure, kind):
    null = result_of(kind, measure).nulls["B"]
    world = WORLDS[kind]
    means = independent_choices(world.matrix(measure)[:, distinct(world.golds(measure))])
    assert null.mean_is_exact
    assert null.mean == pytest.approx(means.mean(), abs=1e-12)
    assert_drawn_from(null.draws, means)


@every_world
@every_metric
def test_random_retrieval_is_every_ordered_subset_of_the_corpus(measure, kind):
    null = result_of(kind, measure).nulls["C"]
    world = WORLDS[kind]
    lists = [list(p) for p in itertools.permutations(world.corpus, 4)]
    scores = np.array([[measure.score(r, g) for r in lists] for g in world.golds(measure)])
    assert null.mean_is_exact
    assert null.mean == pytest.approx(scores.mean(), abs=1e-12)
    variance = scores.var(axis=1).sum() / len(scores) ** 2
    assert abs(null.draws.mean() - scores.mean()) <= 4 * math.sqrt(variance / N_DRAWS) + 1e-12
    # A mean of several queries is near normal, whose variance is estimated with s.e. √(2/n).
    assert null.draws.var() == pytest.approx(variance, rel=4 * math.sqrt(3 / N_DRAWS), abs=1e-12)


@every_world
@every_metric
def test_what_each_query_expects_is_reported(measure, kind):
    result, world = result_of(kind, measure), WORLDS[kind]
    matrix = world.matrix(measure)
    pool = matrix[:, distinct(world.golds(measure))]
    np.testing.assert_allclose(result.null_scores[0], matrix.mean(axis=1), atol=1e-12)
    np.testing.assert_allclose(result.null_scores[1], pool.mean(axis=1), atol=1e-12)
    for row, null in zip(result.null_scores, result.nulls.values(), strict=True):
        assert row.mean() == pytest.approx(null.mean, abs=1e-12)
        assert null.delta == pytest.approx(result.score - null.mean, abs=1e-12)


@every_metric
def test_marginal_gold_with_single_labels_is_every_choice_by_frequency(measure):
    world = WORLDS["single"]
    docs = [next(iter(g)) for g in world.golds(measure)]
    # The query keeps its own gain, which with a single label cancels out.
    table = [[measure.score(r, {d: 1.0}) for d in docs] for r in world.rankings(measure)]
    means = independent_choices(table)
    null = result_of("single", measure).nulls["D"]
    assert null.mean_is_exact
    assert null.mean == pytest.approx(means.mean(), abs=1e-12)
    assert_drawn_from(null.draws, means)


def expected_sum(measure, ranking, gold, probability):
    """Σ over ranks of weight × π × mean gain, over the query's ideal."""
    alone = Measure(measure.family, measure.k, top1=measure.top1)
    gain = sum(gold.values()) / len(gold)
    per_doc = {
        "R": 1 / len(gold),
        "P": 1.0,
        "nDCG": gain / _ideal(gold, measure.k),
    }["R" if measure.top1 else measure.family]
    return sum(p * alone.score(ranking, {d: 1.0}) * per_doc for d, p in probability.items())


def _ideal(gold, k):
    return sum(g / math.log2(rank + 1) for rank, g in enumerate(sorted(gold.values())[::-1][:k], 1))


@pytest.mark.parametrize("kind", SEVERAL)
@pytest.mark.parametrize("measure", LINEAR, ids=lambda m: m.name)
def test_marginal_gold_under_a_linear_metric_is_a_sum_over_ranks(measure, kind):
    world = WORLDS[kind]
    golds = world.golds(measure)
    pi = inclusion_probabilities(golds)
    expected = [
        expected_sum(measure, ranking, gold, {d: p for (j, d), p in pi.items() if j == i})
        for i, (ranking, gold) in enumerate(zip(world.rankings(measure), golds, strict=True))
    ]
    result = result_of(kind, measure)
    null = result.nulls["D"]
    assert null.mean_is_exact
    np.testing.assert_allclose(result.null_scores[3], expected, atol=1e-8)
    assert abs(null.draws.mean() - np.mean(expected)) <= 4 * spread(null.draws) + 1e-12


@pytest.mark.parametrize("kind", SEVERAL)
@pytest.mark.parametrize("measure", NONLINEAR, ids=lambda m: m.name)
def test_marginal_gold_under_other_metrics_is_every_systematic_sample(measure, kind):
    world = WORLDS[kind]
    golds = world.golds(measure)
    pi = inclusion_probabilities(golds)
    exact = np.mean(
        [
            systematic_expectation(
                measure, ranking, gold, {d: p for (j, d), p in pi.items() if j == i}
            )
            for i, (ranking, gold) in enumerate(zip(world.rankings(measure), golds, strict=True))
        ]
    )
    null = result_of(kind, measure).nulls["D"]
    assert not null.mean_is_exact
    assert null.mean_error > 0
    assert abs(null.mean - exact) <= 4 * null.mean_error
    assert abs(null.draws.mean() - exact) <= 4 * spread(null.draws)


@pytest.mark.parametrize("metric", ["RR@10", "AP@100", "Success@10"])
def test_a_mean_that_must_be_drawn_is_drawn_to_a_percent_of_the_interval(data_dir, metric):
    folder = data_dir / "adi"
    result = falsify(
        folder / "runs" / "bm25.trec.gz",
        qrels=folder / "qrels.txt",
        corpus=folder / "corpus_ids.txt",
        metric=metric,
        strict=False,
    )
    null = result.nulls["D"]
    assert not null.mean_is_exact
    width = null.interval_adjusted.high - null.interval_adjusted.low
    assert 0 < null.mean_error <= 0.01 * width


@every_world
def test_p_values_are_shares_of_all_permutations(kind):
    measure = Measure("R", 3)
    matrix = WORLDS[kind].matrix(measure)
    score = matrix.trace() / len(matrix)
    exact = (permutation_means(matrix) >= score - 1e-12).mean()
    error = math.sqrt(exact * (1 - exact) / N_DRAWS)
    p = result_of(kind, measure).nulls["A"].p_value
    assert abs(p - exact) <= 4 * error + 1 / (N_DRAWS + 1)


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        ("Success@5", 5 / 20),
        ("R@5", 5 / 20),
        ("P@5", 1 / 20),
        ("RR@5", (1 + 1 / 2 + 1 / 3 + 1 / 4 + 1 / 5) / 20),
        ("nDCG@5", sum(1 / math.log2(r + 1) for r in range(1, 6)) / 20),
    ],
)
def test_random_retrieval_of_five_among_twenty(metric, expected):
    corpus = [f"d{i:02d}" for i in range(20)]
    qrels = {f"q{i:02d}": {corpus[i % 20]: 1} for i in range(40)}
    run = dict.fromkeys(qrels, corpus[:5])
    null = falsify(run, qrels=qrels, corpus=corpus, metric=metric, strict=False).nulls["C"]
    assert null.mean == pytest.approx(expected, abs=1e-12)
    assert abs(null.draws.mean() - expected) <= 4 * null.draws.std() / math.sqrt(1000)


@pytest.mark.parametrize("n", [2, 4])
def test_a_permutation_leaves_one_query_its_own_gold_on_average(n):
    qrels = {f"q{i}": {f"d{i}": 1} for i in range(n)}
    run = {q: list(g) for q, g in qrels.items()}
    null = falsify(run, qrels=qrels, corpus=100, metric="Success@1", n_boot=4000).nulls["A"]
    assert null.mean == pytest.approx(1 / n)
    assert abs(null.draws.mean() - 1 / n) <= 4 * null.draws.std() / math.sqrt(4000)


def test_uniform_gold_gives_a_frequent_label_no_more_than_a_rare_one():
    qrels = {f"q{i:03d}": {"popular" if i < 30 else f"d{i:03d}": 1} for i in range(100)}
    run = {q: ["popular"] for q in qrels}
    result = falsify(run, qrels=qrels, corpus=1000, metric="Success@1")
    assert result.nulls["B"].mean == pytest.approx(1 / 71)
    assert result.nulls["A"].mean == pytest.approx(30 / 100)


@pytest.mark.parametrize(
    ("metric", "corpus", "expected"),
    [("Success@10", 3, 1.0), ("R@10", 3, 1.0), ("P@10", 3, 1 / 10), ("AP@10", 1, 1.0)],
)
def test_a_corpus_smaller_than_the_cutoff_is_drawn_whole(metric, corpus, expected):
    names = ["A", "B", "C"][:corpus]
    qrels = {f"q{i}": {"A": 1} for i in range(10)}
    result = falsify(
        dict.fromkeys(qrels, names), qrels=qrels, corpus=names, metric=metric, top_k=10
    )
    assert result.depth == corpus
    assert result.nulls["C"].mean == pytest.approx(expected, abs=1e-12)
    np.testing.assert_allclose(result.nulls["C"].draws, expected, atol=1e-12)


def test_random_retrieval_draws_k_documents_also_where_the_system_returned_fewer():
    world = WORLDS["several"]
    full = gate(world, "R@3").nulls["C"]
    short = {q: dict(list(r.items())[:1]) for q, r in world.run.items()}
    cut = falsify(short, qrels=world.qrels, corpus=world.corpus, metric="R@3").nulls["C"]
    assert cut.mean == full.mean
    np.testing.assert_array_equal(cut.draws, full.draws)


@every_world
@every_metric
def test_headroom_is_the_gap_of_a_perfect_system(measure, kind):
    world = WORLDS[kind]
    golds = dict(zip(world.evaluated(measure), world.golds(measure), strict=True))
    perfect = {q: sorted(g, key=lambda d: (-g[d], d)) for q, g in golds.items()}
    ours = result_of(kind, measure).nulls
    theirs = falsify(
        perfect,
        qrels=world.qrels,
        corpus=world.corpus,
        metric=measure.name,
        top_k=4,
        n_boot=N_DRAWS,
        decision="point",
        strict=False,
    ).nulls
    for name, null in ours.items():
        slack = 1e-9 if null.mean_is_exact else 8 * theirs[name].mean_error
        assert null.headroom == pytest.approx(theirs[name].delta, abs=slack), name
        assert null.share_of_headroom == pytest.approx(null.delta / null.headroom)
