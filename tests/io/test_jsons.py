"""JSON and JSON lines."""

from __future__ import annotations

import json

import pytest

from falsify_nb import read_corpus, read_qrels, read_run
from falsify_nb.errors import DuplicateError, ReadError, ScoreError

SCORED = {"q1": {"a": 1.0, "b": 2.0}}


def lines(*records) -> str:
    return "".join(json.dumps(r) + "\n" for r in records)


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(SCORED),
        json.dumps(SCORED, indent=2),
        json.dumps({"q1": [["a", 1.0], ["b", 2]]}),
        json.dumps([{"qid": "q1", "docno": d, "score": s} for d, s in SCORED["q1"].items()]),
        json.dumps([["q1", "a", 1.0], ["q1", "b", 2]]),
        lines(*({"query_id": "q1", "doc_id": d, "score": s} for d, s in SCORED["q1"].items())),
        lines({"query_id": "q1", "retrieved": SCORED["q1"]}),
        lines(
            {"qid": "q1", "results": [{"doc_id": d, "score": s} for d, s in SCORED["q1"].items()]}
        ),
        "\n" + lines({"query_id": "q1", "retrieved": [["a", 1], ["b", 2]]}) + "\n\n",
    ],
)
@pytest.mark.parametrize("name", ["run.json", "run.jsonl", "run"])
def test_scored_runs(text, name, file):
    assert read_run(file(text, name)).to_dict() == SCORED


def test_ranked_runs(file):
    text = lines({"query_id": "q1", "retrieved": ["a", "b"]}, {"query_id": "q2", "retrieved": []})
    run = read_run(file(text))
    assert run.to_dict() == {"q2": [], "q1": ["a", "b"]}
    assert read_run(file(json.dumps({"q1": ["a", "b"]}))).to_dict() == {"q1": ["a", "b"]}


def test_gold_as_text_list_grades_or_number(file):
    text = lines(
        {"retrieved": ["ab", "x"], "gold": "ab"},
        {"retrieved": ["a", "x"], "gold": ["a", "b"], "rel": 2},
        {"retrieved": ["a"], "gold": {"a": 3, "b": 0}},
        {"retrieved": [7, 8], "gold": 7},
    )
    assert read_qrels(file(text)).to_dict() == {
        "1": {"ab": 1.0},
        "2": {"a": 2.0, "b": 2.0},
        "3": {"a": 3.0, "b": 0.0},
        "4": {"7": 1.0},
    }
    assert read_run(file(text)).to_dict()["4"] == ["7", "8"]


@pytest.mark.parametrize("key", ["query_id", "qid", "query-id", "id", "_id"])
def test_the_query_goes_by_several_names(key, file):
    text = lines({key: 12, "retrieved": ["a"]})
    assert read_run(file(text)).to_dict() == {"12": ["a"]}


def test_carriage_returns_are_no_part_of_a_value(file):
    text = lines({"qid": "q1", "retrieved": ["a"]}).replace("\n", "\r\n")
    assert read_run(file(text)).to_dict() == {"q1": ["a"]}


@pytest.mark.parametrize(
    ("second", "error", "says"),
    [
        ('{"qid": "q1", "retrieved": ["b"], "gold": "b"}', DuplicateError, "'q1'.*first at line 1"),
        ('{"qid": "q2", "gold": "b"}', ReadError, "retrieved ids"),
        ('{"qid": "q2", "retrieved": ["b", "b"]}', DuplicateError, "'b' twice"),
        (
            '{"qid": "q2", "retrieved": [["b", 1.0]]}',
            ReadError,
            "has scores and query 'q1' has none",
        ),
        ('{"qid": "q2", "retrieved": [1.5]}', ReadError, "document id 1.5"),
        ('{"qid": 2.5, "retrieved": ["b"]}', ReadError, "query id 2.5"),
        ('{"qid": null, "retrieved": ["b"]}', ReadError, "missing"),
        ('{"qid": "q2", "qid": "q3", "retrieved": []}', DuplicateError, "'qid' stands twice"),
        ('{"qid": "q2", "retrieved": ["b"}', ReadError, "no JSON"),
        ("nonsense", ReadError, "no JSON"),
        ('["q2", "b"]', ReadError, "no record"),
        ('{"qid": "q2", "retrieved": ' + "[" * 100_000 + "}", ReadError, "JSON"),
        ('{"qid": "q2", "retrieved": [' + "9" * 5000 + "]}", ReadError, "JSON"),
    ],
)
def test_a_faulty_line_of_a_run_is_named(second, error, says, file):
    first = '{"qid": "q1", "retrieved": ["a"], "gold": "a"}'
    with pytest.raises(error, match=says) as caught:
        read_run(file(f"{first}\n\n{second}\n", "run.jsonl"))
    assert "run.jsonl" in str(caught.value)
    if "twice" not in says or "stands" in says:
        assert "line 3" in str(caught.value)


