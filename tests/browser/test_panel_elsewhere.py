"""The control panel in Notebook 7, and as an app in Voilà."""

from __future__ import annotations

import re
import shutil

import pytest

pytestmark = pytest.mark.browser


def drive(front) -> None:
    """Run twice in the panel: the honest system, then the cheat."""
    panel = front.page.locator(".fnb-panel")
    run = panel.get_by_role("button", name="Run", exact=True)
    run.wait_for(timeout=90_000)
    run.click()
    line = panel.locator(".fnb-line")
    line.get_by_text("Run 1").wait_for(timeout=90_000)
    assert "PASS" in line.inner_text()
    panel.get_by_role("tab", name="Deltas").click()
    panel.locator("svg.marks >> visible=true").first.wait_for(timeout=90_000)
    panel.get_by_label("Run", exact=True).select_option(label="popular · 120 queries")
    run.click()
    line.get_by_text("Run 2").wait_for(timeout=90_000)
    assert "FAIL" in line.inner_text()
    slider = panel.get_by_role("slider", name="Threshold τ, slider")
    slider.focus()
    front.page.keyboard.press("Home")
    panel.locator(".fnb-warning", has_text=re.compile(r"tau 0\.05 → 0\.$")).wait_for(timeout=60_000)


@pytest.mark.parametrize("width", [1300, 420])
def test_notebook_7(tab, root, width):
    front = tab("notebook", width=width)
    shutil.copy(root / "notebooks" / "panel.ipynb", front.server.root)
    front.open("panel.ipynb")
    front.page.locator(".jp-Notebook .jp-Cell").first.click()
    for _ in range(3):
        front.page.keyboard.press("Shift+Enter")
    drive(front)
    front.page.locator("summary", has_text="run 2: popular on qrels, FAIL").wait_for()
    front.shoot(f"notebook-{width}")
    assert front.outside == []


def test_voila(tab, root):
    front = tab("voila")
    shutil.copy(root / "notebooks" / "panel.ipynb", front.server.root)
    front.page.goto(f"{front.server.url}/voila/render/panel.ipynb", timeout=90_000)
    drive(front)
    assert front.page.get_by_text("Control panel: no result yet").count() == 0
    front.shoot("voila")
    # Voilà itself asks a content network for its icons; the panel asks for nothing.
    assert not [url for url in front.outside if "fontawesome" not in url.lower()]
