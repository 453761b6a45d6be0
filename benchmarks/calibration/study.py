"""Coverage, misses and wrong verdicts of each null, over many benchmarks of one world."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.calibration.worlds import World
from falsify_nb.core.contributions import Contributions
from falsify_nb.core.draw_cache import DRAWS
from falsify_nb.core.intervals import ALPHA, ALPHA_ADJUSTED, interval_at, one_sided
from falsify_nb.core.nulls import NULLS

__all__ = ["JUST_ABOVE", "Cell", "Row", "run", "study"]

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

# A true gap this far above τ is just above it.
JUST_ABOVE = 0.005
# Intervals' ends are made for one in so many benchmarks; the rest needs only tail probabilities.
_WIDTHS_EVERY = 20
_FEWEST_WIDTHS = 10
_N_BOOT = 1000
_NO_SPREAD = 1e-9


@dataclass(frozen=True, slots=True)
class Cell:
    """One world at one number of queries.

    Parameters
    ----------
    part : str
        The table that it belongs to.
    world : World
        Where benchmarks come from.
    n : int
        Queries per benchmark.
    group : tuple of int, or empty
        Sizes of the clusters.
    method : {"dirichlet", "percentile"}
        The interval.
    draws : int
        Null D's draws where it has no formula.
    share : float
        Share of the benchmarks to simulate, where they cost more.
    """

    part: str
    world: World
    n: int
    group: tuple[int, ...] = ()
    method: Any = "dirichlet"
    draws: int = 0
    share: float = 1.0


@dataclass(frozen=True, slots=True)
class Row:
    """What was found for one null in one cell. Rates are shares of the benchmarks, 0 to 1.

    Parameters
    ----------
    part, world, null : str
        Where it belongs; the null is ``"A"`` to ``"D"``, or ``"gate"``.
    n, n_units, benchmarks : int
        Queries, units and simulated benchmarks.
    truth : float
        The mean gap over the benchmarks: what intervals of this size are to cover.
    covered, covered_95 : float
        Coverage of the 98.75 % and of the 95 % interval.
    too_high : float
        Lower end above the truth: at Δ = τ, a false PASS.
    too_low : float
        Upper end below the truth.
    false_fail : float
        Upper end below the truth − 0.005: at Δ = τ + 0.005, a false FAIL.
    width : float
        Mean width of the 98.75 % interval.
    width_ratio, width_ratio_error : float
        The same over the percentile interval's, and the standard error of that.
    reach : float
        Median distance from the gap to the farther bound, in standard deviations of a unit.
    se_ratio : float
        Mean estimated over true standard error of the gap.
    """

    part: str
    world: str
    null: str
    n: int
    n_units: int
    benchmarks: int
    truth: float
    covered: float
    covered_95: float
    too_high: float
    too_low: float
    false_fail: float
    width: float
    width_ratio: float
    width_ratio_error: float
    reach: float
    se_ratio: float


def study(cells: Iterable[Cell], benchmarks: int, seed: int, jobs: int = 1) -> Iterator[list[Row]]:
    """Run all cells, in order, in some processes.

    Parameters
    ----------
    cells : iterable of Cell
        What to simulate.
    benchmarks : int
        Simulated benchmarks per cell.
    seed : int
        Root of chance; each cell has a stream of its own by its place.
    jobs : int
        Processes.
    """
    tasks = [(cell, benchmarks, (seed, place)) for place, cell in enumerate(cells)]
    if jobs == 1:
        yield from map(_run, tasks)
        return
    with get_context("spawn").Pool(jobs) as pool:
        yield from pool.imap(_run, tasks, chunksize=1)


def _run(task: tuple[Cell, int, tuple[int, int]]) -> list[Row]:
    return run(*task)


def run(cell: Cell, benchmarks: int, seed: tuple[int, ...]) -> list[Row]:
    """Simulate one cell."""
    benchmarks = max(_FEWEST_WIDTHS, round(cell.share * benchmarks))
    rng = np.random.default_rng(seed)
    group = np.repeat(np.arange(len(cell.group)), cell.group) if cell.group else None
    parts: dict[str, list[Contributions]] = {name: [] for name in NULLS}
    gaps: dict[str, list[float]] = {name: [] for name in NULLS}
    for _ in range(benchmarks):
        task = cell.world.draw(rng, cell.n, group, cell.draws)
        # Every benchmark has draws of its own: kept ones would only fill the memory.
        DRAWS.clear()
        for name, null in NULLS.items():
            expected = null.expect(task)
            gaps[name].append(float(task.scores.mean()) - expected.mean)
            parts[name].append(null.contribute(task, expected))
    rows, fails = [], np.zeros(benchmarks, dtype=bool)
    for name in NULLS:
        truth = float(np.mean(gaps[name]))
        row, failed = _judge(cell, name, parts[name], np.array(gaps[name]), truth)
        fails |= failed
        rows.append(row)
    return [*rows, _gate_row(cell, rows, float(fails.mean()))]


def _judge(
    cell: Cell, name: str, parts: list[Contributions], gaps: FloatArray, truth: float
) -> tuple[Row, npt.NDArray[np.bool_]]:
    p_pass, p_fail = _tails(cell, parts, truth)
    _, p_above = _tails(cell, parts, truth - JUST_ABOVE)
    half, half_95 = ALPHA_ADJUSTED / 2, ALPHA / 2
    some = parts[: max(_FEWEST_WIDTHS, len(parts) // _WIDTHS_EVERY)]
    widths, percentile = (_widths(some, m) for m in (cell.method, "percentile"))
    ratio, ratio_error = _ratio(widths, percentile)
    failed = p_above < half
    row = Row(
        part=cell.part,
        world=cell.world.name,
        null=name,
        n=cell.n,
        n_units=len(parts[0].values),
        benchmarks=len(parts),
        truth=truth,
        covered=float(np.mean((p_pass >= half) & (p_fail >= half))),
        covered_95=float(np.mean((p_pass >= half_95) & (p_fail >= half_95))),
        too_high=float(np.mean(p_pass < half)),
        too_low=float(np.mean(p_fail < half)),
        false_fail=float(np.mean(failed)),
        width=float(widths.mean()),
        width_ratio=ratio,
        width_ratio_error=ratio_error,
        reach=float(np.median([_reach(part) for part in some])),
        se_ratio=float(np.mean([_standard_error(part) for part in parts]))
        / max(float(np.std(gaps, ddof=1)), 1e-12),
    )
    return row, failed


def _tails(cell: Cell, parts: list[Contributions], tau: float) -> tuple[FloatArray, FloatArray]:
    found = [
        one_sided(part, tau, cell.method, seed=place, n_boot=_N_BOOT)
        for place, part in enumerate(parts)
    ]
    both = np.array(found)
    return both[:, 0], both[:, 1]


def _widths(parts: list[Contributions], method: Any) -> FloatArray:  # noqa: ANN401
    widths = []
    for place, part in enumerate(parts):
        ends = interval_at(part, ALPHA_ADJUSTED, method, seed=place, n_boot=_N_BOOT)
        widths.append(ends.high - ends.low)
    return np.array(widths)


def _ratio(above: FloatArray, below: FloatArray) -> tuple[float, float]:
    """Return the ratio of two means over the same benchmarks, and its standard error."""
    if not below.any():
        return float("inf"), 0.0
    ratio = float(above.mean() / below.mean())
    rest = above - ratio * below
    return ratio, float(rest.std(ddof=1) / (len(rest) ** 0.5 * below.mean()))


def _reach(part: Contributions) -> float:
    """Return how far the farther bound lies from the mean contribution, in standard deviations."""
    sizes = np.ones(len(part.values)) if part.sizes is None else part.sizes
    values = part.values / sizes
    far = max(part.high - values.mean(), values.mean() - part.low)
    spread = float(values.std(ddof=1))
    return far / spread if spread > _NO_SPREAD else float("inf")


def _standard_error(part: Contributions) -> float:
    sizes = np.ones(len(part.values)) if part.sizes is None else part.sizes
    rest = part.values - sizes * (part.values.sum() / sizes.sum())
    n = len(rest)
    return part.scale * float(np.sqrt(n / (n - 1) * (rest**2).sum())) / float(sizes.sum())


def _gate_row(cell: Cell, rows: list[Row], false_fail: float) -> Row:
    """Return the gate's row: all four just above τ, and any of them failing."""
    first = rows[0]
    none = float("nan")
    return Row(
        cell.part,
        cell.world.name,
        "gate",
        cell.n,
        first.n_units,
        first.benchmarks,
        none,
        none,
        none,
        none,
        none,
        false_fail,
        *[none] * 5,
    )
