"""A collection of inputs that have gone wrong elsewhere, each with its right answer."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from falsify_nb import falsify, read_qrels, read_run
from falsify_nb.errors import DuplicateError, ReadError, ScoreError

# Where the collection leaves a choice, these are what this package decided.
LEFT_OUT = {"judged query with no relevant document"}
REFUSED = {"infinite scores"}


@pytest.fixture(scope="module")
def cases(cases_dir: Path) -> list[dict]:
    text = (cases_dir / "cases.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


@pytest.fixture
def case_file(cases_dir: Path):
    return lambda name: cases_dir / "files" / name


def score(run, qrels, metric="RR"):
    return falsify(run, qrels=qrels, metric=metric, n_boot=100).score


def numbers(run):
    """Undo how the collection writes what JSON cannot."""
    return {
        q: r if isinstance(r, list) else {d: numbered(s) for d, s in r.items()}
        for q, r in run.items()
    }


def numbered(value):
    return float(value.removeprefix("float:")) if isinstance(value, str) else value


def test_every_run_with_a_stated_mean(cases):
    checked = 0
    for case in cases:
        given, expected = case["input"], case["expected"]
        run, qrels = given.get("run"), given.get("qrels")
        if not (isinstance(run, dict) and isinstance(qrels, dict) and "mean" in expected):
            continue
        for metric, mean in expected["mean"].items():
            if case["kind"] in REFUSED:
                with pytest.raises(ScoreError, match=r"'t1'|'q1'"):
                    score(numbers(run), qrels, metric)
            else:
                right = 1.0 if case["kind"] in LEFT_OUT else mean
                found = score(numbers(run), qrels, metric)
                assert found == pytest.approx(right, abs=1e-9), (case["kind"], metric)
            checked += 1
    assert checked > 40


def test_ties_do_not_follow_the_order_of_arrival(cases):
    case = next(c for c in cases if c["kind"] == "tied scores: docid descending")
    for order in (sorted, lambda docs: sorted(docs, reverse=True)):
        run = {q: {d: docs[d] for d in order(docs)} for q, docs in case["input"]["run"].items()}
        assert score(run, case["input"]["qrels"]) == case["expected"]["mean"]["rr"]


@pytest.mark.parametrize(
    ("run", "qrels", "metric", "mean"),
    [
        ("FN-004_rankflip.run", "FN-004_rankflip.qrels", "RR", 1.0),
        ("FN-004_rankflip.run", "FN-004_rankflip.qrels", "nDCG@3", 1.0),
        ("FN-020_zeros_run.csv", "FN-020_zeros_qrels.csv", "P@1", 0.0),
        ("FN-020_zeros_run.csv", "FN-020_zeros_qrels.csv", "RR", 0.5),
        ("FN-026_hash.run", "FN-026_hash.qrels", "RR", 1.0),
        ("FN-029_crlf.run", "FN-029_crlf.qrels", "RR", 0.75),
        ("FN-038_blank.jsonl", "FN-038_blank.jsonl", "Success@1", 0.5),
        ("FN-040_gold.jsonl", "FN-040_gold.jsonl", "R@2", 2.5 / 4),
    ],
)
def test_files_with_a_stated_score(case_file, run, qrels, metric, mean):
    assert score(case_file(run), case_file(qrels), metric) == pytest.approx(mean)


def test_what_files_hold(case_file):
    assert list(read_run(case_file("FN-025_sci_run.csv")).doc.labels) == ["1e5", "2E3", "True"]
    assert len(read_run(case_file("FN-026_hash.run")).doc.labels) == 2
    assert list(read_qrels(case_file("FN-028_bom.qrels")).query.labels) == ["q1", "q2"]
    assert read_run(case_file("FN-029_crlf.run")).name == "t"
    beir = {"q1": {"d1": 1, "d2": 0}, "q2": {"d3": 2}}
    assert read_qrels(case_file("FN-032_beir.tsv")).to_dict() == beir
    mixed = {"q1": {"d1": 1}, "q2": {"d2": 1}}
    assert read_qrels(case_file("FN-034_mixed.qrels")).to_dict() == mixed
    renamed = [case_file(n) for n in ("FN-031_gz_named_txt.txt", "FN-031_plain_named.gz")]
    assert read_run(renamed[0]).to_dict() == read_run(renamed[1]).to_dict()
    assert len(read_run(case_file("FN-035_fivecol.run"))) == 1
    assert read_run(case_file("FN-041_nan.jsonl")).to_dict()


@pytest.mark.parametrize(
    ("read", "name", "error", "says"),
    [
        (read_run, "FN-016_dupqid.jsonl", DuplicateError, "line 3; first at line 1"),
        (read_qrels, "FN-016_dupqid.jsonl", DuplicateError, "line 3; first at line 1"),
        (read_run, "FN-035_blankid.run", ReadError, "line 2"),
        (read_run, "FN-037_comma.run", ScoreError, "'1,5'.*line 2"),
        (read_qrels, "FN-041_nan.jsonl", ScoreError, "rel.*line 2"),
    ],
)
def test_files_that_are_refused_with_their_line(case_file, read, name, error, says):
    with pytest.raises(error, match=says):
        read(case_file(name))
