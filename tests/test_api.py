"""`falsify()` as a user meets it: its parameters, and what it says about bad input."""

from __future__ import annotations

import dataclasses
import gzip
import inspect

import numpy as np
import pytest
from plain import random_world

from falsify_nb import GateResult, Protocol, falsify
from falsify_nb.errors import (
    Cancelled,
    CorpusError,
    DuplicateError,
    FalsifyError,
    InputError,
    MetricError,
    NoOverlapError,
    OptionError,
    ReadError,
    ScoreError,
)

QRELS = {f"q{i}": {f"d{i}": 1} for i in range(6)}
RUN = {q: {d: 2.0, "x": 1.0} for q, g in QRELS.items() for d in g}

DEFAULTS = {
    "corpus": None,
    "metric": "nDCG@10",
    "tau": 0.05,
    "n_boot": 1000,
    "top_k": None,
    "seed": 2026,
    "queries": None,
    "groups": None,
    "interval": "dirichlet",
    "decision": "interval",
    "strict": "auto",
    "bounds": (0, 1),
    "drop_self": False,
    "protocol": None,
    "n_jobs": None,
    "progress": None,
}
# What is handed over, shown or timed, and changes no number that the protocol must fix.
NOT_OF_THE_PROTOCOL = {"run", "qrels", "queries", "protocol", "n_jobs", "progress"}


def test_the_parameters_and_their_defaults_are_the_documented_ones():
    parameters = inspect.signature(falsify).parameters
    assert next(iter(parameters)) == "run"
    assert {n: p.default for n, p in parameters.items() if n not in ("run", "qrels")} == DEFAULTS
    kinds = {n: p.kind for n, p in parameters.items() if n != "run"}
    assert set(kinds.values()) == {inspect.Parameter.KEYWORD_ONLY}


def test_every_parameter_that_changes_a_number_belongs_to_the_protocol():
    parameters = set(inspect.signature(falsify).parameters)
    fields = {f.name for f in dataclasses.fields(Protocol)}
    assert parameters - NOT_OF_THE_PROTOCOL == fields


def test_the_protocol_has_the_defaults_of_the_function():
    for field in dataclasses.fields(Protocol):
        assert field.default == DEFAULTS[field.name], field.name


def test_swapped_arguments_are_refused_before_they_are_read():
    with pytest.raises(TypeError):
        falsify(QRELS, RUN)


def swapped(mapping, query, ranking):
    return mapping | {query: ranking}


def refused(run=RUN, qrels=QRELS, **options):
    """The error of a call, which must say what, and what to do."""
    with pytest.raises(FalsifyError) as caught:
        falsify(run, qrels=qrels, **({"n_boot": 100} | options))
    error = caught.value
    assert isinstance(error, (InputError, OptionError))
    assert isinstance(error, ValueError)
    assert error.what
    assert error.remedy
    assert "\n" not in error.what
    return error


