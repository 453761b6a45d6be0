"""What run and qrels say only together."""

from __future__ import annotations

import pytest

from falsify_nb import falsify, read_qrels, read_run
from falsify_nb.io.crosscheck import checked_together, cross_notices

NFC, NFD = "caf\u00e9", "cafe\u0301"


def notices(run, qrels):
    return {n.code: n for n in cross_notices(read_run(run), read_qrels(qrels))}


def test_inputs_that_fit_say_nothing():
    assert notices({"q": {"a": 0.5, "b": 2.0}}, {"q": {"a": 1, "b": 0.5}}) == {}
    assert notices({"q": {"a": 3, "b": 2}}, {"q": {"a": 1, "b": 2}}) == {}
    assert notices({"q": ["a"]}, {"q": {"a": 0.5}}) == {}


def test_whole_scores_beside_fractional_grades_may_be_swapped():
    found = notices({"q": {"a": 1, "b": 0}}, {"q": {"a": 0.7, "b": 0.2, "c": 1}})
    assert found["swapped-inputs"].count == 2


@pytest.mark.parametrize("what", ["query", "document"])
def test_ids_that_match_only_after_normalisation(what):
    if what == "query":
        found = notices({NFC: ["a"], "q": ["a"]}, {NFD: {"a": 1}, "q": {"a": 1}})
    else:
        found = notices({"q": [NFC, "a"]}, {"q": {NFD: 1, "a": 1}})
    assert found["unicode-forms"].count == 1
    assert found["unicode-forms"].examples == (NFD,)
    assert what in found["unicode-forms"].text


def test_few_shared_documents_with_a_likely_cause():
    run = {"q": ["CACM-1234", *(f"CACM-{i}" for i in range(100, 150))]}
    qrels = {"q": {"CACM-1234": 1} | {f"CACM-0{i}": 1 for i in range(100, 150)}}
    found = notices(run, qrels)["few-shared-documents"]
    assert found.count == 1
    assert "zero padding" in found.text


def test_few_shared_queries_with_a_likely_cause():
    run = {"same": ["a"], **{f"Q{i}": ["a"] for i in range(20)}}
    qrels = {"same": {"a": 1}, **{f"q{i}": {"a": 1} for i in range(20)}}
    found = notices(run, qrels)["few-shared-queries"]
    assert found.count == 1
    assert "upper and lower case" in found.text


def test_few_shared_documents_without_a_cause_are_sparse_judgments():
    run = {"q": ["x", *(f"a{chr(97 + i)}" for i in range(26))]}
    qrels = {"q": {"x": 1} | {f"{chr(97 + i)}{chr(97 + i)}z": 1 for i in range(26)}}
    assert notices(run, qrels) == {}


def test_a_result_carries_them():
    result = falsify({"q": {"a": 1}}, qrels={"q": {"a": 0.5}}, metric="RR", n_boot=100)
    assert "swapped-inputs" in [n.code for n in result.notices]


@pytest.mark.parametrize(
    ("judged", "retrieved"),
    [
        ("CACM-0{}", "CACM-{}"),
        ("D{}", "d{}"),
        ("{}", "{}.0"),
        ("{}.0", "{}"),
        ("d_{}_1", "d_0{}_1"),
    ],
    ids=["zero padding", "case", "fraction in the run", "fraction in the qrels", "inner number"],
)
@pytest.mark.parametrize("what", ["query", "document"])
def test_ids_of_which_a_part_is_spelled_otherwise(judged, retrieved, what):
    same = [f"both-{chr(97 + i)}" for i in range(20)]
    wanted = same + [judged.format(i) for i in range(10, 20)]
    got = same + [retrieved.format(i) for i in range(10, 20)]
    if what == "query":
        found = notices({q: ["a"] for q in got}, {q: {"a": 1} for q in wanted})
    else:
        found = notices({"q": got}, {"q": dict.fromkeys(wanted, 1)})
    notice = found["near-miss-ids"]
    assert notice.count == 10
    assert what in notice.text
    assert notice.examples[0] == f"{judged.format(10)!r} against {retrieved.format(10)!r}"


def test_spellings_that_are_judged_themselves_are_ids_of_their_own():
    same = [chr(97 + i) for i in range(20)]
    wanted = same + [f"0{i}" for i in range(10, 30)]
    got = same + [str(i) for i in range(10, 30)]
    judged = dict.fromkeys(got, 0) | dict.fromkeys(wanted, 1)
    assert notices({"q": got}, {"q": judged}) == {}


def test_a_long_walk_is_spared_where_enough_ids_meet(monkeypatch):
    run = {"q": [*(f"D{i}" for i in range(40)), *(f"d{i}" for i in range(40, 100))]}
    qrels = {"q": {f"d{i}": 1 for i in range(100)}}
    assert "near-miss-ids" in notices(run, qrels)
    monkeypatch.setattr("falsify_nb.io.crosscheck._MOST_WALKED", 50)
    assert notices(run, qrels) == {}
    accented = {"q": [*run["q"], NFC]}, {"q": {**qrels["q"], NFD: 1}}
    assert set(notices(*accented)) == {"unicode-forms"}
    few = {"q": [*(f"D{i}" for i in range(95)), *(f"d{i}" for i in range(95, 100))]}
    assert set(notices(few, qrels)) == {"few-shared-documents"}


def test_a_run_stays_the_same_object_where_nothing_is_said():
    run, qrels = read_run({"q": {"a": 0.5}}), read_qrels({"q": {"a": 1}})
    assert checked_together(run, qrels) is run
    other = read_qrels({"q": {"a": 0.5}})
    assert checked_together(read_run({"q": {"a": 1}}), other).notices
    # What is kept for a pair is not taken for another.
    whole = read_run({"q": {"a": 1}})
    assert not cross_notices(whole, qrels)
    assert cross_notices(whole, other)
    assert not cross_notices(whole, qrels)