@pytest.mark.parametrize(
    ("second", "error", "says"),
    [
        ('{"retrieved": ["a"], "gold": "a", "rel": NaN}', ScoreError, "'rel'"),
        ('{"retrieved": ["a"], "gold": "a", "rel": "1"}', ScoreError, "'rel'"),
        ('{"retrieved": ["a"]}', ReadError, "gold ids"),
        ('{"retrieved": ["a"], "gold": null}', ReadError, "gold is a NoneType"),
        ('{"retrieved": ["a"], "gold": {"a": null}}', ScoreError, "document 'a'"),
        ('{"retrieved": ["a"], "gold": ["a", "a"]}', DuplicateError, "'a' twice"),
    ],
)
def test_a_faulty_line_of_qrels_is_named(second, error, says, file):
    with pytest.raises(error, match=says) as caught:
        read_qrels(file(f'{{"retrieved": ["a"], "gold": "a"}}\n{second}\n'))
    assert "twice" in says or "line 2" in str(caught.value)


def test_a_score_that_is_not_finite_is_named(file):
    text = '{"qid": "q1", "retrieved": [["a", 1]]}\n{"qid": "q2", "retrieved": [["b", NaN]]}\n'
    with pytest.raises(ScoreError, match=r"NaN.*line 2, query 'q2', document 'b'"):
        read_run(file(text))


def test_problems_are_listed_together_on_request(file):
    text = '{"qid": "q1", "retrieved": ["a"]}\n{"qid": "q1", "retrieved": []}\n{\n{"qid": 1.5}\n'
    with pytest.raises(ReadError) as caught:
        read_run(file(text), errors="collect")
    listed = str(caught.value).splitlines()
    assert listed[0].startswith("3 problems")
    assert [f"line {n}" in line for n, line in zip((2, 3, 4), listed[1:], strict=True)] == [
        True
    ] * 3


def test_a_key_twice_in_a_document_is_refused(file):
    with pytest.raises(DuplicateError, match="'a' stands twice"):
        read_run(file('{"q1": {"a": 1, "a": 2}}'))
    with pytest.raises(DuplicateError, match="'q1' stands twice"):
        read_run(file('{"q1": {"a": 1}, "q1": {"b": 2}}'))


def test_broken_json_is_refused_with_its_place(file):
    with pytest.raises(ReadError, match=r"line 3, column \d+"):
        read_run(file('{\n"q1": {"a": 1},\n"q2" {"a": 1}\n}', "run.json"))


@pytest.mark.parametrize("text", ["[]", "{}", "[1, 2]", '["a"]', "[null]"])
def test_json_that_holds_no_run_is_refused(text, file):
    with pytest.raises(ReadError):
        read_run(file(text))


@pytest.mark.parametrize(
    "text",
    [
        '["a", "b"]',
        '{"a": "text", "b": "text"}',
        '[{"_id": "a"}, {"_id": "b"}]',
        '{"_id": "a", "title": "x"}\n{"_id": "b"}\n',
        '{"docno": "a"}\n{"doc_id": "b"}\n',
        '{"id": "a", "contents": "x"}\n{"id": "b", "contents": "y"}\n',
    ],
)
def test_a_corpus(text, file):
    assert sorted(read_corpus(file(text)).ids) == ["a", "b"]


def test_a_corpus_line_without_id_is_named(file):
    with pytest.raises(ReadError, match="line 2"):
        read_corpus(file('{"_id": "a"}\n{"text": "b"}\n'))


@pytest.mark.parametrize("query", ["{", "[", "{q1", "[1]"])
def test_a_trec_line_whose_query_begins_like_json_is_a_trec_line(tmp_path, query):
    path = tmp_path / "odd.txt"
    path.write_text(f"{query} Q0 d1 1 2.5 tag\n", encoding="utf-8")
    assert read_run(path).to_dict() == {query: {"d1": 2.5}}


def test_a_document_names_its_file_and_lists_its_problems(file):
    path = file(json.dumps({f"q{i}": {"a": None} for i in range(30)}), "run.json")
    with pytest.raises(ScoreError, match=r"\(run.json, query 'q0', document 'a'\)"):
        read_run(path)
    with pytest.raises(ReadError, match=r"first 20 problems in run\.json") as caught:
        read_run(path, errors="collect")
    assert "'q19'" in str(caught.value)
    assert "'q20'" not in str(caught.value)


def test_scored_lines_are_no_qrels(file):
    path = file('{"qid": "q", "docno": "a", "score": 3.5}\n', "run.jsonl")
    with pytest.raises(ReadError, match=r"this is a run, not qrels \(run.jsonl, line 1\)"):
        read_qrels(path)
