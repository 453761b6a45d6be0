from __future__ import annotations

import dataclasses

import pytest

from falsify_nb import falsify, load_demo, sensitivity
from falsify_nb.core.notices import Notice
from falsify_nb.report.html_report import HEADINGS

pytestmark = pytest.mark.browser

KINDS = tuple(HEADINGS)


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """A report of a cheat, with hostile query texts, and a grid."""
    demo = load_demo()
    texts = {q: f"<img src=http://x.invalid/{q}> {t} שלום" for q, t in demo.queries.items()}
    result = falsify(demo.runs["popular"], qrels=demo.qrels, corpus=demo.corpus, queries=texts)
    folder = tmp_path_factory.mktemp("reports")
    wordy = Notice("odd", "An id as long as this: " + "z" * 3_000, 1, ("y" * 500,))
    result = dataclasses.replace(result, system="x" * 400, notices=(wordy,))
    result.save(folder / "report.html")
    grid = sensitivity(demo.runs["popular"], qrels=demo.qrels, metrics=["nDCG"], cutoffs=[1, 5])
    grid.save(folder / "grid.html")
    return folder


@pytest.fixture
def visit(chromium):
    """Open a file as a person would, and note all that it asks for or complains of."""
    contexts = []

    def open_page(path, *, width=1300, scheme="light", scripts=True):
        context = chromium.new_context(
            viewport={"width": width, "height": 1000},
            color_scheme=scheme,
            java_script_enabled=scripts,
        )
        contexts.append(context)
        page = context.new_page()
        page.asked, page.complaints = [], []
        page.on("request", lambda r: page.asked.append(r.url))
        page.on("pageerror", lambda e: page.complaints.append(str(e)))
        page.on("console", lambda m: page.complaints.append(m.text) if m.type == "error" else None)
        page.goto(path.as_uri())
        return page

    yield open_page
    for context in contexts:
        context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1300, 950, 420])
def test_every_chart_is_drawn_and_nothing_is_fetched(visit, saved, width, scheme):
    page = visit(saved / "report.html", width=width, scheme=scheme)
    for kind in KINDS:
        page.locator(f"#chart-{kind} svg .mark-group").first.wait_for(timeout=60_000)
    assert page.asked == [(saved / "report.html").as_uri()]
    assert page.complaints == []
    overflow = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
    assert not page.evaluate(overflow)
    # A chart may be scrolled, but nobody looks for a label that is cut off.
    boxes = page.locator(".chart")
    hidden = boxes.evaluate_all("all => all.map(e => e.scrollWidth - e.clientWidth)")
    assert hidden == [0] * len(KINDS)


def test_the_numbers_show_their_verdicts_without_scrolling(visit, saved):
    page = visit(saved / "report.html")
    table = page.get_by_role("region", name="Numbers of the four nulls")
    assert table.evaluate("e => e.scrollWidth - e.clientWidth") == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_chart_text_takes_the_pages_colour(visit, saved, scheme):
    page = visit(saved / "report.html", scheme=scheme)
    label = page.locator("#chart-gate svg text", has_text="permuted gold").first
    label.wait_for(timeout=60_000)
    ink = page.evaluate("getComputedStyle(document.body).color")
    assert label.evaluate("e => getComputedStyle(e).fill") == ink


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["report.html", "grid.html"])
def test_a_screen_reader_finds_no_serious_fault(visit, saved, axe, name, scheme):
    page = visit(saved / name, scheme=scheme)
    page.locator(".chart svg .mark-group").first.wait_for(timeout=60_000)
    axe(page, "body")


def test_a_narrow_window_stacks_the_panels(visit, saved):
    heights = []
    for width in (1300, 420):
        page = visit(saved / "report.html", width=width)
        svg = page.locator("#chart-gate svg").first
        svg.wait_for(timeout=60_000)
        box = svg.bounding_box()
        assert box["width"] <= width
        heights.append(box["height"])
    assert heights[1] > 1.5 * heights[0]


def test_the_table_sorts_and_finds(visit, saved):
    page = visit(saved / "report.html")
    rows = page.locator("table.queries tbody tr:visible")
    n = rows.count()
    head = page.get_by_role("button", name="Score")
    head.click()
    head.click()
    assert page.locator("th[aria-sort=descending]").inner_text().startswith("Score")
    figures = page.locator("table.queries tbody tr td.n:nth-child(3)").all_inner_texts()
    assert [float(f) for f in figures] == sorted(map(float, figures), reverse=True)
    page.get_by_label("Find queries").fill("q00")
    assert 0 < rows.count() < n
    assert page.get_by_role("status").inner_text() == f"{rows.count()} of {n} rows"


def test_dragging_over_the_curve_lists_those_queries(visit, saved):
    page = visit(saved / "report.html")
    svg = page.locator("#chart-queries svg").first
    svg.wait_for(timeout=60_000)
    svg.scroll_into_view_if_needed()
    labels = page.locator("#chart-queries svg text")
    before = labels.all_text_contents()
    box = svg.bounding_box()
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 150, y)
    page.mouse.down()
    page.mouse.move(box["x"] + 190, y, steps=5)
    page.mouse.up()
    page.wait_for_timeout(500)
    assert labels.all_text_contents() != before


def test_scripts_off_the_page_still_shows_every_chart(visit, saved):
    page = visit(saved / "report.html", scripts=False)
    assert page.locator("noscript svg").count() == len(KINDS)
    assert page.locator("noscript svg").first.bounding_box()["height"] > 100
    assert page.locator("table.queries tbody tr").count() == 120


def test_print_keeps_every_chart_on_paper(visit, saved):
    page = visit(saved / "report.html", scheme="dark")
    page.locator("#chart-labels svg").first.wait_for(timeout=60_000)
    page.emulate_media(media="print")
    sheet = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert sheet == "rgb(255, 255, 255)"
    assert page.evaluate("getComputedStyle(document.body).color") == "rgb(0, 0, 0)"
    assert page.locator("nav").is_hidden()
    assert page.pdf().startswith(b"%PDF")


@pytest.mark.parametrize("width", [1300, 420])
def test_a_grid_has_a_page_too(visit, saved, width):
    page = visit(saved / "grid.html", width=width)
    page.locator("#chart-sensitivity svg .mark-group").first.wait_for(timeout=60_000)
    assert page.asked == [(saved / "grid.html").as_uri()]
    assert page.complaints == []


def test_every_chart_is_drawn_in_jupyterlab(tab):
    source = [
        "from falsify_nb import falsify, load_demo, sensitivity",
        "demo = load_demo()",
        'result = falsify(demo.runs["bm25"], qrels=demo.qrels, corpus=demo.corpus)',
    ]
    cells = ["\n".join(source), *(f'result.chart("{kind}")' for kind in KINDS)]
    cells.append('sensitivity(demo.runs["bm25"], qrels=demo.qrels, cutoffs=[1, 5], metrics=["R"])')
    lab = tab("jupyterlab", height=3200)
    lab.write("charts.ipynb", *cells)
    lab.open("charts.ipynb")
    lab.run_all(len(cells))
    canvases = lab.page.locator(".jp-OutputArea-output .vega-embed canvas")
    canvases.nth(len(KINDS)).wait_for(timeout=60_000)
    assert canvases.count() == len(KINDS) + 1
    for place in range(canvases.count()):
        box = canvases.nth(place).bounding_box()
        assert box["width"] > 200
        assert box["height"] > 100
    assert lab.outside == []
    assert lab.errors == []
    lab.shoot("charts")
