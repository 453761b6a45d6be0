"""CSV and TSV: header, separators, quotes, lines."""

from __future__ import annotations

import pytest

from falsify_nb import read_corpus, read_qrels, read_run
from falsify_nb.errors import DuplicateError, ReadError, ScoreError

READ = {"q1": {"a": 1.5, "b": 2.0}}


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("separator", [",", "\t", ";", "|"])
@pytest.mark.parametrize(
    "header", ["qid docno score", "query_id doc_id score", "docid score query"]
)
def test_any_separator_and_order_of_columns(header, separator, end, file):
    names = header.split()
    values = {"q": ["q1", "q1"], "d": ["a", "b"], "s": ["1.5", "2e0"]}
    rows = [names] + [[values[n[0]][i] for n in names] for i in range(2)]
    path = file(end.join(separator.join(r) for r in rows))
    assert read_run(path).to_dict() == READ


@pytest.mark.parametrize(
    "text",
    [
        ",qid,docno,score\n0,q1,a,1.5\n1,q1,b,2\n",
        'qid,docno,score\n"q1","a","1.5"\nq1,b,2\n',
        "qid,docno,score,text\nq1,a,1.5,\nq1,b,2,words\n",
        'qid,docno,score,text\nq1,a,1.5,"two\nlines, ""quoted"""\nq1,b,2,\n',
        "qid,docno,score\n\nq1,a,1.5\n  \nq1,b,2\n",
        "\ufeffqid,docno,score\nq1,a,1.5\nq1,b,2",
        "qid,docno,score,rank\nq1,a,1.5,2\nq1,b,2,1",
    ],
    ids=["index", "quotes", "more columns", "line ends in quotes", "empty lines", "bom", "rank"],
)
def test_what_spreadsheets_and_frames_write(text, file):
    assert read_run(file(text, "run.csv")).to_dict() == READ


def test_ids_stay_text(file):
    text = "qid,docno,score\n007,0012,2\n007,12,1\n007,1e5,0\n007,NA,-1\n007,True,-2\n007,5.0,-3\n"
    assert list(read_run(file(text)).to_dict()["007"]) == ["0012", "12", "1e5", "NA", "True", "5.0"]


def test_quotes_in_a_tsv_are_part_of_the_field(file):
    text = 'query-id\tcorpus-id\tscore\nq1\t"d1\t1\nq1\td"2\t0\n'
    assert read_qrels(file(text)).to_dict() == {"q1": {'"d1': 1.0, 'd"2': 0.0}}


def test_beir_judgments_with_and_without_header(file):
    rows = "q1\td1\t1\nq1\td2\t0\nq2\td3\t2\n"
    expected = {"q1": {"d1": 1.0, "d2": 0.0}, "q2": {"d3": 2.0}}
    assert read_qrels(file("query-id\tcorpus-id\tscore\n" + rows)).to_dict() == expected
    assert read_qrels(file(rows)).to_dict() == expected


def test_ranks_alone_make_a_ranking(file):
    run = read_run(file("qid,docno,rank\nq,b,2\nq,a,1\n"))
    assert run.to_dict() == {"q": ["a", "b"]}


@pytest.mark.parametrize(
    ("row", "error", "says"),
    [
        ("q1,c,1.5,9", ReadError, "4 fields.*header has 3"),
        ("q1,c", ReadError, "2 fields"),
        ("q1,c,x", ScoreError, "'x'.*column 'score'"),
        ("q1,c,", ScoreError, "''"),
        ("q1,c,nan", ScoreError, "'nan'"),
        ("q1,c,1_0", ScoreError, "'1_0'"),
        ('q1,c,"1,5"', ScoreError, "'1,5'.*decimal point"),
        (",c,1", ReadError, "query id is empty"),
        ("q1,,1", ReadError, "document id is empty"),
        ("q1, c,1", ReadError, "' c' has blanks at its ends"),
        ('q1,"c,1', ReadError, "quotes"),
        ("q1,a,1", DuplicateError, "first at line 2"),
    ],
)
def test_a_faulty_row_is_named_by_its_line(row, error, says, file):
    path = file(f"qid,docno,score\nq1,a,1\nq1,b,1\n{row}\nq2,z,1", "run.csv")
    with pytest.raises(error, match=says) as caught:
        read_run(path)
    assert "run.csv" in str(caught.value)
    if "quotes" not in says:
        assert "line 4" in str(caught.value)


def test_lines_are_counted_through_quoted_line_ends(file):
    text = 'qid,docno,score,text\nq1,a,1,"two\nlines"\n\nq1,b,x,\n'
    with pytest.raises(ScoreError, match="line 5"):
        read_run(file(text))


def test_problems_are_listed_together_on_request(file):
    text = "qid,docno,score\nq1,a,0.5,3\nq1,b,x\n,c,1\nq1,d,2\n"
    with pytest.raises(ReadError) as caught:
        read_run(file(text), errors="collect")
    lines = str(caught.value).splitlines()
    assert lines[0].startswith("3 problems")
    assert ["line 2" in lines[1], "line 3" in lines[2], "line 4" in lines[3]] == [True] * 3


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("q1,a,0.5\nq1,b,0.4\n", "names no column"),
        ("qid,query_id,docno,score\nq,q,a,1\n", "Two columns may hold the query ids"),
        ("qid,docno,score,score\nq,a,1,1\n", "'score' twice"),
        ("qid,docno,text\nq,a,words\n", "No column holds the scores"),
        ("qid,docno,label\nq,a,1\n", "qrels, not a run"),
    ],
)
def test_a_header_that_does_not_fit_is_refused(text, says, file):
    with pytest.raises(ReadError, match=says):
        read_run(file(text))


def test_scores_given_as_qrels_are_refused(file):
    with pytest.raises(ReadError, match="a run, not qrels"):
        read_qrels(file("qid,docno,score\nq,a,1.5\n"))


@pytest.mark.parametrize(
    "text",
    [
        "a\nb\n",
        "a\n\nb\r\n",
        "a\ttext of a\nb\ttext\twith tabs\n",
        "_id\ttext\na\tx\nb\ty\n",
        "docno,text\na,x\nb,y\n",
        "docno\na\nb\n",
        "  a\nb  \n",
    ],
)
def test_a_corpus_file(text, file):
    assert sorted(read_corpus(file(text)).ids) == ["a", "b"]


def test_ids_of_a_corpus_file_may_hold_anything_but_tabs(file):
    assert sorted(read_corpus(file("# a,b 1\n007\n1e5\n")).ids) == ["# a,b 1", "007", "1e5"]


def test_a_corpus_line_without_id_is_named(file):
    with pytest.raises(ReadError, match="line 2"):
        read_corpus(file("a\ttext\n\ttext without id\n"))


def test_all_problems_of_a_regular_file_are_listed(file):
    rows = "".join(f"q{i},d{i},x{i}\n" for i in range(30))
    path = file("qid,docno,score\n" + rows, "run.csv")
    with pytest.raises(ReadError, match=r"first 20 problems in run\.csv") as caught:
        read_run(path, errors="collect")
    assert "line 21" in str(caught.value)
    with pytest.raises(ScoreError, match=r"'x0'.*line 2"):
        read_run(path)
