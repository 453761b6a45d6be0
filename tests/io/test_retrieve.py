"""A retriever as the run: asked once a query, errors named, nothing lost."""

from __future__ import annotations

import pandas as pd
import pytest

from falsify_nb import falsify, read_run
from falsify_nb.errors import Cancelled, FalsifyError, OptionError, RetrieverError
from falsify_nb.io.adapt import to_run

QUERIES = {"q1": "first", 2: "second"}
SCORED = {"q1": {"a": 2.0, "b": 1.0}, "2": {"a": 2.0, "b": 1.0}}
RANKED = {"q1": ["a", "b"], "2": ["a", "b"]}


class Page:
    """What LangChain calls a document."""

    def __init__(self, id_=None, **metadata):
        self.id = id_
        self.page_content = "words"
        self.metadata = metadata


class Node:
    """What LlamaIndex calls a node."""

    def __init__(self, node_id):
        self.node_id = node_id
        self.metadata = {}


class NodeWithScore:
    def __init__(self, node_id, score):
        self.node = Node(node_id)
        self.score = score


class With:
    """An object whose search has a given name."""

    def __init__(self, name, answer):
        setattr(self, name, lambda _text: answer)


@pytest.mark.parametrize(
    "answer",
    [
        {"a": 2.0, "b": 1.0},
        [("a", 2.0), ("b", 1.0)],
        [{"doc_id": "a", "score": 2.0}, {"docno": "b", "score": 1.0}],
        [NodeWithScore("a", 2.0), NodeWithScore("b", 1.0)],
        [(Page("a"), 2.0), (Page("b"), 1.0)],
        pd.DataFrame({"docno": ["a", "b"], "docid": [0, 1], "score": [2.0, 1.0], "rank": [0, 1]}),
    ],
    ids=["dict", "pairs", "records", "scored nodes", "scored pages", "frame"],
)
def test_answers_with_scores(answer):
    assert to_run(lambda _text: answer, queries=QUERIES).to_dict() == SCORED


@pytest.mark.parametrize(
    "answer",
    [
        ["a", "b"],
        ("a", "b"),
        iter(["a", "b", "a", "b"]),
        [Page("a"), Page("b")],
        [Page(doc_id="a"), Page("ignored", docno="b")],
        [Page(source="a"), Page(source="b")],
        [Node("a"), Node("b")],
        [NodeWithScore("a", None), NodeWithScore("b", None)],
    ],
    ids=["ids", "tuple", "iterator", "pages", "metadata", "source", "nodes", "unscored nodes"],
)
def test_answers_in_ranking_order(answer):
    if hasattr(answer, "__next__"):
        shared = answer
        assert (
            to_run(lambda _text: [next(shared), next(shared)], queries=QUERIES).to_dict() == RANKED
        )
    else:
        assert to_run(lambda _text: answer, queries=QUERIES).to_dict() == RANKED


@pytest.mark.parametrize("name", ["invoke", "get_relevant_documents", "retrieve", "search"])
def test_objects_that_search_by_another_name(name):
    assert to_run(With(name, ["a", "b"]), queries=QUERIES).to_dict() == RANKED


def test_each_query_is_asked_once_with_its_text():
    asked = []
    to_run(lambda text: asked.append(text) or ["a"], queries=QUERIES)
    assert asked == ["first", "second"]


def test_progress_is_told_before_each_call_and_at_the_end():
    told = []
    to_run(
        lambda _text: ["a"],
        queries=QUERIES,
        progress=lambda task, done, total: told.append((task, done, total)),
    )
    assert [t[1:] for t in told] == [(0, 2), (1, 2), (2, 2)]


def test_a_query_without_results_is_kept_by_name():
    run = to_run(lambda text: ["a"] if text == "first" else [], queries=QUERIES)
    assert run.to_dict() == {"2": [], "q1": ["a"]}


def fail_on_second(text):
    if text == "second":
        raise KeyError("index gone")
    return ["a"]


