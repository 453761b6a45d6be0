"""The control panel in JupyterLab."""

from __future__ import annotations

import re

import pytest

expect = pytest.importorskip("playwright.sync_api", reason="needs playwright").expect

pytestmark = pytest.mark.browser

SETUP = """\
%load_ext falsify_nb
import time
from falsify_nb import load_demo
demo = load_demo()
qrels, corpus, bm25, popular = demo.qrels, demo.corpus, *demo.runs.values()
def slow(ranking, gold):
    time.sleep(0.05)
    return float(ranking[:1] == list(gold)[:1])"""


@pytest.fixture
def lab(tab):
    """A panel in JupyterLab, ready to choose."""

    def open_panel(name: str, *more: str, run: str = "bm25", **options):
        front = tab("jupyterlab", **options)
        front.write(name, SETUP, "%falsify_panel", *more)
        front.open(name)
        front.run_all(2 + len(more))
        panel = front.page.locator(".fnb-panel")
        panel.get_by_label("Run", exact=True).select_option(label=f"{run} · 120 queries")
        front.panel = panel
        front.button = lambda text: panel.get_by_role("button", name=text, exact=True)
        return front

    return open_panel


def headline(front):
    return front.panel.locator(".fnb-line")


def test_run_look_move_tau_and_run_again(lab, axe):
    front = lab("panel.ipynb")
    panel, page = front.panel, front.page
    axe(page, ".fnb-panel")
    front.button("Run").click()
    headline(front).get_by_text("Run 1").wait_for()
    assert "PASS" in headline(front).inner_text()
    panel.get_by_text("Passes all four nulls").first.wait_for()
    front.shoot("panel-verdict")
    shown = {
        "Deltas": panel.locator("svg.marks >> visible=true").first,
        "Nulls": panel.locator("svg.marks >> visible=true").first,
        "Queries": panel.locator(".fnb-live svg .mark-group").first,
        "Benchmark": panel.get_by_text("Distinct gold sets", exact=True),
        "Notices": panel.locator(".fnb-list").first,
        "History": panel.get_by_label("Runs"),
    }
    for name, element in shown.items():
        panel.get_by_role("tab", name=name).click()
        element.wait_for(timeout=90_000)
        axe(page, ".fnb-panel")
        front.shoot(f"panel-{name.lower()}")
    panel.get_by_role("tab", name="Verdict").click()
    panel.get_by_label("Threshold τ", exact=True).fill("0.8")
    page.keyboard.press("Enter")
    panel.locator(".fnb-warning", has_text="tau 0.05 → 0.8").wait_for()
    front.shoot("panel-exploratory")
    card = page.locator("summary", has_text="Control panel, run 1")
    card.wait_for()
    page.wait_for_function(
        "() => [...document.querySelectorAll('summary')]"
        ".some(e => e.textContent.includes('run 1: bm25 on qrels, FAIL'))"
    )
    panel.get_by_label("Run", exact=True).select_option(label="popular · 120 queries")
    front.button("Run").click()
    headline(front).get_by_text("Run 2").wait_for()
    front.button("Copy as cell").click()
    start = "%%falsify --qrels qrels --corpus corpus --metric nDCG@10 --tau 0.8"
    wanted = re.compile(f"^{re.escape(start)} .*\\npopular$", re.DOTALL)
    expect(panel.get_by_label("Cell")).to_have_value(wanted, timeout=60_000)
    assert front.outside == []
    assert front.errors == []


def test_a_brush_lists_only_what_it_covers(lab):
    front = lab("brush.ipynb")
    front.button("Run").click()
    headline(front).get_by_text("Run 1").wait_for()
    front.panel.get_by_role("tab", name="Queries").click()
    curve = front.panel.locator(".fnb-live svg g.mark-group.role-scope path.background").first
    curve.wait_for(timeout=90_000)
    box = curve.bounding_box()
    mouse = front.page.mouse
    mouse.move(box["x"] + box["width"] * 0.1, box["y"] + box["height"] / 2)
    mouse.down()
    mouse.move(box["x"] + box["width"] * 0.3, box["y"] + box["height"] / 2, steps=8)
    mouse.up()
    front.panel.get_by_text(re.compile(r"^1 to 2\d of 2\d queries$")).wait_for()
    front.shoot("panel-brush")


def test_cancel_takes_half_a_second_and_other_cells_run_meanwhile(lab):
    front = lab("cancel.ipynb", "print('free', 6 * 7)")
    front.panel.get_by_label("Metric", exact=True).fill("slow")
    front.button("Run").click()
    bar = front.panel.get_by_role("progressbar")
    bar.wait_for()
    front.shoot("panel-running")
    front.page.locator(".jp-Notebook .jp-Cell .cm-content").nth(2).click()
    front.page.keyboard.press("Control+Enter")
    front.page.locator(".jp-OutputArea-output", has_text="free 42").wait_for()
    assert bar.is_visible()
    front.button("Cancel").click()
    front.panel.get_by_text("Cancelled").wait_for()
    front.panel.get_by_label("Metric", exact=True).fill("nDCG@10")
    front.button("Run").click()
    headline(front).get_by_text("Run 1").wait_for()


