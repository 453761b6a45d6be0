"""Looking up, for many draws at once, what each ranking earns with the gold it was dealt."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["Lookup", "set_dtype"]

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
Codes = npt.NDArray[np.unsignedinteger[Any]]
DrawArray = npt.NDArray[np.integer[Any]]
# The slots concerned (all, or some), and each one's column and value.
Layer = tuple[IntArray | slice, DrawArray, FloatArray]

# A dense table is held when it fits into this, or when the pairs fill a good part of it.
DENSE_BUDGET_BYTES = 128_000_000
# One this small stays in a processor's cache as it is; a larger one may as codes of a byte.
_FLOAT_TABLE_BYTES = 4_000_000
_BYTES_PER_PAIR = 32
# Slots looked up at once: scratch arrays this small stay in the processor's cache.
_CHUNK_SLOTS = 1 << 17
# Picking slots out of a draw costs about as much as comparing eight times as many.
_SPARSE = 0.125


def set_dtype(n_sets: int) -> np.dtype[np.integer[Any]]:
    """Return the type in which dealt gold sets are held: the fewer bytes, the faster they are read.

    Its largest number is left free.
    """
    return np.min_scalar_type(n_sets)


@dataclass(frozen=True, slots=True, eq=False)
class Lookup:
    """Values by (slot, column), where draws say which column each slot got.

    A slot is a query, a column a gold set; slot s reads row ``rows[s]`` of a sparse matrix.

    Parameters
    ----------
    dense : numpy.ndarray, shape (n_rows × n_columns,), or None
        The whole matrix, where it is small: its values, or positions in `palette` in as few bytes
        as do.
    palette : numpy.ndarray of float, shape (n_values,), or None
        The distinct values, 0 first, where `dense` holds positions.
    base : numpy.ndarray of int, shape (n_slots,)
        Where each slot's row begins in `dense`.
    layers : tuple
        Otherwise the j-th entry of every slot that has one: (slots, columns, values). Comparing
        layer by layer costs as much as there are pairs, and no table of queries × gold sets.
    """

    dense: npt.NDArray[Any] | None
    palette: FloatArray | None
    base: IntArray
    layers: tuple[Layer, ...]
    # Each thread's memory for `totals`: asking it of the system anew takes as long as using it.
    _scratch: threading.local = field(default_factory=threading.local, init=False, repr=False)

    @classmethod
    def build(
        cls,
        rows: IntArray,
        shape: tuple[int, int],
        row: IntArray,
        column: IntArray,
        value: FloatArray,
    ) -> Lookup:
        """Prepare the lookup.

        Parameters
        ----------
        rows : numpy.ndarray of int, shape (n_slots,)
            The row that each slot reads.
        shape : tuple of int
            Number of rows and columns.
        row, column, value : numpy.ndarray, shape (n_pairs,)
            The entries, sorted by row.
        """
        cells = shape[0] * shape[1]
        base = rows * shape[1]
        if cells * value.itemsize <= _FLOAT_TABLE_BYTES:
            table = np.zeros(cells)
            table[row * shape[1] + column] = value
            return cls(table, None, base, ())
        palette, code = np.unique(np.append(0.0, value), return_inverse=True)
        kind = np.min_scalar_type(len(palette))
        if cells * kind.itemsize <= max(DENSE_BUDGET_BYTES, _BYTES_PER_PAIR * len(row)):
            # Values are never negative here, so that 0 comes first.
            dense = np.zeros(cells, dtype=kind)
            dense[row * shape[1] + column] = code[1:]
            return cls(dense, palette, base, ())
        starts = np.searchsorted(row, np.arange(shape[0] + 1))
        sizes = np.diff(starts)[rows]
        column = column.astype(set_dtype(shape[1]))
        layers = [
            _layer(np.flatnonzero(sizes > j), starts[rows] + j, column, value, len(rows))
            for j in range(int(sizes.max(initial=0)))
        ]
        return cls(None, None, rows, tuple(layers))

    def totals(self, draws: DrawArray) -> FloatArray:
        """Return the sum over slots of each draw, shape (n_draws,).

        Parameters
        ----------
        draws : numpy.ndarray of int, shape (n_draws, n_slots)
            The column that each slot got.
        """
        out = np.zeros(len(draws))
        if self.dense is not None:
            for rows, values in self._dense_values(self.dense, draws):
                out[rows] += values.sum(axis=1)
            return out
        for draw, value in self._layer_hits(draws):
            out += np.bincount(draw, value, len(draws))
        return out

    def _dense_values(
        self, dense: npt.NDArray[Any], draws: DrawArray
    ) -> Iterator[tuple[slice, FloatArray]]:
        """Yield the values of a part of the slots, for some draws at a time.

        How the slots are cut depends on their number alone, so that a sum over them does not
        depend on how many draws stand beside it.
        """
        n_draws, n_slots = draws.shape
        width = min(n_slots, _CHUNK_SLOTS)
        height = max(1, _CHUNK_SLOTS // max(width, 1))
        place, found, looked_up = self._memory(dense, min(height, n_draws) * width)
        for first in range(0, n_draws, height):
            rows = slice(first, first + height)
            for begin in range(0, n_slots, _CHUNK_SLOTS):
                slots = slice(begin, begin + _CHUNK_SLOTS)
                dealt = draws[rows, slots]
                at = place[: dealt.size].reshape(dealt.shape)
                entries = found[: dealt.size].reshape(dealt.shape)
                values = looked_up[: dealt.size].reshape(dealt.shape)
                np.add(self.base[slots], dealt, out=at)
                # Every place is within the table; "clip" spares a copy that "raise" would make.
                dense.take(at, out=entries, mode="clip")
                if self.palette is not None:
                    self.palette.take(entries, out=values, mode="clip")
                yield rows, values

    def _memory(
        self, dense: npt.NDArray[Any], size: int
    ) -> tuple[IntArray, npt.NDArray[Any], FloatArray]:
        held: tuple[IntArray, npt.NDArray[Any], FloatArray] | None
        held = getattr(self._scratch, "arrays", None)
        if held is None or len(held[0]) < size:
            found = np.empty(size, dtype=dense.dtype)
            values: FloatArray = found if self.palette is None else np.empty(size)
            held = self._scratch.arrays = (np.empty(size, dtype=np.int64), found, values)
        return held

    def _layer_hits(self, draws: DrawArray) -> Iterator[tuple[IntArray, FloatArray]]:
        for slots, column, value in self.layers:
            equal = np.flatnonzero(draws[:, slots] == column)
            draw, place = np.divmod(equal, len(column))
            yield draw, value[place]


def _layer(
    slots: IntArray, at: IntArray, column: DrawArray, value: FloatArray, n_slots: int
) -> Layer:
    """Return one entry of every slot that has one, over all slots where most have."""
    if len(slots) < _SPARSE * n_slots:
        return slots, column[at[slots]], value[at[slots]]
    # The type's largest number is no column's.
    nothing = np.iinfo(column.dtype).max
    columns, values = np.full(n_slots, nothing, dtype=column.dtype), np.zeros(n_slots)
    columns[slots], values[slots] = column[at[slots]], value[at[slots]]
    return slice(None), columns, values
