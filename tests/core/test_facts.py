"""What must hold of the nulls on benchmarks of special shape, and on published ones."""

from __future__ import annotations

import math

import numpy as np
import pytest
from plain import MEASURES, Measure, in_order, random_world

from falsify_nb import falsify

every_metric = pytest.mark.parametrize("measure", MEASURES, ids=lambda m: m.name)
BLIND_TO_GRADES = [m for m in MEASURES if not m.reads_gains and m.rel is None]


def gate(run, qrels, metric, **options):
    options = {"n_boot": 100, "corpus": 1000, "strict": False} | options
    return falsify(run, qrels=qrels, metric=metric, **options)


@every_metric
@pytest.mark.parametrize("most_gold", [1, 4])
def test_one_ranking_for_all_queries_has_no_gap_to_permuted_gold(measure, most_gold):
    world = random_world(1, 15, 9, most_gold=most_gold)
    always = in_order(world.run["q00"])
    result = gate(dict.fromkeys(world.qrels, always), world.qrels, measure.name)
    null = result.nulls["A"]
    assert null.delta == pytest.approx(0, abs=1e-14)
    np.testing.assert_allclose(null.draws, result.score, rtol=1e-12)
    assert null.p_value == 1.0
    assert result.is_query_blind
    assert null.verdict == result.verdict == "FAIL"
    assert "same ranking" in null.reason


@pytest.mark.parametrize("measure", BLIND_TO_GRADES, ids=lambda m: m.name)
def test_with_single_gold_a_and_d_expect_the_same(measure):
    world = random_world(2, 15, 9, most_gold=1)
    nulls = gate(world.run, world.qrels, measure.name).nulls
    assert nulls["A"].mean == pytest.approx(nulls["D"].mean, abs=1e-12)
    assert nulls["A"].interval == nulls["D"].interval


@every_metric
def test_where_all_queries_share_one_gold_set_no_system_can_pass(measure):
    world = random_world(3, 12, 9)
    gold = {"d01": 2.0, "d03": 2.0, "d04": 2.0}
    result = gate(world.run, dict.fromkeys(world.qrels, gold), measure.name)
    for name in "ABD":
        assert result.nulls[name].delta == pytest.approx(0, abs=1e-12), name
    assert result.verdict != "PASS"
    said = {n.code: n.text for n in result.notices}
    assert "same gold" in said["one-gold-set"]


def test_where_that_one_gold_set_has_grades_only_d_moves_them():
    world = random_world(3, 12, 9)
    gold = {"d01": 3.0, "d03": 2.0, "d04": 1.0}
    result = gate(world.run, dict.fromkeys(world.qrels, gold), "nDCG@3")
    assert result.nulls["A"].delta == pytest.approx(0, abs=1e-12)
    assert result.nulls["B"].delta == pytest.approx(0, abs=1e-12)
    assert abs(result.nulls["D"].delta) > 1e-3
    assert result.verdict != "PASS"


@every_metric
def test_where_no_two_queries_share_their_one_document_a_b_and_d_agree(measure):
    qrels = {f"q{i:02d}": {f"d{i:02d}": 2.0} for i in range(20)}
    rng = np.random.default_rng(4)
    docs = [f"d{i:02d}" for i in range(20)]
    run = {q: [str(d) for d in rng.permutation(docs)[:7]] for q in qrels}
    result = gate(run, qrels, measure.name)
    nulls = result.nulls
    assert nulls["A"].mean == pytest.approx(nulls["B"].mean, abs=1e-12)
    assert nulls["A"].mean == pytest.approx(nulls["D"].mean, abs=1e-12)
    assert "A, B and D are one test" in {n.code: n.text for n in result.notices}["coinciding-nulls"]


def test_whole_gold_sets_move_with_their_grades():
    """Two queries with twin golds of opposite grades: a swap exchanges the two nDCG values."""
    qrels = {"q1": {"a": 3.0, "b": 1.0}, "q2": {"a": 1.0, "b": 3.0}}
    run = {"q1": ["a", "b"], "q2": ["b", "a"]}
    swapped = (1 + 3 / math.log2(3)) / (3 + 1 / math.log2(3))
    null = gate(run, qrels, "nDCG@2").nulls["A"]
    assert null.mean == pytest.approx((1 + swapped) / 2, abs=1e-12)
    np.testing.assert_allclose(np.unique(null.draws.round(12)), [round(swapped, 12), 1.0])