@pytest.mark.parametrize(
    ("given", "kind", "says"),
    [
        pytest.param({"qrels": {}}, InputError, ["qrels", "empty"], id="empty qrels"),
        pytest.param({"run": {}}, InputError, ["run", "empty"], id="empty run"),
        pytest.param({"qrels": None}, InputError, ["None"], id="no qrels"),
        pytest.param({"run": None}, InputError, ["None"], id="no run"),
        pytest.param({"run": 3}, InputError, ["int"], id="a number as run"),
        pytest.param(
            {"qrels": {"q1": {"a": 0, "b": -1}}}, InputError, ["relevant"], id="nothing relevant"
        ),
        pytest.param(
            {"qrels": QRELS, "metric": "P(rel=3)@5"},
            InputError,
            ["at least 3"],
            id="nothing so high",
        ),
        pytest.param(
            {"run": {q.upper(): r for q, r in RUN.items()}},
            NoOverlapError,
            ["6", "'Q0'", "'q0'", "'Q2'", "'q2'", "case"],
            id="queries in capitals",
        ),
        pytest.param(
            {"run": {f"q0{q[1:]}": r for q, r in RUN.items()}},
            NoOverlapError,
            ["'q00'", "'q0'", "padding"],
            id="queries padded with zeros",
        ),
        pytest.param(
            {"run": {f"topic{i}": {"x": 1.0} for i in range(4)}, "qrels": {"a": {"b": 1}}},
            NoOverlapError,
            ["4", "'topic0'", "1", "'a'"],
            id="unrelated queries",
        ),
        pytest.param(
            {"run": swapped(RUN, "q3", {"d3": float("nan")})},
            ScoreError,
            ["nan", "'q3'", "'d3'"],
            id="NaN score",
        ),
        pytest.param(
            {"run": swapped(RUN, "q3", {"d3": float("inf")})},
            ScoreError,
            ["inf", "'q3'", "'d3'"],
            id="infinite score",
        ),
        pytest.param(
            {"run": swapped(RUN, "q3", {"d3": np.float32("-inf")})},
            ScoreError,
            ["-inf", "'q3'", "'d3'"],
            id="infinite score of another type",
        ),
        pytest.param(
            {"run": swapped(RUN, "q3", {"d3": None, "x": 1.0})},
            ScoreError,
            ["None", "'q3'", "'d3'"],
            id="no score",
        ),
        pytest.param(
            {"run": swapped(RUN, "q3", {"d3": "0.5"})},
            ScoreError,
            ["'0.5'", "'q3'", "'d3'"],
            id="text as score",
        ),
        pytest.param(
            {"qrels": swapped(QRELS, "q2", {"d2": float("nan")})},
            ScoreError,
            ["nan", "'q2'", "'d2'"],
            id="NaN grade",
        ),
        pytest.param(
            {"run": {q: ["d0", "d1", "d0"] for q in QRELS}},
            DuplicateError,
            ["'q0'", "'d0'"],
            id="a document twice in a ranking",
        ),
        pytest.param(
            {"run": [("q0", "a", 1.0), ("q0", "b", 2.0), ("q0", "a", 3.0)]},
            DuplicateError,
            ["'q0'", "'a'"],
            id="a document twice in rows",
        ),
        pytest.param(
            {"qrels": [("q0", "a", 1), ("q0", "a", 0)]},
            DuplicateError,
            ["'q0'", "'a'"],
            id="a judgment twice",
        ),
        pytest.param(
            {"run": {"1": ["a"], 1: ["b"]}, "qrels": {"1": {"a": 1}}},
            DuplicateError,
            ["'1'"],
            id="a query twice under two types",
        ),
        pytest.param(
            {"corpus": ["x", *(f"d{i}" for i in range(5))]},
            CorpusError,
            ["relevant", "not in corpus", "'d5'", "'q5'"],
            id="a relevant document outside the corpus",
        ),
        pytest.param(
            {"corpus": [f"d{i}" for i in range(6)]},
            CorpusError,
            ["retrieved", "not in corpus", "'x'", "'q0'"],
            id="a retrieved document outside the corpus",
        ),
        pytest.param(
            {
                "qrels": {"q1": {"1": 1}, "q2": {"Z": 1}, "q3": {"2": 1}},
                "run": {"q1": ["1"]},
                "corpus": list("ABCDEFGH"),
            },
            CorpusError,
            ["3", "not in corpus"],
            id="several, counted",
        ),
        pytest.param(
            {"corpus": 6}, CorpusError, ["6", "7"], id="a size smaller than the documents seen"
        ),
        pytest.param({"corpus": 0}, CorpusError, ["0"], id="an empty corpus by size"),
        pytest.param({"corpus": -5}, CorpusError, ["-5"], id="a negative size"),
        pytest.param({"corpus": 1e6}, CorpusError, ["1000000.0"], id="a fractional size"),
        pytest.param({"corpus": []}, InputError, ["empty"], id="an empty corpus"),
        pytest.param({"tau": 1.1}, OptionError, ["tau", "1.1", "0 to 1"], id="tau too large"),
        pytest.param({"tau": -0.1}, OptionError, ["tau", "-0.1"], id="tau negative"),
        pytest.param({"tau": float("nan")}, OptionError, ["tau", "nan"], id="tau NaN"),
        pytest.param({"tau": "0.1"}, OptionError, ["tau", "'0.1'"], id="tau as text"),
        pytest.param({"tau": True}, OptionError, ["tau", "True"], id="tau as truth"),
        pytest.param(
            {"n_boot": 99}, OptionError, ["n_boot", "99", "0.0125", "100"], id="few draws"
        ),
        pytest.param({"n_boot": 0}, OptionError, ["n_boot", "0"], id="no draws"),
        pytest.param({"n_boot": 100.0}, OptionError, ["n_boot", "100.0"], id="fractional draws"),
        pytest.param(
            {"n_boot": 0, "decision": "point"}, OptionError, ["n_boot"], id="no draws, by the point"
        ),
        pytest.param({"top_k": 0}, OptionError, ["top_k", "0"], id="top_k zero"),
        pytest.param({"top_k": 2.5}, OptionError, ["top_k", "2.5"], id="top_k fractional"),
        pytest.param({"seed": -1}, OptionError, ["seed", "-1"], id="negative seed"),
        pytest.param({"seed": None}, OptionError, ["seed", "None"], id="no seed"),
        pytest.param(
            {"interval": "bca"}, OptionError, ["interval", "'bca'", "'dirichlet'"], id="interval"
        ),
        pytest.param(
            {"decision": "delta"}, OptionError, ["decision", "'delta'", "'point'"], id="decision"
        ),
        pytest.param({"strict": "yes"}, OptionError, ["strict", "'yes'", "'auto'"], id="strict"),
        pytest.param({"strict": 1}, OptionError, ["strict", "1"], id="strict as a number"),
        pytest.param({"bounds": (1, 0)}, OptionError, ["bounds", "(1, 0)"], id="bounds reversed"),
        pytest.param({"bounds": (0, float("inf"))}, OptionError, ["bounds"], id="bounds endless"),
        pytest.param({"bounds": 1}, OptionError, ["bounds", "1"], id="one bound"),
        pytest.param(
            {"metric": "nDGC@10"}, MetricError, ["'nDGC@10'", "nDCG@10"], id="unknown metric"
        ),
        pytest.param({"metric": "nDCG@0"}, MetricError, ["'nDCG@0'", "'0'"], id="cutoff zero"),
        pytest.param({"metric": "Bpref"}, MetricError, ["Bpref"], id="a refused metric"),
    ],
)
def test_bad_input_is_refused_by_name_and_place_with_a_remedy(given, kind, says):
    error = refused(**given)
    assert isinstance(error, kind)
    for word in says:
        assert word.lower() in str(error).lower(), (word, str(error))


