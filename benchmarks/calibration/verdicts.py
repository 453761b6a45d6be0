"""What the study must show, and whether it does: each figure beside its bar."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from benchmarks.calibration.plans import NeedRow, PowerRow
from benchmarks.calibration.study import Row
from benchmarks.calibration.zoo import Keeper

__all__ = ["Check", "of_plans", "of_rows", "of_zoo"]

# Bars, and how many standard errors of the simulation a figure may lie beyond one.
COVERAGE = 0.98
ONE_SIDED = 0.0115
GATE_FALSE_FAIL = 0.035
WIDTH_RATIO = 1.08
MEAN_COVERAGE = {5: 0.999, 20: 0.997, 80: 0.994, 323: 0.991}
PERCENTILE = {5: 0.096, 20: 0.332, 80: 0.800, 323: 0.956}
# Width is held to its bar for graded scores that spread over their range at least as widely as
# uniform ones, whose ends lie √3 standard deviations off. Room for a query at the worst or best
# value grows with its distance; percentile's leaves none, and then mostly covers too little.
NEAR = 3**0.5
BINARY_METRIC = "Success@3"
CONTROL = "hit rate 0.98"
CHEATERS_PASS = 0.00625
SLACK = 3.0


@dataclass(frozen=True, slots=True)
class Check:
    """One figure to reach.

    Parameters
    ----------
    what : str
        The figure in words.
    found, error : float
        What was found, and its standard error.
    bar : str
        What it is to be.
    is_met : bool
        Whether it is, to within three standard errors.
    where : str
        The cell that decides.
    """

    what: str
    found: float
    error: float
    bar: str
    is_met: bool
    where: str = ""


def of_rows(rows: Iterable[Row]) -> list[Check]:
    """Return the checks of coverage, misses, false FAILs and widths, of the parts that were run."""
    every = list(rows)
    ours = [r for r in every if r.part != "percentile"]
    nulls = [r for r in ours if r.null != "gate"]
    gates = [r for r in ours if r.null == "gate"]
    single = [r for r in nulls if r.part != "clusters"]
    found: list[Check | None] = [
        _least("coverage at 98.75 %, every world, N and null", single, _covered, COVERAGE),
        _least("the same in clusters, by groups", _of(nulls, "clusters"), _covered, COVERAGE),
        _most("false PASS at Δ = τ (lower end too high)", nulls, lambda r: r.too_high, ONE_SIDED),
        _most("upper end too low", nulls, lambda r: r.too_low, ONE_SIDED),
        _most("false FAIL at Δ = τ + 0.005", nulls, lambda r: r.false_fail, ONE_SIDED),
        _most(
            "gate: false FAIL, all four at τ + 0.005",
            gates,
            lambda r: r.false_fail,
            GATE_FALSE_FAIL,
        ),
    ]
    for n, target in MEAN_COVERAGE.items():
        found += _mean_coverage([r for r in nulls if r.part == "binary" and r.n == n], n, target)
    found.append(_width([r for r in single if r.part != "binary" and r.n == 80]))
    for row in every:
        if row.part == "percentile" and row.null == "C" and row.world == CONTROL:
            target = PERCENTILE[row.n]
            error = _error(target, row.benchmarks)
            found.append(
                Check(
                    f"control: percentile's coverage at hit rate 0.98, N = {row.n}",
                    row.covered,
                    error,
                    f"{target:.1%}, as known",
                    abs(row.covered - target) <= SLACK * error,
                )
            )
    return [check for check in found if check is not None]


def of_plans(needs: Iterable[NeedRow], powers: Iterable[PowerRow]) -> list[Check]:
    """Return the checks of planning."""
    found = []
    for name in ("null", "gate"):
        rows = [r for r in needs if (r.null == "gate") == (name == "gate")]
        if rows:
            worst = max(rows, key=lambda r: abs(r.passed - 0.8))
            error = _error(0.8, worst.samples)
            found.append(
                Check(
                    f"PASS at the N of queries_needed, per {name}",
                    worst.passed,
                    error,
                    "80 ± 5 %",
                    abs(worst.passed - 0.8) <= 0.05 + SLACK * error,
                    f"{worst.world}, {worst.null}, N = {worst.needed}",
                )
            )
    rows_ = list(powers)
    if rows_:
        worst_ = max(rows_, key=lambda r: abs(r.passes - r.simulated_passes))
        error = max(_error(worst_.passes, worst_.samples), 1 / worst_.samples)
        gap = abs(worst_.passes - worst_.simulated_passes)
        found.append(
            Check(
                "power() against simulation, largest difference",
                gap,
                error,
                "≤ 2 %",
                gap <= 0.02 + SLACK * error,
                f"{worst_.world}, Δ = {worst_.delta}, N = {worst_.n}",
            )
        )
    return found


def of_zoo(keepers: Iterable[Keeper]) -> list[Check]:
    """Return the checks of the zoo."""
    every = list(keepers)
    if not every:
        return []
    gated = sum(k.n_cheaters for k in every)
    passed = sum(len(k.passed) for k in every)
    error = _error(CHEATERS_PASS, gated)
    rate = passed / gated
    fit = [k for k in every if k.oracle_must_pass]
    missed = [k for k in fit if k.oracle != "PASS"]
    return [
        Check(
            f"zoo: cheaters that PASS ({gated:,} gates)",
            rate,
            error,
            "≤ 0.625 %",
            rate <= CHEATERS_PASS + SLACK * error,
            "; ".join(k.what for k in every if k.passed),
        ),
        Check(
            f"zoo: oracle passes where N ≥ 100 and headroom ≥ τ + 0.1 ({len(fit)} benchmarks)",
            1 - len(missed) / max(len(fit), 1),
            0.0,
            "100 %",
            not missed,
            "; ".join(k.what for k in missed),
        ),
    ]


def _covered(row: Row) -> float:
    return row.covered


def _of(rows: list[Row], part: str) -> list[Row]:
    return [row for row in rows if row.part == part]


def _least(what: str, rows: list[Row], of: Callable[[Row], float], bar: float) -> Check | None:
    if not rows:
        return None
    row = min(rows, key=of)
    error = _error(bar, row.benchmarks)
    return Check(what, of(row), error, f"≥ {bar:.1%}", of(row) >= bar - SLACK * error, _place(row))


def _most(what: str, rows: list[Row], of: Callable[[Row], float], bar: float) -> Check:
    row = max(rows, key=of)
    error = _error(bar, row.benchmarks)
    return Check(what, of(row), error, f"≤ {bar:.2%}", of(row) <= bar + SLACK * error, _place(row))


def _width(rows: list[Row]) -> Check | None:
    near = [r for r in rows if r.reach <= NEAR and not r.world.endswith(BINARY_METRIC)]
    if not near:
        return None
    row = max(near, key=lambda r: r.width_ratio)
    return Check(
        "width over percentile's, graded scores spread as uniform ones or wider, N = 80",
        row.width_ratio,
        row.width_ratio_error,
        f"≤ {WIDTH_RATIO}",
        row.width_ratio <= WIDTH_RATIO + SLACK * row.width_ratio_error,
        _place(row),
    )


def _mean_coverage(rows: list[Row], n: int, target: float) -> list[Check]:
    # One null: on these worlds all four are nearly one test.
    rows = [r for r in rows if r.null == "C"]
    if not rows:
        return []
    mean = float(np.mean([r.covered for r in rows]))
    error = _error(target, sum(r.benchmarks for r in rows))
    met = abs(mean - target) <= 0.004 + SLACK * error
    return [Check(f"mean coverage of 0/1 scores, N = {n}", mean, error, f"{target:.1%} ± 0.4", met)]


def _place(row: Row) -> str:
    return f"{row.world}, {row.null}, N = {row.n}"


def _error(rate: float, n: int) -> float:
    return float(np.sqrt(rate * (1 - rate) / n))
