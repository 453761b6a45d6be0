"""The first line: splitting and reading options."""

from __future__ import annotations

import pytest

from falsify_nb.errors import OptionError
from falsify_nb.notebook.line import is_option_like, is_silenced, parse, split


def texts(line):
    return {name: word and word.text for name, word in parse(line).items()}


@pytest.mark.parametrize(
    "line",
    [
        '--run "/data/my runs/a.trec"',
        "--run '/data/my runs/a.trec'",
        '--run="/data/my runs/a.trec"',
        "--run='/data/my runs/a.trec'",
        '"/data/my runs/a.trec"',
    ],
)
def test_quotes_hold_a_path_with_blanks_together(line):
    assert texts(line) == {"run": "/data/my runs/a.trec"}


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("--metric nDCG(dcg='exp-log2')@10", {"metric": "nDCG(dcg='exp-log2')@10"}),
        ("--metric=nDCG(dcg='exp-log2')@10", {"metric": "nDCG(dcg='exp-log2')@10"}),
        ("--metric \"nDCG(dcg='exp-log2', x=1)@10\"", {"metric": "nDCG(dcg='exp-log2', x=1)@10"}),
        (r"--corpus C:\data\new\ids.txt", {"corpus": r"C:\data\new\ids.txt"}),
        (r'--corpus "C:\my data\ids.txt"', {"corpus": r"C:\my data\ids.txt"}),
        ("--run it's.trec", {"run": "it's.trec"}),
        ("--run ''", {"run": ""}),
        ("--run Läufe/größe.trec", {"run": "Läufe/größe.trec"}),
        ("--seed -1", {"seed": "-1"}),
        ("--top_k 5 --n_boot 200", {"top_k": "5", "n_boot": "200"}),
        ("--top-k=5 --n-boot=200", {"top_k": "5", "n_boot": "200"}),
        ("--quiet --raise --drop-self", {"quiet": None, "raise": None, "drop_self": None}),
        ("--drop-self=False", {"drop_self": "False"}),
        ("--top-k 5 # top five", {"top_k": "5"}),
        ("--top-k 5 # don't", {"top_k": "5"}),
        ("# nothing", {}),
        ("--run '#1.trec'", {"run": "#1.trec"}),
        ("run --qrels qrels;", {"run": "run", "qrels": "qrels"}),
        ("run --qrels 'q x' ;  # quiet", {"run": "run", "qrels": "q x"}),
        ("  run\t--qrels\tqrels  ", {"run": "run", "qrels": "qrels"}),
        ("", {}),
    ],
)
def test_a_line_is_read_as_typed(line, expected):
    assert texts(line) == expected


def test_a_quoted_word_is_no_variable():
    words = split("qrels 'qrels' --tau")
    assert [w.is_name for w in words] == [True, False, False]
    assert [w.is_option for w in words] == [False, False, True]


@pytest.mark.parametrize(
    ("line", "mentions"),
    [
        ("--topk 5", ["--topk", "--top-k"]),
        ("--qrel q", ["--qrel ", "--qrels"]),
        ("-k 5", ["-k", "--top-k"]),
        ("--zzzzzz 5", ["--zzzzzz", "--metric", "--tau"]),
        ("--tau", ["--tau", "needs a value"]),
        ("--tau --quiet", ["--tau", "needs a value"]),
        ("--tau= --quiet", ["--tau", "needs a value"]),
        ("--tau 0.1 --tau 0.2", ["--tau", "twice"]),
        ("run other --qrels q", ["'other'", "quotation marks"]),
        ("--run my runs/a.trec", ["'runs/a.trec'", "quotation marks"]),
        ("--run 'my runs/a.trec", ["quotation mark", "close"]),
        ("--run=\"my runs/a.trec'", ["quotation mark", "close"]),
        ("--run $path", ["--run path", "bare name"]),
        ("--run {path}", ["--run path", "bare name"]),
        ("--run ${path}", ["--run path", "bare name"]),
        ("--run {path!r}", ["--run NAME"]),
        ("--run '$path'", ["--run path"]),
        ("--run $HOME/a.trec", ["$HOME/a.trec", "--run NAME"]),
        ("--run a.trec \\", ["backslash", "first line"]),
    ],
)
def test_a_line_that_cannot_be_read_says_what_to_type(line, mentions):
    with pytest.raises(OptionError) as caught:
        parse(line)
    for words in mentions:
        assert words in str(caught.value)


def test_a_file_whose_name_holds_braces_is_a_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "run{1}.trec").touch()
    assert texts("--run run{1}.trec") == {"run": "run{1}.trec"}


@pytest.mark.parametrize(
    ("line", "expected"),
    [("run;", True), ("run ; # x", True), ("run # x;", False), ("'run;'", False), ("run", False)],
)
def test_a_closing_semicolon_silences(line, expected):
    assert is_silenced(line) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("--metric map", True),
        ("  --tau=0.1", True),
        ("--metrik map", True),
        ("-run", False),
        ("--x", False),
        ("metric", False),
    ],
)
def test_options_in_the_body_are_recognised(text, expected):
    assert is_option_like(text) is expected
