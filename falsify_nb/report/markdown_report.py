"""The report as Markdown, for a pull request."""

from __future__ import annotations

from collections.abc import Iterable

from falsify_nb.core.result import GateResult
from falsify_nb.report.charts import chart
from falsify_nb.report.html_report import HEADINGS, KINDS
from falsify_nb.report.story import code, environment, paragraphs, worst_and_best
from falsify_nb.report.style import number, signed
from falsify_nb.report.text import code_span, escape, to_markdown
from falsify_nb.report.words import limits, plain, protocol_rows

__all__ = ["markdown_report", "pairs"]

LISTED = 10


def markdown_report(result: GateResult) -> str:
    """Return the report as GitHub Markdown; the charts are told in words.

    Parameters
    ----------
    result : GateResult
        What to report.
    """
    parts = [
        to_markdown(result),
        *(escape(text) + "\n" for text in paragraphs(result)),
        "#### Figures in words\n",
        *(_figure(result, kind) for kind in KINDS),
        "#### What this does not prove\n",
        "\n".join(f"- {escape(text)}" for text in limits(result)) + "\n",
        "#### Protocol\n",
        pairs("Parameter", "Value", protocol_rows(result)),
        "#### Worst and best queries\n",
        _queries(result),
        "#### To repeat it\n",
        f"```python\n{code(result)}```\n",
        _folded("Environment", pairs("Package", "Version", environment())),
    ]
    return "\n".join(parts)


def _figure(result: GateResult, kind: str) -> str:
    made = chart(result, kind)
    lines = "\n".join(f"    {line}" for line in made.text.splitlines())
    return _folded(f"{HEADINGS[kind]}: {escape(made.title)}", lines + "\n")


def _folded(title: str, body: str) -> str:
    return f"<details><summary>{title}</summary>\n\n{body}\n</details>\n"


def pairs(one: str, other: str, rows: Iterable[tuple[str, str]]) -> str:
    """Return a table of two columns, both as code."""
    lines = [f"| {one} | {other} |", "|:--|:--|"]
    lines += [f"| {code_span(k)} | {code_span(v)} |" for k, v in rows]
    return "\n".join(lines) + "\n"


def _queries(result: GateResult) -> str:
    if len(result.scores) != result.n_queries:
        return "The figures of the single queries were left out of this result.\n"
    hardest, some = worst_and_best(result, LISTED)
    text = "Text | " if result.texts else ""
    rule = ":-- | " if result.texts else ""
    lines = [f"| Query | {text}Score | Null {hardest} | Gap |", f"| :-- | {rule}--: | --: | --: |"]
    for i, expected, gap in some:
        said = f"{escape(plain(result.texts[i])[:120])} | " if result.texts else ""
        figures = [number(result.scores[i]), number(expected), signed(gap)]
        lines.append(f"| {code_span(result.query_ids[i])} | {said}{' | '.join(figures)} |")
    return "\n".join(lines) + "\n"
