from __future__ import annotations

import csv
import io
import json
import re
import shutil
import subprocess
from dataclasses import replace
from html.parser import HTMLParser

import mistune
import nbformat
import numpy as np
import pytest

from falsify_nb import GateResult
from falsify_nb.core.notices import Notice
from falsify_nb.report import render
from falsify_nb.report.html_report import html_report
from falsify_nb.report.latex import document, escape, to_latex
from falsify_nb.report.markdown_report import markdown_report
from falsify_nb.report.notebook_report import notebook_report
from falsify_nb.report.story import code, paragraphs

HOSTILE = (
    "<script>alert(1)</script> \"'& `x` | [a](b) \\input{x} $\\alpha$ % # _ ^ ~ {a}"
    " \U0001f600 שלום مرحبا ?` -- ﬁ é ő"
)


@pytest.fixture
def hostile(make):
    """A result whose every user string tries to be more than text."""
    n = 12
    long = HOSTILE + "y" * 10_000
    return make(
        n=n,
        verdicts="PPPF",
        system=HOSTILE,
        metric=HOSTILE,
        texts=False,
        query_ids=tuple(f"{HOSTILE}{i}" for i in range(n)),
        notices=(Notice("odd", HOSTILE, 3, (HOSTILE, long)),),
    )


def visible(page):
    """A page without its scripts and styles."""
    return re.sub(r"<(script|style|noscript)\b.*?</\1>", "", page, flags=re.DOTALL)


def test_the_html_report_states_the_verdict_first_and_every_section(failing):
    page = visible(html_report(failing))
    order = [
        "<h1>Passes A, B and C; fails the frequency null (D)</h1>",
        "“popular answers” scores nDCG@10 = 0.4100 over 225 queries.",
        'class="fnb"',
        'id="chart-gate"',
        'id="chart-labels"',
        'id="numbers"',
        'id="limits"',
        'id="protocol"',
        'id="notices"',
        'id="queries"',
        "protocol = Protocol(",
        "<h3>Environment</h3>",
    ]
    places = [page.index(part) for part in order]
    assert places == sorted(places)
    assert "A failure does not prove that the system is bad" in page


def test_the_html_report_asks_for_nothing_and_stays_small(make):
    page = html_report(make(n=225))
    assert len(page.encode()) < 2_000_000
    assert not re.search(r"<(?:link|iframe|img)\b", visible(page))
    assert not re.search(r"""(?:src|href)=(?!["']?(?:#|data:))""", visible(page))
    assert "default-src 'none'" in page


def test_a_report_on_100_000_queries_keeps_to_its_size(make):
    page = html_report(make(n=100_000))
    assert len(page.encode()) < 2_000_000
    assert "The 750 worst and the 750 best of 100,000 queries" in page


def test_a_report_of_a_result_without_arrays_says_so(make):
    slim = GateResult.from_dict(make(n=40).to_dict(arrays=False))
    page = html_report(slim)
    assert "The figures of the 40 queries were left out of this result" in page
    assert "The per-query figures were left out of this file" in page
    assert "The draws were left out of this file" in page
    assert "left out" in markdown_report(slim)


def test_without_a_converter_the_report_tells_the_charts_in_words(result, monkeypatch):
    monkeypatch.setattr(render, "find_spec", lambda _: None)
    page = html_report(result)
    assert "<noscript>" not in page
    assert "A permuted gold: null 0.0600, gap +0.3520" in page
    assert len(page.encode()) < 600_000


def test_scripts_off_there_is_a_drawing_of_every_chart_in_the_pages_own_colour(result):
    page = html_report(result)
    drawings = re.findall(r"<noscript>(.*?)</noscript>", page, re.DOTALL)
    assert len(drawings) == 4
    assert all("<svg" in d and 'fill="currentColor"' in d for d in drawings)


def test_no_user_string_escapes_into_the_html_report(hostile):
    page = html_report(hostile)
    assert "<script>alert" not in page
    assert page.count("</script>") == page.count("<script")
    data = re.search(r'<script type="application/json" id="charts">(.*?)</script>', page)[1]
    assert set(json.loads(data)) == {"gate", "draws", "queries", "labels"}


def test_the_embedded_result_reads_back(result):
    from base64 import b64decode

    page = html_report(result)
    data = re.search(r'href="data:application/json;base64,([^"]+)"', page)[1]
    assert GateResult.from_json(b64decode(data).decode()).same_as(result)


def test_markdown_holds_the_same_facts(failing):
    text = markdown_report(failing)
    assert "“popular answers” scores nDCG@10 = 0.4100 over 225 queries." in text
    assert "#### What this does not prove" in text
    assert "| `tau` | `0.05` |" in text
    assert text.count("<details>") == text.count("</details>") == 6


