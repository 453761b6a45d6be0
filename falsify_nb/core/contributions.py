"""What each query adds to a gap: delete-one pseudo-values, and how far they can reach.

An expectation that depends on the other queries must not be held fixed: leaving a query out takes
its ranking out, and its gold away from all the others. The pseudo-values N·Δ − (N−1)·Δ(without i)
carry both (Efron & Stein 1981, Annals of Statistics 9). For the mean over pairs of Null A they are
those of a U-statistic and have a closed form.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = ["Contributions", "marginal", "permuted", "retrieval", "uniform"]

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

# Below this many queries the observed extremes say little about the possible ones.
FEW_QUERIES = 10


@dataclass(frozen=True, slots=True, eq=False)
class Contributions:
    """Contributions whose mean, times `scale`, is the gap.

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


def retrieval(scores: FloatArray, expected: FloatArray, bounds: tuple[float, float]) -> Contributions:
    """Null C: the plain differences s_i − e_i."""
    low, high = _reach(expected, bounds)
    return Contributions(scores - expected, low, high)


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
    low, high = _reach(row, bounds)
    if not (n < FEW_QUERIES and _varies(row)):
        low, high = min(low, float(values.min())), max(high, float(values.max()))
    return Contributions(values, low, high, scale=1.0 - 1.0 / n)


def uniform(
    scores: FloatArray,
    pool_sums: FloatArray,
    set_sums: FloatArray,
    gold_set: IntArray,
    bounds: tuple[float, float],
) -> Contributions:
    """Null B: without query i its gold set leaves the pool too, when no other query has it.

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
    bounds : tuple of float
        Range of the metric.
    """
    n, n_sets = len(scores), len(set_sums)
    total = float(pool_sums.sum())
    delta = float(scores.mean()) - total / (n * n_sets)
    alone = (np.bincount(gold_set, minlength=n_sets) == 1)[gold_set]
    left = total - pool_sums - np.where(alone, set_sums[gold_set] - scores, 0.0)
    pool = np.where(alone, n_sets - 1, n_sets)
    without = (scores.sum() - scores) / (n - 1) - left / ((n - 1) * pool)
    return _pseudo_values(delta, without, pool_sums / n_sets, bounds)


def marginal(
    scores: FloatArray, expected: FloatArray, shift: FloatArray, bounds: tuple[float, float]
) -> Contributions:
    """Null D with several gold documents: margins move with the query left out.

    Parameters
    ----------
    scores, expected : numpy.ndarray of float, shape (n_queries,)
        The system's scores and E[D] per query.
    shift : numpy.ndarray of float, shape (n_queries,)
        How much the summed expectation of the *other* queries changes when query i is left out,
        through the margins (`falsify_nb.core.marginal_shift`).
    bounds : tuple of float
        Range of the metric.
    """
    n = len(scores)
    delta = float((scores - expected).mean())
    others = (scores - expected).sum() - (scores - expected) - shift
    return _pseudo_values(delta, others / (n - 1), expected, bounds)


def _pseudo_values(
    delta: float, without: FloatArray, expected: FloatArray, bounds: tuple[float, float]
) -> Contributions:
    n = len(without)
    values = n * delta - (n - 1) * without
    values += delta - values.mean()
    low, high = _reach(expected, bounds)
    if not (n < FEW_QUERIES and _varies(expected)):
        low, high = min(low, float(values.min())), max(high, float(values.max()))
    return Contributions(values, low, high)


def _reach(expected: FloatArray, bounds: tuple[float, float]) -> tuple[float, float]:
    """Return the smallest and largest possible s − e."""
    low, high = bounds
    if len(expected) < FEW_QUERIES and _varies(expected):
        return low - high, high - low
    return low - float(expected.max()), high - float(expected.min())


def _varies(expected: FloatArray) -> bool:
    return float(np.ptp(expected)) > 1e-12
