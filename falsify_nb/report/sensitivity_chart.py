"""The verdict over a grid of metrics, cutoffs and thresholds, as a heat map."""

from __future__ import annotations

from typing import Any

from falsify_nb.report.charts import Chart, finish
from falsify_nb.report.parts import METRIC, NAME, Spec, layer, signs, tips, titled
from falsify_nb.report.style import SIGNS, VERDICT_HUES, count, number, rounded, signed
from falsify_nb.report.words import plain, short

__all__ = ["sensitivity"]

CELL = 34
KEY = "tick: PASS · question mark: UNDER-NS · cross: FAIL"
TIPS = {
    "metric:N": "metric",
    "k:N": "cutoff",
    "tau:N": "τ",
    "verdict:N": "verdict",
    "score": "score",
    "null:N": "hardest null",
    "gap": "gap to it",
}


def sensitivity(result: Any, *, narrow: bool = False) -> Chart:  # noqa: ANN401 - a layer above
    """Draw one panel per metric, τ across and cutoffs down, a verdict in each cell.

    Parameters
    ----------
    result : SensitivityResult
        What to draw.
    narrow : bool
        Stack the panels.
    """
    rows = [
        {
            "metric": short(cell.metric, METRIC),
            "panel": result.metrics.index(cell.metric),
            "k": cell.k,
            "tau": cell.tau,
            "verdict": cell.verdict,
            "score": rounded(cell.score),
            "null": cell.null,
            "gap": rounded(cell.gap),
        }
        for cell in result.cells
    ]
    panels = [_panel(result, place, metric) for place, metric in enumerate(result.metrics)]
    subtitle = (
        f"{f'{short(result.system, NAME)}: ' if result.system else ''}"
        f"{count(result.n_queries, 'query', 'queries')} · {result.n_boot:,} draws per null · "
        f"seed {result.seed} · a grid to look at, not to choose from"
    )
    spec: Spec = {
        "title": titled(_finding(result), [subtitle, KEY], width=34 if narrow else 80),
        "data": {"name": "cells"},
        "spacing": 18,
        ("vconcat" if narrow else "hconcat"): panels,
    }
    return finish("sensitivity", _text(result, subtitle), spec, {"cells": rows})


def _panel(result: Any, place: int, metric: str) -> Spec:  # noqa: ANN401
    axis = {"ticks": False, "domain": False, "grid": False, "labelAngle": 0}
    x = {
        "field": "tau",
        "type": "ordinal",
        "title": "τ",
        "axis": axis,
        "scale": {"domain": list(result.taus), "padding": 0.08},
    }
    y = {
        "field": "k",
        "type": "ordinal",
        "title": "cutoff k",
        "axis": axis,
        "scale": {"domain": list(result.cutoffs), "padding": 0.08},
    }
    color = {
        "field": "verdict",
        "type": "nominal",
        "scale": {"domain": list(VERDICT_HUES), "range": list(VERDICT_HUES.values())},
        "legend": None,
    }
    cells = layer("rect", {"x": x, "y": y, "color": color, "tooltip": tips(TIPS)}, cornerRadius=4)
    return {
        "name": f"metric_{place + 1}",
        "title": {"text": short(metric, METRIC), "fontSize": 13, "anchor": "middle", "offset": 6},
        "transform": [{"filter": {"field": "panel", "equal": place}}],
        "width": CELL * len(result.taus),
        "height": CELL * len(result.cutoffs),
        "layer": [cells, *signs(x, y, stroke="white")],
    }


def _finding(result: Any) -> str:  # noqa: ANN401
    verdicts = [cell.verdict for cell in result.cells]
    total = count(len(verdicts), "setting")
    kinds = {v: verdicts.count(v) for v in VERDICT_HUES if v in verdicts}
    if len(kinds) == 1:
        return f"{verdicts[0]} in all {total}"
    passed = kinds.pop("PASS", 0)
    head = f"Passes in {passed} of {total}" if passed else f"Passes in none of {total}"
    return f"{head}: " + ", ".join(f"{v} in {n}" for v, n in kinds.items())


def _text(result: Any, subtitle: str) -> str:  # noqa: ANN401
    lines = [_finding(result), subtitle]
    for metric in result.metrics:
        for k in result.cutoffs:
            cells = [c for c in result.cells if (c.metric, c.k) == (metric, k)]
            said = ", ".join(f"τ {c.tau:g} {SIGNS[c.verdict]} {c.verdict}" for c in cells)
            one = cells[0]
            lines.append(
                f"{plain(metric)}@{k}: score {number(one.score)}, smallest gap "
                f"{signed(one.gap)} ({one.null}); {said}"
            )
    return "\n".join(lines)
