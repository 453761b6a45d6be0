"""A metric's name: what is read, how it prints, and what is refused with which words."""

from __future__ import annotations

import pickle
from decimal import Decimal, localcontext

import numpy as np
import pytest

from falsify_nb import falsify
from falsify_nb.core.metrics import Metric, parse_metric
from falsify_nb.errors import InputError, MetricError, OptionError


@pytest.mark.parametrize(
    ("typed", "printed"),
    [
        ("nDCG@10", "nDCG@10"),
        ("ndcg_cut_10", "nDCG@10"),
        ("ndcg_cut.10", "nDCG@10"),
        ("NDCG@10", "nDCG@10"),
        ("ndcg@10", "nDCG@10"),
        ("ndcg", "nDCG"),
        ("nDCG(dcg='exp-log2')@10", "nDCG(dcg='exp-log2')@10"),
        ('nDCG(dcg="exp-log2")@10', "nDCG(dcg='exp-log2')@10"),
        ("nDCG( dcg = 'exp-log2' ) @10", "nDCG(dcg='exp-log2')@10"),
        ("nDCG(dcg='log2')@10", "nDCG@10"),
        ("map", "AP"),
        ("MAP", "AP"),
        ("AP", "AP"),
        ("AP@100", "AP@100"),
        ("map_cut_100", "AP@100"),
        ("AP(rel=2)@100", "AP(rel=2)@100"),
        ("mrr@10", "RR@10"),
        ("MRR@10", "RR@10"),
        ("RR@10", "RR@10"),
        ("recip_rank", "RR"),
        ("Recall@100", "R@100"),
        ("recall_100", "R@100"),
        ("R@100", "R@100"),
        ("R@5_top1", "R@5_top1"),
        ("recall@5_top1", "R@5_top1"),
        ("hit@5", "Success@5"),
        ("hit_rate@5", "Success@5"),
        ("success@1", "Success@1"),
        ("success_1", "Success@1"),
        ("Success@1", "Success@1"),
        ("P@10", "P@10"),
        ("P_10", "P@10"),
        ("precision@10", "P@10"),
        ("P(rel=2)@10", "P(rel=2)@10"),
        ("P(rel=0.5)@10", "P(rel=0.5)@10"),
        ("P(rel=2, judged_only=False)@10", "P(rel=2)@10"),
        ("  nDCG@10 ", "nDCG@10"),
        ("nDCG@0010", "nDCG@10"),
    ],
)
def test_every_common_spelling_is_read_and_printed_in_one_form(typed, printed):
    metric = parse_metric(typed)
    assert str(metric) == printed
    assert parse_metric(printed) == metric
    assert pickle.loads(pickle.dumps(metric)) == metric


@pytest.mark.parametrize(
    "typed",
    [
        "ndcg@0",
        "ndcg@-1",
        "ndcg@ten",
        "ndcg@1e3",
        "ndcg@",
        "ndcg@@5",
        "ndcg@10.5",
        "ndcg@١٠",
        "nDCG@10@20",
        "(nDCG)@10",
        "nDCG(@10",
        "",
        "@10",
        "nDCG@10_top2",
    ],
)
def test_a_malformed_cutoff_or_form_is_refused_with_the_text_and_an_example(typed):
    with pytest.raises(MetricError) as caught:
        parse_metric(typed)
    assert repr(typed) in str(caught.value)
    assert "nDCG@10" in caught.value.remedy


@pytest.mark.parametrize(
    ("typed", "offered"),
    [("ncdg@10", "nDCG@10"), ("recal@5", "R@10"), ("sucess@3", "Success@10"), ("mpa", "AP@10")],
)
def test_an_unknown_name_offers_the_nearest_ones(typed, offered):
    with pytest.raises(MetricError) as caught:
        parse_metric(typed)
    assert repr(typed) in caught.value.what
    assert offered in caught.value.remedy


def test_an_unknown_name_without_neighbours_lists_what_there_is():
    with pytest.raises(MetricError, match=r"nDCG, R, P, RR, AP, Success"):
        parse_metric("bleu")


