"""The frame of a report page: style, figures that work without scripts, one drawing library."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from html import escape
from importlib.resources import files

from falsify_nb.report import render
from falsify_nb.report.charts import Chart
from falsify_nb.report.html import CARD_CSS

__all__ = ["figure", "page", "section"]

# Nothing may be fetched, whatever a string in the report says.
_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline' 'unsafe-eval'; "
    "img-src data: blob:"
)


@lru_cache
def _part(name: str) -> str:
    return files("falsify_nb.report").joinpath(name).read_text(encoding="utf-8")


def page(
    title: str,
    heading: str,
    body: Iterable[str],
    charts: Mapping[str, tuple[Chart, Chart]],
    *,
    contents: Mapping[str, str] | None = None,
) -> str:
    """Return one HTML document that fetches nothing.

    Parameters
    ----------
    title, heading : str
        For the window and for the page; plain text.
    body : iterable of str
        The sections, as HTML.
    charts : mapping of str to (Chart, Chart)
        What the sections' figures draw: the wide form and the narrow one.
    contents : mapping of str to str, optional
        Anchor to words, for the list of contents.
    """
    return "\n".join(
        [
            '<!doctype html><html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width,initial-scale=1">',
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
            f"<title>{escape(title)}</title>",
            f"<style>{_part('page.css')}{CARD_CSS}</style></head><body>",
            "<header><p>Retrieval evaluation report: could a dumb system have got this score?</p>",
            f"<h1>{escape(heading)}</h1>{_contents(contents or {})}</header><main>",
            *body,
            "</main><footer><p>Made by falsify_nb. This file needs no network.</p></footer>",
            *_scripts(charts),
            "</body></html>\n",
        ]
    )


def _contents(contents: Mapping[str, str]) -> str:
    links = "".join(f'<li><a href="#{key}">{text}</a></li>' for key, text in contents.items())
    return f'<nav aria-label="Contents"><ol>{links}</ol></nav>' if links else ""


def section(key: str, heading: str, body: str) -> str:
    """Return a section with its heading and anchor."""
    return (
        f'<section id="{key}" aria-labelledby="{key}-head">'
        f'<h2 id="{key}-head">{heading}</h2>{body}</section>'
    )


def figure(kind: str, made: Chart, heading: str, caption: str) -> str:
    """Return a chart's place in the page: live, drawn for where scripts are off, and in words."""
    still = f"<noscript>{_still(made)}</noscript>" if render.has_converter() else ""
    head = f"<h3>{escape(heading)}</h3>" if heading else ""
    return (
        f'<div class="plate">{head}<figure class="sheet">'
        f'<div class="chart" id="chart-{kind}" tabindex="0" role="group" '
        f'aria-label="Chart: {escape(made.title)}"></div>{still}'
        f"<figcaption>{escape(caption)}</figcaption>"
        f'<details class="words"><summary>The same in words</summary>'
        f"<pre>{escape(made.text)}</pre></details></figure></div>"
    )


def _still(made: Chart) -> str:
    """Return the chart as inline SVG in the page's own colours."""
    svg = render.to_svg(made.spec, ink="currentColor").replace(
        "<svg ", '<svg aria-hidden="true" ', 1
    )
    return (
        f'<div class="chart" tabindex="0" role="img" aria-label="{escape(made.title)}">{svg}</div>'
    )


def _scripts(charts: Mapping[str, tuple[Chart, Chart]]) -> Iterator[str]:
    specs = {}
    for kind, (wide, narrow) in charts.items():
        small = narrow.spec
        del small["datasets"]  # both forms show the same rows
        specs[kind] = {"wide": wide.spec, "narrow": small}
    text = json.dumps(specs, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    yield f'<script type="application/json" id="charts">{text}</script>'
    if render.has_converter():
        bundle = re.sub(r"</(?=script)", r"<\\/", render.script(), flags=re.IGNORECASE)
        yield f"<script>{bundle}</script>"
    yield f"<script>{_part('page.js')}</script>"
