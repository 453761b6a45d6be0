"""The table of single queries in a report, cut to a stated size."""

from __future__ import annotations

from html import escape

import numpy as np

from falsify_nb.core.result import GateResult
from falsify_nb.report.html import user
from falsify_nb.report.style import count, number, rounded, signed
from falsify_nb.report.words import plain

__all__ = ["query_table"]

# A row has some 300 bytes without text, so the table stays below 600 kB.
MOST_ROWS = 1_500
TEXT = 240
TEXT_BUDGET = 240_000


def query_table(result: GateResult) -> str:
    """Return the queries as an HTML table, worst gap first, or say why there is none."""
    if len(result.scores) != result.n_queries:
        return (
            f"<p>The figures of the {result.n_queries:,} queries were left out of this result; "
            "write it with <code>to_json(arrays=True)</code> to have them here.</p>"
        )
    hardest = min(result.nulls.values(), key=lambda n: n.delta).name
    gaps = result.scores - result.null_scores["ABCD".index(hardest)]
    order = np.argsort(gaps, kind="stable")
    cut = len(order) > MOST_ROWS
    if cut:
        half = MOST_ROWS // 2
        order = np.concatenate([order[:half], order[-half:]])
    rows = "".join(_row(result, int(i), float(gaps[i]), len(order)) for i in order)
    return (
        f"<p>{_said(result, cut=cut)} The gap is to the hardest null, {hardest}.</p>"
        '<div class="find" hidden><label for="find">Find queries</label>'
        '<input id="find" type="search" autocomplete="off">'
        f'<span id="found" role="status">{len(order)} of {len(order)} rows</span></div>'
        '<div class="scroll" tabindex="0" role="region" aria-label="Queries, a table to scroll">'
        f'<table class="grid queries"><thead><tr>{_heads(result)}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


def _said(result: GateResult, *, cut: bool) -> str:
    queries = count(result.n_queries, "query", "queries")
    if not cut:
        return f"All {queries}, worst gap first; print shows forty."
    half = MOST_ROWS // 2
    return (
        f"The {half} worst and the {half} best of {queries}; "
        "all of them are in the CSV that <code>result.save</code> writes."
    )


def _heads(result: GateResult) -> str:
    names = ["Query", *(["Text"] if result.texts else []), "Score", "Gap"]
    names += [f"Null {k}" for k in "ABCD"]
    texts = {"Query", "Text"}
    return "".join(
        f'<th scope="col"{"" if name in texts else " class=n"}>{name}</th>' for name in names
    )


def _row(result: GateResult, i: int, gap: float, shown: int) -> str:
    text = ""
    if result.texts:
        said, width = plain(result.texts[i]), max(40, min(TEXT, TEXT_BUDGET // shown))
        said = said if len(said) <= width else said[: width - 1] + "…"
        text = f'<td class="t">{user(said)}</td>'
    figures = [(result.scores[i], number), (gap, signed)]
    figures += [(value, number) for value in result.null_scores[:, i]]
    cells = "".join(
        f'<td class="n" data-v="{rounded(float(value))}">{escape(write(float(value)))}</td>'
        for value, write in figures
    )
    name = plain(result.query_ids[i])
    return f'<tr><th scope="row">{user(name[:200])}</th>{text}{cells}</tr>'
