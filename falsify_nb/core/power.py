"""What a benchmark of n queries can decide, before any of them is written."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr
from scipy.stats import beta, binom

from falsify_nb.core.dirichlet import WeightedMean
from falsify_nb.core.intervals import ALPHA_ADJUSTED
from falsify_nb.core.outlook import LEAST_UNITS, Outlook
from falsify_nb.core.protocol import check_integer, check_number
from falsify_nb.errors import OptionError, shorten

__all__ = ["Power", "power"]

FloatArray = npt.NDArray[np.float64]

# Equally likely scores that stand for a continuous distribution.
_NODES = 400


@dataclass(frozen=True, slots=True)
class Power:
    """The chances of the three verdicts on one null.

    Parameters
    ----------
    passes, fails : float
        Chance of PASS and of FAIL, 0 to 1.
    n : int
        Number of queries.
    delta : float
        The true gap.
    tau : float
        The threshold.
    null : float
        Expected score of the null.
    sd : float
        Standard deviation of the scores.
    """

    passes: float
    fails: float
    n: int
    delta: float
    tau: float
    null: float
    sd: float

    @property
    def undecided(self) -> float:
        """Chance of UNDER-NS."""
        return max(0.0, 1.0 - self.passes - self.fails)

    def __str__(self) -> str:
        return (
            f"a true gap of {self.delta:g} over {self.n:,} queries: PASS {self.passes:.1%}, "
            f"UNDER-NS {self.undecided:.1%}, FAIL {self.fails:.1%} (τ = {self.tau:g})"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the fields and the chance of UNDER-NS."""
        return {**dataclasses.asdict(self), "undecided": self.undecided}


def power(
    delta: float, n: int, *, tau: float = 0.05, null: float = 0.0, sd: float | None = None
) -> Power:
    """Return how likely a gap of a given size is to be seen with n queries.

    A gate passes when all four nulls do, which is about as likely as the one with the smallest gap:
    give that one's gap.

    Parameters
    ----------
    delta : float
        The true gap, score − expected score of the null, −1 to 1.
    n : int
        Number of queries, at least 1.
    tau : float
        The threshold, 0 to 1.
    null : float
        Expected score of the null, 0 to 1: the same for all queries.
    sd : float, optional
        Standard deviation of the queries' scores. Default: the largest possible, that of scores
        which are 0 or 1 (such as Success@1); nDCG@10 has 0.3 to 0.4 as a rule.

    Returns
    -------
    Power
        For 0/1 scores exact; else for scores with a beta distribution, by a saddle-point
        approximation that is good to about 0.02.

    Raises
    ------
    OptionError
        If a value is outside its range, or scores cannot have this mean and spread.

    Examples
    --------
    >>> print(power(0.3, 30))
    a true gap of 0.3 over 30 queries: PASS 92.3%, UNDER-NS 7.7%, FAIL 0.0% (τ = 0.05)
    >>> power(1.0, 5).passes
    1.0
    """
    for name, value, low, high in (
        ("delta", delta, -1.0, 1.0),
        ("tau", tau, 0.0, 1.0),
        ("null", null, 0.0, 1.0),
    ):
        check_number(name, value, low, high)
    check_integer("n", n, 1)
    check_number("null + delta, the system's score,", null + delta, 0.0, 1.0)
    mean = min(1.0, null + delta)
    largest = math.sqrt(mean * (1.0 - mean))
    if sd is not None and not 0 <= sd <= largest + 1e-12:
        raise OptionError(
            f"sd={shorten(sd)}: scores from 0 to 1 with mean {mean:g} have a standard deviation "
            f"of at most {largest:.4f}",
            remedy="Leave sd out for that largest one.",
        )
    if n < LEAST_UNITS:
        passes = fails = 0.0
    elif sd is None or sd >= largest:
        passes, fails = _of_hits(mean, int(n), tau, null)
    else:
        passes, fails = _of_grades(mean, sd, int(n), tau, null)
    return Power(passes, fails, int(n), delta, tau, null, largest if sd is None else sd)


def _of_hits(mean: float, n: int, tau: float, null: float) -> tuple[float, float]:
    """Return the chances for scores of 0 and 1: the number of hits decides, and is binomial."""

    def seen(hits: int) -> WeightedMean:
        counts = np.array([n - hits, hits], dtype=float)
        live = counts > 0
        values = np.array([-null, 1.0 - null])[live]
        return WeightedMean(values, np.ones(len(values)), counts[live])

    def passes(hits: int) -> bool:
        return seen(hits).cdf(tau, -null) <= ALPHA_ADJUSTED / 2

    def stays(hits: int) -> bool:
        return seen(hits).mirrored().cdf(-tau, null - 1.0) >= ALPHA_ADJUSTED / 2

    enough, fewest = _first(passes, n), _first(stays, n)
    return float(binom.sf(enough - 1, n, mean)), float(binom.cdf(fewest - 1, n, mean))


def _first(holds: Callable[[int], bool], n: int) -> int:
    """Return the first of 0 … n for which a monotone condition holds, else n + 1."""
    low, high = 0, n + 1
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return low


def _of_grades(mean: float, sd: float, n: int, tau: float, null: float) -> tuple[float, float]:
    scores = np.array([mean])
    if sd > 0:
        both = mean * (1.0 - mean) / sd**2 - 1.0
        places = (np.arange(_NODES) + 0.5) / _NODES
        scores = beta.ppf(places, mean * both, (1.0 - mean) * both)
        # Equally likely nodes cut the tails off; put mean and spread right again.
        scores = np.clip(mean + (scores - scores.mean()) * (sd / scores.std()), 0.0, 1.0)
    ones, weights = np.ones(len(scores)), np.full(len(scores), 1.0 / len(scores))
    above = Outlook(scores - null, ones, weights, -null, tau)
    below = Outlook(null - scores, ones, weights, null - 1.0, -tau)
    return float(ndtr(above.z_power(n))), float(ndtr(below.z_power(n)))
