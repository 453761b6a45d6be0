"""What a notebook runner sees: cells run in a kernel of their own, as nbclient and papermill do."""

from __future__ import annotations

import nbformat
import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

SETUP = """\
%load_ext falsify_nb
from falsify_nb import load_demo
demo = load_demo()
qrels, corpus, run, cheat = demo.qrels, demo.corpus, demo.runs["bm25"], demo.runs["popular"]
"""


@pytest.fixture
def execute(tmp_path):
    def run(*sources: str, allow_errors: bool = True):
        cells = [nbformat.v4.new_code_cell(source) for source in (SETUP, *sources)]
        notebook = nbformat.v4.new_notebook(cells=cells)
        client = NotebookClient(
            notebook,
            kernel_name="python3",
            allow_errors=allow_errors,
            timeout=120,
            resources={"metadata": {"path": str(tmp_path)}},
        )
        try:
            client.execute()
        finally:
            nbformat.validate(notebook)
        return cells[1:]

    return run


def errors_of(cell):
    return [(o.ename, o.traceback) for o in cell.outputs if o.output_type == "error"]


def test_each_failure_is_an_error_with_its_own_name(execute):
    division, unknown, failed, good = execute(
        "%%falsify --qrels qrels --out result\n1/0",
        "%falsify run --qrel qrels",
        "%falsify cheat --qrels qrels --corpus corpus --raise",
        "%%falsify --qrels qrels --corpus corpus --out result\nrun",
    )
    assert [name for name, _ in errors_of(division)] == ["ZeroDivisionError"]
    assert [name for name, _ in errors_of(unknown)] == ["OptionError"]
    ((name, traceback),) = errors_of(failed)
    assert name == "GateFailed"
    assert len(traceback) == 1
    assert "FAIL" in traceback[0]
    assert not errors_of(good)
    assert not [o for cell in (unknown, good) for o in cell.outputs if o.output_type == "stream"]


def test_a_failing_body_stops_the_notebook(execute):
    with pytest.raises(CellExecutionError, match="ZeroDivisionError"):
        execute("%%falsify --qrels qrels\n1/0", "print('next')", allow_errors=False)


def test_card_and_chart_are_two_bundles(execute):
    (shown,) = execute("%%falsify --qrels qrels --corpus corpus --out result\nrun")
    card, chart = (o.data for o in shown.outputs)
    assert set(card) == {"text/html", "text/markdown", "text/plain"}
    assert set(chart) == {"application/vnd.vegalite.v5+json", "image/png", "text/plain"}
    assert "PASS" in card["text/plain"]


def test_a_run_of_an_earlier_cell_cannot_be_mistaken_for_a_new_one(execute):
    *_, after = execute(
        "%%falsify --qrels qrels --corpus corpus --out result --quiet\nrun",
        "%%falsify --qrels qrels --corpus corpus --out result --quiet\n1/0",
        "result",
    )
    assert [name for name, _ in errors_of(after)] == ["NameError"]