def test_the_strict_form_moves_only_the_best_documents():
    qrels = {f"q{i}": {f"best{i % 5}": 3.0, "common": 1.0} for i in range(20)}
    run = {q: ["common", next(iter(g))] for q, g in qrels.items()}
    strict = gate(run, qrels, "R@2_top1")
    best = {q: {next(iter(g)): 1.0} for q, g in qrels.items()}
    plain = gate(run, best, "R@2")
    for name in "ABCD":
        assert strict.nulls[name].mean == plain.nulls[name].mean
        np.testing.assert_array_equal(strict.nulls[name].draws, plain.nulls[name].draws)


class TestBrightPony:
    @pytest.fixture(scope="class")
    @staticmethod
    def popular(data_dir):
        folder = data_dir / "bright-pony"
        return falsify(
            folder / "runs" / "pop-gold.trec.gz", qrels=folder / "qrels.txt", strict=False
        )

    def test_a_list_that_never_reads_the_query_scores_high(self, popular):
        assert popular.n_queries == 112
        assert popular.score == pytest.approx(0.938, abs=5e-4)

    def test_but_the_frequency_null_scores_as_high(self, popular):
        assert abs(popular.nulls["D"].delta) <= 0.01
        assert popular.nulls["D"].mean == pytest.approx(0.941, abs=2e-3)

    def test_so_that_it_fails(self, popular):
        assert popular.nulls["A"].delta == pytest.approx(0, abs=1e-12)
        assert popular.nulls["D"].verdict == "FAIL"
        assert popular.verdict == "FAIL"

    def test_the_head_of_the_labels_is_not_flattened(self, popular):
        assert popular.labels.modal_share == pytest.approx(0.973, abs=5e-4)


def test_always_the_popular_label_fails_on_a_uniform_pool_as_well():
    labels = [f"L{i}" for i in range(8)]
    qrels = {f"q{i:03d}": {labels[i % 8]: 1} for i in range(120)}
    result = gate({q: ["L0"] for q in qrels}, qrels, "Success@1", n_boot=1000)
    assert result.score == pytest.approx(1 / 8)
    assert abs(result.nulls["D"].delta) <= 0.05
    assert result.verdict == "FAIL"


def test_the_same_answer_to_every_question_scores_one_and_does_not_pass():
    qrels = {f"q{i:02d}": {"A": 1} for i in range(50)}
    run = {q: ["A", "B"] for q in qrels}
    result = gate(run, qrels, "Success@2", corpus=8)
    assert result.score == 1.0
    means = {name: null.mean for name, null in result.nulls.items()}
    assert means == pytest.approx({"A": 1, "B": 1, "C": 2 / 8, "D": 1})
    assert result.verdict != "PASS"
    assert {"one-gold-set", "perfect-scores", "no-headroom"} <= {n.code for n in result.notices}


def test_a_reversed_ranking_does_not_pass():
    """Distances given as scores put the best document last."""
    docs = [f"d{i:02d}" for i in range(20)]
    qrels = {f"q{i:02d}": {docs[i]: 1} for i in range(20)}
    run = {
        f"q{i:02d}": {docs[i]: 0.1} | {docs[(i + j) % 20]: 0.1 + j for j in range(1, 10)}
        for i in range(20)
    }
    result = gate(run, qrels, "RR", corpus=docs)
    assert result.score == pytest.approx(1 / 10, abs=1e-12)
    assert result.verdict != "PASS"


@pytest.mark.parametrize("n", [2, 5, 30, 80])
@pytest.mark.parametrize("metric", [Measure("nDCG", 3), Measure("RR", 3)], ids=lambda m: m.name)
def test_exact_means_lie_within_four_standard_errors_of_the_draws(n, metric):
    world = random_world(n, n, 12)
    result = gate(world.run, world.qrels, metric.name, corpus=world.corpus, n_boot=1000)
    for null in result.nulls.values():
        error = null.draws.std() / math.sqrt(1000)
        assert abs(null.draws.mean() - null.mean) <= 4 * math.hypot(error, null.mean_error) + 1e-12
