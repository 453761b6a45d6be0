"""Sums of M over the pairs of queries that belong to one group."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from falsify_nb.core.contributions import Units
from falsify_nb.core.grouping import expand
from falsify_nb.core.pairs import Pairs

__all__ = ["pairs_within", "within_units"]

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

# Pairs of queries held at once.
_CHUNK_PAIRS = 2_000_000


def pairs_within(units: Units) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield (i, j) for all pairs of queries of one group, i = j included, in chunks of groups."""
    order = np.argsort(units.of, kind="stable")
    starts = np.cumsum(units.sizes) - units.sizes
    work = np.cumsum(units.sizes**2) // _CHUNK_PAIRS
    for chunk in range(int(work[-1]) + 1):
        groups = np.flatnonzero(work == chunk)
        sizes = units.sizes[groups]
        members = expand(starts[groups], sizes)
        fan = np.repeat(sizes, sizes)
        first = np.repeat(order[members], fan)
        yield first, order[expand(np.repeat(starts[groups], sizes), fan)]


def within_units(pairs: Pairs, units: Units) -> tuple[FloatArray, FloatArray]:
    """Return Σ_j M_ij and Σ_j M_ji over the queries j of i's own group, shape (n_queries,)."""
    n = len(units.of)
    rows, columns = np.zeros(n), np.zeros(n)
    for i, j in pairs_within(units):
        value = pairs.at(i, j)
        rows += np.bincount(i, value, n)
        columns += np.bincount(j, value, n)
    return rows, columns
