"""Each query's gains in random order over its slots, without touching those that are alike."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from falsify_nb.core.streams import Block

__all__ = ["GainDealer"]

IntArray = npt.NDArray[np.int64]
Codes = npt.NDArray[np.unsignedinteger[Any]]


class GainDealer:
    """Deals every query's gains out to its slots, all orders being equally likely.

    Only gains that differ from the query's most frequent one have to be placed, each in one
    exchange. With them in front, the exchanges of a Fisher–Yates shuffle of so many steps, done
    backwards, put them in random distinct slots (Durstenfeld 1964, Communications of the ACM 7: a
    shuffle and its inverse are equally likely). The last steps of all queries go first, together.

    Parameters
    ----------
    first : numpy.ndarray of int, shape (n_slots,)
        Where the slots of each slot's query begin; they are contiguous.
    code : numpy.ndarray of int, shape (n_slots,)
        The gain of each slot, by number.
    size : numpy.ndarray of int, shape (n_slots,)
        How many slots each slot's query has.
    """

    def __init__(self, first: IntArray, code: IntArray, size: IntArray) -> None:
        is_rare = code != _most_frequent(first, code)
        in_front = np.lexsort((~is_rare, first))
        n_codes = int(code.max(initial=0)) + 1
        self._start = code[in_front].astype(np.min_scalar_type(n_codes))
        step = np.arange(len(code)) - first
        at = np.flatnonzero(is_rare[in_front])
        at = at[np.argsort(-step[at], kind="stable")]
        self._at = at
        self._rest = size[at] - step[at]
        self._bounds = np.searchsorted(-step[at], -np.arange(step[at].max(initial=-1), -2, -1))

    def __len__(self) -> int:
        """How many gains a draw has to place."""
        return len(self._at)

    def deal(self, block: Block) -> Codes:
        """Return the gains of a whole block, shape (block.length, n_slots)."""
        out = np.tile(self._start, block.length)
        row = np.arange(block.length)[:, None] * len(self._start)
        shape = (block.length, len(self._at))
        here = row + self._at
        there = here + block.rng.integers(0, self._rest, shape)
        for begin, stop in zip(self._bounds[:-1], self._bounds[1:], strict=True):
            one, other = here[:, begin:stop], there[:, begin:stop]
            kept = out[one]
            out[one] = out[other]
            out[other] = kept
        return out.reshape(block.length, -1)


def _most_frequent(first: IntArray, code: IntArray) -> IntArray:
    """Return, for each slot, the gain that most slots of its query have."""
    n_codes = int(code.max(initial=0)) + 1
    pair, counts = np.unique(first * n_codes + code, return_counts=True)
    owner = pair // n_codes
    order = np.lexsort((pair, -counts, owner))
    best = order[np.flatnonzero(np.diff(owner[order], prepend=-1))]
    return (pair[best] % n_codes)[np.searchsorted(owner[best], first)]
