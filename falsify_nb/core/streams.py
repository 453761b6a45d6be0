"""Random streams: one seed, and for every component and block of draws a stream of its own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

__all__ = ["Block", "block_length", "blocks", "stream"]

# Fixed keys: changing one changes every published draw.
COMPONENTS = {
    "permuted": 1,
    "uniform": 2,
    "retrieval": 3,
    "marginal": 4,
    "percentile": 5,
    "halves": 6,
    "subsets": 7,
    "documents": 8,
    "planning": 9,
}
# Entries drawn per block, about. It depends on the benchmark alone, so that a draw does not
# depend on how many are made, in what chunks, or by whom.
_BLOCK_ENTRIES = 1 << 18


def stream(seed: int, component: str, block: int = 0) -> np.random.Generator:
    """Return the generator of one block of one component.

    Parameters
    ----------
    seed : int
        The user's seed, at least 0.
    component : str
        A name of `COMPONENTS`.
    block : int
        Number of the block.

    Examples
    --------
    >>> stream(2026, "uniform").random() == stream(2026, "uniform").random()
    True
    """
    sequence = np.random.SeedSequence(seed, spawn_key=(COMPONENTS[component], block))
    return np.random.Generator(np.random.PCG64(sequence))


def blocks(seed: int, component: str, n_draws: int, entries: int) -> Iterator[Block]:
    """Yield the blocks that hold draws 0 … n_draws − 1.

    A block is always drawn whole, so that its draws do not depend on how many are asked for.

    Parameters
    ----------
    seed, component
        As in `stream`.
    n_draws : int
        Number of draws in all.
    entries : int
        Random entries per draw; it alone sets the blocks' length.
    """
    length = block_length(entries)
    for number in range(-(-n_draws // length)):
        first = number * length
        yield Block(stream(seed, component, number), first, min(first + length, n_draws), length)


def block_length(entries: int) -> int:
    """Return how many draws a block has, given the random entries per draw."""
    return max(1, min(64, _BLOCK_ENTRIES // max(entries, 1)))


class Block(NamedTuple):
    """One block: its generator, the draws wanted of it, and its whole length."""

    rng: np.random.Generator
    first: int
    stop: int
    length: int