def test_a_failing_call_names_the_query_and_keeps_what_was_done():
    with pytest.raises(
        RetrieverError, match=r"KeyError.*index gone.*query '2', 1 queries done"
    ) as e:
        to_run(fail_on_second, queries=QUERIES)
    assert e.value.done == {"q1": ["a"]}
    assert isinstance(e.value.__cause__, KeyError)
    assert to_run(e.value.done).to_dict() == {"q1": ["a"]}


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (None, "TypeError"),
        (3, "TypeError"),
        ([1.5], "document id 1.5"),
        ([("a", None)], "None"),
        ({"a": float("nan")}, "NaN"),
        ({"a", "b"}, "no order"),
        ([object()], "neither an id nor a pair"),
    ],
)
def test_an_answer_that_is_no_ranking_names_the_query(answer, says):
    with pytest.raises(RetrieverError, match=f"{says}.*query 'q1'"):
        to_run(lambda _text: answer, queries={"q1": "x"})


@pytest.mark.parametrize("stop", [Cancelled("enough"), KeyboardInterrupt()])
def test_stopping_keeps_what_was_done(stop):
    def progress(_task, done, _total):
        if done == 1:
            raise stop

    with pytest.raises(type(stop)) as caught:
        to_run(lambda _text: ["a"], queries=QUERIES, progress=progress)
    assert caught.value.done == {"q1": ["a"]}


def test_interrupting_a_call_keeps_what_was_done():
    def search(text):
        if text == "second":
            raise KeyboardInterrupt
        return ["a"]

    with pytest.raises(KeyboardInterrupt) as caught:
        to_run(search, queries=QUERIES)
    assert caught.value.done == {"q1": ["a"]}


def test_a_retriever_needs_queries():
    with pytest.raises(OptionError, match="queries="):
        to_run(lambda _text: ["a"])
    with pytest.raises(FalsifyError, match="text of query 'q1' is an int: 5"):
        to_run(lambda _text: ["a"], queries={"q1": 5})


def test_the_gate_takes_a_retriever():
    queries = {f"q{i}": f"text {i}" for i in range(6)}
    qrels = {q: {f"d{q[1:]}": 1} for q in queries}
    result = falsify(
        lambda text: [f"d{text[-1]}"], qrels=qrels, queries=queries, metric="RR", n_boot=100
    )
    assert result.score == 1.0


@pytest.mark.parametrize("bad", [["a", "a"], ["a "], [""], [Page(source="a"), Page(source="a")]])
def test_a_bad_id_is_found_at_its_query_and_not_after_the_last(bad):
    with pytest.raises(RetrieverError, match="query '2'") as caught:
        to_run(lambda text: ["a"] if text == "first" else bad, queries=QUERIES)
    assert caught.value.done == {"q1": ["a"]}


def test_read_run_asks_a_retriever_of_chunks():
    chunks = ["a#1", "b#1", "a#2"]
    run = read_run(lambda _text: chunks, queries=QUERIES, doc_of=lambda c: c.partition("#")[0])
    assert run.to_dict() == RANKED


def test_a_retriever_that_has_to_be_awaited_is_refused():
    async def search(_text):
        return ["a"]

    with pytest.raises(RetrieverError, match=r"asynchronous.*query 'q1'.*await"):
        to_run(search, queries=QUERIES)


@pytest.mark.parametrize(
    ("queries", "said"),
    [
        (list(QUERIES.items()), r"queries is a list, no mapping.*query_id: text"),
        (pd.DataFrame({"q1": ["first"]}), "No column holds the query ids"),
        ("queries.tsv", r"no queries file 'queries\.tsv'"),
    ],
)
@pytest.mark.parametrize("run", [lambda _text: ["a"], {"q1": ["a"]}], ids=["asked", "given"])
def test_queries_that_are_no_mapping_are_refused(run, queries, said):
    with pytest.raises(FalsifyError, match=said):
        falsify(run, qrels={"q1": {"a": 1}}, queries=queries, n_boot=100)


def test_a_retriever_is_asked_the_texts_of_a_frame_or_a_file(tmp_path):
    path = tmp_path / "q.tsv"
    path.write_text("q1\tfirst\n", encoding="utf-8")
    frame = pd.DataFrame({"qid": ["q1"], "query": ["first"]})
    for queries in (path, frame, pd.Series({"q1": "first"})):
        asked = []
        run = read_run(lambda text, seen=asked: seen.append(text) or ["a"], queries=queries)
        assert asked == ["first"]
        assert run.to_dict() == {"q1": ["a"]}
