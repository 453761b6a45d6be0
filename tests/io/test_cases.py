"""Inputs of kinds that have gone wrong, in silence or with a crash, in tools like this one."""

from __future__ import annotations

import gzip
import itertools
import math

import numpy as np
import pandas as pd
import polars as pl
import pytest

from falsify_nb import falsify, read_qrels, read_run
from falsify_nb.errors import DuplicateError, InputError, ReadError, ScoreError


def codes(result) -> dict[str, object]:
    return {n.code: n for n in result.notices}


def gate(run, qrels, metric="RR", **options):
    return falsify(run, qrels=qrels, metric=metric, n_boot=100, **options)


class TestOrder:
    def test_a_rank_column_never_decides_and_a_contradiction_is_told(self, file):
        run = file("t1 Q0 a 1 0.1 x\nt1 Q0 b 2 0.2 x\nt1 Q0 c 3 0.3 x\n")
        result = gate(run, {"t1": {"c": 1}})
        assert result.score == 1.0
        assert codes(result)["rank-column"].count == 1

    def test_a_list_of_ids_is_the_ranking(self, score):
        qrels = {"t1": {"b": 1}}
        assert score({"t1": ["b", "z", "a"]}, qrels) == 1.0
        assert score({"t1": ["b", "z", "a"]}, qrels, "nDCG@3") == 1.0

    def test_scores_that_differ_only_in_float64_are_told_apart(self, score):
        assert score({"t1": {"z": 16777216.0, "a": 16777217.0}}, {"t1": {"a": 1}}) == 1.0

    def test_float16_scores_tie_where_they_are_equal(self, score):
        values = np.array([0.70001, 0.70004])
        run = {"t1": dict(zip("za", values.astype(np.float16), strict=True))}
        assert score(run, {"t1": {"a": 1}}) == 0.5
        run = {"t1": dict(zip("za", values, strict=True))}
        assert score(run, {"t1": {"a": 1}}) == 1.0


class TestDuplicates:
    @pytest.mark.parametrize(
        "run",
        [
            {"t1": ["a", "a", "b"]},
            pd.DataFrame(
                [["t1", "a", 1.0], ["t1", "b", 2.0], ["t1", "a", 3.0]], columns=list("qds")
            ).rename(columns={"q": "qid", "d": "docno", "s": "score"}),
            [("t1", "a", 1.0), ("t1", "a", 1.0)],
        ],
        ids=["list", "two shards in a frame", "rows"],
    )
    def test_a_document_twice_in_a_ranking_is_named(self, run):
        with pytest.raises(DuplicateError, match="'t1' has document 'a' twice"):
            gate(run, {"t1": {"a": 1}})

    @pytest.mark.parametrize("grade", [1, 0])
    def test_a_pair_judged_twice_is_named(self, grade):
        rows = [("t1", "a", 1), ("t1", "b", 2), ("t1", "a", grade)]
        frame = pd.DataFrame(rows, columns=["qid", "docno", "label"])
        for qrels in (rows, frame):
            with pytest.raises(DuplicateError, match="'t1' has document 'a' twice in the qrels"):
                gate({"t1": ["b", "a"]}, qrels)

    def test_a_query_on_two_lines_names_both(self, file):
        lines = [f'{{"qid": "{q}", "retrieved": ["a"], "gold": "a"}}' for q in ("u1", "u2", "u1")]
        path = file("\n".join(lines))
        for read in (read_run, read_qrels):
            with pytest.raises(DuplicateError, match=r"'u1'.*line 3; first at line 1"):
                read(path)

    def test_repeats_in_a_corpus_do_not_weigh(self):
        qrels = {f"q{d}": {d: 1} for d in "ABCDEFGH"}
        run = {q: ["A"] for q in qrels}
        corpus = ["A"] * 993 + list("BCDEFGH")
        result = gate(run, qrels, "Success@1", corpus=corpus)
        assert result.nulls["C"].mean == pytest.approx(1 / 8)
        assert codes(result)["repeated-corpus-ids"].count == 992


