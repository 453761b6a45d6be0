"""Chunks become documents: each at the best place of its chunks."""

from __future__ import annotations

import random

import pytest

from falsify_nb import read_run
from falsify_nb.errors import DuplicateError, FunctionError, ReadError

OWNER = {"a1": "A", "a2": "A", "b1": "B", "b2": "B", "c1": "C"}


def test_scored_chunks_give_each_document_its_highest_score():
    run = read_run({"q": {"a1": 1.0, "b1": 2.0, "a2": 3.0, "b2": -1.0}}, doc_of=OWNER)
    assert run.to_dict() == {"q": {"B": 2.0, "A": 3.0}}


def test_ranked_chunks_give_each_document_its_first_place():
    run = read_run({"q": ["b1", "a2", "b2", "a1", "c1"], "r": ["c1"]}, doc_of=OWNER)
    assert run.to_dict() == {"q": ["B", "A", "C"], "r": ["C"]}


def test_a_function_is_asked_once_per_chunk():
    asked = []

    def owner(chunk):
        asked.append(chunk)
        return chunk[0].upper()

    run = read_run({"q": ["a1", "b1"], "r": ["a1"]}, doc_of=owner)
    assert run.to_dict() == {"q": ["A", "B"], "r": ["A"]}
    assert sorted(asked) == ["a1", "b1"]


def test_what_was_merged_is_counted_in_a_notice():
    run = read_run({"q": ["a1", "a2", "b1"]}, doc_of=OWNER)
    assert [(n.code, n.count) for n in run.notices] == [("chunks", 1)]


def test_numbers_may_name_chunks_and_documents():
    assert read_run({"q": [1, 2]}, doc_of={1: 10, 2: 10}).to_dict() == {"q": ["10"]}


def test_empty_rankings_stay():
    assert read_run({"q": ["a1"], "r": []}, doc_of=OWNER).empty_queries == ("r",)


@pytest.mark.parametrize("seed", range(5))
def test_it_equals_a_plain_loop(seed):
    rng = random.Random(seed)
    chunks = {f"c{i}": f"d{i % 7}" for i in range(30)}
    run = {
        f"q{j}": {c: rng.randrange(20) / 4 for c in rng.sample(sorted(chunks), 12)}
        for j in range(6)
    }
    expected: dict[str, dict[str, float]] = {}
    for query, ranking in run.items():
        best: dict[str, float] = {}
        for chunk, value in ranking.items():
            best[chunks[chunk]] = max(value, best.get(chunks[chunk], -1.0))
        expected[query] = best
    assert read_run(run, doc_of=chunks).to_dict() == expected


@pytest.mark.parametrize(
    ("doc_of", "error", "says"),
    [
        ({"a1": "A"}, ReadError, "Chunk 'b1' has no document"),
        ({"a1": "A", "b1": None}, ReadError, "chunk 'b1'"),
        ({"a1": "A", "b1": 1.5}, ReadError, "document id 1.5"),
        ("not a mapping", ReadError, "neither a mapping nor a function"),
        (lambda c: {"a1": "A"}[c], FunctionError, r"KeyError.*chunk 'b1'"),
        (lambda _c: "", ReadError, "document id is empty"),
    ],
)
def test_a_chunk_without_document_is_named(doc_of, error, says):
    with pytest.raises(error, match=says):
        read_run({"q": ["a1", "b1"]}, doc_of=doc_of)


def test_a_chunk_named_twice_in_the_mapping_is_refused():
    with pytest.raises(DuplicateError, match="Chunk '1' is given twice"):
        read_run({"q": [1, 2]}, doc_of={1: "a", "1": "b", 2: "c"})
