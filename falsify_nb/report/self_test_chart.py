"""Systems of known kind against the four nulls: which null caught which."""

from __future__ import annotations

from typing import Any

from falsify_nb.report.charts import Chart, finish
from falsify_nb.report.parts import LETTERS, METRIC, NAME, Spec, layer, signs, tips, titled
from falsify_nb.report.style import SIGNS, VERDICT_HUES, count, number, rounded, signed
from falsify_nb.report.words import plain, short

__all__ = ["self_test"]

CELL = 38
LABEL = 72
GATE = "gate"
RIGHT = "right?"
COLUMNS = [*LETTERS, GATE, RIGHT]
# Where there is no room for what a system does, its name says it better than a cut sentence.
_NAME_ALONE = {"labelExpr": "split(datum.value, ': ')[0]"}
KEY = "tick: PASS · question mark: UNDER-NS · cross: FAIL; right?: whether the verdict is right"
TIPS = {
    "system:N": "system",
    "column:N": "null",
    "verdict:N": "verdict",
    "gap": "gap",
    "expected:N": "right would be",
}


def self_test(result: Any, *, narrow: bool = False) -> Chart:  # noqa: ANN401 - a layer above
    """Draw a matrix: systems down, nulls across, a verdict in each cell.

    Parameters
    ----------
    result : SelfTest
        What to draw.
    narrow : bool
        Leave less room for the names.
    """
    rows = [
        row | {"place": place}
        for place, control in enumerate(result.controls)
        for row in _rows(control)
    ]
    x = {
        "field": "column",
        "type": "nominal",
        "title": None,
        "scale": {"domain": COLUMNS, "padding": 0.08},
        "axis": {
            "orient": "top",
            "labelAngle": 0,
            "ticks": False,
            "domain": False,
            "grid": False,
        },
    }
    y = {
        "field": "system",
        "type": "nominal",
        "title": None,
        "sort": {"field": "place", "op": "min"},
        "scale": {"padding": 0.08},
        "axis": {
            "labelLimit": 120 if narrow else 420,
            "labelPadding": 10,
            "ticks": False,
            "domain": False,
            "grid": False,
            **(_NAME_ALONE if narrow else {}),
        },
    }
    color = {
        "field": "verdict",
        "type": "nominal",
        "scale": {"domain": list(VERDICT_HUES), "range": list(VERDICT_HUES.values())},
        "legend": None,
    }
    cell = {"x": x, "y": y, "color": color, "tooltip": tips(TIPS)}
    judged = f"datum.column !== '{RIGHT}'"
    drawn = [layer("rect", cell, where=judged, cornerRadius=4)]
    drawn += _where(signs(x, y, stroke="white"), judged)
    drawn += _where(signs(x, y), f"datum.column === '{RIGHT}'")
    spec: Spec = {
        "title": titled(_finding(result), [_subtitle(result), KEY], width=34 if narrow else 88),
        "name": "matrix",
        "data": {"name": "cells"},
        "width": CELL * len(COLUMNS),
        "height": CELL * max(1, len(result.controls)),
        "layer": drawn,
    }
    return finish("self-test", _text(result), spec, {"cells": rows})


def _rows(control: Any) -> list[Spec]:  # noqa: ANN401
    base: Spec = {"system": short(f"{control.system}: {control.what}", LABEL)}
    rows = [
        base
        | {
            "column": letter,
            "verdict": control.verdicts[letter],
            "gap": rounded(control.deltas[letter]),
        }
        for letter in LETTERS
    ]
    expected = " or ".join(control.expected)
    rows.append(base | {"column": GATE, "verdict": control.verdict, "expected": expected})
    rows.append(base | {"column": RIGHT, "verdict": "PASS" if control.is_right else "FAIL"})
    return rows


def _where(layers: list[Spec], condition: str) -> list[Spec]:
    """Add a condition to layers that have one already."""
    return [
        one | {"transform": [*one.get("transform", []), {"filter": condition}]} for one in layers
    ]


def _finding(result: Any) -> str:  # noqa: ANN401
    wrong = result.wrong
    if not wrong:
        return f"All {count(len(result.controls), 'system')} of known kind got a right verdict"
    named = ", ".join(short(control.system, NAME) for control in wrong)
    return f"WRONG verdict on {named}: do not trust the gate on this benchmark yet"


def _subtitle(result: Any) -> str:  # noqa: ANN401
    parts = [
        short(result.metric, METRIC),
        f"τ = {result.tau:g}",
        count(result.n_queries, "query", "queries"),
        f"corpus of {result.corpus_size:,}",
        f"{result.n_boot:,} draws per null",
        f"seed {result.seed}",
    ]
    return " · ".join(parts)


def _text(result: Any) -> str:  # noqa: ANN401
    lines = [_finding(result), _subtitle(result)]
    for control in result.controls:
        nulls = ", ".join(
            f"{k} {signed(control.deltas[k])} {SIGNS[v]} {v}" for k, v in control.verdicts.items()
        )
        right = "right" if control.is_right else f"WRONG, {' or '.join(control.expected)} expected"
        lines.append(
            f"{plain(control.system)} ({plain(control.what)}): score {number(control.score)}, "
            f"{control.verdict}, {right}; {nulls}"
        )
    if result.skipped:
        lines.append(f"Not possible on this benchmark: {', '.join(map(plain, result.skipped))}")
    return "\n".join(lines)
