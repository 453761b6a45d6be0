"""Queries that repeat each other, and nulls that are one test, are noticed."""

from __future__ import annotations

import pytest

from falsify_nb import falsify


def notices(run, qrels, metric="nDCG@5", corpus=1000, **options):
    result = falsify(run, qrels=qrels, metric=metric, corpus=corpus, n_boot=100, **options)
    return {n.code: n for n in result.notices}, result


QRELS = {f"q{i}": {f"d{i // 2}": 1} for i in range(10)}


def test_repeated_texts_are_counted_unless_groups_are_given():
    run = {q: [f"x{i}", *docs] for i, (q, docs) in enumerate(QRELS.items())}
    texts = {q: f"question {min(i, 7)}" for i, q in enumerate(QRELS)}
    found, _ = notices(run, QRELS, queries=texts)
    assert found["repeated-texts"].count == 3
    assert found["repeated-texts"].examples == ("q7", "q8", "q9")
    assert "repeated-queries" not in found
    groups = {q: f"g{i // 2}" for i, q in enumerate(QRELS)}
    assert "repeated-texts" not in notices(run, QRELS, queries=texts, groups=groups)[0]


def test_the_same_ranking_with_the_same_gold_is_a_repetition():
    run = {q: [*docs, "x", "y"] for q, docs in QRELS.items()}
    run["q0"] = ["x", "d0", "y"]
    found, _ = notices(run, QRELS)
    assert found["repeated-queries"].count == 8
    assert "groups=" in found["repeated-queries"].text


@pytest.mark.parametrize(
    "run",
    [
        {q: list(docs) for q, docs in QRELS.items()},
        {q: ["d1", "x", "y"] for q in QRELS},
    ],
    ids=["too short to be a coincidence", "one ranking for all"],
)
def test_what_is_no_sign_of_repetition(run):
    assert "repeated-queries" not in notices(run, QRELS)[0]


@pytest.mark.parametrize(
    ("qrels", "one_test"),
    [
        ({f"q{i}": {f"d{i}": 1} for i in range(8)}, "A, B and D"),
        ({f"q{i}": {f"d{i % 3}": 1} for i in range(8)}, "A and D"),
        ({f"q{i}": {f"d{i}": 1, "x": 1} for i in range(8)}, "A and B"),
    ],
)
def test_nulls_that_coincide_are_named_and_do(qrels, one_test):
    run = {q: [f"d{(i + 1) % 8}", *docs] for i, (q, docs) in enumerate(qrels.items())}
    found, result = notices(run, qrels)
    assert f"Nulls {one_test} are one test" in found["coinciding-nulls"].text
    means = [n.mean for k, n in result.nulls.items() if k in one_test]
    assert means == pytest.approx([means[0]] * len(means), abs=1e-12)


def test_all_four_coincide_where_the_corpus_is_the_gold():
    qrels = {f"q{i}": {f"d{i}": 1} for i in range(6)}
    run = {q: [f"d{(i + j) % 6}" for j in range(6)] for i, q in enumerate(qrels)}
    found, result = notices(run, qrels, corpus=[f"d{i}" for i in range(6)])
    assert "all four nulls are one test" in found["coinciding-nulls"].text
    assert len({round(n.mean, 12) for n in result.nulls.values()}) == 1


def test_nothing_is_said_where_gold_sets_repeat_and_have_several_documents():
    qrels = {f"q{i}": {f"d{i % 3}": 1, "x": 1} for i in range(8)}
    assert "coinciding-nulls" not in notices({q: ["x"] for q in qrels}, qrels)[0]
