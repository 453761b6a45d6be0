from __future__ import annotations

import re
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from docs.run_tutorials import clean, leaks

NOTEBOOKS = Path(__file__).parents[1] / "notebooks"
STORED = sorted(NOTEBOOKS.glob("*.ipynb"))
LESSONS = sorted(NOTEBOOKS.glob("[0-9]*.ipynb"))


def read(path):
    return nbformat.read(path, as_version=4)


def prose(path):
    return "\n".join(c.source for c in read(path).cells if c.cell_type == "markdown")


def test_there_are_six_lessons():
    assert [path.name[:2] for path in LESSONS] == ["01", "02", "03", "04", "05", "06"]


@pytest.mark.parametrize("path", STORED, ids=lambda p: p.stem)
def test_outputs_hold_no_path_time_or_address(path):
    assert leaks(read(path)) == []


@pytest.mark.parametrize("path", LESSONS, ids=lambda p: p.stem)
def test_lessons_are_stored_as_they_were_run(path):
    notebook = read(path)
    before = nbformat.writes(notebook)
    clean(notebook)
    assert nbformat.writes(notebook) == before
    assert any(cell.get("outputs") for cell in notebook.cells)
    assert not any(o.get("name") == "stderr" for c in notebook.cells for o in c.get("outputs", []))


@pytest.mark.parametrize("path", LESSONS, ids=lambda p: p.stem)
def test_lessons_have_a_point_exercises_and_folded_answers(path):
    cells = read(path).cells
    assert cells[0].cell_type == "markdown"
    assert cells[0].source.startswith("# ")
    assert "**" in cells[0].source
    text = prose(path)
    assert text.count("<details><summary>Answer</summary>") == text.count("</details>") >= 3


@pytest.mark.parametrize("path", LESSONS, ids=lambda p: p.stem)
def test_links_between_lessons_lead_somewhere(path):
    for target in re.findall(r"\]\(([^)\s]+)\)", prose(path)):
        if not target.startswith("http"):
            assert (path.parent / target).exists(), target


def test_cleaning_takes_out_what_differs_from_run_to_run():
    parts = [new_output("stream", text="a"), new_output("stream", text="b")]
    error = new_output("error", ename="E", evalue="v", traceback=["/home/me/file.py"])
    shown = new_output("execute_result", data={"text/plain": "1"}, execution_count=7)
    cell = new_code_cell("x", execution_count=7, outputs=[*parts, error, shown])
    notebook = new_notebook(cells=[new_markdown_cell("m"), cell], metadata={"when": "now"})
    clean(notebook)
    assert [o.get("text") for o in cell.outputs] == ["ab", None, None]
    assert cell.outputs[1].traceback == ["E: v"]
    assert cell.execution_count == cell.outputs[2].execution_count == 1
    assert "when" not in notebook.metadata


@pytest.mark.parametrize("text", ["/home/me/x", "at 0x7f00deadbeef", "took 10:31:02", "C:\\data"])
def test_a_leak_is_seen(text):
    cell = new_code_cell("x", outputs=[new_output("stream", text=text)])
    assert leaks(new_notebook(cells=[cell])) != []


@pytest.mark.parametrize("path", STORED, ids=lambda p: p.stem)
def test_pictures_show_before_a_notebook_is_run(path):
    # A notebook fresh from a clone is not trusted, and JupyterLab draws no SVG or script of its.
    unsafe = {"image/svg+xml", "application/javascript"}
    code = [cell for cell in read(path).cells if cell.cell_type == "code"]
    for output in (o for cell in code for o in cell.outputs if "data" in o):
        assert not unsafe & output.data.keys()
