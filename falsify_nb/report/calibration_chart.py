"""How width and verdict settle as queries are added."""

from __future__ import annotations

from typing import Any

from falsify_nb.core.null_result import NULL_NAMES
from falsify_nb.report.charts import Chart, finish
from falsify_nb.report.parts import LETTERS, METRIC, NAME, Spec, layer, tips, titled
from falsify_nb.report.style import (
    HUES,
    INK,
    VERDICT_HUES,
    count,
    number,
    percent,
    rounded,
)
from falsify_nb.report.words import short

__all__ = ["calibration"]

# Most points of a line, and with them the rows, whatever sizes were asked for.
POINTS = 60
SHARES = {"PASS": "passes", "UNDER-NS": "undecided", "FAIL": "fails"}
SETTLED = 0.8
LEGEND: Spec = {
    "orient": "top",
    "offset": 4,
    "symbolType": "square",
    "symbolOpacity": 1,
    "symbolStrokeWidth": 0,
}
WIDTH_TIPS = {
    "null:N": "null",
    "queries": "queries",
    "width": "median width",
    "low": "10 % of subsets below",
    "high": "90 % of subsets below",
    "gap": "median gap",
}


def calibration(curve: Any, *, narrow: bool = False) -> Chart:  # noqa: ANN401 - a layer above
    """Draw the interval's width against N, and the share of subsets with each verdict.

    Parameters
    ----------
    curve : CalibrationCurve
        What to draw.
    narrow : bool
        Stack the two panels.
    """
    kept = _kept(curve)
    widths = [_width_row(point) for name in LETTERS for point in kept if point.null == name]
    shares = [row for point in kept if point.null == "gate" for row in _share_rows(point)]
    panels = [_widths(kept, narrow=narrow), _verdicts(narrow=narrow)]
    spec: Spec = {
        "title": titled(_finding(curve), [_subtitle(curve)], width=34 if narrow else 80),
        "spacing": 30,
        ("vconcat" if narrow else "hconcat"): panels,
    }
    return finish("calibration", _text(curve), spec, {"widths": widths, "shares": shares})


def _kept(curve: Any) -> list[Any]:  # noqa: ANN401
    sizes = curve.sizes
    if len(sizes) > POINTS:
        step = (len(sizes) - 1) / (POINTS - 1)
        sizes = [sizes[round(i * step)] for i in range(POINTS)]
    chosen = set(sizes)
    return [point for point in curve.points if point.n_units in chosen]


def _width_row(point: Any) -> Spec:  # noqa: ANN401
    return {
        "null": point.null,
        "queries": rounded(point.n_queries),
        "width": rounded(point.width),
        "low": rounded(point.width_low),
        "high": rounded(point.width_high),
        "gap": rounded(point.delta),
    }


def _share_rows(point: Any) -> list[Spec]:  # noqa: ANN401
    rows, below = [], 0.0
    for verdict, name in SHARES.items():
        share = getattr(point, name)
        rows.append(
            {
                "queries": str(round(point.n_queries)),
                "place": point.n_units,
                "verdict": verdict,
                "share": rounded(share),
                "from": rounded(below),
                "to": rounded(below + share),
            }
        )
        below += share
    return rows


