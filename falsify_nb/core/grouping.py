"""Finding rows that are alike in a ragged table, without a loop over rows."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["expand", "group_rows", "sums_by"]

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
_MIX = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F)


def sums_by(index: IntArray, values: FloatArray, n: int) -> FloatArray:
    """Return the sum of the values at each index 0 … n − 1, shape (n,)."""
    return np.asarray(np.bincount(index, values, n), dtype=np.float64)


def expand(starts: IntArray, sizes: IntArray) -> IntArray:
    """Return the concatenation of the ranges ``starts[i] … starts[i] + sizes[i] − 1``."""
    total = int(sizes.sum())
    ends = np.cumsum(sizes)
    return np.arange(total) + np.repeat(starts - (ends - sizes), sizes)


def group_rows(indptr: IntArray, *columns: npt.NDArray[np.generic]) -> tuple[IntArray, IntArray]:
    """Number the distinct rows of a ragged table in order of first appearance.

    Parameters
    ----------
    indptr : numpy.ndarray of int, shape (n_rows + 1,)
        Row i holds the entries ``indptr[i]:indptr[i + 1]``; rows may be empty.
    *columns : numpy.ndarray, shape (n_entries,)
        The entries; two rows are alike when all columns are equal, in order.

    Returns
    -------
    group : numpy.ndarray of int, shape (n_rows,)
        The group of each row.
    first : numpy.ndarray of int, shape (n_groups,)
        The first row of each group.

    Examples
    --------
    >>> group_rows(np.array([0, 1, 2, 4]), np.array([7, 7, 7, 8]))
    (array([0, 0, 1]), array([0, 2]))
    """
    sizes = np.diff(indptr)
    keys = _row_hashes(indptr, sizes, columns)
    _, first, group = np.unique(keys, return_index=True, return_inverse=True)
    order = np.argsort(first, kind="stable")
    number = np.empty_like(order)
    number[order] = np.arange(len(order))
    group, first = number[group], first[order]
    if not _all_alike(indptr, sizes, columns, first[group]):
        # Two rows share a hash: astronomically rare, and then simply nothing is grouped.
        rows = np.arange(len(sizes))
        return rows, rows
    return group, first


def _row_hashes(
    indptr: IntArray, sizes: IntArray, columns: tuple[npt.NDArray[np.generic], ...]
) -> npt.NDArray[np.uint64]:
    place = np.arange(int(indptr[-1])) - np.repeat(indptr[:-1], sizes)
    mixed = _mix(place.astype(np.uint64) + np.uint64(1), _MIX[0])
    for column in columns:
        as_bits = np.ascontiguousarray(column)
        as_bits = as_bits.view(np.uint64) if as_bits.itemsize == 8 else as_bits.astype(np.uint64)
        mixed = _mix(mixed ^ _mix(as_bits, _MIX[1]), _MIX[0])
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(mixed, dtype=np.uint64)])
    return _mix((sums[indptr[1:]] - sums[indptr[:-1]]) ^ sizes.astype(np.uint64), _MIX[1])


def _mix(x: npt.NDArray[np.uint64], factor: int) -> npt.NDArray[np.uint64]:
    x = (x ^ (x >> np.uint64(31))) * np.uint64(factor)
    return x ^ (x >> np.uint64(29))


def _all_alike(
    indptr: IntArray,
    sizes: IntArray,
    columns: tuple[npt.NDArray[np.generic], ...],
    model: IntArray,
) -> bool:
    if not np.array_equal(sizes[model], sizes):
        return False
    entries = expand(indptr[:-1][model], sizes)
    return all(np.array_equal(column[entries], column) for column in columns)
