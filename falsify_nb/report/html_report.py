"""The annotated report: one HTML file that opens without a network, and reads without scripts."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Iterator
from html import escape

from falsify_nb.core.result import GateResult
from falsify_nb.report.charts import Chart, chart
from falsify_nb.report.html import card_body, user
from falsify_nb.report.html_page import figure, page, section
from falsify_nb.report.query_table import query_table
from falsify_nb.report.story import captions, code, environment, paragraphs
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
    return page(title, finding(result), _sections(result, charts), charts, contents=_CONTENTS)


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
    read = captions(result)
    figures = "".join(
        figure(kind, wide, HEADINGS[kind], read[kind]) for kind, (wide, _) in charts.items()
    )
    yield _section("figures", figures)
    yield _section("numbers", _numbers(result))
    items = "".join(f"<li>{escape(text)}</li>" for text in limits(result))
    yield _section("limits", f'<ul class="limits">{items}</ul>')
    yield _section("protocol", _pairs(protocol_rows(result), "Parameter", "Value"))
    yield _section("notices", _notices(result))
    yield _section("queries", query_table(result))
    yield _section("repeat", _repeat(result))


def _section(key: str, body: str) -> str:
    return section(key, _CONTENTS[key], body)


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
