"""Whether the planning figures hold: queries_needed, its range, and power()."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from benchmarks.calibration.worlds import Plain, Skewed, World
from falsify_nb import GateResult, falsify
from falsify_nb.core.contributions import Contributions
from falsify_nb.core.intervals import ALPHA_ADJUSTED, one_sided
from falsify_nb.core.null_result import NullResult, QueriesNeeded
from falsify_nb.core.planning import with_needs
from falsify_nb.core.power import power

__all__ = ["NeedRow", "PowerRow", "RangeRow", "needs", "powers", "ranges"]

BoolArray = npt.NDArray[np.bool_]
IntArray = npt.NDArray[np.int64]

# World, pilot queries, and a τ that leaves such pilots undecided.
_PILOTS: tuple[tuple[World, int, float], ...] = (
    (Plain("mixed", metric="nDCG@10", places=(0.25, 0.1, 0.05, 0.05, 0.05, 0.05)), 60, 0.2),
    (Plain("rare hits", metric="RR@10", places=(0.1, 0.03, 0.03, 0.03)), 60, 0.05),
    (Skewed("several, Zipf 1", most=8, skill=2.0, grades=3), 40, 0.2),
    (Skewed("single, weak, popular", skill=1.0, bias=1.5), 60, 0.05),
)


@dataclass(frozen=True, slots=True)
class NeedRow:
    """The chance that a benchmark of the recommended size passes, pilots being the population."""

    world: str
    null: str
    needed: int
    passed: float
    samples: int


@dataclass(frozen=True, slots=True)
class RangeRow:
    """How often the range of a pilot holds the number that its population needs."""

    world: str
    null: str
    pilots: int
    needed: int
    held: float
    too_low: float
    too_high: float
    none: float


@dataclass(frozen=True, slots=True)
class PowerRow:
    """Chances of PASS and FAIL: as `power` has them, and simulated."""

    world: str
    delta: float
    n: int
    passes: float
    simulated_passes: float
    fails: float
    simulated_fails: float
    samples: int


def needs(samples: int, seed: int) -> Iterator[NeedRow]:
    """Simulate benchmarks of the recommended size, drawn from the pilot's own contributions."""
    for place, (world, n, tau) in enumerate(_PILOTS):
        rng = np.random.default_rng((seed, 1, place))
        # The first pilot whose verdict is open and whose gaps exceed τ.
        for _ in range(200):
            pilot = _pilot(world, rng, n, tau)
            if pilot.queries_needed is not None and pilot.queries_needed.n is not None:
                break
        for null in pilot.nulls.values():
            if null.queries_needed is not None and null.queries_needed.n is not None:
                size = null.queries_needed.n
                passed = [_passes(null, rng.integers(0, n, size), tau) for _ in range(samples)]
                yield NeedRow(world.name, null.name, size, float(np.mean(passed)), samples)
        assert pilot.queries_needed is not None
        assert pilot.queries_needed.n is not None
        size = pilot.queries_needed.n
        passed = [
            all(_passes(null, chosen, tau) for null in pilot.nulls.values())
            for chosen in (rng.integers(0, n, size) for _ in range(samples))
        ]
        yield NeedRow(world.name, "gate", size, float(np.mean(passed)), samples)


def ranges(pilots: int, seed: int) -> Iterator[RangeRow]:
    """Ask many pilots, and compare with the number from a benchmark fifty times as large."""
    for place, (world, n, tau) in enumerate(_PILOTS):
        rng = np.random.default_rng((seed, 2, place))
        whole = _needs(_pilot(world, rng, 50 * n, tau))
        found = [_needs(_pilot(world, rng, n, tau)) for _ in range(pilots)]
        for name, need in whole.items():
            if need is None or need.n is None:
                continue
            mine = [f[name] for f in found]
            ranges_ = [m for m in mine if m is not None and m.n is not None and m.low is not None]
            low = np.mean([m.low > need.n for m in ranges_ if m.low is not None])
            high = np.mean([m.high is not None and m.high < need.n for m in ranges_])
            none = 1.0 - len(ranges_) / len(mine)
            yield RangeRow(
                world.name,
                name,
                pilots,
                need.n,
                1.0 - float(low + high),
                float(high),
                float(low),
                none,
            )


def powers(samples: int, seed: int) -> Iterator[PowerRow]:
    """Simulate Null C on benchmarks whose gap is known, and compare with `power`."""
    for place, (delta, n) in enumerate(
        (d, n) for d in (0.0, 0.1, 0.2, 0.4) for n in (10, 30, 100, 300)
    ):
        rng = np.random.default_rng((seed, 3, place))
        for name, scores in (
            ("0 or 1", (rng.random((samples, n)) < delta).astype(float)),
            ("beta", rng.beta(*_beta(delta, 0.15), size=(samples, n)) if delta else None),
        ):
            if scores is None:
                continue
            part = [Contributions(row, 0.0, 1.0) for row in scores]
            tails = np.array([one_sided(p, 0.05, "dirichlet", seed=0, n_boot=0) for p in part])
            told = power(delta, n, sd=None if name == "0 or 1" else 0.15)
            half = ALPHA_ADJUSTED / 2
            yield PowerRow(
                name,
                delta,
                n,
                told.passes,
                float(np.mean(tails[:, 0] <= half)),
                told.fails,
                float(np.mean(tails[:, 1] < half)),
                samples,
            )


def _beta(mean: float, sd: float) -> tuple[float, float]:
    both = mean * (1 - mean) / sd**2 - 1
    return mean * both, (1 - mean) * both


def _pilot(world: World, rng: np.random.Generator, n: int, tau: float) -> GateResult:
    run, qrels = world.tables(rng, n)
    return falsify(
        run,
        qrels=qrels,
        corpus=world.corpus_size,
        metric=world.metric,
        tau=tau,
        n_boot=100,
        strict=False,
    )


def _needs(result: GateResult) -> dict[str, QueriesNeeded | None]:
    """Return what each null needs, also where it passes already."""
    opened = {k: dataclasses.replace(n, verdict="UNDER-NS") for k, n in result.nulls.items()}
    filled, gate = with_needs(opened, result.null_scores, result.protocol, is_query_blind=False)
    return {**{k: n.queries_needed for k, n in filled.items()}, "gate": gate}


def _passes(null: NullResult, chosen: IntArray, tau: float) -> bool:
    scale = 1.0 if null.scale == 1.0 else 1.0 - 1.0 / len(chosen)
    part = Contributions(null.contributions[chosen], *null.bounds, scale)
    p_pass, _ = one_sided(part, tau, "dirichlet", seed=0, n_boot=0)
    return p_pass <= ALPHA_ADJUSTED / 2