class TestIds:
    def test_numbers_in_the_run_meet_text_in_the_qrels(self, score):
        assert score({1: {10: 0.9, 11: 0.5}}, {"1": {"10": 1}}) == 1.0

    def test_leading_zeros_tell_documents_apart(self, file, score):
        run = file("qid,docno,score\n007,12,2.0\n007,0012,1.0\n", "run.csv")
        qrels = file("qid,docno,label\n007,0012,1\n", "qrels.csv")
        assert score(run, qrels) == 0.5
        assert score(run, qrels, "P@1") == 0.0

    @pytest.mark.parametrize("kind", [str, int, np.int64], ids=lambda k: k.__name__)
    def test_the_type_of_the_labels_changes_nothing(self, kind):
        labels = [i % 8 for i in range(120)]
        text, typed = (
            gate({f"q{i}": [k(0)] for i in range(120)}, {f"q{i}": {k(d): 1} for i, d in rows})
            for k in (str, kind)
            for rows in [list(enumerate(labels))]
        )
        assert text.score == typed.score == pytest.approx(1 / 8)
        assert typed.verdict != "PASS"
        for null in "ABCD":
            assert typed.nulls[null].mean == text.nulls[null].mean

    def test_fractions_as_ids_are_refused_by_the_columns_name(self):
        frame = pd.DataFrame({"qid": ["1", "1"], "docno": [5.0, 6.0], "score": [2.0, 1.0]})
        with pytest.raises(ReadError, match=r"document ids are fractions.*column 'docno'"):
            gate(frame, {"1": {"6": 1}})

    def test_blanks_at_ids_are_never_a_silent_zero(self):
        with pytest.raises(ReadError, match="'d1 ' has blanks"):
            gate({"t1": {"d1": 1.0}}, {"t1": {"d1 ": 1}})

    def test_ids_that_look_like_numbers_stay_text(self, file):
        run = read_run(file("qid,docno,score\nq1,1e5,3\nq1,2E3,2\nq1,True,1\n"))
        assert list(run.to_dict()["q1"]) == ["1e5", "2E3", "True"]

    def test_a_hash_sign_inside_an_id_starts_no_comment(self, file, score):
        run = file("# made by hand\nt1 Q0 web#7 1 3.0 x\nt1 Q0 web#8 2 2.0 x\n", "r")
        assert score(run, file("t1 0 web#7 1\n", "q")) == 1.0
        assert len(read_run(run)) == 2


class TestFiles:
    def test_a_byte_order_mark_is_no_part_of_an_id(self, file):
        assert list(read_qrels(file("\ufeffq1 0 d1 1\nq2 0 d2 1\n")).query.labels) == ["q1", "q2"]

    def test_carriage_returns_are_no_part_of_a_field(self, file, score):
        run = file("q1 Q0 d1 1 2.0 t\r\nq2 Q0 x 1 2.0 t\r\nq2 Q0 d2 2 1.0 t\r\n", "r")
        assert score(run, file("q1 0 d1 1\r\nq2 0 d2 1\r\n", "q")) == 0.75
        assert read_run(run).name == "t"

    def test_content_decides_about_compression(self, file, score):
        qrels = {"q1": {"d1": 1}}
        assert score(file(gzip.compress(b"q1 Q0 d1 1 2.0 t\n"), "run.txt"), qrels) == 1.0
        assert score(file(b"q1 Q0 d1 1 2.0 t\n", "run.gz"), qrels) == 1.0

    def test_a_header_of_beir_is_no_judgment(self, file):
        path = file("query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td2\t0\nq2\td3\t2\n")
        assert read_qrels(path).to_dict() == {"q1": {"d1": 1, "d2": 0}, "q2": {"d3": 2}}

    def test_separators_may_be_mixed(self, file):
        path = file("q1\t0\td1\t1\n\nq2   0  \td2     1  \n\n")
        assert read_qrels(path).to_dict() == {"q1": {"d1": 1.0}, "q2": {"d2": 1.0}}

    def test_a_blank_in_an_id_is_found_and_a_missing_tag_accepted(self, file):
        with pytest.raises(ReadError, match="line 2"):
            read_run(file("q1 Q0 d1 1 2.0 t\nq1 Q0 my doc 2 1.0 t\n"))
        assert read_run(file("q1 Q0 d1 1 2.0\n")).to_dict() == {"q1": {"d1": 2.0}}

    def test_a_decimal_comma_is_named_with_its_line(self, file):
        with pytest.raises(ScoreError, match=r"'1,5'.*line 2"):
            read_run(file("q1 Q0 d1 1 2.5 t\nq1 Q0 d2 2 1,5 t\n"))

    def test_empty_lines_are_no_records(self, file, score):
        text = '{"retrieved":["a","b"],"gold":"a"}\n\n   \n{"retrieved":["a","b"],"gold":"b"}'
        path = file(text)
        assert score(path, path, "Success@1") == 0.5
        assert gate(path, path).n_queries == 2

    def test_gold_may_be_text_list_or_number(self, file):
        lines = [
            '{"retrieved":["ab","x"],"gold":"ab"}',
            '{"retrieved":["a","x"],"gold":["a","b"]}',
            '{"retrieved":["a","b"],"gold":"ab"}',
            '{"retrieved":[7,8],"gold":7}',
        ]
        path = file("\n".join(lines))
        result = gate(path, path, "R@2")
        assert result.per_query["score"].tolist() == [1.0, 0.5, 0.0, 1.0]

    def test_a_grade_that_is_no_number_is_named_and_a_missing_one_is_one(self, file):
        first = '{"retrieved":["a"],"gold":"a"}\n'
        assert read_qrels(file(first)).grade.tolist() == [1.0]
        with pytest.raises(ScoreError, match=r"rel.*line 2"):
            read_qrels(file(first + '{"retrieved":["a"],"gold":"a","rel":NaN}\n'))


