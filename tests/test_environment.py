from __future__ import annotations

import platform

import numpy as np
import pandas as pd

import falsify_nb
from falsify_nb import show_versions
from falsify_nb.environment import versions


def test_versions_are_those_that_the_packages_say():
    found = versions()
    assert found["falsify_nb"] == falsify_nb.__version__
    assert found["python"] == platform.python_version()
    assert found["numpy"] == np.__version__
    assert found["pandas"] == pd.__version__


def test_what_is_missing_is_a_dash_or_left_out(monkeypatch):
    from importlib.metadata import PackageNotFoundError

    def nothing(name):
        raise PackageNotFoundError(name)

    monkeypatch.setattr("falsify_nb.environment.version", nothing)
    found = versions()
    assert found["altair"] == "-"
    assert "bm25s" not in found


def test_show_versions_prints_one_a_line(capsys):
    show_versions()
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["falsify_nb", falsify_nb.__version__]
    assert lines[-1].startswith("system")
    assert len({line.split()[0] for line in lines}) == len(lines)