def test_keyboard_alone_reaches_and_works_every_control(lab):
    front = lab("keys.ipynb")
    page, keys = front.page, front.page.keyboard
    front.panel.get_by_label("Run", exact=True).focus()
    front.button("More settings").focus()
    keys.press("Enter")
    front.panel.get_by_label("Run", exact=True).focus()
    seen = []
    for _ in range(60):
        seen.append(
            page.evaluate(
                """() => { const e = document.activeElement;
                return e.getAttribute('aria-label') || e.labels?.[0]?.textContent
                    || e.textContent.trim() }"""
            )
        )
        if seen[-1] == "Bind":
            break
        keys.press("Tab")
    wanted = [
        "Run", "Qrels", "Corpus", "Metric", "Threshold τ", "Threshold τ, slider", "Run",
        "Fewer settings", "Strict pair", "Depth top_k", "Draws n_boot", "Seed", "Interval",
        "Groups", "Verdict", "File", "Variable",
    ]  # fmt: skip
    order = iter(seen)
    assert all(name in order for name in wanted), seen
    slider = front.panel.get_by_role("slider", name="Threshold τ, slider")
    slider.focus()
    for _ in range(4):
        keys.press("ArrowRight")
    page.wait_for_function(
        "() => [...document.querySelectorAll('.fnb-panel input[type=number]')]"
        ".some(e => e.value === '0.07')"
    )
    front.button("Run").focus()
    keys.press("Enter")
    headline(front).get_by_text("Run 1").wait_for()
    front.panel.get_by_role("tab", name="Verdict").focus()
    keys.press("ArrowRight")
    keys.press("Enter")
    front.panel.locator("svg.marks >> visible=true").first.wait_for()


def test_after_a_kernel_restart_the_card_is_still_there(lab):
    front = lab("restart.ipynb")
    front.button("Run").click()
    headline(front).get_by_text("Run 1").wait_for()
    line = front.page.locator("summary", has_text="run 1: bm25 on qrels, PASS")
    line.wait_for()
    front.page.get_by_role("menuitem", name="Kernel", exact=True).first.click()
    front.page.get_by_role("menuitem", name=re.compile("^Restart Kernel…")).first.click()
    front.page.get_by_role("button", name="Confirm Kernel Restart").click()
    front.page.wait_for_timeout(1500)
    assert line.is_visible()
    line.click()
    assert front.page.get_by_text("Passes all four nulls").last.is_visible()
    front.shoot("panel-restarted")


@pytest.mark.parametrize("theme", ["Light", "Dark"])
def test_narrow_and_dark_need_no_scrolling_sideways(lab, theme):
    front = lab("narrow.ipynb", theme=theme)
    front.button("Run").click()
    headline(front).get_by_text("Run 1").wait_for()
    front.panel.get_by_role("tab", name="Deltas").click()
    front.panel.locator("svg.marks >> visible=true").first.wait_for()
    front.shoot(f"panel-{theme.lower()}")
    front.panel.evaluate("e => { e.style.width = '420px' }")
    front.panel.locator(".fnb-narrow svg.marks").first.wait_for()
    assert front.panel.evaluate("e => e.scrollWidth <= e.clientWidth")
    front.shoot(f"panel-420-{theme.lower()}", full_page=True)


def test_the_chart_that_fits_is_drawn_first(lab):
    """The other one is hidden: whoever moves τ would wait for both."""
    front = lab("first.ipynb")
    front.button("Run").click()
    headline(front).get_by_text("Run 1").wait_for()
    front.panel.get_by_role("tab", name="Deltas").click()
    front.panel.locator("svg.marks >> visible=true").first.wait_for(timeout=90_000)
    front.page.wait_for_function("() => document.querySelectorAll('.fnb-figure svg').length === 2")
    front.page.evaluate(
        """() => {
            window.fnbDrawn = [];
            new MutationObserver(changes => {
                for (const change of changes)
                    for (const node of change.addedNodes) {
                        const figure = node.querySelector && (node.matches('.fnb-figure')
                            ? node : node.querySelector('.fnb-figure'));
                        if (figure) window.fnbDrawn.push(figure.offsetParent !== null);
                    }
            }).observe(document.body, {subtree: true, childList: true});
        }"""
    )
    front.panel.get_by_role("slider", name="Threshold τ, slider").focus()
    front.page.keyboard.press("ArrowRight")
    front.page.wait_for_function("() => window.fnbDrawn.length === 2")
    assert front.page.evaluate("() => window.fnbDrawn") == [True, False]
