"""The draws that all systems of one benchmark share."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import TypeVar, cast

import numpy as np
import numpy.typing as npt

from falsify_nb.core.ahead import ahead
from falsify_nb.core.benchmark import Gold
from falsify_nb.core.contributions import Units
from falsify_nb.core.marginal_draws import Dealt
from falsify_nb.core.streams import Block, block_length, blocks

__all__ = [
    "DRAWS",
    "DrawCache",
    "draw_sets",
    "gold_key",
    "unchanged",
]

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
DrawArray = npt.NDArray[np.int32]

CACHE_BUDGET_BYTES = 512_000_000


def draw_sets(gold: Gold, kind: str, block: Block, units: Units) -> DrawArray:
    """Deal whole gold sets out: which distinct set each query gets.

    Parameters
    ----------
    gold : Gold
        The effective gold.
    kind : {"permuted", "uniform"}
        Null A's permutation of the queries, or Null B's independent uniform choice.
    block : Block
        The draws wanted.
    units : Units
        With groups, A deals whole groups out (of equal sizes, never a group to itself) and B
        chooses once per group.

    Returns
    -------
    numpy.ndarray of int, shape (block.length, n_queries)
    """
    if kind == "uniform":
        shape = (block.length, len(units))
        chosen = block.rng.integers(0, len(gold.set_query), shape, dtype=np.int32)
        return chosen[:, units.of] if units.grouped else chosen
    if units.grouped:
        return _permuted_groups(gold, block, units)
    out = np.empty((block.length, len(gold.gold_set)), dtype=np.int32)
    for row in out:
        row[:] = block.rng.permutation(gold.gold_set)
    return out


def _permuted_groups(gold: Gold, block: Block, units: Units) -> DrawArray:
    """Deal groups around a random circle: every other group comes with the same probability."""
    members = np.argsort(units.of, kind="stable").reshape(len(units), -1)
    out = np.empty((block.length, len(gold.gold_set)), dtype=np.int32)
    for row in out:
        circle = block.rng.permutation(len(units))
        dealt = block.rng.permuted(members[np.roll(circle, -1)], axis=1)
        row[members[circle]] = gold.gold_set[dealt]
    return out


Drawn = TypeVar("Drawn", bound="DrawArray | FloatArray | Dealt")
Used = TypeVar("Used")


def unchanged(_block: Block, drawn: Drawn) -> Drawn:
    """Return a block's draws themselves, for `DrawCache.blocks`."""
    return drawn


class DrawCache:
    """Draws kept for the next system on the same benchmark, oldest out first.

    The key is the content of the gold, so that a cached draw can only be the right one.
    """

    def __init__(self, budget: int = CACHE_BUDGET_BYTES) -> None:
        self.budget = budget
        self._held: OrderedDict[tuple[object, ...], DrawArray | FloatArray | Dealt] = OrderedDict()
        self._lock = threading.Lock()

    def blocks(
        self,
        key: tuple[bytes, bytes],
        component: str,
        seed: int,
        n_draws: int,
        entries: int,
        make: Callable[[Block], Drawn],
        use: Callable[[Block, Drawn], Used],
        *,
        in_steps: bool = False,
    ) -> Iterator[tuple[Block, Used]]:
        """Yield each block with what `use` finds in its draws, a few blocks ahead in threads.

        Draws that are held are read on the spot: looking up is quicker than handing over.

        Parameters
        ----------
        key : tuple of bytes
            What the draws depend on, see `falsify_nb.core.task.Task.key`.
        component, seed, n_draws, entries
            As in `falsify_nb.core.streams.blocks`.
        make : callable
            Draws a block that is not held.
        use : callable
            Reads it; neither may change what it is given.
        in_steps : bool
            Whether that takes many short steps, at each of which threads would wait for each other.
        """
        n_blocks = -(-n_draws // block_length(entries))

        def used(block: Block) -> tuple[Block, Used]:
            place = (*key, component, seed, block.first)
            with self._lock:
                held = self._held.get(place)
            if held is not None:
                return block, use(block, cast("Drawn", held))
            made = make(block)
            self._keep(place, made, made.nbytes * n_blocks)
            return block, use(block, made)

        with self._lock:
            is_held = (*key, component, seed, 0) in self._held
        each = map if in_steps or is_held else ahead
        yield from each(used, blocks(seed, component, n_draws, entries))

    def _keep(
        self, place: tuple[object, ...], drawn: DrawArray | FloatArray | Dealt, total: int
    ) -> None:
        # What would not fit whole is drawn again each time: half a cache is thrown out anyway.
        if total > self.budget // 3:
            return
        with self._lock:
            self._held[place] = drawn
            while sum(d.nbytes for d in self._held.values()) > self.budget:
                self._held.popitem(last=False)

    def clear(self) -> None:
        """Let go of everything held."""
        with self._lock:
            self._held.clear()


# The package's one store of draws; its content only saves time.
DRAWS = DrawCache()


def gold_key(gold: Gold) -> bytes:
    """Return a fingerprint of the effective gold."""
    digest = hashlib.blake2b(digest_size=16)
    for array in (gold.indptr, gold.doc, gold.gain):
        digest.update(np.ascontiguousarray(array).view(np.uint8).data)
    return digest.digest()
