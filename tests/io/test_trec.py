"""TREC files: what is read, what is refused, and on which line."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from falsify_nb import falsify, read_qrels, read_run
from falsify_nb.errors import DuplicateError, ReadError, ScoreError
from falsify_nb.io.problems import Problems
from falsify_nb.io.text import Source
from falsify_nb.io.trec import _read_lines
from falsify_nb.io.trec_fast import read_columns

RUN = "q1 Q0 d1 1 2.5 tag\nq1 Q0 d2 2 1.5 tag\nq2 Q0 d1 1 0.5 tag\n"
READ = {"q1": {"d1": 2.5, "d2": 1.5}, "q2": {"d1": 0.5}}


@pytest.mark.parametrize(
    "text",
    [
        RUN,
        RUN.replace(" ", "\t"),
        RUN.replace(" ", "   "),
        RUN.replace("\n", "\r\n"),
        RUN.replace("\n", "\r"),
        RUN.rstrip("\n"),
        RUN.replace("\n", "\n\n  \n"),
        RUN.replace(" tag", ""),
        RUN.replace(" tag", " tag and more to come"),
        RUN.replace("q2", " \tq2"),
        RUN.replace("tag\n", "tag \t\n"),
        "\ufeff" + RUN,
        "# made by hand\n" + RUN + "#the end",
        RUN.replace(" 1 2.5", " first +2.50e0").replace(" 2 1.5", " - 15e-1"),
    ],
    ids=[
        "blanks",
        "tabs",
        "runs of blanks",
        "crlf",
        "lone carriage returns",
        "no last line end",
        "empty lines",
        "no tag",
        "words after the tag",
        "leading blanks",
        "trailing blanks",
        "byte-order mark",
        "comments",
        "ranks in words, exponents",
    ],
)
def test_a_run_is_read_however_it_is_laid_out(text, file):
    assert read_run(file(text)).to_dict() == READ


def test_tag_and_ranks_are_kept(file):
    run = read_run(file(RUN.replace("\n", "\r\n")))
    assert run.name == "tag"
    assert run.rank.tolist() == [1, 2, 1]


def test_words_after_the_tag_are_counted_in_a_notice(file):
    run = read_run(file(RUN + "q3 Q0 d1 1 9 tag more junk\n"))
    assert [(n.code, n.count) for n in run.notices] == [("extra-columns", 1)]


@pytest.mark.parametrize(
    "text",
    [
        "q1 0 d1 1\nq1 0 d2 -1\n",
        "q1\t0\td1\t1\nq1\t0\td2\t-1\t\n",
        "q1 0 d1 1\r\nq1 0 d2 -1",
        "q1\td1\t1\nq1\td2\t-1\n",
        "q1 Q0 d1 1.0\n\nq1 7 d2 -1.\n",
        "# 0 x\nq1 0 d1 1\nq1 0 d2 -1\n",
    ],
)
def test_qrels_are_read_however_they_are_laid_out(text, file):
    assert read_qrels(file(text)).to_dict() == {"q1": {"d1": 1.0, "d2": -1.0}}


@pytest.mark.parametrize(
    ("line", "error", "says"),
    [
        ("q1 Q0 my doc 2 1.0 t", ReadError, "Ids must not hold blanks"),
        ("q1 Q0 my doc 2 1.0", ReadError, "do not fit"),
        ("q1 Q0 d 2 2 1.0 t", ReadError, "7 columns"),
        ("q1 Q0 d3", ReadError, "3 columns"),
        ("q1 0 d3 1", ReadError, "qrels, not a run"),
        ("q1 Q0 d3 3 1,5 t", ScoreError, "'1,5'"),
        ("q1 Q0 d3 3 nan t", ScoreError, "'nan'"),
        ("q1 Q0 d3 3 -inf t", ScoreError, "'-inf'"),
        ("q1 Q0 d3 3 1_000 t", ScoreError, "'1_000'"),
        ("q1 Q0 d3 3 0x1p3 t", ScoreError, "'0x1p3'"),
        ("q1 Q0 d3 3 ٣ t", ScoreError, "no finite number"),
        ("q1 Q0 d3 3 1e999 t", ScoreError, "'1e999'"),
        ("q1 Q0 \u00a0d3 3 1 t", ReadError, "blanks at its ends"),
        ("q1 Q0 d1 3 1 t", DuplicateError, "'d1' twice"),
    ],
)
def test_a_faulty_line_of_a_run_is_named(line, error, says, file):
    path = file(f"{RUN}\n# nothing\n{line}\nq9 Q0 d9 1 1 t\n", "some.run")
    with pytest.raises(error, match=r"some\.run, line 6") as caught:
        read_run(path)
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("line", "error", "says"),
    [
        ("q1 Q0 d1 1 2.5 t", ReadError, "a run, not qrels"),
        ("q1 Q0 d1 1 2.5", ReadError, "a run, not qrels"),
        ("q1 0", ReadError, "2 columns"),
        ("q1 0 d2 relevant", ScoreError, "'relevant'"),
        ("q1 0 d2 nan", ScoreError, "'nan'"),
        ("q1\tmy doc\t1", ReadError, "an id holds a blank"),
        ("q1\t0\tmy doc\t1", ReadError, "3 tabs and 5 words: an id holds a blank"),
        ("map\tall\t0.17", ReadError, "trec_eval prints"),
        ("q1 0 d1 0", DuplicateError, "'d1' twice"),
    ],
)
def test_a_faulty_line_of_qrels_is_named(line, error, says, file):
    path = file(f"q1 0 d1 1\n{line}\n", "some.qrels")
    with pytest.raises(error, match=r"some\.qrels, line 2") as caught:
        read_qrels(path)
    assert says in str(caught.value)


def test_a_repeated_row_names_both_lines_and_how_many_there_are(file):
    path = file(RUN + "q1 Q0 d2 3 9 t\nq2 Q0 d1 2 0.1 t\n")
    with pytest.raises(DuplicateError) as caught:
        read_run(path)
    assert "line 4; first at line 2" in str(caught.value)
    assert "2 such rows" in str(caught.value)


def test_problems_are_listed_together_on_request(file):
    text = RUN + "q1\nq1 Q0 d3 1 x t\nq1 Q0 d4 1 nan t\n"
    with pytest.raises(ReadError) as caught:
        read_run(file(text, "some.run"), errors="collect")
    lines = str(caught.value).splitlines()
    assert lines[0].startswith("3 problems in some.run")
    assert [f"line {n}" in line for n, line in zip((4, 5, 6), lines[1:], strict=True)] == [True] * 3


def test_at_most_twenty_problems_are_listed(file):
    with pytest.raises(ReadError) as caught:
        read_run(file("q1 Q0 d\n" * 500), errors="collect")
    assert len(str(caught.value).splitlines()) == 21


ids = st.text(st.sampled_from("abcXYZ019#._-/éß中"), min_size=1, max_size=30).filter(
    lambda s: not s.startswith("#")
)
plain_number = st.one_of(
    st.floats(-1e6, 1e6).map(repr),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.integers(-(10**19), 10**19).map(str),
    st.decimals(-1000, 1000, places=6).map(str),
    st.sampled_from(["5.", ".5", "-0.0", "+3", "007", "1e-5", "1E3", "0.30000000000000004"]),
)
blank = st.sampled_from([" ", "\t", "  ", " \t "])


@st.composite
def run_texts(draw):
    rows = []
    for n in range(draw(st.integers(1, 12))):
        fields = (draw(ids), "Q0", draw(ids), str(n + 1), draw(plain_number), "tag")
        line = "".join(f + draw(blank) for f in fields)
        rows.append(draw(st.sampled_from(["", " "])) + line)
        if draw(st.integers(0, 9)) == 0:
            rows.append(draw(st.sampled_from(["", "  ", "# a comment", "#"])))
    return draw(st.sampled_from(["\n", "\r\n"])).join(rows)


@settings(max_examples=120, deadline=None)
@given(run_texts())
def test_reading_by_arrays_equals_reading_by_lines(text):
    source = Source("x", text.encode())
    fast = read_columns(source.data, "run")
    slow = _read_lines(source, "run", Problems())
    assert fast is not None
    assert fast.query.ids().tolist() == slow.query.ids().tolist()
    assert fast.doc.ids().tolist() == slow.doc.ids().tolist()
    assert fast.value.tobytes() == slow.value.tobytes()
    assert fast.rank.tolist() == slow.rank.tolist()
    n = len(fast.query)
    numbers = np.arange(1, n + 1) if fast.lines is None else fast.lines
    assert numbers.tolist() == slow.lines.tolist()


def test_large_files_are_read_across_blocks(file):
    n = 60_000
    rng = np.random.default_rng(3)
    docs = rng.integers(0, 10**9, n)
    scores = rng.normal(size=n)
    lines = [
        f"q{i // 100} Q0 doc-{d} {i % 100} {s!r} t"
        for i, (d, s) in enumerate(zip(docs, scores.tolist(), strict=True))
    ]
    lines.insert(41_234, "# a comment in between")
    path = file("\n".join(lines))
    run = read_run(path)
    assert path.stat().st_size > 4 * 2**19
    assert run.doc.ids().tolist() == [f"doc-{d}" for d in docs]
    assert run.score.tolist() == scores.tolist()
    assert run.query.ids().tolist() == [f"q{i // 100}" for i in range(n)]
    assert run.origin.at(50_000) == "data.txt, line 50002"


@pytest.mark.parametrize("prefix", ["", "d", "doc-", "long-prefix-", "x0", "é_", "7_"])
@pytest.mark.parametrize(
    "endings",
    [
        ["7", "0", "123", "12345678"],
        ["7", "07", "007", "00", "0"],
        ["123456789", "99999999", "1"],
        ["7", "x7", "7x", "+7", "-7"],
        ["0", "1", "10"],
        ["10", "1"],
    ],
)
def test_numbered_ids_keep_their_spelling(prefix, endings, file):
    docs = [prefix + e for e in endings]
    text = "".join(f"1 Q0 {d} 1 {i} t\n" for i, d in enumerate(docs))
    assert read_run(file(text)).doc.ids().tolist() == docs


def test_ids_with_and_without_a_common_prefix(file):
    docs = ["doc-1", "doc-2", "dog-3", "doc-", "4", "doc-5doc-6"]
    text = "".join(f"1 Q0 {d} 1 {i} t\n" for i, d in enumerate(docs))
    assert read_run(file(text)).doc.ids().tolist() == docs


def test_one_odd_id_at_the_end_of_a_large_file(file):
    docs = [f"doc-{i % 997}" for i in range(50_000)] + ["doc-007"]
    lines = [f"q{i // 500} Q0 {d} 1 {-i} t" for i, d in enumerate(docs)]
    path = file("\n".join(lines))
    assert path.stat().st_size > 2 * 2**19
    # Without the repeated pairs, which are not what this is about.
    columns = read_columns(path.read_bytes(), "run")
    assert columns.doc.ids().tolist() == docs


@pytest.mark.parametrize("metric", ["nDCG@5", "RR"])
def test_numbered_ids_are_judged_as_strings_are(metric, file):
    rng = np.random.default_rng(0)
    run = {
        f"{q}": {
            f"d{d}": round(float(s), 1) for d, s in zip(docs, rng.normal(size=20), strict=True)
        }
        for q, docs in enumerate(rng.permuted(np.tile(np.arange(60), (30, 1)), axis=1)[:, :20])
    }
    run["3"]["3"] = 9.0  # the query's own id, and no label behind the prefix of the others
    qrels = {q: {f"d{d}": 1 for d in rng.choice(80, 3, replace=False)} for q in run}
    lines = [f"{q} Q0 {d} 1 {s!r} t" for q, docs in run.items() for d, s in docs.items()]
    plain = [line for line in lines if not line.startswith("3 Q0 3 ")]
    for text, wanted in (
        (lines, run),
        (plain, {**run, "3": {d: s for d, s in run["3"].items() if d != "3"}}),
    ):
        read = falsify(read_run(file("\n".join(text))), qrels=qrels, corpus=500, metric=metric)
        given_ = falsify(wanted, qrels=qrels, corpus=500, metric=metric)
        ours, theirs = read.to_dict(), given_.to_dict()
        codes = {n.code for n in given_.notices} - {"rank-column"}
        assert {n.code for n in read.notices} - {"rank-column"} == codes
        assert ours["nulls"] == theirs["nulls"]
        assert ours["score"] == theirs["score"]
