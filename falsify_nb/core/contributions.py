"""What each query, or group of queries, adds to a gap, and how far that can reach.

An expectation that depends on the other queries must not be held fixed: leaving a unit out takes
its rankings out, and its gold away from all the others. The pseudo-values H·Δ − (H−1)·Δ(without g)
of H units carry both (Efron & Stein 1981, Annals of Statistics 9). For the mean over pairs of
Null A they are those of a U-statistic and have a closed form.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from falsify_nb.core.grouping import sums_by

__all__ = ["Contributions", "Units", "from_deletions", "permuted", "retrieval", "uniform_without"]

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

# Below this many units the observed extremes say little about the possible ones.
FEW_UNITS = 10
# Expectations this close differ by rounding only.
_SAME = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """What is resampled: single queries, or groups of them.

    Parameters
    ----------
    of : numpy.ndarray of int, shape (n_queries,)
        The unit of each query.
    sizes : numpy.ndarray of int, shape (n_units,)
        Queries per unit.
    grouped : bool
        Whether the user gave groups.
    """

    of: IntArray
    sizes: IntArray
    grouped: bool

    @classmethod
    def single(cls, n_queries: int) -> Units:
        """Return one unit per query."""
        return cls(np.arange(n_queries), np.ones(n_queries, dtype=np.int64), grouped=False)

    @classmethod
    def of_groups(cls, group: IntArray) -> Units:
        """Return the units of a grouping, numbered from 0."""
        return cls(group, np.bincount(group), grouped=True)

    def __len__(self) -> int:
        return len(self.sizes)

    def sums(self, values: FloatArray) -> FloatArray:
        """Return the sum of a per-query quantity over each unit, shape (n_units,)."""
        return sums_by(self.of, values, len(self.sizes)) if self.grouped else values


@dataclass(frozen=True, slots=True, eq=False)
class Contributions:
    """Contributions whose mean per query, times `scale`, is the gap.

    Parameters
    ----------
    values : numpy.ndarray of float, shape (n_units,)
        One per query, or summed per group.
    low, high : float
        Bounds of a contribution per query.
    scale : float
        The gap is the mean contribution times this.
    sizes : numpy.ndarray of float, shape (n_units,), or None
        Queries per group; None when the units are single queries.
    """

    values: FloatArray
    low: float
    high: float
    scale: float = 1.0
    sizes: FloatArray | None = None

    def is_like(self, other: Contributions) -> bool:
        """Return whether all is equal, as where two nulls are one test."""
        if (self.low, self.high, self.scale) != (other.low, other.high, other.scale):
            return False
        return _equal(self.values, other.values) and _equal(self.sizes, other.sizes)


def _equal(one: FloatArray | None, other: FloatArray | None) -> bool:
    if one is None or other is None:
        return one is other
    return np.array_equal(one, other)


def retrieval(
    scores: FloatArray, expected: FloatArray, bounds: tuple[float, float], units: Units
) -> Contributions:
    """Null C: the plain differences s_i − e_i."""
    low, high = _reach(expected, bounds, units)
    return Contributions(units.sums(scores - expected), low, high, sizes=_sizes(units))


def permuted(
    scores: FloatArray, row_sums: FloatArray, column_sums: FloatArray, bounds: tuple[float, float]
) -> Contributions:
    """Null A, and D with single gold: pseudo-values of the mean over pairs of different queries.

    Parameters
    ----------
    scores : numpy.ndarray of float, shape (n_queries,)
        M_ii.
    row_sums, column_sums : numpy.ndarray of float, shape (n_queries,)
        Σ_j M_ij and Σ_j M_ji, i = j included.
    bounds : tuple of float
        Range of the metric.
    """
    n = len(scores)
    row = (row_sums - scores) / (n - 1)
    column = (column_sums - scores) / (n - 1)
    values = scores - ((n - 1) * (row + column) - n * row.mean()) / (n - 2)
    low, high = _bounded(values, row, bounds, Units.single(n))
    return Contributions(values, low, high, scale=1.0 - 1.0 / n)


def from_deletions(
    delta: float,
    without: FloatArray,
    expected: FloatArray,
    bounds: tuple[float, float],
    units: Units,
) -> Contributions:
    """Return contributions from the gap and the gap without each unit.

    Parameters
    ----------
    delta : float
        The gap.
    without : numpy.ndarray of float, shape (n_units,)
        The gap when each unit is left out.
    expected : numpy.ndarray of float, shape (n_queries,)
        The null's expectation per query, for the bounds.
    bounds : tuple of float
        Range of the metric.
    units : Units
        Queries or groups.

    Notes
    -----
    For a unit of n_g of N queries, n_g·Δ + (N − n_g)(Δ − Δ(without g)) is the sum S_g that gives
    back Δ(without g) exactly when the gap is a plain mean. With single queries it is the
    pseudo-value. All are shifted alike so that their mean is Δ.
    """
    sizes = units.sizes.astype(float)
    n = sizes.sum()
    sums = sizes * delta + (n - sizes) * (delta - without)
    sums += sizes * (delta - sums.sum() / n)
    low, high = _bounded(sums / sizes, expected, bounds, units)
    return Contributions(sums, low, high, sizes=_sizes(units))


def uniform_without(
    scores: FloatArray,
    pool_sums: FloatArray,
    set_sums: FloatArray,
    gold_set: IntArray,
) -> FloatArray:
    """Return Null B's gap without each query, whose gold set leaves the pool when it is its alone.

    Parameters
    ----------
    scores : numpy.ndarray of float, shape (n_queries,)
        M_ii.
    pool_sums : numpy.ndarray of float, shape (n_queries,)
        Σ of M_i over the distinct gold sets.
    set_sums : numpy.ndarray of float, shape (n_sets,)
        Σ over the queries of M against each distinct gold set.
    gold_set : numpy.ndarray of int, shape (n_queries,)
        Each query's gold set.
    """
    n, n_sets = len(scores), len(set_sums)
    alone = (np.bincount(gold_set, minlength=n_sets) == 1)[gold_set]
    left = pool_sums.sum() - pool_sums - np.where(alone, set_sums[gold_set] - scores, 0.0)
    pool = np.where(alone, n_sets - 1, n_sets)
    return (scores.sum() - scores) / (n - 1) - left / ((n - 1) * pool)


def _bounded(
    values: FloatArray, expected: FloatArray, bounds: tuple[float, float], units: Units
) -> tuple[float, float]:
    # A deletion can move a small benchmark by more than any single score could: a pseudo-value is
    # possible by having been observed.
    low, high = _reach(expected, bounds, units)
    return min(low, float(values.min())), max(high, float(values.max()))


def _reach(expected: FloatArray, bounds: tuple[float, float], units: Units) -> tuple[float, float]:
    """Return the smallest and largest possible s − e."""
    low, high = bounds
    # A few queries whose null expectation is the best score there is leave no room above the gap;
    # the next query may.
    is_at_the_top = float(expected.min()) >= high - _SAME
    if len(units) < FEW_UNITS and (_varies(expected) or is_at_the_top):
        return low - high, high - low
    return low - float(expected.max()), high - float(expected.min())


def _varies(expected: FloatArray) -> bool:
    return float(np.ptp(expected)) > _SAME


def _sizes(units: Units) -> FloatArray | None:
    return units.sizes.astype(float) if units.grouped else None