def _widths(kept: list[Any], *, narrow: bool) -> Spec:
    sizes = [point.n_queries for point in kept]
    x = {
        "field": "queries",
        "type": "quantitative",
        "title": "queries (log scale)",
        "scale": {"type": "log", "domain": [min(sizes) * 0.92, max(sizes) * 1.08], "nice": False},
        "axis": {"tickCount": 4, "format": "~s", "grid": True},
    }
    y = {
        "field": "width",
        "type": "quantitative",
        "title": "width of the 98.75 % interval",
        "scale": {"zero": True, "nice": True},
        "axis": {"tickCount": 5, "format": ".2~f"},
    }
    color = {
        "field": "null",
        "type": "nominal",
        "scale": {"domain": LETTERS, "range": list(HUES.values())},
        "legend": {"title": "null", **LEGEND},
    }
    base = {"x": x, "y": y, "color": color}
    band = {**base, "y": y | {"field": "low"}, "y2": {"field": "high"}}
    point = base | {"tooltip": tips(WIDTH_TIPS)}
    layers = [
        layer("area", band, opacity=0.1),
        layer("line", base, strokeWidth=2),
        layer("point", point, filled=True, size=40, opacity=1),
    ]
    return {
        "name": "widths",
        "data": {"name": "widths"},
        "width": 210 if narrow else 320,
        "height": 240,
        "layer": layers,
    }


def _verdicts(*, narrow: bool) -> Spec:
    x = {
        "field": "queries",
        "type": "ordinal",
        "title": "queries in a subset",
        "sort": {"field": "place", "op": "min"},
        "axis": {"labelAngle": 0, "labelOverlap": True, "ticks": False, "domain": False},
        "scale": {"padding": 0.12},
    }
    y = {
        "field": "from",
        "type": "quantitative",
        "title": "share of the subsets",
        "scale": {"domain": [0, 1]},
        "axis": {"format": ".0%", "tickCount": 3},
    }
    color = {
        "field": "verdict",
        "type": "nominal",
        "scale": {"domain": list(SHARES), "range": [VERDICT_HUES[v] for v in SHARES]},  # type: ignore[index]
        "legend": {"title": "gate", **LEGEND},
    }
    named = {"queries:N": "queries", "verdict:N": "verdict", "share": "share"}
    bars = {"x": x, "y": y, "y2": {"field": "to"}, "color": color, "tooltip": tips(named)}
    half = {"y": {"datum": SETTLED, "type": "quantitative"}}
    return {
        "name": "verdicts",
        "data": {"name": "shares"},
        "width": 210 if narrow else 260,
        "height": 240,
        "layer": [
            layer("bar", bars, cornerRadius=2),
            layer("rule", half, color=INK, strokeDash=[5, 3], strokeWidth=1.5),
        ],
        "resolve": {"scale": {"color": "independent"}},
    }


def _finding(curve: Any) -> str:  # noqa: ANN401
    gate = curve.of("gate")
    last = gate[-1]
    final = max(SHARES, key=lambda verdict: getattr(last, SHARES[verdict]))
    settled = last
    for point in reversed(gate):
        if getattr(point, SHARES[final]) < SETTLED:
            break
        settled = point
    queries = count(round(settled.n_queries), "query", "queries")
    if final == "UNDER-NS":
        return f"Still undecided with all {count(round(last.n_queries), 'query', 'queries')}"
    if settled is last and len(gate) > 1:
        return f"{final} only with all {queries}"
    return f"{final} in at least {percent(SETTLED)} of the subsets from {queries} on"


def _subtitle(curve: Any) -> str:  # noqa: ANN401
    name = f"{short(curve.system, NAME)}: " if curve.system else ""
    metric = short(curve.metric, METRIC)
    return (
        f"{name}{metric} · τ = {curve.tau:g} · {curve.n_subsets} random orders of "
        f"{count(curve.n_queries, 'query', 'queries')} · seed {curve.seed}"
    )


def _text(curve: Any) -> str:  # noqa: ANN401
    lines = [_finding(curve), _subtitle(curve)]
    for point in curve.of("gate"):
        widths = ", ".join(
            f"{name} {number(p.width)}"
            for name in NULL_NAMES
            for p in curve.of(name)
            if p.n_units == point.n_units
        )
        shares = ", ".join(f"{v} {percent(getattr(point, n))}" for v, n in SHARES.items())
        queries = count(round(point.n_queries), "query", "queries")
        lines.append(f"{queries}: {shares}; width of the 98.75 % interval {widths}")
    return "\n".join(lines)
