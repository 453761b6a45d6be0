"""Looking up, for many draws at once, what each ranking earns with the gold it was dealt."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["Lookup"]

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
DrawArray = npt.NDArray[np.int32]
Codes = npt.NDArray[np.unsignedinteger[Any]]
# The slots concerned (all, or some), and each one's column and value.
Layer = tuple[IntArray | slice, DrawArray, FloatArray]

# A dense table is held when it fits into this, or when the pairs fill a good part of it.
DENSE_BUDGET_BYTES = 128_000_000
_BYTES_PER_PAIR = 32
# Slots looked up at once: scratch arrays this small stay in the processor's cache, and the memory
# for them is used again instead of being asked of the system each time.
_CHUNK_SLOTS = 16384
# Picking slots out of a draw costs about as much as comparing eight times as many.
_SPARSE = 0.125


@dataclass(frozen=True, slots=True, eq=False)
class Lookup:
    """Values by (slot, column), where draws say which column each slot got.

    A slot is a query (for whole gold sets) or one gold document's place (for single documents);
    slot s reads row ``rows[s]`` of a sparse matrix.

    Parameters
    ----------
    dense : numpy.ndarray, shape (n_rows × n_columns,), or None
        The whole matrix, where it is small: positions in `palette`, in as few bytes as do.
    palette : numpy.ndarray of float, shape (n_values,)
        The distinct values, 0 first. A table of bytes stays in the processor's cache where one
        of floats would not.
    base : numpy.ndarray of int, shape (n_slots,)
        Where each slot's row begins in `dense`.
    layers : tuple
        Otherwise the j-th entry of every slot that has one: (slots, columns, values). Comparing
        layer by layer costs as much as there are pairs, and no table of queries × gold sets.
    """

    dense: Codes | None
    palette: FloatArray
    base: IntArray
    layers: tuple[Layer, ...]

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
        palette, code = np.unique(np.append(0.0, value), return_inverse=True)
        kind = np.min_scalar_type(len(palette))
        if cells * kind.itemsize <= max(DENSE_BUDGET_BYTES, _BYTES_PER_PAIR * len(row)):
            # Values are never negative here, so that 0 comes first.
            dense = np.zeros(cells, dtype=kind)
            dense[row * shape[1] + column] = code[1:]
            return cls(dense, palette, rows * shape[1], ())
        starts = np.searchsorted(row, np.arange(shape[0] + 1))
        sizes = np.diff(starts)[rows]
        layers = [
            _layer(np.flatnonzero(sizes > j), starts[rows] + j, column, value, len(rows))
            for j in range(int(sizes.max(initial=0)))
        ]
        return cls(None, palette, rows, tuple(layers))

    def totals(self, draws: DrawArray, weight: FloatArray | None = None) -> FloatArray:
        """Return the sum over slots of each draw, shape (n_draws,).

        Parameters
        ----------
        draws : numpy.ndarray of int, shape (n_draws, n_slots)
            The column that each slot got.
        weight : numpy.ndarray of float, shape (n_slots,), optional
            What each slot's value is multiplied by.
        """
        out = np.zeros(len(draws))
        if self.dense is not None:
            scratch = np.empty(min(_CHUNK_SLOTS + draws.shape[1], draws.size))
            for (rows, slots), codes in self._dense_codes(self.dense, draws):
                values = scratch[: codes.size].reshape(codes.shape)
                self.palette.take(codes, out=values, mode="clip")
                if weight is not None:
                    values *= weight[slots]
                out[rows] += values.sum(axis=1)
            return out
        for draw, slot, value in self._layer_hits(draws):
            factor = 1.0 if weight is None else weight[slot]
            out += np.bincount(draw, value * factor, len(draws))
        return out

    def _dense_codes(
        self, dense: Codes, draws: DrawArray
    ) -> Iterator[tuple[tuple[slice, slice], Codes]]:
        """Yield parts of the draws, and the place in the palette of each of their values.

        How the slots are cut depends on their number alone, so that a sum over them does not
        depend on how many draws stand beside it.
        """
        n_draws, n_slots = draws.shape
        width = min(n_slots, _CHUNK_SLOTS)
        height = max(1, _CHUNK_SLOTS // max(width, 1))
        place = np.empty(width * height, dtype=np.int64)
        found = np.empty(width * height, dtype=dense.dtype)
        for first in range(0, n_draws, height):
            rows = slice(first, first + height)
            for begin in range(0, n_slots, _CHUNK_SLOTS):
                slots = slice(begin, begin + _CHUNK_SLOTS)
                dealt = draws[rows, slots]
                at = place[: dealt.size].reshape(dealt.shape)
                codes = found[: dealt.size].reshape(dealt.shape)
                np.add(self.base[slots], dealt, out=at)
                # Every place is within the table; "clip" spares a copy that "raise" would make.
                dense.take(at, out=codes, mode="clip")
                yield (rows, slots), codes

    def _layer_hits(self, draws: DrawArray) -> Iterator[tuple[IntArray, IntArray, FloatArray]]:
        for slots, column, value in self.layers:
            equal = np.flatnonzero(draws[:, slots] == column)
            draw, place = np.divmod(equal, len(column))
            slot = place if isinstance(slots, slice) else slots[place]
            yield draw, slot, value[place]


def _layer(
    slots: IntArray, at: IntArray, column: IntArray, value: FloatArray, n_slots: int
) -> Layer:
    """Return one entry of every slot that has one, over all slots where most have."""
    if len(slots) < _SPARSE * n_slots:
        return slots, column[at[slots]].astype(np.int32), value[at[slots]]
    columns, values = np.full(n_slots, -1, dtype=np.int32), np.zeros(n_slots)
    columns[slots], values[slots] = column[at[slots]], value[at[slots]]
    return slice(None), columns, values