QRELS = {"q1": {"a": 1}, "q2": {"b": 1}, "q3": {"c": 1}, "q4": {"d": 1}}
RUN = {"q1": {"a": 1.0}, "q3": {"x": 2.0, "c": 1.0}}


class TestQueries:
    @pytest.mark.parametrize(
        ("metric", "mean"), [("RR", 0.375), ("nDCG@5", (1 + 1 / math.log2(3)) / 4)]
    )
    def test_a_missing_query_scores_zero_and_is_counted(self, metric, mean):
        result = gate(RUN, QRELS, metric)
        assert (result.n_queries, result.score) == (4, pytest.approx(mean))
        assert codes(result)["missing-queries"].examples == ("q2", "q4")

    def test_a_query_without_judgments_is_ignored_and_counted(self):
        result = gate({"q1": {"x": 2.0, "a": 1.0}, "q9": {"z": 1.0}}, {"q1": {"a": 1}})
        assert (result.n_queries, result.score) == (1, 0.5)
        assert codes(result)["extra-queries"].count == 1

    @pytest.mark.parametrize("second", [{"b": 0}, {}])
    @pytest.mark.parametrize("metric", ["nDCG@5", "R@5", "RR", "AP"])
    def test_a_query_without_relevant_documents_is_left_out_and_named(self, metric, second):
        qrels = {"q1": {"a": 1}, "q2": second, "q3": {"c": 1}}
        run = {"q1": {"a": 1.0}, "q2": {"b": 1.0}, "q3": {"c": 2.0, "d": 1.0}}
        result = gate(run, qrels, metric)
        assert (result.n_queries, result.score) == (2, 1.0)
        assert result.per_query.index.tolist() == ["q1", "q3"]
        assert codes(result)["no-relevant"].examples == ("q2",)

    def test_generators_are_read_once_for_all_that_follows(self):
        def judgments():
            yield from [("q1", "a", 1), ("q2", "b", 1)]

        qrels = read_qrels(judgments())
        run = {"q1": {"a": 1.0}, "q2": {"b": 1.0}}
        first, second = gate(run, qrels), gate(run, qrels)
        assert first.score == second.score == 1.0
        assert gate(run, judgments()).score == 1.0

    def test_nothing_retrieved_at_all_is_no_pass(self):
        with pytest.raises(InputError, match="empty"):
            gate({}, QRELS)
        result = gate({q: [] for q in QRELS}, QRELS)
        assert result.score == 0.0
        assert result.verdict != "PASS"


