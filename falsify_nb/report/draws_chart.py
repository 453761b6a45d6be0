"""Each null's draws beside the score: could the score have come from it."""

from __future__ import annotations

import json

import numpy as np

from falsify_nb.core.null_result import NullResult
from falsify_nb.core.result import GateResult
from falsify_nb.report.charts import Chart, finish
from falsify_nb.report.parts import (
    METRIC,
    NAME,
    Spec,
    hue,
    layer,
    null_words,
    rule_at,
    span,
    tips,
    titled,
    x_axis,
)
from falsify_nb.report.style import NULL_RED, count, number, p_value, rounded
from falsify_nb.report.words import null_label, protocol_line, score_line, short

__all__ = ["draws"]

BINS = 36
ROW = 52
TALLEST = 0.82
LEFT_OUT = "The draws were left out of this file; the red ticks are the nulls’ means."


def draws(result: GateResult, *, narrow: bool = False) -> Chart:
    """Draw the distribution of each null's mean score, with the score and the p-value.

    Parameters
    ----------
    result : GateResult
        What to draw. Without draws in it, the chart says so and shows the means.
    narrow : bool
        Make it narrow.
    """
    nulls = list(result.nulls.values())
    least = 0.008 * _reach(result)
    rows = [row for place, null in enumerate(nulls) for row in _bins(null, 3 - place, least)]
    means = [
        {"null": n.name, "mean": rounded(n.mean), "base": 3 - i, "top": rounded(3 - i + TALLEST)}
        for i, n in enumerate(nulls)
    ]
    ends = [r[k] for r in rows for k in ("from", "to")] + [m["mean"] for m in means]
    domain = span([result.score, *ends])
    measured = [short(result.metric, METRIC), "mean over the queries"]
    x = x_axis("from", domain, measured if narrow else ", ".join(measured), grid=True)
    y = _y_axis(_left_words(nulls, narrow=narrow), orient="left")
    drawn = {"x": x, "x2": {"field": "to"}, "y": y, "y2": {"field": "top"}, "color": hue()}
    tip = {"tooltip": tips({"from": "from", "to": "to", "draws": "draws"})}
    tick = {"x": x | {"field": "mean"}, "y": y, "y2": {"field": "top"}}
    score = f"score {number(result.score)}"
    far = result.score > (domain[0] + domain[1]) / 2
    layers = [
        {
            "layer": [
                {"data": {"name": "draws"}, **layer("bar", drawn | tip, opacity=0.85)},
                {
                    "data": {"name": "means"},
                    **layer("rule", tick, color=NULL_RED, strokeWidth=2.5),
                },
            ]
        },
        # Where the window is narrow, a label in the middle of a line far right would be cut off.
        rule_at(result.score, x, label=score, align="right" if narrow and far else "center"),
    ]
    if not narrow:
        layers.append(_right_labels(nulls, x))
    spec: Spec = {
        "title": titled(_finding(result), _subtitles(result), width=34 if narrow else 80),
        "name": "draws",
        "width": 190 if narrow else 440,
        "height": 4 * ROW,
        "layer": layers,
        "resolve": {"axis": {"x": "independent", "y": "independent"}},
    }
    return finish("draws", _text(result), spec, {"draws": rows, "means": means})


def _reach(result: GateResult) -> float:
    """Return the distance between the smallest and the largest value to be drawn."""
    values = [result.score, *(n.mean for n in result.nulls.values())]
    values += [float(f(n.draws)) for n in result.nulls.values() if len(n.draws) for f in _ENDS]
    return max(values) - min(values) or 0.1


_ENDS = (np.min, np.max)


