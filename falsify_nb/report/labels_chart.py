"""How often each document is an answer, and what always giving the same answer would earn."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from falsify_nb.core.result import GateResult
from falsify_nb.report.charts import Chart, finish
from falsify_nb.report.parts import METRIC, Spec, layer, tips, titled
from falsify_nb.report.style import HUES, INK, NULL_RED, count, number, percent, rounded
from falsify_nb.report.words import plain, short

__all__ = ["labels"]

POINTS = 240


def labels(result: GateResult, *, narrow: bool = False) -> Chart:
    """Draw the share of queries that each document answers, by rank of frequency.

    Parameters
    ----------
    result : GateResult
        What to draw.
    narrow : bool
        Make it narrow.
    """
    rows = _rows(result)
    top = rows[0]["share"] if rows else 0
    last = max(rows[-1]["last"] if rows else 1, 2)
    x = {
        "field": "rank",
        "type": "quantitative",
        "title": "document, most frequent first (log scale)",
        "scale": {"type": "log", "domain": [0.9, last + 0.5], "nice": False},
        "axis": {"tickCount": 5, "format": "~s", "grid": False},
    }
    y = {
        "field": "share",
        "type": "quantitative",
        "title": "share of queries it answers",
        "scale": {"domain": [0, max(1.12 * top, 0.02)], "nice": False},
        "axis": {"format": ".1~%", "tickCount": 5},
    }
    named = {"doc:N": "document", "rank": "rank from", "last": "to", "queries": "queries"}
    base = {"x": x, "y": y, "tooltip": tips(named)}
    color = HUES["D"]
    first = "datum.rank === 1"
    words = base | {"text": {"field": "words", "type": "nominal"}}
    line: Spec = {"interpolate": "step-after", "color": color, "strokeWidth": 2}
    layers = [
        layer("area", base, interpolate="step-after", color=color, opacity=0.25),
        layer("line", base, **line),
        layer("point", base, color=color, filled=True, size=22, opacity=1),
        layer("point", base, where=first, color=NULL_RED, filled=True, size=110, opacity=1),
        layer(
            "text",
            words,
            where=first,
            color=INK,
            fontWeight="bold",
            fontSize=12,
            align="left",
            dx=12,
            dy=-8,
        ),
    ]
    spec: Spec = {
        "title": titled(_finding(result), _subtitles(result), width=34 if narrow else 80),
        "name": "labels",
        "width": 260 if narrow else 520,
        "height": 240,
        "data": {"name": "labels"},
        "layer": layers,
    }
    return finish("labels", _text(result), spec, {"labels": rows})


def _rows(result: GateResult) -> list[Spec]:
    """Return (rank, share); neighbours on the log axis are averaged where there are many."""
    counts = result.labels.counts
    n = len(counts)
    if n <= POINTS:
        edges = np.arange(n + 1)
    else:
        edges = np.unique(np.geomspace(1, n + 1, POINTS + 1).round().astype(int)) - 1
    rows = []
    for low, high in pairwise(edges.tolist()):
        mean = float(counts[low:high].mean())
        row: Spec = {
            "rank": int(low + 1),
            "last": int(high),
            "queries": rounded(mean),
            "share": rounded(mean / result.n_queries),
        }
        if high - low == 1 and low < len(result.labels.top):
            row["doc"] = short(result.labels.top[low], 60)
        if low == 0:
            words = f"{count(int(counts[0]), 'query', 'queries')} ({percent(row['share'])})"
            row["words"] = f"{row.get('doc', '')[:32]}: {words}".removeprefix(": ")
        rows.append(row)
    return rows


def _finding(result: GateResult) -> str:
    share = result.labels.modal_share
    if len(result.labels.counts) and result.labels.counts[0] == 1:
        return "No document answers more than one query"
    return f"One document answers {percent(share)} of the queries"


def _subtitles(result: GateResult) -> list[str]:
    found = result.labels
    documents = count(len(found.counts), "relevant document")
    sets = count(found.n_gold_sets, "distinct gold set")
    lines = [
        f"{documents} and {sets} for {count(found.n_queries, 'query', 'queries')}",
        f"always answering with the most frequent one is right for {percent(found.modal_share)}",
    ]
    if result.blind is not None:
        lines.append(
            f"a fixed list of the popular ones earns {short(result.metric, METRIC)} "
            f"{number(result.blind.score)} (in sample {number(result.blind.in_sample)})"
        )
    return lines


def _text(result: GateResult) -> str:
    found = result.labels
    lines = [_finding(result), *_subtitles(result)]
    pairs = zip(found.top[:10], found.counts[:10].tolist(), strict=False)
    lines += [f"  {plain(doc)}: {count(n, 'query', 'queries')}" for doc, n in pairs]
    return "\n".join(lines)
