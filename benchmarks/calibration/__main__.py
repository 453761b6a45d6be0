"""Run the study: ``python -m benchmarks.calibration``, or ``--fast`` for a minute or two."""

from __future__ import annotations

import argparse
import platform
import sys
import time
from pathlib import Path

import numpy as np
import scipy

import falsify_nb
from benchmarks.calibration import pages, verdicts
from benchmarks.calibration.parts import cells
from benchmarks.calibration.plans import needs, powers, ranges
from benchmarks.calibration.study import Row, study
from benchmarks.calibration.zoo import visit

# Benchmarks per cell, samples per plan, pilots per range, benchmarks of the zoo.
FULL = (2000, 2000, 200, 200)
FAST = (60, 150, 0, 4)
ABOUT = """# Does the gate keep its promises?

Benchmarks are drawn from worlds whose gaps are known, and judged by the product's own code. "Δ" is
the mean gap over the benchmarks, which is what an interval of that size is to cover. A false PASS
at Δ = τ is a lower end above the truth, whatever τ; a false FAIL just above is an upper end below
the truth − 0.005.

"Farther bound" is the distance from the gap to the worst or best value that a query could have, in
standard deviations of the contributions. The interval leaves room for one such query, because
nothing in the data rules it out, and percentile's leaves none: where scores spread over the
metric's range as widely as uniform ones do (ends √3 standard deviations off) the two are nearly as
wide (the figure to reach). The farther the bound, the wider is ours; percentile's then covers too
little, save where no score comes near the bound ("low ranks"), which the data cannot tell: see the
negative control. Where all observed scores are alike, percentile's has no width at all.
"""


def main(arguments: list[str] | None = None) -> int:
    """Run, print, and return 1 when a figure is not reached."""
    options = _parser().parse_args(arguments)
    sizes = FAST if options.fast else FULL
    benchmarks, samples, pilots, animals = (
        options.benchmarks or sizes[0],
        options.samples or sizes[1],
        sizes[2] if options.pilots is None else options.pilots,
        sizes[3] if options.zoo is None else options.zoo,
    )
    started = time.perf_counter()
    rows: list[Row] = []
    todo = cells(fast=options.fast)
    for done, found in enumerate(study(todo, benchmarks, options.seed, options.jobs), start=1):
        rows += found
        _tell(f"cell {done} of {len(todo)}", started)
    need_rows = list(needs(samples, options.seed))
    range_rows = list(ranges(pilots, options.seed)) if pilots else []
    power_rows = list(powers(samples, options.seed))
    _tell("planning", started)
    keepers = list(visit(animals, options.seed, options.jobs))
    checks = [
        *verdicts.of_rows(rows),
        *verdicts.of_plans(need_rows, power_rows),
        *verdicts.of_zoo(keepers),
    ]
    minutes = (time.perf_counter() - started) / 60
    how = (
        f"Run: `python -m benchmarks.calibration {' '.join(arguments or sys.argv[1:])}`".rstrip(
            " `"
        )
        + f"`, {minutes:.0f} minutes in {options.jobs} processes; {benchmarks:,} benchmarks per "
        f"cell, {samples:,} samples per plan, {pilots:,} pilots per range, {animals} benchmarks in "
        f"the zoo. falsify_nb {falsify_nb.__version__}, Python {platform.python_version()}, numpy "
        f"{np.__version__}, scipy {scipy.__version__}."
    )
    sections = [
        ABOUT + "\n" + how,
        "## Figures to reach\n\nMet to within three standard errors of the simulation.\n\n"
        + pages.checks(checks),
        "## Coverage and wrong verdicts\n\n" + pages.rows(rows),
        "## Planning\n\n" + pages.plans(need_rows, range_rows, power_rows),
        "## Systems of known kind\n\n" + pages.zoo(keepers),
    ]
    text = "\n\n".join(sections) + "\n"
    if options.out:
        options.out.write_text(text, encoding="utf-8")
    print(sections[1] if options.fast else text)
    return 0 if all(check.is_met for check in checks) else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.calibration", description=__doc__)
    parser.add_argument("--fast", action="store_true", help="a tenth of the cells, few benchmarks")
    parser.add_argument("--benchmarks", type=int, help="simulated benchmarks per cell")
    parser.add_argument("--samples", type=int, help="samples per planning figure")
    parser.add_argument("--pilots", type=int, help="pilots per range; 0 leaves the ranges out")
    parser.add_argument("--zoo", type=int, help="random benchmarks in the zoo; 0 leaves it out")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--seed", type=int, default=1, help="root of chance")
    parser.add_argument("--out", type=Path, help="write the tables here, as Markdown")
    return parser


def _tell(what: str, started: float) -> None:
    print(f"{what}, {time.perf_counter() - started:.0f} s", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