def _bins(null: NullResult, base: int, least: float) -> list[Spec]:
    """Count one null's draws in equal bins, drawn upwards from its own base line."""
    if not len(null.draws):
        return []
    low, high = float(null.draws.min()), float(null.draws.max())
    if high - low < least:  # draws that hardly differ still need a bar that can be seen
        low, high = (low + high - least) / 2, (low + high + least) / 2
    counts, edges = np.histogram(null.draws, BINS, (low, high))
    tall = counts / counts.max() * TALLEST
    return [
        {
            "null": null.name,
            "from": rounded(edges[i]),
            "to": rounded(edges[i + 1]),
            "base": base,
            "top": rounded(base + tall[i]),
            "draws": int(counts[i]),
        }
        for i in range(BINS)
        if counts[i]
    ]


def _y_axis(words: list[list[str]], *, orient: str) -> Spec:
    # Rows stand on the base lines 3, 2, 1, 0; the label belongs to the middle of the row.
    axis = {
        "orient": orient,
        "values": [3.4, 2.4, 1.4, 0.4],
        "labelExpr": f"{json.dumps(words, ensure_ascii=False)}[3 - floor(datum.value)]",
        "labelFontSize": 13,
        "labelPadding": 10,
        "labelLineHeight": 16,
        "ticks": False,
        "domain": False,
        "grid": False,
    }
    scale = {"domain": [0, 4], "nice": False}
    return {"field": "base", "type": "quantitative", "title": None, "axis": axis, "scale": scale}


def _left_words(nulls: list[NullResult], *, narrow: bool) -> list[list[str]]:
    """Return each row's name; where there is no room on the right, with its p-value."""
    named = null_words(nulls, narrow=False)
    return [[str(named[n.name])] if not narrow else _short_words(n) for n in nulls]


def _short_words(null: NullResult) -> list[str]:
    return [f"{null.name} · {null.title.split()[0]}", *_right_words(null)[:1]]


def _right_words(null: NullResult) -> list[str]:
    reach = _reaching(null)
    if reach is None:
        return ["no draws"]
    return [f"p = {p_value(null.p_value)}", f"{reach:,} of {null.n_draws:,} reach it"]


def _reaching(null: NullResult) -> int | None:
    """Return how many draws are as high as the score: p = (1 + draws)/(n + 1), solved."""
    if null.p_value is None or not null.n_draws:
        return None
    return round(null.p_value * (null.n_draws + 1)) - 1


def _right_labels(nulls: list[NullResult], x: Spec) -> Spec:
    y = _y_axis([_right_words(n) for n in nulls], orient="right")
    encoding = {"x": x | {"field": "mean", "axis": None}, "y": y}
    return {"data": {"name": "means"}, **layer("point", encoding, opacity=0, tooltip=None)}


def _finding(result: GateResult) -> str:
    reach = {n.name: _reaching(n) for n in result.nulls.values()}
    known = {k: r for k, r in reach.items() if r is not None}
    if not known:
        return "No draws were made"
    if not any(known.values()):
        return "No draw of any null reaches the score"
    worst = max(known, key=lambda k: known[k])
    drawn = result.nulls[worst].n_draws
    if known[worst] == drawn:
        return f"Every draw of null {worst} reaches the score"
    return f"Null {worst} reaches the score in {known[worst]:,} of {count(drawn, 'draw')}"


def _subtitles(result: GateResult) -> list[str]:
    lines = [score_line(result, width=NAME), protocol_line(result)]
    kept = any(len(n.draws) for n in result.nulls.values())
    made = any(n.n_draws for n in result.nulls.values())
    return [*lines, LEFT_OUT] if made and not kept else lines


def _text(result: GateResult) -> str:
    lines = [_finding(result), *_subtitles(result)]
    for null in result.nulls.values():
        reach = "no draws" if _reaching(null) is None else ", ".join(_right_words(null)[::-1])
        spread = ""
        if len(null.draws):
            low, high = np.quantile(null.draws, [0.025, 0.975])
            spread = f", 95 % of draws from {number(low)} to {number(high)}"
        lines.append(f"{null_label(null)}: mean {number(null.mean)}{spread}, {reach}")
    return "\n".join(lines)
