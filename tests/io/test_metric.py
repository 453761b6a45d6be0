"""What may be named as metric: built-in names, those of ir_measures, functions."""

from __future__ import annotations

import sys

import pytest

from falsify_nb import falsify
from falsify_nb.core.metrics import FunctionMetric, Metric
from falsify_nb.errors import FunctionError, MetricError
from falsify_nb.io.metric import to_metric

QRELS = {f"q{i}": {f"d{i}": 2, f"d{(i + 3) % 9}": 1, "d8": 1 if i % 2 else 0} for i in range(8)}
RUN = {f"q{i}": [f"d{(i + j * (i + 1)) % 9}" for j in range(9 if i != 2 else 3)] for i in range(8)}
RUN = {q: list(dict.fromkeys(docs)) for q, docs in RUN.items()}


@pytest.mark.parametrize("name", ["Rprec", "SetF", "SetAP", "SetR", "IPrec@0.1", "Compat(p=0.8)"])
def test_a_metric_of_ir_measures_scores_as_it_does_there(name):
    ir_measures = pytest.importorskip("ir_measures")
    result = falsify(RUN, qrels=QRELS, metric=name, n_boot=100)
    qrels = [ir_measures.Qrel(q, d, g) for q, judged in QRELS.items() for d, g in judged.items()]
    run = [
        ir_measures.ScoredDoc(q, d, -place)
        for q, docs in RUN.items()
        for place, d in enumerate(docs)
    ]
    measure = ir_measures.parse_measure(name)
    wanted = {m.query_id: m.value for m in ir_measures.iter_calc([measure], qrels, run)}
    found = dict(zip(result.query_ids, result.scores.tolist(), strict=True))
    assert found == pytest.approx(wanted, abs=1e-9)
    assert result.metric == name
    assert result.protocol.metric == name


def test_a_measure_of_ir_measures_is_its_name():
    ir_measures = pytest.importorskip("ir_measures")
    for measure, name in [
        (ir_measures.nDCG @ 10, "nDCG@10"),
        (ir_measures.R(rel=2) @ 5, "R(rel=2)@5"),
        (ir_measures.nDCG(dcg="exp-log2") @ 5, "nDCG(dcg='exp-log2')@5"),
    ]:
        assert to_metric(measure) == to_metric(name)
        assert isinstance(to_metric(measure), Metric)
    assert str(to_metric(ir_measures.Rprec)) == "Rprec"
    with pytest.raises(MetricError, match="it counts"):
        to_metric(ir_measures.NumRet)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("nDCG(judged_only=True)@10", "not read"),
        ("AP(judged_only=True)", "not read"),
        ("Judged@10", "measures the judgments"),
        ("Bpref", "non-relevant"),
        ("infAP", "non-relevant"),
        ("NumRet", "counts"),
        ("alpha_nDCG@10", "refused"),
        ("INST", "refused"),
    ],
)
def test_what_cannot_be_gated_is_refused_with_the_reason(name, words):
    pytest.importorskip("ir_measures")
    with pytest.raises(MetricError, match=words):
        to_metric(name)


def test_a_provider_that_is_missing_is_named():
    ir_measures = pytest.importorskip("ir_measures")
    measure = ir_measures.parse_measure("RBP(p=0.8)")
    if any(p.supports(measure) and p.is_available() for p in ir_measures.DefaultPipeline.providers):
        pytest.skip("here a provider of RBP is installed")
    with pytest.raises(MetricError, match="cannot compute the metric 'RBP"):
        to_metric("RBP(p=0.8)")


def test_fractional_grades_are_refused_where_they_would_be_truncated():
    pytest.importorskip("ir_measures")
    qrels = {q: {d: g + 0.5 for d, g in judged.items()} for q, judged in QRELS.items()}
    with pytest.raises(FunctionError, match="whole grades"):
        falsify(RUN, qrels=qrels, metric="Rprec")


def test_without_ir_measures_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "ir_measures", None)
    with pytest.raises(MetricError, match=r"falsify_nb\[ir\]"):
        to_metric("Rprec")


def test_built_in_metrics_and_functions_pass_through():
    metric = Metric("RR", 10)
    assert to_metric(metric) is metric

    def share(ranking, gold):
        return 0.0

    found = to_metric(share)
    assert isinstance(found, FunctionMetric)
    assert str(found) == "function share"
    assert to_metric(found) is found
