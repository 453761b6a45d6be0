from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Where a change is judged the examples are always the same, and a slow machine is no failure.
settings.register_profile("judged", derandomize=True, suppress_health_check=[HealthCheck.too_slow])
if os.environ.get("CI"):
    settings.load_profile("judged")

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


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip what needs a browser where there is none, or where nobody asked for it: it is slow.

    FALSIFY_NB_BROWSER=required turns the skip into an error, for continuous integration.
    """
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    if os.environ.get("FALSIFY_NB_BROWSER") == "required" and not found:
        raise pytest.UsageError("FALSIFY_NB_BROWSER=required, and no Chromium was found")
    if found and any("browser" in word for word in (config.option.markexpr, *config.args)):
        return
    reason = "takes minutes: pytest -m browser" if found else "needs Chromium, and none was found"
    for item in items:
        if item.get_closest_marker("browser"):
            item.add_marker(pytest.mark.skip(reason=reason))