class TestGrades:
    @pytest.mark.parametrize(
        ("metric", "mean"),
        [
            ("nDCG@4", (2 / math.log2(3) + 1 / math.log2(5)) / (2 + 1 / math.log2(3))),
            ("AP", 0.5),
            ("RR", 0.5),
            ("P@2", 0.5),
            ("R@4", 1.0),
        ],
    )
    def test_negative_grades_are_not_relevant_and_gain_nothing(self, metric, mean, score):
        qrels = {"q1": {"a": 2, "b": -1, "c": 1, "d": -2}}
        run = {"q1": {"b": 4.0, "a": 3.0, "d": 2.0, "c": 1.0}}
        assert score(run, qrels, metric) == pytest.approx(mean)

    def test_fractional_grades_are_gains_and_never_truncated(self, score):
        discount = 1 / math.log2(3)
        expected = (0.9 + 2.7 * discount) / (2.7 + 0.9 * discount)
        found = score({"q1": ["a", "b"]}, {"q1": {"a": 0.9, "b": 2.7}}, "nDCG@2")
        assert found == pytest.approx(expected)

    def test_numbers_of_numpy_and_truth_values_are_grades(self, score):
        qrels = {"q1": {"a": np.int64(1), "b": np.int32(2), "c": True}}
        second, third = 1 / math.log2(3), 0.5
        expected = (1 + 2 * second + third) / (2 + second + third)
        assert score({"q1": ["a", "b", "c"]}, qrels, "nDCG@3") == pytest.approx(expected)

    def test_clicks_may_be_grades(self, score):
        second, third = 1 / math.log2(3), 0.5
        qrels = {"q1": {"a": 1_000_000, "b": 1, "c": 2000}}
        expected = (1 + 2000 * second + 1e6 * third) / (1e6 + 2000 * second + third)
        assert score({"q1": ["b", "c", "a"]}, qrels, "nDCG@3") == pytest.approx(expected)

    @pytest.mark.parametrize("grade", [math.nan, math.inf, None, "1", pd.NA])
    def test_a_grade_that_is_no_number_is_named(self, grade):
        with pytest.raises(ScoreError, match="'q1', document 'a'"):
            gate({"q1": ["a", "b"]}, {"q1": {"a": grade, "b": 1}})

    @pytest.mark.parametrize(
        ("metric", "mean"),
        [
            ("RR", 1.0),
            ("RR(rel=2)", 1 / 3),
            ("R@3", 2 / 3),
            ("R(rel=2)@3", 0.5),
            ("nDCG@3", (1 + 2 / 2) / (3 + 2 / math.log2(3) + 1 / 2)),
        ],
    )
    def test_the_lowest_relevant_grade_can_be_set(self, metric, mean, score):
        qrels = {"q1": {"a": 1, "b": 2, "c": 3}}
        assert score({"q1": ["a", "x", "b"]}, qrels, metric) == pytest.approx(mean)


class TestScores:
    @pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, None, "0.5"])
    @pytest.mark.parametrize("order", list(itertools.permutations("abc")))
    def test_a_score_that_is_no_finite_number_is_named_in_any_order(self, value, order):
        scores = {"a": value, "b": 0.9, "c": 0.1}
        with pytest.raises(ScoreError, match="query 'q1', document 'a'"):
            gate({"q1": {d: scores[d] for d in order}}, {"q1": {"a": 1}})

    @pytest.mark.parametrize(
        "scores",
        [
            {"a": np.float32(2), "b": np.float64(1), "c": np.array(0.5)},
            {"a": 3, "b": 2, "c": 1},
            {"a": True, "b": np.int8(0), "c": -(10**30)},
        ],
    )
    def test_every_real_number_is_a_score(self, scores, score):
        assert score({"q1": scores}, {"q1": {"b": 1}}) == 0.5

    def test_distances_given_as_scores_are_no_pass(self):
        qrels = {f"q{i}": {f"g{i}": 1} for i in range(20)}
        run = {f"q{i}": {f"g{i}": 0.0, **{f"x{j}": j + 1.0 for j in range(9)}} for i in range(20)}
        result = gate(run, qrels)
        assert result.score == pytest.approx(0.1)
        assert result.verdict != "PASS"


GOLD = {"q1": {"a": 1}}
ROWS = {"qid": ["q1", "q1"], "docno": ["a", "b"], "score": [1.0, 2.0]}


class TestFrames:
    @pytest.mark.parametrize("dtype", ["object", "str", "string", "string[pyarrow]", "category"])
    def test_any_kind_of_text_column(self, dtype, score):
        frame = pd.DataFrame(ROWS).astype({"qid": dtype, "docno": dtype})
        assert score(frame, GOLD) == 0.5

    def test_categories_without_rows_are_no_queries(self):
        frame = pd.DataFrame({"qid": ["q1", "q2", "q2"], "docno": list("abc"), "score": [1, 2, 1]})
        frame["qid"] = pd.Categorical(frame["qid"], categories=["q1", "q2", "q9"])
        result = gate(frame, {"q1": {"a": 1}, "q2": {"c": 1}})
        assert (result.n_queries, result.score) == (2, 0.75)
        assert "extra-queries" not in codes(result)

    @pytest.mark.parametrize(
        "names",
        [
            ["qid", "docno", "score"],
            ["query_id", "doc_id", "score"],
            ["query-id", "corpus-id", "score"],
            ["q_id", "doc_id", "score"],
            ["query", "docid", "score"],
        ],
    )
    def test_names_of_other_tools(self, names, score):
        frame = pd.DataFrame([["q1", "a", 1.0], ["q1", "b", 2.0]], columns=names)
        assert score(frame, GOLD) == 0.5

    def test_ids_in_the_index(self, score):
        assert score(pd.DataFrame(ROWS).set_index(["qid", "docno"]), GOLD) == 0.5

    @pytest.mark.parametrize("maker", [pl.DataFrame, pl.LazyFrame])
    def test_polars(self, maker, score):
        assert score(maker(ROWS), GOLD) == 0.5
