"""A real shell with the extension loaded, and a gate that answers at once."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from falsify_nb.core.result import GateResult
from tests.support.handmade import make_result

QRELS = {"q1": {"d1": 1}, "q2": {"d2": 1}, "q3": {"d3": 1}}
RUN = {"q1": {"d1": 2.0, "d2": 1.0}, "q2": {"d2": 2.0}, "q3": {"d1": 1.0}}


class FakeGate:
    """Stands where `falsify` stands, remembers what it was given, and answers at once."""

    def __init__(self) -> None:
        self.calls: list[tuple[object, dict[str, object]]] = []
        self.delta = 0.4
        self.error: BaseException | None = None

    def __call__(self, run: object, **arguments: object) -> GateResult:
        self.calls.append((run, arguments))
        if self.error is not None:
            raise self.error
        return make_result(self.delta, float(arguments.get("tau", 0.05)))

    @property
    def run(self) -> object:
        return self.calls[-1][0]

    @property
    def arguments(self) -> dict[str, object]:
        return self.calls[-1][1]


@pytest.fixture
def gate(monkeypatch):
    fake = FakeGate()
    monkeypatch.setattr("falsify_nb.api.falsify", fake)
    return fake


@pytest.fixture
def shell(tmp_path, monkeypatch):
    """A shell of its own, as a notebook's kernel has one, with the extension loaded."""
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    monkeypatch.chdir(tmp_path)
    InteractiveShell.clear_instance()
    config = Config()
    config.HistoryManager.enabled = False
    ip = InteractiveShell.instance(config=config)
    ip.run_line_magic("load_ext", "falsify_nb")
    ip.user_ns.update(qrels=QRELS, run=RUN)
    yield ip
    ip.run_line_magic("unload_ext", "falsify_nb")
    InteractiveShell.clear_instance()


@pytest.fixture
def cell(shell):
    """Run a cell and return its execution result; the error, if any, is not raised."""

    def run(source: str):
        return shell.run_cell(source, store_history=True)

    return run


@pytest.fixture
def run_fresh(tmp_path):
    """Run code in a new interpreter and return what it printed."""

    def run(code: str) -> str:
        done = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "IPYTHONDIR": str(tmp_path / "fresh")},
        )
        return done.stdout.strip()

    return run
