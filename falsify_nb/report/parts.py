"""What the charts are put together from: axes, marks, titles, in Vega-Lite's own words.

Only features of Vega-Lite 5.6 are used, because that is what JupyterLab draws with.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable, Mapping
from typing import Any

from falsify_nb.core.null_result import NullResult, Verdict
from falsify_nb.report.style import HUES, INK, VERDICT_HUES, rounded

__all__ = [
    "CONFIG",
    "LETTERS",
    "METRIC",
    "NAME",
    "Spec",
    "hue",
    "layer",
    "null_words",
    "nulls_axis",
    "rule_at",
    "signs",
    "span",
    "tips",
    "titled",
    "wrapped",
    "x_axis",
]

Spec = dict[str, Any]
LETTERS = list(HUES)
# Characters of a metric's and of a system's name that a chart has room for.
METRIC = 30
NAME = 60
FONT = "system-ui, -apple-system, Segoe UI, Roboto, Helvetica, Arial, sans-serif"

# No colour of text and no ground: the front end's theme decides about both.
CONFIG: Spec = {
    "font": FONT,
    "view": {"stroke": None},
    "axis": {
        "gridColor": "#888888",
        "gridOpacity": 0.22,
        "domainColor": "#888888",
        "tickColor": "#888888",
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "titlePadding": 8,
        "labelLimit": 0,
        "titleLimit": 0,
    },
    "header": {"labelFontSize": 13, "title": None},
    "title": {
        "anchor": "start",
        "frame": "bounds",
        "fontSize": 16,
        "fontWeight": 600,
        "subtitleFontSize": 12,
        "subtitlePadding": 6,
        "offset": 14,
        "limit": 0,
    },
}

# The signs as paths: fonts that lack ✓ would put the whole label in another face.
_SIGN_PATHS: Mapping[Verdict, str] = {
    "PASS": "M-1,0.1L-0.3,0.8L1,-0.8",
    "FAIL": "M-0.8,-0.8L0.8,0.8M0.8,-0.8L-0.8,0.8",
    "UNDER-NS": "M-0.6,-0.4C-0.6,-1.3,0.7,-1.3,0.7,-0.4C0.7,0.1,0,0,0,0.45M0,1.15L0,1.16",
}


def layer(mark: str, encoding: Spec, *, where: str = "", **looks: object) -> Spec:
    """Return one mark with its encoding, drawn for the rows that a condition holds for."""
    made: Spec = {"mark": {"type": mark, **looks}, "encoding": encoding}
    if where:
        made["transform"] = [{"filter": where}]
    return made


def hue(field: str = "null") -> Spec:
    """Return the colour encoding of a null's letter."""
    scale = {"domain": LETTERS, "range": list(HUES.values())}
    return {"field": field, "type": "nominal", "scale": scale, "legend": None}


def null_words(nulls: Iterable[NullResult], *, narrow: bool) -> dict[str, str | list[str]]:
    """Return each null's letter and name for an axis; on two lines where room is short."""
    words: dict[str, str | list[str]] = {}
    for null in nulls:
        first, _, rest = null.title.partition(" ")
        name = f"{null.name} · {null.title}"
        words[null.name] = [f"{null.name} · {first}", rest] if narrow else name
    return words


def nulls_axis(
    texts: Mapping[str, str | list[str]], *, orient: str = "left", pad: int = 10
) -> Spec:
    """Return the y encoding with one row per null, labelled in our own words."""
    axis = {
        "orient": orient,
        "labelExpr": f"({json.dumps(dict(texts), ensure_ascii=False)})[datum.value]",
        "labelFontSize": 13,
        "labelPadding": pad,
        "labelLineHeight": 16,
        "ticks": False,
        "domain": False,
        "grid": False,
    }
    scale = {"domain": LETTERS}
    return {"field": "null", "type": "nominal", "title": None, "axis": axis, "scale": scale}


def x_axis(field: str, domain: list[float], title: str | list[str], **axis: object) -> Spec:
    """Return a quantitative x encoding over exactly `domain`."""
    return {
        "field": field,
        "type": "quantitative",
        "title": title,
        "scale": {"domain": domain, "nice": False, "zero": False},
        "axis": {"tickCount": 5, "format": ".2~f", **axis},
    }


def rule_at(
    value: float, encoding: Spec, *, label: str = "", dash: bool = False, align: str = "center"
) -> Spec:
    """Return a vertical line at a value, with words above it in the theme's colour."""
    axis = {
        "orient": "top",
        "values": [rounded(value)],
        "labelExpr": json.dumps(label, ensure_ascii=False),
        "ticks": False,
        "domain": False,
        "grid": False,
        "labelFontWeight": "bold",
    }
    if align != "center":
        axis["labelAlign"] = align
    x = {**encoding, "field": "at", "title": None, "axis": axis if label else None}
    looks: Spec = {"color": INK, "strokeWidth": 1.5}
    if dash:
        looks["strokeDash"] = [5, 3]
    return {"data": {"values": [{"at": rounded(value)}]}, **layer("rule", {"x": x}, **looks)}


def signs(x: float | Spec, y: Spec, *, stroke: str = "") -> list[Spec]:
    """Return the verdicts' signs as drawn shapes, in a column at `x` pixels or by an encoding."""
    return [
        layer(
            "point",
            {"x": x if isinstance(x, dict) else {"value": x}, "y": y},
            where=f"datum.verdict === '{verdict}'",
            shape=path,
            size=130,
            filled=False,
            stroke=stroke or VERDICT_HUES[verdict],
            strokeWidth=2.5,
            strokeCap="round",
            strokeJoin="round",
            opacity=1,
        )
        for verdict, path in _SIGN_PATHS.items()
    ]


def tips(named: Mapping[str, str]) -> list[Spec]:
    """Return tooltips: field to title; text fields end in ``:N``."""
    return [
        {
            "field": field.removesuffix(":N"),
            "type": "nominal" if field.endswith(":N") else "quantitative",
            "title": title,
        }
        for field, title in named.items()
    ]


def span(values: Iterable[float | None], *, pad: float = 0.06) -> list[float]:
    """Return a domain that holds all the values, with some air."""
    known = [v for v in values if v is not None]
    low, high = min(known), max(known)
    air = pad * (high - low) or 0.05
    return [round(low - air, 4), round(high + air, 4)]


def wrapped(text: str, width: int) -> list[str]:
    """Break a title into lines."""
    return textwrap.wrap(text, width) or [""]


def titled(finding: str, subtitles: list[str], *, width: int) -> Spec:
    """Return a title: the finding in front, the protocol under it."""
    lines = [line for text in subtitles for line in wrapped(text, int(width * 1.45))]
    return {"text": wrapped(finding, width), "subtitle": lines}
