"""The main chart: per null a bar to the score, a red tick at the null, and the gap against τ."""

from __future__ import annotations

from falsify_nb.core.result import GateResult
from falsify_nb.report.charts import Chart, finish
from falsify_nb.report.parts import (
    METRIC,
    NAME,
    Spec,
    hue,
    layer,
    null_words,
    nulls_axis,
    rule_at,
    signs,
    span,
    tips,
    titled,
    x_axis,
)
from falsify_nb.report.style import INK, NULL_RED, interval, number, rounded, signed
from falsify_nb.report.words import finding, null_label, protocol_line, score_line, short

__all__ = ["gate"]

ROW = 46
NARROW = 190
TIPS = {
    "name:N": "null",
    "score": "score",
    "mean": "null’s score",
    "gap": "gap",
    "low": "95 % from",
    "high": "95 % to",
    "low_wide": "98.75 % from",
    "high_wide": "98.75 % to",
    "verdict:N": "verdict",
}


def gate(result: GateResult, *, narrow: bool = False) -> Chart:
    """Draw the verdict: four rows, score against null, gap against τ.

    Parameters
    ----------
    result : GateResult
        What to draw.
    narrow : bool
        Stack the two panels.
    """
    rows = _rows(result)
    panels = [_scores(result, rows, narrow=narrow), _gaps(result, rows, narrow=narrow)]
    subtitles = [score_line(result, width=NAME), protocol_line(result)]
    spec: Spec = {
        "title": titled(finding(result), subtitles, width=34 if narrow else 84),
        "data": {"name": "nulls"},
        "spacing": 22,
        ("vconcat" if narrow else "hconcat"): panels,
    }
    return finish("gate", _text(result), spec, {"nulls": rows})


def _rows(result: GateResult) -> list[Spec]:
    rows = []
    for null in result.nulls.values():
        row: Spec = {
            "null": null.name,
            "name": null.title,
            "score": rounded(result.score),
            "mean": rounded(null.mean),
            "needed": rounded(null.mean + result.tau),
            "gap": rounded(null.delta),
            "verdict": null.verdict,
        }
        if null.interval is not None and null.interval_adjusted is not None:
            row |= {"low": rounded(null.interval.low), "high": rounded(null.interval.high)}
            wide = null.interval_adjusted
            row |= {"low_wide": rounded(wide.low), "high_wide": rounded(wide.high)}
        rows.append(row)
    return rows


def _scores(result: GateResult, rows: list[Spec], *, narrow: bool) -> Spec:
    low, high = result.protocol.bounds
    start = 0.0 if low <= 0.0 <= high else low
    keys = ("score", "mean", "needed")
    domain = span([start, *(r[k] for r in rows for k in keys)], pad=0.04)
    if start == low:
        domain[0] = start
    key = ["bar: the score · red: the null", "grey: null + τ"]
    title = [short(result.metric, METRIC), *(key if narrow else [" · ".join(key)])]
    y = nulls_axis(null_words(result.nulls.values(), narrow=narrow))
    x = {k: x_axis(k, domain, title) for k in keys}
    base = {"y": y, "tooltip": tips(TIPS)}
    bar = base | {"x": x["score"], "x2": {"datum": start}, "color": hue()}
    gap = base | {"x": x["mean"], "x2": {"field": "score"}}
    lack: Spec = {"fill": NULL_RED, "fillOpacity": 0.12, "stroke": NULL_RED, "strokeDash": [3, 2]}
    layers = [
        layer("bar", bar, height=18, opacity=0.3),
        layer("bar", gap | {"color": hue()}, where="datum.gap > 0", height=18),
        layer("bar", gap, where="datum.gap < 0", height=17, **lack),
        layer("tick", base | {"x": x["needed"]}, color=INK, thickness=2, size=30, opacity=1),
        layer("tick", base | {"x": x["mean"]}, color=NULL_RED, thickness=4, size=30, opacity=1),
    ]
    return {
        "name": "scores",
        "width": NARROW if narrow else 280,
        "height": 4 * ROW,
        "layer": layers,
    }


def _gaps(result: GateResult, rows: list[Spec], *, narrow: bool) -> Spec:
    """Draw the gaps; the verdicts stand on the right, or on the left where room is short."""
    width = NARROW if narrow else 250
    keys = ("gap", "low", "low_wide", "high_wide")
    domain = span([0.0, result.tau, *(r.get(k) for r in rows for k in keys)])
    words: dict[str, str | list[str]] = {
        n.name: [f"{n.name} · " * narrow + n.verdict, f"Δ {signed(n.delta)}"]
        for n in result.nulls.values()
    }
    y = nulls_axis(words, orient="left" if narrow else "right", pad=30)
    key = ["thick: 95 % interval", "thin: 98.75 %"]
    title = ["gap Δ = score − null", *(key if narrow else [" · ".join(key)])]
    x = {k: x_axis(k, domain, title, grid=True) for k in keys}
    base = {"y": y, "color": hue(), "tooltip": tips(TIPS)}
    known = "isValid(datum.low)"
    thin = base | {"x": x["low_wide"], "x2": {"field": "high_wide"}}
    thick = base | {"x": x["low"], "x2": {"field": "high"}}
    dot: Spec = {"size": 90, "filled": True, "opacity": 1, "stroke": "white", "strokeWidth": 1.5}
    marks = [
        layer("rule", thin, where=known, strokeWidth=1.5),
        layer("bar", thick, where=known, height=7, cornerRadius=3),
        layer("point", base | {"x": x["gap"]}, **dot),
        *signs(-16 if narrow else width + 18, y),
    ]
    layers = [
        rule_at(0.0, x["gap"]),
        rule_at(result.tau, x["gap"], label=f"τ = {result.tau:g}", dash=True),
        {"layer": marks},
    ]
    resolve = {"axis": {"x": "independent"}}
    return {
        "name": "gaps",
        "width": width,
        "height": 4 * ROW,
        "layer": layers,
        "resolve": resolve,
    }


def _text(result: GateResult) -> str:
    lines = [finding(result), score_line(result)]
    lines += [
        f"{null_label(null)}: null {number(null.mean)}, gap {signed(null.delta)}, "
        f"95 % {interval(null.interval)}, 98.75 % {interval(null.interval_adjusted)}, "
        f"{null.verdict}"
        for null in result.nulls.values()
    ]
    return "\n".join([*lines, protocol_line(result)])
