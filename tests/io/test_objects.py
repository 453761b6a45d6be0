"""Plain Python objects, and those of other packages."""

from __future__ import annotations

from collections import OrderedDict, UserDict, defaultdict
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest

from falsify_nb import read_corpus, read_qrels, read_run
from falsify_nb.errors import CorpusError, DuplicateError, InputError, ReadError, ScoreError

SCORED = {"q1": {"a": 1.0, "b": 2.0}}
RANKED = {"q1": ["a", "b"]}


class Hit(NamedTuple):
    query_id: str
    doc_id: str
    score: float


@dataclass
class Found:
    qid: str
    docno: str
    score: float


@pytest.mark.parametrize(
    "run",
    [
        {"q1": {"a": 1, "b": 2}},
        {"q1": {"a": np.float32(1), "b": np.int8(2)}},
        {"q1": {"a": np.array(1.0), "b": Decimal(2)}},
        {"q1": {"a": Fraction(1), "b": True + 1}},
        {"q1": [("a", 1.0), ("b", 2.0)]},
        {"q1": [["a", 1.0], ["b", 2.0]]},
        {"q1": (("a", 1.0), ("b", 2.0))},
        {"q1": iter([("a", 1.0), ("b", 2.0)])},
        {"q1": [{"doc_id": "a", "score": 1.0}, {"docno": "b", "score": 2.0}]},
        {"q1": pd.Series({"a": 1.0, "b": 2.0})},
        {"q1": pd.DataFrame({"docno": ["a", "b"], "score": [1.0, 2.0]})},
        {np.str_("q1"): {np.str_("a"): 1.0, np.str_("b"): 2.0}},
        OrderedDict(SCORED),
        UserDict(SCORED),
        defaultdict(dict, SCORED),
        MappingProxyType(SCORED),
        [Hit("q1", "a", 1.0), Hit("q1", "b", 2.0)],
        [Found("q1", "a", 1.0), Found("q1", "b", 2.0)],
        [("q1", "a", 1.0), ("q1", "b", 2.0)],
        [["q1", "a", 1.0], ["q1", "b", 2.0]],
        [{"qid": "q1", "docno": "a", "score": 1.0}, {"qid": "q1", "docno": "b", "score": 2.0}],
        (h for h in [Hit("q1", "a", 1.0), Hit("q1", "b", 2.0)]),
        np.array([["q1", "a", 1.0], ["q1", "b", 2.0]], dtype=object),
        np.array(
            [("q1", "a", 1.0), ("q1", "b", 2.0)],
            dtype=[("qid", "U4"), ("docno", "U4"), ("score", "f8")],
        ),
    ],
)
def test_scored_runs(run):
    assert read_run(run).to_dict() == SCORED


@pytest.mark.parametrize(
    "run",
    [
        RANKED,
        {"q1": ("a", "b")},
        {"q1": np.array(["a", "b"])},
        {"q1": pd.Series(["a", "b"])},
        {"q1": (d for d in "ab")},
        [{"query_id": "q1", "retrieved": ["a", "b"]}],
        [{"qid": "q1", "docno": "b", "rank": 2}, {"qid": "q1", "docno": "a", "rank": 1}],
    ],
)
def test_a_list_of_ids_is_the_ranking(run):
    assert read_run(run).to_dict() == RANKED


@pytest.mark.parametrize(
    "qrels",
    [
        {"q1": {"a": 1, "b": 2}},
        {"q1": {"a": np.int64(1), "b": np.float64(2)}},
        {"q1": {"a": True, "b": 2}},
        {"q1": [("a", 1), ("b", 2)]},
        [("q1", "a", 1), ("q1", "b", 2)],
        ((q, d, g) for q, d, g in [("q1", "a", 1), ("q1", "b", 2)]),
        [{"query_id": "q1", "gold": {"a": 1, "b": 2}}],
    ],
)
def test_graded_qrels(qrels):
    assert read_qrels(qrels).to_dict() == SCORED


@pytest.mark.parametrize(
    "gold",
    ["ab", ["ab"], ("ab",), {"ab"}, frozenset(["ab"]), {"ab": 1}, [("ab", 1)], np.array(["ab"])],
)
def test_gold_without_grades_has_grade_one_and_text_is_never_its_letters(gold):
    assert read_qrels({"q": gold}).to_dict() == {"q": {"ab": 1.0}}


def test_whole_numbers_become_their_decimal_text():
    assert read_run({1: {10: 0.5, np.int64(11): 0.25}}).to_dict() == {"1": {"10": 0.5, "11": 0.25}}
    assert read_run({1: [7, 8]}).to_dict() == {"1": ["7", "8"]}
    assert read_qrels({1: 7}).to_dict() == {"1": {"7": 1.0}}


@pytest.mark.parametrize(
    "text", ["007", "1e5", "2E3", "NA", "nan", "True", "5.0", "None", "d 1", "#7"]
)
def test_ids_that_look_like_something_else_survive(text):
    assert read_run({text: {text: 1.0}}).to_dict() == {text: {text: 1.0}}


