from __future__ import annotations

import re
import tomllib

import pytest
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from falsify_nb import load_demo


@pytest.fixture(scope="module")
def cells(root):
    text = (root / "README.md").read_text(encoding="utf-8")
    return re.findall(r"^```python\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL)


@pytest.fixture
def shell(tmp_path, monkeypatch):
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    monkeypatch.chdir(tmp_path)
    InteractiveShell.clear_instance()
    config = Config()
    config.HistoryManager.enabled = False
    yield InteractiveShell.instance(config=config)
    InteractiveShell.clear_instance()


@pytest.fixture
def own_files(tmp_path):
    """A run, qrels and ids as a newcomer may have them, in TREC's formats."""
    demo = load_demo()
    run = [
        f"{q} Q0 {d} {rank} {score} mine"
        for q, docs in demo.runs["bm25"].items()
        for rank, (d, score) in enumerate(docs.items(), 1)
    ]
    qrels = [f"{q} 0 {d} {grade}" for q, docs in demo.qrels.items() for d, grade in docs.items()]
    for name, lines in [("my.run", run), ("my.qrels", qrels), ("ids.txt", demo.corpus)]:
        (tmp_path / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return tmp_path


def test_the_first_screen_ends_in_the_verdict_of_its_picture(shell, cells, capsys):
    for cell in cells[:2]:
        shell.run_cell(cell).raise_error()
    result = shell.user_ns["_"]
    assert {k: n.verdict for k, n in result.nulls.items()} == {
        "A": "FAIL",
        "B": "PASS",
        "C": "PASS",
        "D": "FAIL",
    }
    assert f"{result.score:.2f}" == "0.50"
    assert "FAIL" in capsys.readouterr().out


def test_the_picture_is_drawn_from_the_same_cell(root, cells):
    source = (root / "docs" / "make_pictures.py").read_text(encoding="utf-8")
    popular = next(line for line in cells[1].splitlines() if line.startswith("popular = "))
    assert popular in source
    png = (root / "docs" / "pictures" / "verdict.png").read_bytes()
    assert png.startswith(b"\x89PNG")


def test_own_files_give_a_verdict_and_a_report(shell, cells, own_files):
    shell.run_cell(cells[2]).raise_error()
    assert shell.user_ns["result"].verdict == "PASS"
    assert (own_files / "report.html").stat().st_size > 10_000


def test_own_files_give_a_verdict_in_a_cell(shell, cells, own_files, capsys):
    assert (own_files / "my.run").exists()
    shell.run_cell(cells[3]).raise_error()
    assert shell.user_ns["result"].verdict == "PASS"
    assert "PASS" in capsys.readouterr().out


def test_what_the_first_screen_needs_is_in_the_extra_that_it_names(root):
    extras = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"][
        "optional-dependencies"
    ]
    readme = (root / "README.md").read_text(encoding="utf-8").splitlines()
    assert 'python -m pip install -e ".[tutorials]" && jupyter lab' in readme
    assert "falsify_nb[ir,lab]" in extras["tutorials"]
    assert any(line.startswith("jupyterlab") for line in extras["lab"])