FILES = {
    "too few columns": ("q0 Q0 d0 1 2.0 t\nq1 Q0 d1\n", "line 2"),
    "a decimal comma": ("q0 Q0 d0 1 2.0 t\nq1 Q0 d1 1 1,5 t\n", "line 2"),
    "NaN": ("q0 Q0 d0 1 2.0 t\nq1 Q0 d1 1 1.0 t\nq2 Q0 d2 1 nan t\n", "line 3"),
    "a repeated line": ("q0 Q0 d0 1 2.0 t\nq0 Q0 d0 2 1.0 t\n", "line 2"),
}


@pytest.mark.parametrize(("text", "place"), FILES.values(), ids=FILES)
@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gz"])
def test_an_unreadable_file_is_refused_with_its_name_and_line(tmp_path, text, place, packed):
    path = tmp_path / ("run.trec.gz" if packed else "run.trec")
    path.write_bytes(gzip.compress(text.encode()) if packed else text.encode())
    error = refused(run=path)
    assert path.name in str(error)
    assert place in str(error)


@pytest.mark.parametrize("role", ["run", "qrels", "corpus"])
def test_a_file_that_is_not_there_is_named(tmp_path, role):
    error = refused(**{role: tmp_path / "missing.trec"})
    assert isinstance(error, ReadError)
    assert "missing.trec" in str(error)