def test_markdown_lets_no_user_string_act(hostile):
    render_markdown = mistune.create_markdown(escape=False, plugins=["table"])
    tags = Tags(render_markdown(markdown_report(hostile))).seen
    assert not {"script", "a", "img"} & tags
    assert {"table", "details", "code"} <= tags


class Tags(HTMLParser):
    """The names of the tags in a page."""

    def __init__(self, page):
        super().__init__()
        self.seen = set()
        self.feed(page)

    def handle_starttag(self, tag, _):
        self.seen.add(tag)


@pytest.mark.parametrize(
    ("given", "printed"),
    [
        ("R@5_top1", "R@5\\_top1"),
        ("50 % & $5 #1", "50 \\% \\& \\$5 \\#1"),
        ("a\\b{c}", "a\\textbackslash{}b\\{c\\}"),
        ("x^2~y", "x\\textasciicircum{}2\\textasciitilde{}y"),
        ("<a|b>", "\\textless{}a\\textbar{}b\\textgreater{}"),
        ("--tau", "{-}{-}tau"),
        ("naïve ő", "naïve ő"),
        ("א😀", "[U+05D0][U+1F600]"),
        ("τ Δ −1", "\\ensuremath{\\tau} \\ensuremath{\\Delta} \\ensuremath{-}1"),
    ],
)
def test_latex_prints_text_as_it_stands(given, printed):
    assert escape(given) == printed


def test_the_latex_table_has_booktabs_rules_and_a_row_per_null(failing):
    table = to_latex(failing)
    assert table.count("\\\\\n") == 5
    assert [table.count(rule) for rule in ("\\toprule", "\\midrule", "\\bottomrule")] == [1, 1, 1]
    assert "D & marginal{-}matched gold & 0.4020 & +0.0080 & [" in table


def test_latex_tells_the_figures_and_the_queries_too(failing):
    text = document(failing)
    for kind in ("gate", "draws", "queries", "labels"):
        assert escape(failing.chart(kind).title) in text
    gaps = failing.scores - failing.null_scores[3]
    worst, best = (failing.query_ids[i] for i in (gaps.argmin(), gaps.argmax()))
    table = text.split("Worst and best queries")[1]
    assert escape(worst) in table
    assert escape(best) in table
    assert table.split("\\bottomrule")[0].count("raggedright") == 20


def test_every_form_tells_the_rule_that_decided(result):
    point = replace(result, protocol=replace(result.protocol, decision="point"))
    assert "bare gap is at least $\\tau = 0.05$" in document(point)
    assert "intersection--union" not in document(point)
    assert "bare gap is at least" not in document(result)
    for page, bare in ((html_report(result), False), (html_report(point), True)):
        assert ("The bare gap decides" in page) is bare
        assert ("The thin one decides" in page) is not bare
        assert ("without an interval" in page) is bare
    assert "| 98.75 % (decides) |" in markdown_report(result)
    assert "| Gap Δ (decides) | 95 % | 98.75 % |" in markdown_report(point)


def test_latex_says_that_groups_were_resampled(result):
    grouped = replace(result, protocol=replace(result.protocol, groups="40 groups"))
    assert "groups of queries" in document(grouped)
    assert "groups of queries" not in document(result)


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="needs pdflatex")
@pytest.mark.parametrize("kind", ["failing", "undecided", "hostile"])
def test_the_latex_document_compiles(request, tmp_path, kind):
    request.getfixturevalue(kind).save(tmp_path / "r.tex")
    for _ in range(2):
        ran = subprocess.run(
            ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "r.tex"],
            cwd=tmp_path, capture_output=True, check=False,
        )  # fmt: skip
        assert ran.returncode == 0, ran.stdout.decode(errors="replace")[-2000:]
    log = (tmp_path / "r.log").read_text(errors="replace")
    assert "undefined" not in log
    assert "Missing character" not in log


def test_the_notebook_is_valid_and_numbers_its_cells(result):
    book = nbformat.reads(notebook_report(result), as_version=4)
    nbformat.validate(book)
    counts = [c.execution_count for c in book.cells if c.cell_type == "code"]
    assert counts == list(range(1, len(counts) + 1))
    (parameters,) = [c for c in book.cells if "parameters" in c.metadata.get("tags", [])]
    assert "RUN = None" in parameters.source


def test_the_notebook_runs_and_gives_the_outputs_that_it_holds(result):
    from nbclient import NotebookClient

    book = nbformat.reads(notebook_report(result), as_version=4)
    stored = [c.outputs for c in book.cells if c.cell_type == "code"]
    again = nbformat.reads(notebook_report(result), as_version=4)
    NotebookClient(again, timeout=120, kernel_name="python3").execute()
    outputs = [c.outputs for c in again.cells if c.cell_type == "code"]
    assert outputs == stored


