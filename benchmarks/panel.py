"""How long the panel takes in JupyterLab, from a click to the picture that answers it.

    python -m benchmarks.panel QRELS [--runs 6]

QRELS is a file of judgments, such as NFCorpus's (323 queries). The panel judges two made-up
systems on it in turn, in a Chromium without a window. Times are the browser's own: from the event
to the frame after what was waited for stands in the page. Needs the extra ``test`` and Chromium.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from tests.support.front_ends import SECONDS, Server, Tab, launch

if TYPE_CHECKING:
    from playwright.sync_api import Page

SETUP = """%load_ext falsify_nb
import numpy as np
from falsify_nb import panel, read_qrels
qrels = read_qrels({path!r}).to_dict()
docs, rng = sorted({{d for g in qrels.values() for d in g}}), np.random.default_rng(0)
def system():
    return {{q: {{d: g.get(d, 0) + 3 * rng.random()
                for d in [*list(g)[:30], *(docs[i] for i in rng.integers(0, len(docs), 20))]}}
            for q, g in qrels.items()}}
one, two = system(), system()
"""
SHOW = 'panel(run="one", qrels="qrels", corpus="{size}")'

# Resolves with the milliseconds from an event to the frame in which visible elements show a text,
# or, where none is named, are drawn otherwise than before.
WAIT = """([event, selector, wanted]) => new Promise((done, fail) => {
  const drawn = () => [...document.querySelectorAll(selector)].filter(e => e.offsetParent);
  const picture = () => drawn().map(e => e.innerHTML).join();
  const before = picture();
  let begin = null;
  setTimeout(() => fail(new Error(`no answer to ${event}`)), 30000);
  const watch = new MutationObserver(() => {
    const now = picture();
    const found = wanted ? drawn().some(e => e.textContent === wanted) : now && now !== before;
    if (begin === null || !found) return;
    watch.disconnect();
    requestAnimationFrame(() => done(performance.now() - begin));
  });
  watch.observe(document.body, {subtree: true, childList: true, characterData: true});
  window.addEventListener(event, () => { begin = performance.now(); },
    {capture: true, once: true});
})"""


def main() -> None:
    """Print seconds."""
    parser = argparse.ArgumentParser(description="Time the panel in JupyterLab.")
    parser.add_argument("qrels", type=Path)
    parser.add_argument("--runs", type=int, default=6)
    parser.add_argument("--corpus", type=int, default=3633)
    chosen = parser.parse_args()
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        root, private = Path(folder) / "notebooks", Path(folder) / "private"
        root.mkdir()
        private.mkdir()
        server = Server("jupyterlab", root, private)
        try:
            server.wait()
            browser = launch(playwright)
            page = browser.new_page(viewport={"width": 1300, "height": 1300})
            page.set_default_timeout(SECONDS * 1000)
            tab = Tab(page, server, [])
            setup = SETUP.format(path=str(chosen.qrels.resolve()))
            tab.write("panel.ipynb", setup, SHOW.format(size=chosen.corpus))
            _measure(tab, chosen.runs)
            browser.close()
        finally:
            server.stop()


def _measure(tab: Tab, runs: int) -> None:
    page = tab.page
    tab.open("panel.ipynb")
    # The first cell loads what any notebook would have loaded.
    page.locator(".jp-CodeCell").first.click()
    page.keyboard.press("Shift+Enter")
    tab.wait_for_cells(1)
    shown = _timed(
        page,
        ["keydown", ".fnb-title", "Could a dumb system have got this score?"],
        lambda: page.keyboard.press("Shift+Enter"),
    )
    print(f"the cell is run until the panel is shown       {shown:6.2f} s", flush=True)
    # What a person needs to look at it and choose.
    page.wait_for_timeout(3000)
    run = page.get_by_role("button", name="Run", exact=True).last
    choice = page.locator(".jp-OutputArea select").first
    times = []
    for number in range(1, runs + 1):
        name = ("one", "two")[number % 2]
        options = choice.locator("option").all_text_contents()
        choice.select_option(label=next(o for o in options if o.startswith(name)))
        page.wait_for_timeout(1500)
        times.append(_timed(page, ["click", ".fnb-line b", f"Run {number}"], run.click))
        page.wait_for_timeout(1000)
    print(f"a click on Run until the first verdict         {times[0]:6.2f} s")
    later = times[1:]
    print(
        f"the same for further systems, median and most  {statistics.median(later):6.2f} s"
        f" {max(later):6.2f} s"
    )
    page.get_by_role("tab", name="Deltas").click()
    page.locator(".fnb-figure svg >> visible=true").first.wait_for()
    page.wait_for_timeout(2000)
    slider = page.get_by_role("slider", name="Threshold τ, slider")
    slider.focus()
    moves = []
    for _ in range(8):
        moves.append(
            _timed(page, ["keydown", ".fnb-figure", ""], lambda: page.keyboard.press("ArrowRight"))
        )
        page.wait_for_timeout(700)
    print(
        f"a step of τ until the chart is redrawn, the same"
        f" {statistics.median(moves):5.2f} s {max(moves):6.2f} s"
    )


def _timed(page: Page, waited: list[str], act: Callable[[], None]) -> float:
    handle = page.evaluate_handle(
        f"args => {{ window.fnbTime = ({WAIT})(args); return null; }}", waited
    )
    handle.dispose()
    act()
    return float(page.evaluate("() => window.fnbTime")) / 1000


if __name__ == "__main__":
    main()
