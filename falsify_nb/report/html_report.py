"""The annotated report: one HTML file that opens without a network, and reads without scripts."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Iterable, Iterator
from functools import lru_cache
from html import escape
from importlib.resources import files

from falsify_nb.core.result import GateResult
from falsify_nb.report import render
from falsify_nb.report.charts import Chart, chart
from falsify_nb.report.html import CARD_CSS, card_body, user
from falsify_nb.report.query_table import query_table
from falsify_nb.report.story import CAPTIONS, code, environment, paragraphs
from falsify_nb.report.style import count, number, p_value, signed
from falsify_nb.report.words import finding, limits, plain, protocol_rows

__all__ = ["KINDS", "html_report"]

KINDS = ("gate", "draws", "queries", "labels")
HEADINGS = {
    "gate": "Score against null",
    "draws": "What the nulls scored when they were played",
    "queries": "Query by query",
    "labels": "How skewed the answers are",
}
# Above this, the result travels beside the report instead of inside it.
EMBED_LIMIT = 300_000

# Nothing may be fetched, whatever a string in the report says.
_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline' 'unsafe-eval'; "
    "img-src data: blob:"
)


@lru_cache
def _part(name: str) -> str:
    return files("falsify_nb.report").joinpath(name).read_text(encoding="utf-8")


def html_report(result: GateResult) -> str:
    """Return the report as one HTML document.

    Parameters
    ----------
    result : GateResult
        What to report. Without vl-convert-python the charts are given in words only.
    """
    charts = {kind: (chart(result, kind), chart(result, kind, narrow=True)) for kind in KINDS}
    name = plain(result.system) or "system"
    title = f"{result.verdict}: {name}, {plain(result.metric)}"
    return "\n".join(
        [
            '<!doctype html><html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width,initial-scale=1">',
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
            f"<title>{escape(title)}</title>",
            f"<style>{_part('page.css')}{CARD_CSS}</style></head><body>",
            _header(result),
            "<main>",
            *_sections(result, charts),
            "</main>",
            _footer(),
            *_scripts(charts),
            "</body></html>\n",
        ]
    )


def _header(result: GateResult) -> str:
    links = "".join(f'<li><a href="#{key}">{text}</a></li>' for key, text in _CONTENTS.items())
    return (
        "<header><p>Retrieval evaluation report: could a dumb system have got this score?</p>"
        f"<h1>{escape(finding(result))}</h1>"
        f'<nav aria-label="Contents"><ol>{links}</ol></nav></header>'
    )


_CONTENTS = {
    "verdict": "Verdict",
    "figures": "Figures",
    "numbers": "Numbers",
    "limits": "What this does not prove",
    "protocol": "Protocol",
    "notices": "Notices",
    "queries": "Per query",
    "repeat": "To repeat it",
}


def _sections(result: GateResult, charts: dict[str, tuple[Chart, Chart]]) -> Iterator[str]:
    texts = paragraphs(result)
    lead = "".join(f'<p class="lead">{escape(text)}</p>' for text in texts[:2])
    rest = "".join(f"<p>{escape(text)}</p>" for text in texts[2:])
    yield _section("verdict", f'{lead}{rest}<div class="sheet">{card_body(result)}</div>')
    yield _section("figures", "".join(_figure(k, wide) for k, (wide, _) in charts.items()))
    yield _section("numbers", _numbers(result))
    items = "".join(f"<li>{escape(text)}</li>" for text in limits(result))
    yield _section("limits", f'<ul class="limits">{items}</ul>')
    yield _section("protocol", _pairs(protocol_rows(result), "Parameter", "Value"))
    yield _section("notices", _notices(result))
    yield _section("queries", query_table(result))
    yield _section("repeat", _repeat(result))


def _section(key: str, body: str) -> str:
    return (
        f'<section id="{key}" aria-labelledby="{key}-head">'
        f'<h2 id="{key}-head">{_CONTENTS[key]}</h2>{body}</section>'
    )


def _figure(kind: str, made: Chart) -> str:
    still = f"<noscript>{_still(made)}</noscript>" if render.has_converter() else ""
    return (
        f'<div class="plate"><h3>{HEADINGS[kind]}</h3><figure class="sheet">'
        f'<div class="chart" id="chart-{kind}" '
        f'tabindex="0" role="group" aria-label="Chart: {escape(made.title)}"></div>{still}'
        f"<figcaption>{escape(CAPTIONS[kind])}</figcaption>"
        f'<details class="words"><summary>The same in words</summary>'
        f"<pre>{escape(made.text)}</pre></details></figure></div>"
    )


def _still(made: Chart) -> str:
    """Return the chart as inline SVG in the page's own colours, for where scripts are off."""
    svg = render.to_svg(made.spec, ink="currentColor").replace(
        "<svg ", '<svg aria-hidden="true" ', 1
    )
    return (
        f'<div class="chart" tabindex="0" role="img" aria-label="{escape(made.title)}">{svg}</div>'
    )