def test_no_order_of_keys_hides_a_bad_score():
    import itertools

    for order in itertools.permutations({"a": float("nan"), "b": 0.9, "c": 0.1}.items()):
        assert "'a'" in str(refused(run={"q0": dict(order)}))


def test_a_refusal_leaves_nothing_behind():
    before = falsify(RUN, qrels=QRELS, n_boot=100)
    refused(run=swapped(RUN, "q3", {"d3": float("nan")}))
    assert falsify(RUN, qrels=QRELS, n_boot=100).same_as(before)


def test_an_empty_ranking_for_one_query_is_no_error():
    result = falsify(swapped(RUN, "q3", {}), qrels=QRELS, n_boot=100)
    assert result.score == pytest.approx(5 / 6)
    assert isinstance(result, GateResult)


def test_whole_numbers_are_ids_as_their_decimal_text():
    result = falsify({1: {10: 0.9, 11: 0.5}}, qrels={"1": {"10": 1}}, metric="RR", n_boot=100)
    assert result.score == 1.0
    assert result.query_ids == ("1",)


def test_generators_are_read_once_and_whole():
    rows = ((q, d, g) for q, j in QRELS.items() for d, g in j.items())
    result = falsify(((q, d, s) for q, r in RUN.items() for d, s in r.items()), qrels=rows)
    assert result.same_as(falsify(RUN, qrels=QRELS))


def test_files_frames_and_dicts_of_the_same_data_give_the_same_figures(tmp_path):
    pd = pytest.importorskip("pandas")
    run = tmp_path / "run.trec"
    lines = [f"{q} Q0 {d} 0 {s} tag" for q, r in RUN.items() for d, s in r.items()]
    run.write_text("\n".join(lines) + "\n")
    qrels = tmp_path / "qrels.txt"
    qrels.write_text("".join(f"{q} 0 {d} {g}\n" for q, j in QRELS.items() for d, g in j.items()))
    rows = [(q, d, s) for q, r in RUN.items() for d, s in r.items()]
    judged = [(q, d, g) for q, j in QRELS.items() for d, g in j.items()]
    given = [
        (RUN, QRELS),
        (run, qrels),
        (str(run), str(qrels)),
        (
            pd.DataFrame(rows, columns=["query_id", "doc_id", "score"]),
            pd.DataFrame(judged, columns=["qid", "docno", "label"]),
        ),
        (rows, judged),
    ]
    figures = []
    for one, other in given:
        data = falsify(one, qrels=other, n_boot=100).to_dict()
        figures.append(data | {"system": None, "notices": None})
    assert all(f == figures[0] for f in figures)


