"""The gate in a cell of JupyterLab: card and chart, light and dark, with no network."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.browser

SETUP = """\
%load_ext falsify_nb
from falsify_nb import load_demo
demo = load_demo()
qrels, corpus, bm25, popular = demo.qrels, demo.corpus, *demo.runs.values()"""
GATE = "%%falsify --qrels qrels --corpus corpus --out result\n{}"


def ink_and_ground(element) -> tuple[str, str]:
    return element.evaluate(
        """e => {
            const ink = getComputedStyle(e).color;
            while (e && getComputedStyle(e).backgroundColor === 'rgba(0, 0, 0, 0)')
                e = e.parentElement;
            return [ink, getComputedStyle(e).backgroundColor];
        }"""
    )


def brightness(colour: str) -> float:
    numbers = [float(n) for n in colour.split("(")[1].rstrip(")").split(",")[:3]]
    return sum(numbers) / 3 / 255


@pytest.mark.parametrize("theme", ["Light", "Dark"])
def test_card_and_chart_are_shown_without_network(tab, theme):
    lab = tab("jupyterlab", theme=theme)
    lab.write("cell.ipynb", SETUP, GATE.format("bm25"), GATE.format("popular"))
    lab.open("cell.ipynb")
    lab.run_all(3)
    cards = lab.page.locator(".jp-OutputArea-output .fnb-verdict")
    cards.nth(1).wait_for()
    assert [cards.nth(i).inner_text().split()[-1] for i in (0, 1)] == ["PASS", "FAIL"]
    canvases = lab.page.locator(".jp-OutputArea-output .vega-embed canvas")
    canvases.nth(1).wait_for()
    assert canvases.count() == 2
    ink, ground = ink_and_ground(lab.page.locator(".fnb-finding").first)
    assert abs(brightness(ink) - brightness(ground)) > 0.6
    assert (brightness(ground) < 0.5) == (theme == "Dark")
    lab.shoot(f"cell-{theme.lower()}")
    assert lab.outside == []
    assert lab.errors == []


def test_options_complete_on_the_first_line(tab):
    lab = tab("jupyterlab")
    lab.write("complete.ipynb", SETUP, "%%falsify --gr")
    lab.open("complete.ipynb")
    lab.page.locator(".jp-Notebook .jp-Cell .cm-content").first.click()
    lab.page.keyboard.press("Shift+Enter")
    lab.wait_for_cells(1)
    lab.page.locator(".jp-Notebook .jp-Cell .cm-content").nth(1).click()
    lab.page.keyboard.press("Control+End")
    lab.page.keyboard.press("Tab")
    # JupyterLab inserts a single proposal, and lists it where it found words of its own.
    proposed = lab.page.locator(".jp-Completer-item, .jp-Cell:nth-child(2) .cm-line")
    proposed.filter(has_text="--groups").first.wait_for()
