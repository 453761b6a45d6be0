"""A short report of any result that has a chart and a frame: one page, or Markdown."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Any

from falsify_nb.report.charts import chart, kinds_of
from falsify_nb.report.html import user
from falsify_nb.report.html_page import figure, page, section
from falsify_nb.report.story import environment
from falsify_nb.report.style import number
from falsify_nb.report.text import code_span
from falsify_nb.report.text import escape as escape_markdown

__all__ = ["plain_html", "plain_markdown"]

# What was asked for or counted, not measured: no decimals are added.
_AS_GIVEN = {"tau", "n_queries"}


def plain_html(result: Any) -> str:  # noqa: ANN401 - any result with a chart and a frame
    """Return a result as one HTML document that needs no network."""
    charts = {k: (chart(result, k), chart(result, k, narrow=True)) for k in kinds_of(result)}
    first = next(iter(charts.values()))[0]
    figures = "".join(figure(kind, wide, "", "") for kind, (wide, _) in charts.items())
    body = [
        section("figures", "Figures", figures),
        section("numbers", "Numbers", _table(result)),
        section("environment", "Environment", _environment()),
    ]
    return page(first.title, first.title, body, charts)


def _environment() -> str:
    items = "".join(f"<li>{escape(k)} {escape(v)}</li>" for k, v in environment())
    return f"<ul>{items}</ul>"


def _table(result: Any) -> str:  # noqa: ANN401
    heads, rows = _cells(result)
    head = "".join(f'<th scope="col">{user(name)}</th>' for name in heads)
    body = "".join("<tr>" + "".join(f"<td>{user(c)}</td>" for c in row) + "</tr>" for row in rows)
    return (
        '<div class="scroll" tabindex="0" role="region" aria-label="Numbers">'
        f'<table class="grid"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'
    )


def _cells(result: Any) -> tuple[list[str], Iterator[list[str]]]:  # noqa: ANN401
    frame = result.to_frame()
    if any(frame.index.names):
        frame = frame.reset_index()
    rows = frame.itertuples(index=False, name=None)
    return [str(name) for name in frame.columns], (
        [_written(*cell) for cell in zip(frame.columns, row, strict=True)] for row in rows
    )


def _written(column: object, value: object) -> str:
    if not isinstance(value, float):
        return str(value)
    return f"{value:g}" if column in _AS_GIVEN else number(value)


def plain_markdown(result: Any) -> str:  # noqa: ANN401
    """Return a result as GitHub Markdown: the charts in words, and the table."""
    heads, rows = _cells(result)
    lines = [f"### {escape_markdown(chart(result).title)}", ""]
    for kind in kinds_of(result):
        lines += [f"    {line}" for line in chart(result, kind).text.splitlines()]
        lines.append("")
    lines.append("| " + " | ".join(code_span(h) for h in heads) + " |")
    lines.append("|" + ":--|" * len(heads))
    lines += ["| " + " | ".join(code_span(c) for c in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"