class TestProtocol:
    SEALED = Protocol(metric="R@3", tau=0.1, n_boot=100, seed=5, top_k=4)

    def test_it_sets_everything_and_marks_the_result_sealed(self):
        result = falsify(RUN, qrels=QRELS, protocol=self.SEALED)
        by_hand = falsify(RUN, qrels=QRELS, metric="R@3", tau=0.1, n_boot=100, seed=5, top_k=4)
        assert result.sealed
        assert not by_hand.sealed
        assert result.to_dict() | {"sealed": 0} == by_hand.to_dict() | {"sealed": 0}
        assert result.protocol == self.SEALED

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("tau", 0.2),
            ("n_boot", 200),
            ("top_k", 7),
            ("seed", 1),
            ("interval", "percentile"),
            ("decision", "point"),
            ("strict", False),
            ("bounds", (0, 2)),
            ("drop_self", True),
            ("metric", "P@3"),
        ],
    )
    def test_a_parameter_beside_it_is_refused(self, name, value):
        with pytest.raises(OptionError, match=f"both protocol= .*{name}="):
            falsify(RUN, qrels=QRELS, protocol=self.SEALED, **{name: value})

    def test_a_corpus_other_than_the_sealed_one_is_refused(self):
        corpus = [f"d{i}" for i in range(6)] + ["x"]
        sealed = falsify(RUN, qrels=QRELS, corpus=corpus, n_boot=100).protocol
        again = falsify(RUN, qrels=QRELS, corpus=corpus[::-1], protocol=sealed)
        assert again.protocol == sealed
        with pytest.raises(OptionError, match="corpus"):
            falsify(RUN, qrels=QRELS, corpus=[*corpus, "more"], protocol=sealed)
        with pytest.raises(OptionError, match="corpus"):
            falsify(RUN, qrels=QRELS, protocol=sealed)

    def test_the_result_records_what_was_handed_over(self):
        protocol = falsify(RUN, qrels=QRELS, corpus=50, metric="ndcg_cut_5", n_boot=100).protocol
        assert protocol.metric == "nDCG@5"
        assert "50" in protocol.corpus
        assert falsify(RUN, qrels=QRELS, n_boot=100).protocol.corpus is None

    def test_another_metric_function_than_the_sealed_one_is_refused(self):
        def first(ranking, gold):
            return float(ranking[:1] == list(gold)[:1])

        def second(ranking, gold):
            return 0.5

        sealed = falsify(RUN, qrels=QRELS, metric=first, n_boot=100).protocol
        assert falsify(RUN, qrels=QRELS, metric=first, protocol=sealed).protocol == sealed
        with pytest.raises(OptionError, match="second"):
            falsify(RUN, qrels=QRELS, metric=second, protocol=sealed)


class TestProgress:
    @pytest.mark.parametrize("metric", ["nDCG@10", "RR"])
    def test_it_is_told_of_every_stage_within_its_bounds(self, metric):
        world = random_world(1, 30, 15)
        told = []
        falsify(
            world.run,
            qrels=world.qrels,
            metric=metric,
            n_boot=300,
            progress=lambda *step: told.append(step),
        )
        assert {f"null {name}" for name in "ABCD"} <= {stage for stage, _, _ in told}
        assert all(isinstance(stage, str) and 0 <= done <= total for stage, done, total in told)

    def test_it_changes_nothing(self):
        told = []
        with_hook = falsify(RUN, qrels=QRELS, progress=lambda *step: told.append(step))
        assert with_hook.same_as(falsify(RUN, qrels=QRELS))

    @pytest.mark.parametrize(
        "error", [Cancelled("stopped"), KeyboardInterrupt(), ZeroDivisionError()]
    )
    @pytest.mark.parametrize("after", [0, 3])
    def test_raising_in_it_stops_the_work_and_the_next_call_is_whole(self, error, after):
        world = random_world(2, 30, 15)
        calls = []

        def stop(*step):
            calls.append(step)
            if len(calls) > after:
                raise error

        options = {"qrels": world.qrels, "metric": "RR", "n_boot": 500}
        with pytest.raises(type(error)):
            falsify(world.run, progress=stop, **options)
        assert len(calls) == after + 1
        assert falsify(world.run, **options).same_as(falsify(world.run, **options))


@pytest.mark.parametrize("n_boot", [-5, 99.5, "many", True])
def test_what_is_no_number_of_draws_is_told_the_least_one(n_boot):
    with pytest.raises(OptionError, match="is not a whole number of at least 100"):
        Protocol(n_boot=n_boot)


@pytest.mark.parametrize("n_boot", [0, 99])
def test_too_few_draws_are_told_why(n_boot):
    with pytest.raises(OptionError, match="draws cannot reach the level"):
        Protocol(n_boot=n_boot)
    with pytest.raises(OptionError, match="of at least 1"):
        Protocol(n_boot=0, decision="point")
