from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def root() -> Path:
    """The project's folder."""
    return ROOT


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """Public evaluation data, kept outside the project."""
    named = os.environ.get("FALSIFY_NB_DATA")
    path = Path(named) if named else ROOT.parent / "shared" / "data"
    if not path.is_dir():
        pytest.skip("needs the evaluation data: set FALSIFY_NB_DATA to its folder")
    return path.resolve()


@pytest.fixture(scope="session")
def cases_dir(data_dir: Path) -> Path:
    """Small inputs that broke other tools: the folder beside the data."""
    path = data_dir.parent / "cases"
    if not path.is_dir():
        pytest.skip("needs the folder of cases beside the evaluation data")
    return path