def _numbers(result: GateResult) -> str:
    heads = (
        "Null",
        "Its score",
        "Gap Δ",
        "95 %",
        "98.75 %",
        "p",
        "p × 4",
        "Of headroom",
        "Verdict",
    )
    rows = []
    for null in result.nulls.values():
        share = null.share_of_headroom
        ends = [
            "none" if i is None else f"{signed(i.low)} to {signed(i.high)}"
            for i in (null.interval, null.interval_adjusted)
        ]
        cells = [number(null.mean), signed(null.delta), *ends]
        cells += [p_value(null.p_value), p_value(null.p_adjusted)]
        cells += ["–" if share is None else f"{100 * share:.1f} %"]
        numbers = "".join(f'<td class="n">{escape(cell)}</td>' for cell in cells)
        rows.append(
            f'<tr><th scope="row">{null.name} · {null.title}</th>{numbers}'
            f"<td>{null.verdict}</td></tr>"
        )
    head = "".join(
        f'<th scope="col"{" class=n" if 0 < i < 8 else ""}>{text}</th>'
        for i, text in enumerate(heads)
    )
    return (
        '<div class="scroll" tabindex="0" role="region" aria-label="Numbers of the four nulls">'
        f'<table class="grid tight"><thead><tr>{head}</tr></thead><tbody>{"".join(rows)}</tbody>'
        "</table></div><p>p: how often a draw of the null reaches the score; × 4: corrected for "
        "four nulls. Headroom: the gap that a perfect system would have on this benchmark.</p>"
    )


def _pairs(rows: Iterable[tuple[str, str]], one: str, other: str) -> str:
    body = "".join(f'<tr><th scope="row">{user(k)}</th><td>{user(v)}</td></tr>' for k, v in rows)
    return (
        f'<div class="sheet"><table class="grid pairs"><thead><tr><th scope="col">{one}</th>'
        f'<th scope="col">{other}</th></tr></thead><tbody>{body}</tbody></table></div>'
    )


def _notices(result: GateResult) -> str:
    if not result.notices:
        return "<p>Nothing had to be decided about the data.</p>"
    items = "".join(f"<li>{user(str(notice))}</li>" for notice in result.notices)
    title = count(len(result.notices), "thing")
    return f"<p>{title} to know about the data:</p><ul>{items}</ul>"


def _repeat(result: GateResult) -> str:
    stored = result.to_json()
    download = ""
    if len(stored.encode()) <= EMBED_LIMIT:
        data = b64encode(stored.encode()).decode()
        download = (
            '<p class="screen"><a download="result.json" '
            f'href="data:application/json;base64,{data}">The result as JSON</a>, which '
            "<code>GateResult.from_json</code> reads back: every figure above comes from it.</p>"
        )
    return (
        "<p>Put the names of your run, judgments and corpus in place of the words in capitals."
        f'</p><pre tabindex="0"><code>{escape(code(result))}</code></pre>{download}'
        f"<h3>Environment</h3>{_pairs(environment(), 'Package', 'Version')}"
    )


def _footer() -> str:
    return "<footer><p>Made by falsify_nb. This file needs no network.</p></footer>"


def _scripts(charts: dict[str, tuple[Chart, Chart]]) -> Iterator[str]:
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
