"""Random streams: one seed, and for every component and block of draws a stream of its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

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
    "frequent": 10,
}
# Entries drawn per block, about. It depends on the benchmark alone, so that a draw does not
# depend on how many are made, in what chunks, or by whom.
_BLOCK_ENTRIES = 1 << 19


def stream(seed: int, component: str, number: int = 0) -> np.random.Generator:
    """Return one generator of one component.

    Parameters
    ----------
    seed : int
        The user's seed, at least 0.
    component : str
        A name of `COMPONENTS`.
    number : int
        Tells a component's streams apart.

    Examples
    --------
    >>> stream(2026, "uniform").random() == stream(2026, "uniform").random()
    True
    """
    return np.random.Generator(np.random.PCG64(_sequence(seed, component, number)))


def _sequence(seed: int, component: str, number: int) -> np.random.SeedSequence:
    return np.random.SeedSequence(seed, spawn_key=(COMPONENTS[component], number))


@dataclass(frozen=True, eq=False)
class Block:
    """One block of draws.

    Parameters
    ----------
    seed : int
        The user's seed.
    component : str
        What is drawn.
    number : int
        Number of the block.
    first, stop : int
        The draws wanted of it.
    length : int
        All draws that it has.
    """

    seed: int
    component: str
    number: int
    first: int
    stop: int
    length: int

    @cached_property
    def rng(self) -> np.random.Generator:
        """The block's own generator; making one takes as long as many a draw that is held."""
        sequence = _sequence(self.seed, self.component, self.number)
        # Draws are many: this one is half again as fast as numpy's default.
        return np.random.Generator(np.random.SFC64(sequence))

    @property
    def wanted(self) -> int:
        """How many of its draws are wanted: the first ones."""
        return self.stop - self.first


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
        yield Block(seed, component, number, first, min(first + length, n_draws), length)


def block_length(entries: int) -> int:
    """Return how many draws a block has, given the random entries per draw."""
    return max(1, min(256, _BLOCK_ENTRIES // max(entries, 1)))
