"""Every query's score against what a null expects of it, with the worst and the best listed."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from falsify_nb.core.result import GateResult
from falsify_nb.report.charts import Chart, finish
from falsify_nb.report.parts import METRIC, NAME, Spec, hue, layer, span, tips, titled, x_axis
from falsify_nb.report.style import HUES, INK, NULL_RED, count, number, rounded, signed
from falsify_nb.report.words import score_line, short

__all__ = ["queries"]

# Up to here every query is a point of its own; above, equal-sized bins along the order by gap.
SINGLE = 300
BINS = 150
LISTED = 10
# Bytes of query text that a chart may carry: with the figures it stays below 60 kB.
TEXT_BUDGET = 24_000
LABEL = 44
TIPS = {
    "query:N": "query",
    "text:N": "text",
    "score": "score",
    "expected": "null expects",
    "gap": "gap",
}


def queries(result: GateResult, *, narrow: bool = False) -> Chart:
    """Draw every query in the order of its gap to the hardest null; brush to list some.

    Parameters
    ----------
    result : GateResult
        What to draw. Without per-query figures, the chart says so.
    narrow : bool
        Stack curve and list.
    """
    if len(result.scores) != result.n_queries:
        return _left_out(result, narrow=narrow)
    hardest = min(result.nulls.values(), key=lambda n: n.delta).name
    expected = result.null_scores["ABCD".index(hardest)]
    order = np.argsort(result.scores - expected, kind="stable")
    single = result.n_queries <= SINGLE
    rows = _rows(result, expected, order, hardest)
    curve = rows if single else _binned(result, expected, order, hardest)
    ends = rows if single else rows[:LISTED] + rows[-LISTED:]
    values = [r[k] for r in (*curve, *ends) for k in ("score", "expected")]
    domain = span(values, pad=0.03)
    panels = [
        _curve(result, domain, single=single, narrow=narrow),
        _list(result, domain, hardest, single=single, narrow=narrow),
    ]
    spec: Spec = {
        "title": titled(
            _finding(result, expected), _subtitles(result, hardest), width=34 if narrow else 80
        ),
        "spacing": 30,
        ("vconcat" if narrow else "hconcat"): panels,
    }
    datasets = {"curve": curve} if single else {"curve": curve, "ends": ends}
    return finish("queries", _text(result, hardest, rows), spec, datasets)


def _rows(result: GateResult, expected: np.ndarray, order: np.ndarray, hardest: str) -> list[Spec]:
    """Return one row per query in the order of the gap; of a large result only both ends."""
    n = result.n_queries
    places = range(n) if n <= SINGLE else [*range(LISTED), *range(n - LISTED, n)]
    width = min(160, TEXT_BUDGET // len(places)) if result.texts else 0
    rows = []
    for place in places:
        i = int(order[place])
        row: Spec = {
            "place": place + 1,
            "null": hardest,
            "query": short(result.query_ids[i], LABEL),
            "score": rounded(result.scores[i]),
            "expected": rounded(expected[i]),
            "gap": rounded(result.scores[i] - expected[i]),
        }
        if result.texts and result.texts[i]:
            row["text"] = short(result.texts[i], width)
        rows.append(row)
    return rows


def _binned(
    result: GateResult, expected: np.ndarray, order: np.ndarray, hardest: str
) -> list[Spec]:
    edges = np.linspace(0, result.n_queries, BINS + 1).astype(int)
    rows = []
    for low, high in pairwise(edges.tolist()):
        some = order[low:high]
        score, null = result.scores[some].mean(), expected[some].mean()
        rows.append(
            {
                "place": int(low + 1),
                "last": int(high),
                "null": hardest,
                "score": rounded(score),
                "expected": rounded(null),
                "gap": rounded(score - null),
            }
        )
    return rows


def _curve(result: GateResult, domain: list[float], *, single: bool, narrow: bool) -> Spec:
    unit = "queries, worst gap first" if single else f"{BINS} equal groups, worst gap first"
    x = x_axis("place", [0, result.n_queries + 1], unit, grid=False, format="~s", tickMinStep=1)
    y = x_axis("score", domain, f"{short(result.metric, METRIC)} · red: what the null expects")
    both = {"score": "mean score", "expected": "null expects", "gap": "gap"}
    named = TIPS if single else {"place": "from place", "last": "to place", **both}
    base = {"x": x, "y": y, "tooltip": tips(named)}
    picked = {"condition": {"param": "pick", "value": 1}, "value": 0.25}
    fade = {"opacity": picked} if single else {}
    size = max(6, min(34, 5000 // len(result.scores)))
    layers = [
        layer(
            "rule",
            base | {"y2": {"field": "expected"}, "color": hue()} | fade,
            strokeWidth=1.2,
            strokeOpacity=0.55,
        ),
        layer("point", base | {"color": hue()} | fade, filled=True, size=size),
        layer("tick", base | {"y": y | {"field": "expected"}} | fade, color=NULL_RED, **_TICK),
    ]
    if single:
        brush = {"type": "interval", "encodings": ["x"], "mark": {"stroke": INK}}
        layers[1]["params"] = [{"name": "pick", "select": brush}]
    return {
        "name": "curve",
        "width": 210 if narrow else 350,
        "height": 300,
        "data": {"name": "curve"},
        "layer": layers,
    }


_TICK: Spec = {"orient": "horizontal", "thickness": 2, "size": 5}


def _list(
    result: GateResult, domain: list[float], hardest: str, *, single: bool, narrow: bool
) -> Spec:
    """List the ten lowest and the ten highest of the picked queries (of all, before picking)."""
    steps: list[Spec] = []
    if single:
        up = [{"field": "place", "order": "ascending"}]
        down = [{"field": "place", "order": "descending"}]
        number_rows = {"op": "row_number"}
        steps = [
            {"filter": {"param": "pick"}},
            {"window": [number_rows | {"as": "from_low"}], "sort": up},
            {"window": [number_rows | {"as": "from_high"}], "sort": down},
            {"filter": f"datum.from_low <= {LISTED} || datum.from_high <= {LISTED}"},
        ]
    label = "datum.query + (isValid(datum.text) ? ' · ' + datum.text : '')"
    steps.append({"calculate": label, "as": "label"})
    axis = {
        "labelLimit": 130 if narrow else 240,
        "labelFontSize": 11,
        "ticks": False,
        "domain": False,
        "grid": False,
    }
    y = {
        "field": "label",
        "type": "nominal",
        "title": None,
        "axis": axis,
        "sort": {"field": "place", "op": "min"},
    }
    x = x_axis("score", domain, short(result.metric, METRIC), grid=True, tickCount=3)
    base = {"y": y, "x": x, "tooltip": tips(TIPS)}
    bar = base | {"x2": {"field": "expected"}, "color": hue()}
    layers = [
        layer("bar", bar, height=5, opacity=0.45),
        layer("point", base, filled=True, size=50, opacity=1, color=HUES[hardest]),
        layer("tick", base | {"x": x | {"field": "expected"}}, color=NULL_RED, **_UPRIGHT),
    ]
    title = f"The {LISTED} worst and the {LISTED} best" + (" of the marked part" if single else "")
    return {
        "name": "list",
        "title": {"text": title, "fontSize": 12, "fontWeight": "normal", "offset": 6},
        "width": 140 if narrow else 150,
        "height": 300,
        "data": {"name": "curve" if single else "ends"},
        "transform": steps,
        "layer": layers,
    }


_UPRIGHT: Spec = {"thickness": 2.5, "size": 11, "opacity": 1}


def _finding(result: GateResult, expected: np.ndarray) -> str:
    beaten = int((result.scores > expected + 1e-12).sum())
    share = f"{100 * beaten / result.n_queries:.0f} %"
    return (
        f"{beaten:,} of {count(result.n_queries, 'query', 'queries')} ({share}) "
        "score above what the null expects"
    )


def _subtitles(result: GateResult, hardest: str) -> list[str]:
    null = result.nulls[hardest]
    how = (
        "drag over the curve to list queries"
        if result.n_queries <= SINGLE
        else (f"binned: {BINS} groups of queries in the order of their gap")
    )
    against = f"against the hardest null, {null.name} ({null.title})"
    return [score_line(result, width=NAME), f"{against}, mean gap {signed(null.delta)}; {how}"]


def _text(result: GateResult, hardest: str, rows: list[Spec]) -> str:
    expected = result.null_scores["ABCD".index(hardest)]
    lines = [_finding(result, expected), *_subtitles(result, hardest)]
    for head, some in (("Worst", rows[:LISTED]), ("Best", rows[-LISTED:][::-1])):
        lines.append(f"{head}:")
        lines += [
            f"  {r['query']}: score {number(r['score'])}, null {number(r['expected'])}, "
            f"gap {signed(r['gap'])}"
            for r in some
        ]
    return "\n".join(lines)


def _left_out(result: GateResult, *, narrow: bool) -> Chart:
    finding = "The per-query figures were left out of this file"
    remedy = "Write them with result.to_json(arrays=True), or gate the run again."
    spec: Spec = {
        "title": titled(finding, [score_line(result), remedy], width=34 if narrow else 80),
        "name": "curve",
        "data": {"name": "curve"},
        "mark": {"type": "point", "opacity": 0},
        "width": 200,
        "height": 10,
    }
    text = "\n".join([finding, score_line(result), remedy])
    return finish("queries", text, spec, {"curve": []})
