"""Looking up, for many draws at once, what each ranking earns with the gold it was dealt."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = ["Lookup"]

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
DrawArray = npt.NDArray[np.int32]

# A dense table is held when it fits into this, or when the pairs fill a good part of it.
DENSE_BUDGET_BYTES = 128_000_000
_DENSE_PER_PAIR = 4


@dataclass(frozen=True, slots=True, eq=False)
class Lookup:
    """Values by (slot, column), where draws say which column each slot got.

    A slot is a query (for whole gold sets) or one gold document's place (for single documents);
    slot s reads row ``rows[s]`` of a sparse matrix.

    Parameters
    ----------
    dense : numpy.ndarray of float, shape (n_rows × n_columns,), or None
        The whole matrix, where it is small.
    base : numpy.ndarray of int, shape (n_slots,)
        Where each slot's row begins in `dense`.
    layers : tuple
        Otherwise the j-th entry of every slot that has one: (slots, columns, values). Comparing
        layer by layer costs as much as there are pairs, and no table of queries × gold sets.
    """

    dense: FloatArray | None
    base: IntArray
    layers: tuple[tuple[IntArray | slice, DrawArray, FloatArray], ...]

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
        if cells * 8 <= max(DENSE_BUDGET_BYTES, _DENSE_PER_PAIR * 8 * len(row)):
            dense = np.zeros(cells)
            dense[row * shape[1] + column] = value
            return cls(dense, rows * shape[1], ())
        starts = np.searchsorted(row, np.arange(shape[0] + 1))
        sizes = np.diff(starts)[rows]
        layers: list[tuple[IntArray | slice, DrawArray, FloatArray]] = []
        for j in range(int(sizes.max(initial=0))):
            slots = np.flatnonzero(sizes > j)
            at = starts[rows[slots]] + j
            which = slice(None) if len(slots) == len(rows) else slots
            layers.append((which, column[at].astype(np.int32), value[at]))
        return cls(None, rows, tuple(layers))

    def totals(self, draws: DrawArray, weight: FloatArray | None = None) -> FloatArray:
        """Return the sum over slots of each draw, shape (n_draws,).

        Parameters
        ----------
        draws : numpy.ndarray of int, shape (n_draws, n_slots)
            The column that each slot got.
        weight : numpy.ndarray of float, shape (n_slots,) or (n_draws, n_slots), optional
            What each slot's value is multiplied by.
        """
        if self.dense is not None:
            values = self.dense.take(self.base + draws)
            if weight is not None:
                values *= weight
            return values.sum(axis=1)
        out = np.zeros(len(draws))
        for draw, slot, value in self._layer_hits(draws):
            factor = 1.0 if weight is None else _weight_at(weight, draw, slot)
            out += np.bincount(draw, value * factor, len(draws))
        return out

    def hits(self, draws: DrawArray) -> tuple[IntArray, IntArray, FloatArray]:
        """Return draw, slot and value wherever the value is not 0, in no order."""
        if self.dense is not None:
            values = self.dense.take(self.base + draws)
            draw, slot = np.nonzero(values)
            return draw, slot, values[draw, slot]
        parts = list(self._layer_hits(draws))
        if not parts:
            return np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0)
        draw, slot, value = (np.concatenate(p) for p in zip(*parts, strict=True))
        return draw, slot, value

    def _layer_hits(self, draws: DrawArray):  # type: ignore[no-untyped-def]  # noqa: ANN202
        for slots, column, value in self.layers:
            equal = np.flatnonzero(draws[:, slots] == column)
            draw, place = np.divmod(equal, len(column))
            slot = place if isinstance(slots, slice) else slots[place]
            yield draw, slot, value[place]


def _weight_at(weight: FloatArray, draw: IntArray, slot: IntArray) -> FloatArray:
    return weight[slot] if weight.ndim == 1 else weight[draw, slot]
