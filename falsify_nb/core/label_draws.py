"""The draws that all systems of one benchmark share."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar, cast

import numpy as np
import numpy.typing as npt

from falsify_nb.core.ahead import ahead
from falsify_nb.core.benchmark import Gold
from falsify_nb.core.contributions import Units
from falsify_nb.core.marginals import Marginals
from falsify_nb.core.streams import Block, block_length, blocks

__all__ = [
    "DRAWS",
    "Dealt",
    "DrawCache",
    "MarginalDraws",
    "draw_sets",
    "gold_key",
    "unchanged",
]

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
DrawArray = npt.NDArray[np.int32]

# Labels cumulated at once, see `MarginalDraws`; a power of two.
_RUN = 16

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


@dataclass(frozen=True, slots=True, eq=False)
class Dealt:
    """Null D's draws: the document in every slot, and the gain dealt to it.

    Parameters
    ----------
    docs : numpy.ndarray of int, shape (n_draws, n_slots)
        Positions among the gold documents.
    gains : numpy.ndarray of float, shape (n_draws, n_slots), or None
        The gains as dealt; None where no query has gains that differ.
    """

    docs: DrawArray
    gains: FloatArray | None = None

    @property
    def nbytes(self) -> int:
        """Memory held."""
        return self.docs.nbytes + (0 if self.gains is None else self.gains.nbytes)


class MarginalDraws:
    """Null D's draw: each query keeps R_i and its gains, documents come by frequency.

    Randomised systematic sampling (Madow 1949, Annals of Mathematical Statistics 20): labels in
    random order, their probabilities cumulated, and one of every point u, u + 1, … taken. It draws
    exactly R_i documents with exactly the inclusion probabilities π. Within a draw all queries
    share the order, which leaves each query's probabilities as they are; the queries of a group
    share u too.

    Attributes
    ----------
    owner : numpy.ndarray of int, shape (n_slots,)
        The query of each slot; slots are sorted by class of R, then by query.
    order : numpy.ndarray of int, shape (n_slots,)
        The gold's own entry of each slot.
    worth : numpy.ndarray of float, shape (n_slots,)
        Gain over normaliser of each slot before any gain is dealt.
    """

    def __init__(self, gold: Gold, marginals: Marginals, units: Units) -> None:
        self.gold = gold
        self._units = units
        self.marginals = marginals
        order = np.argsort(marginals.size_class[gold.owner], kind="stable")
        self.order = order
        self.owner = gold.owner[order]
        self.worth = gold.worth[order]
        self._gain = gold.gain[order]
        lowest = np.minimum.reduceat(gold.gain, gold.indptr[:-1])
        self._mixed = bool((gold.gain > np.repeat(lowest, gold.sizes)).any())
        self._live = np.flatnonzero(gold.frequency)
        self._n_runs = -(-len(self._live) // _RUN)
        self._size_class = marginals.size_class[self.owner]
        # The classes' cumulated probabilities stand one after the other on one line: class a
        # takes up R_a of it, so that all points of a draw are found in one search.
        size = marginals.size.astype(float)
        self._offset = np.cumsum(size) - size
        place = np.arange(len(gold.doc)) - np.repeat(gold.indptr[:-1], gold.sizes)
        self._pi = np.column_stack([marginals.pi, np.zeros(len(size))])
        self._first_point = self._offset[self._size_class] + place[order]

    def draw(self, block: Block) -> Dealt:
        """Return a whole block of draws."""
        if self.gold.is_single:
            shape = (block.length, len(self._units))
            chosen = block.rng.integers(0, len(self.owner), shape, dtype=np.int32)
            docs = self.gold.doc.astype(np.int32)[chosen]
            return Dealt(docs[:, self._units.of] if self._units.grouped else docs)
        docs = np.empty((block.length, len(self.owner)), dtype=np.int32)
        # Asking the system for this much memory anew for each draw takes as long as filling it.
        scratch = np.empty((len(self._offset), _RUN, self._n_runs))
        for row in docs:
            self._one(block.rng, row, scratch)
        return Dealt(docs, self._dealt_gains(block) if self._mixed else None)

    def _one(self, rng: np.random.Generator, out: DrawArray, scratch: FloatArray) -> None:
        order = rng.permutation(self._live)
        start = rng.random(len(self._units))[self._units.of]
        points = self._first_point + start[self.owner]
        at = self._labels_at(points, self.marginals.freq_class[order], scratch)
        out[:] = order[np.minimum(at, len(order) - 1)]

    def _labels_at(self, points: FloatArray, freq_class: IntArray, inside: FloatArray) -> IntArray:
        """Return the place in the order of the label that each point falls on.

        Probabilities are cumulated within runs of labels for all classes of R at once, then over
        the runs; a point finds its run, then its label in the run. It halves the time of one long
        cumulation and search (python -m benchmarks.draws).
        """
        n_runs = self._n_runs
        padded = np.full(n_runs * _RUN, self._pi.shape[1] - 1)
        padded[: len(freq_class)] = freq_class
        # Every class is within the table; "clip" spares a copy that "raise" would make.
        np.take(self._pi, padded.reshape(n_runs, _RUN).T, axis=1, out=inside, mode="clip")
        for i in range(1, _RUN):
            inside[:, i] += inside[:, i - 1]
        ends = inside[:, -1].copy()
        ends[:, 0] += self._offset
        np.cumsum(ends, axis=1, out=ends)
        run = np.searchsorted(ends.ravel(), points, side="right")
        first = self._size_class * n_runs
        # Rounding may leave a point a hair beyond its class's last label.
        run = np.clip(run, first, first + n_runs - 1)
        cell = run + self._size_class * (_RUN - 1) * n_runs
        flat = inside.ravel()
        rest = points - (ends.ravel()[run] - flat[cell + (_RUN - 1) * n_runs])
        label = np.zeros(len(points), dtype=np.int64)
        for half in (8, 4, 2, 1):
            label += half * (flat[cell + (label + half - 1) * n_runs] <= rest)
        return (run - first) * _RUN + label

    def _dealt_gains(self, block: Block) -> FloatArray:
        gains = np.empty((block.length, len(self.owner)))
        begin = 0
        for number, size in enumerate(self.marginals.size.tolist()):
            stop = begin + size * int((self.marginals.size_class == number).sum())
            own = np.broadcast_to(self._gain[begin:stop], (block.length, stop - begin))
            dealt = block.rng.permuted(own.reshape(-1, size), axis=1)
            gains[:, begin:stop] = dealt.reshape(block.length, -1)
            begin = stop
        return gains


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
    ) -> Iterator[tuple[Block, Used]]:
        """Yield each block with what `use` finds in its draws, a few blocks ahead in threads.

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

        yield from ahead(used, blocks(seed, component, n_draws, entries))

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
