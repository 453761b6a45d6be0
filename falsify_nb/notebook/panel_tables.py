"""The panel's tables as HTML text: queries, history, two runs side by side."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

import numpy as np
import numpy.typing as npt

from falsify_nb.core.result import GateResult
from falsify_nb.notebook.options import OPTIONS
from falsify_nb.notebook.panel_records import Record
from falsify_nb.notebook.panel_views import badge, code
from falsify_nb.report.html import user
from falsify_nb.report.style import HUES, SIGNS, number, signed

__all__ = ["PAGE", "SORTS", "comparison", "history_label", "queries_table"]

PAGE = 25
SORTS = {
    "worst gap first": "worst",
    "best gap first": "best",
    "lowest score first": "low",
    "highest score first": "high",
    "by query id": "id",
}
_RIGHT = ' class="fnb-n"'


def queries_table(
    result: GateResult,
    *,
    text: str = "",
    sort: str = "worst",
    page: int = 0,
    places: tuple[float, float] | None = None,
) -> tuple[str, int]:
    """Return a page of the table of queries, and how many queries it has in all.

    Parameters
    ----------
    result : GateResult
        What to list.
    text : str
        Only queries whose id or text contains this, blind to case.
    sort : str
        One of the values of `SORTS`.
    page : int
        Which page, from 0.
    places : tuple of float, optional
        Only queries in this range of the order by gap, from 1, as the chart shows it.
    """
    if len(result.scores) != result.n_queries:
        return "<p>The figures per query were left out of this result.</p>", 0
    hardest = min(result.nulls.values(), key=lambda n: n.delta).name
    gaps = result.scores - result.null_scores["ABCD".index(hardest)]
    chosen = _chosen(result, gaps, text, sort, places)
    rows = [_query_row(result, int(i), gaps) for i in chosen[page * PAGE : (page + 1) * PAGE]]
    has_text = bool(result.texts)
    heads = ["Query", *(["Text"] if has_text else []), "Score"]
    heads += [f"Null {name}" for name in "ABCD"] + [f"Gap to {hardest}"]
    head = "".join(
        f'<th scope="col"{"" if h in ("Query", "Text") else _RIGHT}>{h}</th>' for h in heads
    )
    table = (
        f'<div class="fnb-scroll" tabindex="0" role="region" aria-label="Queries">'
        f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )
    return table, len(chosen)


def _chosen(
    result: GateResult,
    gaps: npt.NDArray[np.float64],
    text: str,
    sort: str,
    places: tuple[float, float] | None,
) -> npt.NDArray[np.intp]:
    by_gap = np.argsort(gaps, kind="stable")
    if places is not None:
        low, high = max(0, int(np.ceil(places[0])) - 1), int(np.floor(places[1]))
        by_gap = by_gap[low:high]
    orders = {
        "worst": by_gap,
        "best": by_gap[::-1],
        "low": by_gap[np.argsort(result.scores[by_gap], kind="stable")],
        "high": by_gap[np.argsort(-result.scores[by_gap], kind="stable")],
        "id": np.sort(by_gap),
    }
    order = orders[sort]
    if not text.strip():
        return order
    wanted = text.strip().casefold()
    texts = result.texts or ("",) * result.n_queries
    kept = [
        i
        for i in order
        if wanted in result.query_ids[i].casefold() or wanted in texts[i].casefold()
    ]
    return np.array(kept, dtype=int)


def _query_row(result: GateResult, i: int, gaps: npt.NDArray[np.float64]) -> str:
    words = f"<td>{user(_cut(result.texts[i]))}</td>" if result.texts else ""
    nulls = "".join(f"<td{_RIGHT}>{number(v)}</td>" for v in result.null_scores[:, i])
    return (
        f'<tr><th scope="row">{user(_cut(result.query_ids[i], 40))}</th>{words}'
        f"<td{_RIGHT}><b>{number(result.scores[i])}</b></td>{nulls}"
        f"<td{_RIGHT}><b>{signed(gaps[i])}</b></td></tr>"
    )


def _cut(text: str, width: int = 160) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"


def history_label(record: Record) -> str:
    """Return a run's line in the list of the history."""
    gone = "" if record.result is not None else " · figures let go"
    tau = record.settings["tau"]
    return f"{record.number}: {record.headline} · {record.settings['run']} · τ {tau}{gone}"


def comparison(one: Record, other: Record) -> str:
    """Return two runs side by side: settings that differ, and all figures."""
    differing = [n for n in one.settings if one.settings[n] != other.settings[n]]
    rows = [
        (OPTIONS[n].flag[2:], code(one.settings[n] or "none"), code(other.settings[n] or "none"))
        for n in differing
    ]
    if one.result is None or other.result is None:
        rows.append(("result", escape(one.headline), escape(other.headline)))
    else:
        rows += _figures(one.result, other.result)
    body = "".join(
        f'<tr><th scope="row">{name}</th><td>{a}</td><td>{b}</td></tr>' for name, a, b in rows
    )
    return (
        f'<div class="fnb-scroll" tabindex="0" role="region" aria-label="Two runs side by side">'
        f'<table><thead><tr><td></td><th scope="col">Run {one.number}</th>'
        f'<th scope="col">Run {other.number}</th></tr></thead><tbody>{body}</tbody></table></div>'
    )


def _figures(one: GateResult, other: GateResult) -> Iterable[tuple[str, str, str]]:
    yield "Verdict", badge(one.verdict), badge(other.verdict)
    yield "Score", number(one.score), number(other.score)
    yield "Queries", f"{one.n_queries:,}", f"{other.n_queries:,}"
    for name, null in one.nulls.items():
        key = f'<span class="fnb-key" style="background:{HUES[name]}"></span>'
        cells = (f"{signed(n.delta)} {SIGNS[n.verdict]}" for n in (null, other.nulls[name]))
        yield (f"{key}Gap to {name}", *cells)  # type: ignore[misc]