@pytest.mark.parametrize(
    ("typed", "reason"),
    [
        ("Bpref", "non-relevant"),
        ("infAP", "non-relevant"),
        ("Judged@10", "judgments"),
        ("NumRet", "not bounded"),
        ("num_rel", "not bounded"),
        ("hits@5", "Success@k"),
    ],
)
def test_what_a_gate_cannot_judge_is_refused_with_the_reason(typed, reason):
    with pytest.raises(MetricError) as caught:
        parse_metric(typed)
    assert repr(typed) in str(caught.value)
    assert reason in str(caught.value)


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("nDCG10", "Did you mean nDCG@10?"),
        ("mrr100", "Did you mean RR@100?"),
        ("F1", "the metric 'F1' is unknown"),
        ("nDCG@@10", "Write NAME, NAME@k"),
    ],
)
def test_a_cutoff_without_its_sign_is_told_from_an_unknown_name(typed, said):
    with pytest.raises(MetricError) as caught:
        parse_metric(typed)
    assert said in str(caught.value)


@pytest.mark.parametrize("typed", ["P", "R", "recall", "Success", "hit"])
def test_a_metric_that_means_nothing_without_a_cutoff_asks_for_one(typed):
    with pytest.raises(MetricError, match="needs a cutoff") as caught:
        parse_metric(typed)
    assert "@10" in caught.value.remedy


@pytest.mark.parametrize(
    ("typed", "named"),
    [
        ("nDCG(rel=2)@10", "rel=2"),
        ("nDCG(dcg='exp')@10", "dcg='exp'"),
        ("P(dcg='exp-log2')@10", "dcg='exp-log2'"),
        ("P(rel=0)@10", "rel=0"),
        ("P(rel=-1)@10", "rel=-1"),
        ("P(rel=high)@10", "rel=high"),
        ("P(rel=nan)@10", "rel=nan"),
        ("P(judged_only=True)@10", "judged_only=True"),
        ("P(level=2)@10", "level=2"),
    ],
)
def test_an_option_that_would_not_be_honoured_is_refused_by_name(typed, named):
    with pytest.raises(MetricError) as caught:
        parse_metric(typed)
    assert named in caught.value.what
    assert caught.value.remedy


@pytest.mark.parametrize("given", [None, 10, ["nDCG@10"], b"nDCG@10"])
def test_what_is_neither_name_nor_function_is_refused(given):
    with pytest.raises(OptionError, match="neither a name nor a function"):
        parse_metric(given)


RUN = {f"q{i}": [f"d{i % 5}", f"d{(i + 1) % 5}"] for i in range(12)}


class TestGradesOfAnySize:
    def qrels(self, grade):
        return {q: {docs[0]: grade, docs[1]: grade / 2} for q, docs in RUN.items()}

    @pytest.mark.parametrize("grade", [1e-20, 1e-8, 0.009, 0.011])
    def test_tiny_grades_gain_what_the_formula_says(self, grade):
        """For x near 0, 2^x − 1 is x·ln 2: gains go as the grades do."""
        found = Metric("nDCG", 3, dcg="exp-log2").gains(np.array([grade, grade / 2]))
        with localcontext() as context:
            context.prec = 60
            exact = [float(Decimal(2) ** Decimal(g) - 1) for g in (grade, grade / 2)]
        np.testing.assert_allclose(found, exact, rtol=1e-12)
        result = falsify(RUN, qrels=self.qrels(grade), metric="nDCG(dcg='exp-log2')@3")
        assert result.score == pytest.approx(1.0)

    @pytest.mark.parametrize(
        ("grade", "metric"), [(1100.0, "nDCG(dcg='exp-log2')@3"), (1.5e308, "nDCG@3")]
    )
    def test_grades_that_cannot_be_added_up_are_refused(self, grade, metric):
        with pytest.raises(InputError, match="grades of query 'q0' are too large to be added up"):
            falsify(RUN, qrels=self.qrels(grade), metric=metric)

    def test_whole_grades_gain_whole_numbers(self):
        found = Metric("nDCG", dcg="exp-log2").gains(np.arange(1.0, 6.0))
        np.testing.assert_array_equal(found, [1, 3, 7, 15, 31])
