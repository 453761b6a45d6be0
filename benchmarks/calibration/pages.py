"""The study's tables as Markdown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from benchmarks.calibration.plans import NeedRow, PowerRow, RangeRow
from benchmarks.calibration.study import Row
from benchmarks.calibration.verdicts import Check
from benchmarks.calibration.zoo import Keeper

__all__ = ["checks", "plans", "rows", "zoo"]

TITLES = {
    "binary": "Scores of 0 and 1, one document per query, no shared gold",
    "percentile": "Negative control: the percentile bootstrap, 0/1 scores and graded ones",
    "graded": "Graded scores, one document per query, no shared gold",
    "shared": "Shared gold: skewed labels, several relevant documents, biased systems",
    "drawn": "Metrics that are not linear in the gold: Null D by draws",
    "clusters": "Clusters of queries, intra-cluster correlation 0.5, judged by groups",
}


def checks(found: Iterable[Check]) -> str:
    """Return the figures to reach."""
    lines = []
    for check in found:
        percent = not check.what.startswith("width")
        value = f"{check.found:.2%}" if percent else f"{check.found:.3f}"
        error = f"{check.error:.2%}" if percent else f"{check.error:.3f}"
        mark = "yes" if check.is_met else "**NO**"
        lines.append([check.what, value, error, check.bar, mark, check.where])
    return _table(["figure", "found", "s.e.", "to reach", "met", "decided by"], lines)


def rows(found: Iterable[Row]) -> str:
    """Return coverage and misses, a table per part."""
    every = list(found)
    out = []
    for part, title in TITLES.items():
        mine = [r for r in every if r.part == part]
        if not mine:
            continue
        benchmarks = mine[0].benchmarks
        errors = ", ".join(
            f"{100 * np.sqrt(p * (1 - p) / benchmarks):.2f} at {100 * p:g} %"
            for p in (0.9875, 0.95, 0.00625)
        )
        head = f"### {title}\n\n{benchmarks:,} benchmarks per cell; standard errors {errors}.\n"
        out.append(head + "\n" + _table(_HEAD, [_cells(r) for r in mine]))
    return "\n\n".join(out)


_HEAD = [
    "world",
    "N",
    "null",
    "Δ",
    "covers 98.75 %",
    "covers 95 %",
    "false PASS at τ",
    "too low",
    "false FAIL at τ + .005",
    "width",
    "over percentile's",
    "farther bound, s.d.",
    "s.e. over true",
]


def _cells(row: Row) -> list[str]:
    n = f"{row.n}" if row.n == row.n_units else f"{row.n} in {row.n_units}"
    if row.null == "gate":
        return [row.world, n, "any", *[""] * 5, f"{row.false_fail:.2%}", *[""] * 4]
    ratio = "no width" if np.isinf(row.width_ratio) else f"{row.width_ratio:.2f}"
    return [
        row.world,
        n,
        row.null,
        f"{row.truth:.3f}",
        f"{row.covered:.2%}",
        f"{row.covered_95:.2%}",
        f"{row.too_high:.2%}",
        f"{row.too_low:.2%}",
        f"{row.false_fail:.2%}",
        f"{row.width:.3f}",
        ratio,
        "no spread" if np.isinf(row.reach) else f"{row.reach:.1f}",
        f"{row.se_ratio:.2f}",
    ]


def plans(needs: Sequence[NeedRow], ranges: Sequence[RangeRow], powers: Sequence[PowerRow]) -> str:
    """Return the three tables of planning."""
    out = []
    if needs:
        lines = [[r.world, r.null, f"{r.needed:,}", f"{r.passed:.1%}"] for r in needs]
        out.append(
            "### `queries_needed`: chance of PASS at the number it names\n\n"
            f"Samples of a pilot's contributions, {needs[0].samples:,} each "
            f"(s.e. {np.sqrt(0.16 / needs[0].samples):.1%}); 80 % is meant.\n\n"
            + _table(["world", "null", "N named", "PASS"], lines)
        )
    if ranges:
        lines = [
            [
                r.world,
                r.null,
                f"{r.needed:,}",
                *(f"{x:.0%}" for x in (r.held, r.too_low, r.too_high, r.none)),
            ]
            for r in ranges
        ]
        out.append(
            "### Its range: how often it holds the number of the whole population\n\n"
            f"{ranges[0].pilots:,} pilots each; 80 % is meant. The population's number comes from "
            "a benchmark fifty times as large; Null B's gap grows with its pool, so that small "
            "pilots name more queries for it than large ones.\n\n"
            + _table(
                [
                    "world",
                    "null",
                    "N in truth",
                    "holds",
                    "range too low",
                    "range too high",
                    "gap not above τ",
                ],
                lines,
            )
        )
    if powers:
        lines = [
            [
                r.world,
                f"{r.delta:g}",
                f"{r.n}",
                f"{r.passes:.1%}",
                f"{r.simulated_passes:.1%}",
                f"{r.fails:.1%}",
                f"{r.simulated_fails:.1%}",
            ]
            for r in powers
        ]
        out.append(
            "### `power()` against simulation\n\n"
            f"τ = 0.05, null 0, {powers[0].samples:,} benchmarks each; scores are 0 or 1, or have "
            "a beta distribution with standard deviation 0.15.\n\n"
            + _table(["scores", "Δ", "N", "PASS told", "PASS", "FAIL told", "FAIL"], lines)
        )
    return "\n\n".join(out)


def zoo(keepers: Sequence[Keeper]) -> str:
    """Return which null catches which system, over all benchmarks."""
    if not keepers:
        return ""
    seen: Counter[str] = Counter()
    caught: Counter[tuple[str, str]] = Counter()
    for keeper in keepers:
        for system, nulls in keeper.caught.items():
            seen[system] += 1
            caught.update((system, null) for null in nulls)
    lines = [
        [system, f"{n}", *(f"{caught[system, null] / n:.0%}" for null in "ABCD")]
        for system, n in seen.items()
    ]
    verdicts = Counter(k.oracle for k in keepers)
    listed = ", ".join(f"{n} {verdict}" for verdict, n in sorted(verdicts.items()))
    return (
        "### The zoo: share of random benchmarks on which each null FAILs a system\n\n"
        f"{len(keepers)} benchmarks of 10 to 500 queries; the oracle got {listed}.\n\n"
        + _table(["system", "benchmarks", "A", "B", "C", "D"], lines)
    )


def _table(head: list[str], lines: list[list[str]]) -> str:
    rows_ = [head, ["---"] * len(head), *lines]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in rows_)
