"""Random arrangements of one row, many at once."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["releases_interpreter", "shuffled"]

IntArray = npt.NDArray[np.int64]

_BITS = 32


def shuffled(
    rng: np.random.Generator, row: IntArray, n_kinds: int, n: int
) -> npt.NDArray[np.integer[Any]]:
    """Return a row in n random orders, all orders being equally likely.

    Sorting by random keys releases the interpreter, which numpy's own shuffle does not, and takes
    no longer. Key and entry share a word, which is sorted as it is. A row in which two keys are
    alike is drawn again: given that all differ, every order is as likely as any other.

    Parameters
    ----------
    rng : numpy.random.Generator
        Where the orders come from.
    row : numpy.ndarray of int, shape (n_entries,)
        Numbers below `n_kinds`.
    n_kinds : int
        How many there are.
    n : int
        How many orders.

    Returns
    -------
    numpy.ndarray of int, shape (n, n_entries)

    Examples
    --------
    >>> shuffled(np.random.default_rng(1), np.array([0, 0, 1, 2]), 3, 5).sum(axis=1).tolist()
    [3, 3, 3, 3, 3]
    """
    if not releases_interpreter(len(row), n_kinds):
        # In words of the machine's own size, which are exchanged fastest.
        rows = np.tile(row, (n, 1))
        return rng.permuted(rows, axis=1, out=rows)
    out = np.empty((n, len(row)), dtype=np.min_scalar_type(n_kinds))
    todo = np.arange(n)
    while len(todo):
        out[todo], has_twins = _sorted_by_chance(rng, row, n_kinds, len(todo))
        todo = todo[has_twins]
    return out


def _sorted_by_chance(
    rng: np.random.Generator, row: IntArray, n_kinds: int, n: int
) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.bool_]]:
    """Return a row sorted n times by random keys, and where two keys were alike."""
    lowest = np.uint32((1 << _width(n_kinds)) - 1)
    words = _random_words(rng, n * len(row)).reshape(n, len(row))
    words &= ~lowest
    words |= row.astype(np.uint32)
    words.sort(axis=1)
    apart = words[:, 1:] ^ words[:, :-1]
    has_twins = apart.min(axis=1, initial=~np.uint32(0)) <= lowest
    words &= lowest
    return words, has_twins


def _random_words(rng: np.random.Generator, n: int) -> npt.NDArray[np.uint32]:
    """Return random words: the halves of those that the generator makes, the lower ones first."""
    pairs = rng.integers(0, (1 << 64) - 1, -(-n // 2), dtype=np.uint64, endpoint=True)
    return pairs.astype("<u8", copy=False).view("<u4").astype(np.uint32, copy=False)[:n]


def releases_interpreter(n_entries: int, n_kinds: int) -> bool:
    """Return whether other threads can work meanwhile.

    That takes keys of so many bits that hardly one row in four has two alike.
    """
    return n_entries**2 < 1 << max(_BITS - 1 - _width(n_kinds), 0)


def _width(n_kinds: int) -> int:
    """Return the bits that hold any number below `n_kinds`."""
    return (n_kinds - 1).bit_length()