def test_queries_with_nothing_are_kept_by_name():
    assert read_run({"q1": [], "q2": ["a"], "q3": {}}).empty_queries == ("q1", "q3")
    assert read_qrels({"q1": {}, "q2": {"a": 1}}).empty_queries == ("q1",)


def test_a_generator_is_read_once_and_kept():
    qrels = read_qrels(row for row in [("q1", "a", 1)])
    assert qrels.to_dict() == qrels.to_dict() == {"q1": {"a": 1.0}}


def test_what_was_read_is_taken_as_it_is():
    run, qrels = read_run(SCORED), read_qrels(SCORED)
    assert read_run(run) is run
    assert read_qrels(qrels) is qrels


BAD_RUNS = {
    "nothing": (None, ReadError, "None"),
    "a number": (5, ReadError, "An int is no run"),
    "bytes": (b"q1", ReadError, "io.BytesIO"),
    "an empty dict": ({}, ReadError, "empty"),
    "an empty list": ([], ReadError, "empty"),
    "NaN": ({"q": {"a": float("nan")}}, ScoreError, r"NaN \(query 'q', document 'a'\)"),
    "infinity": ({"q": {"a": float("inf")}}, ScoreError, "inf"),
    "None as score": ({"q": {"a": None}}, ScoreError, "query 'q', document 'a'"),
    "text as score": ({"q": {"a": "1.0"}}, ScoreError, "'1.0'"),
    "too large a number": ({"q": {"a": 10**400}}, ScoreError, "no number"),
    "an array as score": ({"q": {"a": np.ones(2)}}, ScoreError, "no number"),
    "a pair of one": ({"q": [("a",)]}, ReadError, "neither an id nor a pair"),
    "a bare pair": ({"q": ("a", 0.7)}, ReadError, "mixes text and numbers"),
    "a set": ({"q": {"a", "b"}}, ReadError, "no order"),
    "None as ranking": ({"q": None}, ReadError, "query 'q'"),
    "a number as ranking": ({"q": 1.5}, ReadError, "query 'q'"),
    "scores for some": ({"q": {"a": 1.0}, "r": ["a"]}, ReadError, "'q' has scores and query 'r'"),
    "a document twice": ({"q": ["a", "b", "a"]}, DuplicateError, "'q' has document 'a' twice"),
    "1 beside '1'": ({1: {"a": 1.0}, "1": {"b": 1.0}}, DuplicateError, "as 1 and as '1'"),
    "documents 1 and '1'": ({"q": {1: 1.0, "1": 2.0}}, DuplicateError, "document '1' twice"),
    "a fraction as query": ({1.0: ["a"]}, ReadError, "query id 1.0 is a float"),
    "a fraction as document": ({"q": {2.5: 1.0}}, ReadError, "document id 2.5"),
    "a truth value as query": ({True: ["a"]}, ReadError, "truth value"),
    "None as query": ({None: ["a"]}, ReadError, "query id is missing"),
    "an empty id": ({"q": [""]}, ReadError, "document id is empty"),
    "blanks at an id": ({"q": ["a "]}, ReadError, r"'a ' has blanks at its ends.*strip"),
    "a no-break space": ({"q": ["\u00a0a"]}, ReadError, "blanks at its ends"),
    "half a pair": ({"q": ["a\ud800"]}, ReadError, "half a character pair"),
    "a zero byte": ({"q": ["a\x00b"]}, ReadError, "zero byte"),
    "rows without score": ([("q", "a")], ReadError, "no row of a run"),
    "a list of ids": (["a", "b"], ReadError, "no row of a run.*item 0"),
    "records without score": (
        [{"qid": "q", "docno": "a"}],
        ReadError,
        "No column holds the scores",
    ),
    "some rows without score": (
        [{"qid": "q", "docno": "a", "score": 1}, {"qid": "q", "docno": "b", "rank": 1}],
        ReadError,
        "1 of 2 rows have no score",
    ),
    "a rank twice": (
        [{"qid": "q", "docno": d, "rank": 1} for d in "ab"],
        ScoreError,
        "Two documents of query 'q' have rank 1",
    ),
    "qrels": (read_qrels(SCORED), ReadError, "Swap the two"),
}


@pytest.mark.parametrize("name", BAD_RUNS)
def test_what_is_no_run_is_refused_by_name(name):
    run, error, says = BAD_RUNS[name]
    with pytest.raises(error, match=says):
        read_run(run)


@pytest.mark.parametrize(
    ("qrels", "error", "says"),
    [
        (None, ReadError, "None"),
        ({}, ReadError, "empty"),
        ({"q": {}}, ReadError, "empty"),
        ({"q": None}, ReadError, "query 'q'"),
        ({"q": {"a": float("nan")}}, ScoreError, "query 'q', document 'a'"),
        ({"q": {"a": "1"}}, ScoreError, "'1' is no number"),
        ([("q", "a", 1), ("q", "a", 1)], DuplicateError, "item 1; first at item 0"),
        ([("q", "a", 1), ("q", "a", 0)], DuplicateError, "'a' twice in the qrels"),
        (["q", "a", 1], ReadError, "no row of a qrels"),
        (read_run(SCORED), ReadError, "Swap"),
    ],
)
def test_what_is_no_qrels_is_refused_by_name(qrels, error, says):
    with pytest.raises(error, match=says):
        read_qrels(qrels)


