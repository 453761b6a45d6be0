from __future__ import annotations

from collections import Counter

import pytest

from falsify_nb.core.tables import Corpus
from falsify_nb.errors import CorpusError, OptionError
from falsify_nb.systems import SYSTEMS, baseline

QRELS = {
    "q1": {"a": 1, "b": 3, "x": 0},
    "q2": {"a": 1},
    "q3": {"a": 2, "c": 1},
    "q4": {"c": 1, "d": -1},
    "q5": {"y": 0},
}
CORPUS = list("abcdefghxy")
QUERIES = {"q1", "q2", "q3", "q4"}


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_system_answers_the_queries_that_have_an_answer(name):
    run = baseline(name, QRELS, CORPUS, depth=3)
    assert set(run) == QUERIES
    for docs in run.values():
        assert len(docs) == len(set(docs)) <= 3
        assert set(docs) <= set(CORPUS)


@pytest.mark.parametrize("name", SYSTEMS)
def test_order_of_the_input_does_not_matter(name):
    turned = {q: dict(reversed(d.items())) for q, d in reversed(QRELS.items())}
    assert baseline(name, turned, CORPUS[::-1]) == baseline(name, QRELS, CORPUS)


@pytest.mark.parametrize("name", SYSTEMS)
def test_input_is_left_alone(name):
    before = {q: dict(d) for q, d in QRELS.items()}
    baseline(name, QRELS, CORPUS)
    assert before == QRELS


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("oracle", {"q1": ["b", "a"], "q2": ["a"], "q3": ["a", "c"], "q4": ["c"]}),
        ("anti-oracle", {"q1": ["c", "d"], "q2": ["b", "c"], "q3": ["b", "d"], "q4": ["a", "b"]}),
        ("constant", {q: ["a"] for q in QUERIES}),
        ("popularity", {q: ["a", "c"] for q in QUERIES}),
        # Without q1: a 2, c 2. Without q3: a 2, then b and c once each. Without q4: a 3, b 1.
        (
            "popularity-loo",
            {"q1": ["a", "c"], "q2": ["a", "c"], "q3": ["a", "b"], "q4": ["a", "b"]},
        ),
    ],
)
def test_lists_counted_by_hand(name, expected):
    assert baseline(name, QRELS, CORPUS, depth=2) == expected


def test_leave_one_out_equals_a_recount_without_the_query():
    gold = {f"q{i:02}": {f"d{(i * i) % 7}": 1, f"d{i % 11}": 1} for i in range(40)}
    run = baseline("popularity-loo", gold, depth=4)
    for q in gold:
        counts = Counter(d for p, docs in gold.items() if p != q for d in docs)
        assert run[q] == sorted(counts, key=lambda d: (-counts[d], d))[:4]


@pytest.mark.parametrize("share", [0.0, 0.25, 0.5, 1.0])
def test_the_failing_oracle_fails_at_its_share(share):
    gold = {f"q{i}": {f"d{i}": 1} for i in range(40)}
    run = baseline("failing-oracle", gold, share=share)
    assert sum(run[q][0] not in gold[q] for q in gold) == 40 * share


def test_another_query_is_never_the_same_query():
    run = baseline("other-query", {f"q{i}": {f"d{i}": 1} for i in range(9)})
    assert all(run[f"q{i}"] != [f"d{i}"] for i in range(9))
    assert sorted(d for docs in run.values() for d in docs) == [f"d{i}" for i in range(9)]


def test_another_query_deals_out_the_given_run():
    given = {"q1": {"a": 1.0, "b": 1.0}, "q2": {"c": 2.0}, "q3": {"d": 1.0}, "q4": {"e": 1.0}}
    run = baseline("other-query", QRELS, run=given)
    # Ties stand in descending order of id, as trec_eval has it.
    assert sorted(run.values()) == [["b", "a"], ["c"], ["d"], ["e"]]


def test_marginal_draws_follow_the_frequencies():
    # 300 queries: a answers 200 of them, b 100. With weights 2 : 1, a is drawn first in 2/3.
    gold = {f"q{i:03}": {"a" if i % 3 else "b": 1} for i in range(300)}
    run = baseline("marginal-random", gold)
    first = sum(docs[0] == "a" for docs in run.values())
    assert abs(first - 200) < 4 * (300 * 2 / 9) ** 0.5


def test_uniform_draws_reach_every_document_about_equally():
    gold = {f"q{i:03}": {"d0": 1} for i in range(400)}
    run = baseline("uniform-random", gold, [f"d{i}" for i in range(10)], depth=3)
    counts = Counter(d for docs in run.values() for d in docs)
    assert len(counts) == 10
    assert all(abs(n - 120) < 4 * (400 * 0.3 * 0.7) ** 0.5 for n in counts.values())


def test_tied_scores_everybody_alike_and_puts_the_answer_first():
    run = baseline("tied", QRELS, CORPUS)
    assert {tuple(sorted(docs)) for docs in run.values()} == {("a", "b", "c")}
    assert {score for docs in run.values() for score in docs.values()} == {1.0}
    assert {q: next(iter(docs)) for q, docs in run.items()} == {
        "q1": "a",
        "q2": "a",
        "q3": "a",
        "q4": "c",
    }


@pytest.mark.parametrize("name", ["marginal-random", "uniform-random", "other-query"])
def test_the_seed_decides(name):
    gold = {f"q{i}": {f"d{i % 9}": 1} for i in range(30)}
    assert baseline(name, gold, seed=1) == baseline(name, gold, seed=1)
    assert baseline(name, gold, seed=1) != baseline(name, gold, seed=2)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        ({"name": "oracel"}, OptionError, "Did you mean oracle"),
        ({"name": "zzz"}, OptionError, "Use oracle, "),
        ({"name": None}, OptionError, "no system"),
        ({"name": "oracle", "depth": 0}, OptionError, "depth=0"),
        ({"name": "oracle", "seed": -1}, OptionError, "seed=-1"),
        ({"name": "failing-oracle", "share": 1.5}, OptionError, "share=1.5"),
        ({"name": "failing-oracle", "share": "half"}, OptionError, "share='half'"),
        ({"name": "uniform-random", "corpus": Corpus(9)}, CorpusError, "by its size"),
    ],
)
def test_what_cannot_be_built_is_refused(call, error, words):
    with pytest.raises(error, match=words):
        baseline(call.pop("name"), QRELS, **call)
