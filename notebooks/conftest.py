"""How the tutorials are checked: outputs compared, memory bounded, data found or skipped."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

try:
    from nbval.plugin import IPyNbCell, IPyNbFile
except ImportError:  # pytest says itself that --nbval is unknown
    IPyNbCell = IPyNbFile = ()  # type: ignore[assignment, misc]

HERE = Path(__file__).parent
# Charts are compared by their text, which states every figure; the Vega JSON beside it differs
# between versions of Altair.
NOT_COMPARED = ("application/vnd.vegalite.v5+json",)
# The card is compared by what it says. Its style sheet may change without any tutorial changing.
LOOKS = {r"<style>\.fnb.*?</style>": "<style/>"}
MEMORY = 1_000_000_000  # bytes: what Binder promises
NEEDS_DATA = "03-real-benchmarks.ipynb"
NO_DATA = "needs the evaluation data: set FALSIFY_NB_DATA to its folder"


def pytest_configure() -> None:
    """Let kernels find the data beside the project, and show no progress on a slow machine."""
    os.environ.setdefault("TQDM_DISABLE", "1")
    data = HERE.parents[1] / "shared" / "data"
    if data.is_dir():
        os.environ.setdefault("FALSIFY_NB_DATA", str(data))


def pytest_collectstart(collector: pytest.Collector) -> None:
    """Compare all outputs but the charts' JSON, and measure the kernel before it goes."""
    if not isinstance(collector, IPyNbFile) or HERE not in collector.path.parents:
        return
    collector.skip_compare += NOT_COMPARED
    collector.sanitize_patterns.update(LOOKS)
    stop = collector.teardown

    def teardown() -> None:
        used = _peak_memory(collector.kernel)
        stop()
        assert used < MEMORY, f"{collector.path.name} took {used / 1e6:,.0f} MB"

    collector.teardown = teardown


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip what needs the data where there is none: outputs must not depend on a network."""
    for item in items:
        if (
            isinstance(item, IPyNbCell)
            and item.path.name == NEEDS_DATA
            and not os.environ.get("FALSIFY_NB_DATA")
        ):
            item.add_marker(pytest.mark.skip(reason=NO_DATA))


def _peak_memory(kernel: object) -> int:
    """Return the most memory that a kernel has held, in bytes; 0 where that cannot be known."""
    try:
        pid = kernel.km.provisioner.pid  # type: ignore[attr-defined]
        status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    except (AttributeError, OSError):
        return 0
    found = re.search(r"VmHWM:\s+(\d+) kB", status)
    return int(found.group(1)) * 1024 if found else 0