@pytest.mark.parametrize(
    "corpus",
    [
        ["a", "b"],
        {"a", "b"},
        ("a", "b"),
        iter("ab"),
        {"a": "text", "b": "text"},
        [{"_id": "a"}, {"docno": "b"}],
    ],
)
def test_a_corpus_of_ids(corpus):
    assert sorted(read_corpus(corpus).ids) == ["a", "b"]


def test_repeated_ids_of_a_corpus_count_once_with_a_notice():
    corpus = read_corpus(["A"] * 993 + list("BCDEFGH"))
    assert corpus.size == 8
    assert [(n.code, n.count, n.examples) for n in corpus.notices] == [
        ("repeated-corpus-ids", 992, ("A",))
    ]


@pytest.mark.parametrize("size", [12, np.int32(12)])
def test_a_corpus_by_size(size):
    corpus = read_corpus(size)
    assert corpus.size == 12
    assert corpus.ids is None


@pytest.mark.parametrize("size", [0, -1, 2.0, True, np.float64(3), float("nan")])
def test_a_size_that_is_none_is_refused(size):
    with pytest.raises(CorpusError):
        read_corpus(size)


@pytest.mark.parametrize("corpus", [None, [], ["a", None], ["a", ""], [1.5], 3j])
def test_what_is_no_corpus_is_refused(corpus):
    with pytest.raises(InputError):
        read_corpus(corpus)


def test_unknown_ways_to_collect_errors_are_refused():
    with pytest.raises(ValueError, match="'raise', 'collect'"):
        read_run(SCORED, errors="ignore")


def test_a_single_record_is_no_ranking_of_its_field_names():
    assert read_run({"q": {"doc_id": "a", "score": 1.5}}).to_dict() == {"q": {"a": 1.5}}
    assert read_qrels({"q": {"doc_id": "a", "relevance": 2}}).to_dict() == {"q": {"a": 2.0}}


@pytest.mark.parametrize("read", [read_run, read_qrels])
def test_numbers_under_the_names_of_fields_may_mean_two_things(read):
    with pytest.raises(ReadError, match=r"may be one record.*query 'q'.*pairs"):
        read({"q": {"id": 7, "score": 1}})
    assert read({"q": [("id", 7), ("score", 1)]}).to_dict() == {"q": {"id": 7.0, "score": 1.0}}


def test_a_column_of_whole_numbers_may_be_ids_or_scores():
    hits = pd.DataFrame({"qid": [1, 1, 2], "docno": [30, 20, 10]})
    column = hits[hits["qid"] == 1]["docno"]
    with pytest.raises(ReadError, match=r"ids, or scores.*query '1'.*tolist"):
        read_run({"1": column})
    assert read_run({"1": column.tolist()}).to_dict() == {"1": ["30", "20"]}
    assert read_run({"1": pd.Series({"a": 2, "b": 1})}).to_dict() == {"1": {"a": 2.0, "b": 1.0}}


@pytest.mark.parametrize("read", [read_run, read_qrels])
def test_the_columns_of_a_table_are_no_queries(read):
    columns = {"qid": ["q1"], "docno": ["a"], "score": [1], "relevance": [1]}
    with pytest.raises(ReadError, match=r"'qid', 'docno'.*columns of a table.*DataFrame"):
        read(columns)
    assert read(pd.DataFrame(columns)).to_dict() == {"q1": {"a": 1.0}}


@pytest.mark.parametrize(
    "rows",
    [
        [Hit("q", "a", 3.2)],
        [{"qid": "q", "docno": "a", "score": 3.2}],
        [Found("q", "a", 3.2)],
    ],
)
def test_scored_rows_are_no_qrels(rows):
    with pytest.raises(ReadError, match="this is a run, not qrels"):
        read_qrels(rows)


def test_judgments_of_beir_call_their_grade_a_score():
    rows = [{"query-id": "q", "corpus-id": "a", "score": 2}]
    assert read_qrels(rows).to_dict() == {"q": {"a": 2.0}}


@pytest.mark.parametrize("gold", [7, np.int64(7), np.array(7), [7], [np.int64(7)], np.array([7])])
def test_the_grade_of_a_record_is_that_of_its_gold_whatever_holds_the_ids(gold):
    """Ids out of an array once lost it, and counted as grade 1."""
    assert read_qrels([{"query_id": "q", "gold": gold, "rel": 2}]).to_dict() == {"q": {"7": 2.0}}
    assert read_qrels([{"query_id": "q", "gold": gold}]).to_dict() == {"q": {"7": 1.0}}


@pytest.mark.parametrize("read", [read_run, read_qrels])
@pytest.mark.parametrize("rows", [[np.array(1)], (np.array(1), None)])
def test_an_array_without_dimensions_is_no_row(read, rows):
    with pytest.raises(ReadError, match=r"array\(1\) is no row of"):
        read(rows)