def test_the_notebook_tells_every_query_worst_gap_first(failing):
    book = nbformat.reads(notebook_report(failing), as_version=4)
    (cell,) = [c for c in book.cells if "result.per_query" in c.source]
    gaps = failing.scores - failing.null_scores[3]
    first = cell.outputs[0].data["text/plain"].splitlines()[2]
    assert first.startswith(failing.query_ids[gaps.argmin()])
    slim = GateResult.from_json(failing.to_json(arrays=False))
    assert "left out" in notebook_report(slim)


def test_a_large_notebook_shows_what_it_can_give_again(make):
    book = nbformat.reads(notebook_report(make(n=60_000, texts=False)), as_version=4)
    assert not any("per_query" in c.source for c in book.cells)
    (queries,) = [c for c in book.cells if c.source == 'result.chart("queries")']
    assert "left out" in queries.outputs[0].data["text/plain"]


def test_the_notebook_can_gate_a_function_over_groups_again(tmp_path):
    from nbclient import NotebookClient

    from falsify_nb import falsify, load_demo

    demo = load_demo()
    groups = {q: q[:3] for q in demo.queries}
    run = demo.runs["bm25"]
    made = falsify(run, qrels=demo.qrels, metric=first_is_right, groups=groups, n_boot=200)
    book = nbformat.reads(notebook_report(made), as_version=4)
    inputs = (
        "from falsify_nb import load_demo\n"
        "def METRIC(docs, relevant):\n    return float(docs[0] in relevant) if docs else 0.0\n"
        "METRIC.__name__ = 'first_is_right'\n"
        "demo = load_demo()\nRUN, QRELS = demo.runs['bm25'], demo.qrels\n"
        "GROUPS = {q: q[:3] for q in demo.queries}\n"
    )
    (at,) = [i for i, c in enumerate(book.cells) if "parameters" in c.metadata.get("tags", [])]
    book.cells.insert(at + 1, nbformat.v4.new_code_cell(inputs))
    NotebookClient(book, timeout=120, kernel_name="python3").execute()
    printed = [o.text for c in book.cells for o in c.get("outputs", []) if "text" in o]
    assert printed == ["Gated again: the same verdict and score.\n"]


def first_is_right(docs, relevant):
    return float(docs[0] in relevant) if docs else 0.0


@pytest.mark.parametrize(
    ("metric", "written"),
    [("function mine", "metric=mine, "), ("function <lambda>", "metric=METRIC, ")],
)
def test_the_code_names_a_metric_that_is_a_function(result, metric, written):
    source = code(replace(result, protocol=replace(result.protocol, metric=metric), metric=metric))
    assert written in source.splitlines()[-3]


def test_json_and_csv_hold_the_result(result, tmp_path):
    result.save(tmp_path / "r.json")
    result.save(tmp_path / "r.csv")
    text = (tmp_path / "r.json").read_text(encoding="utf-8")
    assert GateResult.from_json(text).same_as(result)
    rows = list(csv.DictReader(io.StringIO((tmp_path / "r.csv").read_text(encoding="utf-8"))))
    np.testing.assert_array_equal([float(r["score"]) for r in rows], result.scores)
    assert rows[3]["text"] == result.texts[3]


def test_pictures_are_what_their_names_say(result, tmp_path):
    for name in ("r.png", "r.svg"):
        result.save(tmp_path / name)
        result.chart("labels").save(tmp_path / f"labels-{name}")
    assert (tmp_path / "labels-r.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "r.svg").read_text().startswith("<svg")


def test_the_code_repeats_the_result():
    from falsify_nb import Protocol, falsify, load_demo

    demo = load_demo()
    run = demo.runs["popular"]
    result = falsify(run, qrels=demo.qrels, corpus=demo.corpus, tau=0.1, metric="R@3")
    source = code(result)
    for word, name in (('"RUN"', "run"), ('"QRELS"', "qrels"), ('"CORPUS"', "corpus")):
        assert word in source
        source = source.replace(word, name)
    space = {"run": run, "qrels": demo.qrels, "corpus": demo.corpus}
    exec(source, space)
    assert space["protocol"] == Protocol.from_dict(result.protocol.to_dict())
    assert space["result"].score == result.score


def test_the_plain_words_name_the_null_that_holds_the_system_up(failing, undecided, result):
    assert "Null D (marginal-matched gold) is expected to score 0.4020" in paragraphs(failing)[1]
    assert paragraphs(undecided)[1].startswith("These queries cannot tell.")
    assert "τ\u00a0=\u00a00.05, so the gate passes" in paragraphs(result)[1]


@pytest.mark.parametrize("n", [1, 2])
def test_every_form_takes_a_result_without_intervals(make, tmp_path, n):
    made = make(verdicts="UUUU", n=n)
    for name in ("r.html", "r.md", "r.tex", "r.ipynb", "r.csv", "r.json"):
        made.save(tmp_path / name)
        assert (tmp_path / name).stat().st_size > 0
