"""Intervals and one-sided p-values of a gap, from its contributions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from falsify_nb.core.contributions import Contributions
from falsify_nb.core.dirichlet import WeightedMean
from falsify_nb.core.null_result import Interval
from falsify_nb.core.protocol import IntervalMethod
from falsify_nb.core.streams import blocks

__all__ = [
    "ALPHA",
    "ALPHA_ADJUSTED",
    "GapInterval",
    "gap_interval",
    "interval_at",
    "one_sided",
    "p_null",
]

FloatArray = npt.NDArray[np.float64]

ALPHA = 0.05
N_NULLS = 4
# Bonferroni over the four nulls: the four intervals hold together with 95 %.
ALPHA_ADJUSTED = ALPHA / N_NULLS
# A draw this close to the score, relatively, counts as reaching it: sums in another order differ
# in the last digits.
P_TOLERANCE = 1e-9
FEWEST_FOR_INTERVAL = 3


@dataclass(frozen=True, slots=True)
class GapInterval:
    """The intervals of a gap and its one-sided p-values at τ.

    Parameters
    ----------
    interval, interval_adjusted : Interval
        At 95 % and at 98.75 %.
    p_pass, p_fail : float
        Of Δ ≤ τ and of Δ ≥ τ.
    error : float
        Monte-Carlo standard error of the adjusted ends; 0 for the default interval.
    """

    interval: Interval
    interval_adjusted: Interval
    p_pass: float
    p_fail: float
    error: float = 0.0


def gap_interval(
    part: Contributions, tau: float, method: IntervalMethod, *, seed: int, n_boot: int
) -> GapInterval | None:
    """Return the intervals and p-values of a gap; None below three units.

    Parameters
    ----------
    part : Contributions
        What each query, or group of queries, adds.
    tau : float
        The threshold of the one-sided p-values.
    method : {"dirichlet", "percentile"}
        The interval.
    seed, n_boot : int
        Stream and number of resamples of the percentile interval.
    """
    if len(part.values) < FEWEST_FOR_INTERVAL:
        return None
    if method == "percentile":
        return _percentile(part, tau, seed, n_boot)
    return _dirichlet(part, tau)


def interval_at(
    part: Contributions, alpha: float, method: IntervalMethod, *, seed: int, n_boot: int
) -> Interval:
    """Return one interval of a gap, at level 1 − alpha.

    Parameters
    ----------
    part, method, seed, n_boot
        As in `gap_interval`.
    alpha : float
        The miss rate, both sides together.
    """
    if method == "percentile":
        return _percentile_ends(resampled_means(part, seed, n_boot), alpha)
    lower = WeightedMean.of(part.values, part.sizes)
    return _dirichlet_ends(part, lower, lower.mirrored(), alpha)


def one_sided(
    part: Contributions, tau: float, method: IntervalMethod, *, seed: int, n_boot: int
) -> tuple[float, float]:
    """Return p_pass and p_fail at a threshold, without the intervals' ends.

    Parameters
    ----------
    part, tau, method, seed, n_boot
        As in `gap_interval`.
    """
    if method == "percentile":
        return _percentile_p(resampled_means(part, seed, n_boot), tau)
    lower = WeightedMean.of(part.values, part.sizes)
    at = tau / part.scale
    return lower.cdf(at, part.low), lower.mirrored().cdf(-at, -part.high)


def _dirichlet(part: Contributions, tau: float) -> GapInterval:
    """The Dirichlet bootstrap with a pseudo-query at the worst and at the best possible value.

    Learned-Miller & Thomas 2019, arXiv:1905.06208. On 0/1 scores it equals Clopper–Pearson.
    """
    lower = WeightedMean.of(part.values, part.sizes)
    upper = lower.mirrored()
    at = tau / part.scale
    return GapInterval(
        _dirichlet_ends(part, lower, upper, ALPHA),
        _dirichlet_ends(part, lower, upper, ALPHA_ADJUSTED),
        lower.cdf(at, part.low),
        upper.cdf(-at, -part.high),
    )


def _dirichlet_ends(
    part: Contributions, lower: WeightedMean, upper: WeightedMean, alpha: float
) -> Interval:
    low = lower.quantile(alpha / 2, part.low)
    high = -upper.quantile(alpha / 2, -part.high)
    return Interval(low * part.scale, high * part.scale)


def _percentile(part: Contributions, tau: float, seed: int, n_boot: int) -> GapInterval:
    """The classic bootstrap of the mean over queries (Efron 1979), resampled by index."""
    means = resampled_means(part, seed, n_boot)
    return GapInterval(
        _percentile_ends(means, ALPHA),
        _percentile_ends(means, ALPHA_ADJUSTED),
        *_percentile_p(means, tau),
        _quantile_error(np.sort(means), ALPHA_ADJUSTED / 2),
    )


def _percentile_ends(means: FloatArray, alpha: float) -> Interval:
    low, high = np.quantile(means, [alpha / 2, 1 - alpha / 2])
    return Interval(float(low), float(high))


def _percentile_p(means: FloatArray, tau: float) -> tuple[float, float]:
    """Return the shares of the resamples below and above τ.

    They are read off the quantile function that gives the ends, interpolation included: a share is
    below α/2 exactly where an end lies beyond τ. The least one is half a resample, never 0.
    """
    ordered, n = np.sort(means), len(means)
    at = int(np.searchsorted(ordered, tau))
    below = float(at == n)
    if 0 < at < n:
        left, right = ordered[at - 1], ordered[at]
        below = float((at - 1 + (tau - left) / (right - left)) / (n - 1))
    least = 0.5 / (n + 1)
    return max(below, least), max(1.0 - below, least)


def resampled_means(part: Contributions, seed: int, n_boot: int) -> FloatArray:
    """Return the gap of `n_boot` resamples of the units with replacement, shape (n_boot,)."""
    n = len(part.values)
    out = np.empty(n_boot)
    for block in blocks(seed, "percentile", n_boot, n):
        index = block.rng.integers(0, n, (block.length, n), dtype=np.int32)
        index = index[: block.wanted]
        sums = part.values[index].sum(axis=1)
        queries = n if part.sizes is None else part.sizes[index].sum(axis=1)
        out[block.first : block.stop] = part.scale * sums / queries
    return out


def _quantile_error(ordered: FloatArray, p: float) -> float:
    """Return the standard error of the outer quantiles, from the spread of order statistics."""
    n = len(ordered)
    reach = np.sqrt(n * p * (1 - p))
    spread = []
    for centre in (n * p, n * (1 - p)):
        a, b = np.clip(np.round([centre - reach, centre + reach]), 0, n - 1).astype(int)
        spread.append((ordered[b] - ordered[a]) / 2)
    return float(max(spread))


def p_null(score: float, draws: FloatArray) -> float:
    """Return (1 + draws that reach the score) / (draws + 1), never 0.

    Phipson & Smyth 2010, Statistical Applications in Genetics and Molecular Biology 9(1).

    Examples
    --------
    >>> p_null(0.1 + 0.2, np.full(99, 0.3))
    1.0
    """
    reached = int((draws >= score - P_TOLERANCE * max(abs(score), 1e-300)).sum())
    return (1 + reached) / (len(draws) + 1)
