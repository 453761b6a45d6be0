"""Null D's draws: how documents are dealt, and which rankings meet them."""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from falsify_nb.core.benchmark import Gold
from falsify_nb.core.contributions import Units
from falsify_nb.core.draw_cache import Source
from falsify_nb.core.gain_dealer import GainDealer
from falsify_nb.core.label_draws import gold_key
from falsify_nb.core.marginals import Marginals
from falsify_nb.core.streams import Block

__all__ = ["Dealt", "MarginalDraws", "Meetings"]

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
DrawArray = npt.NDArray[np.int32]
Codes = npt.NDArray[np.unsignedinteger[Any]]
Table = npt.NDArray[Any]

# Documents cumulated at once, see `_Line`.
_RUN = 16
# Draws cumulated at once: more of them spare calls, and leave the processor's own cache
# (python -m benchmarks.draws).
_MOST_AT_ONCE = 8
_BYTES_AT_ONCE = 1 << 21


@dataclass(frozen=True, slots=True, eq=False)
class Dealt:
    """A block of draws.

    Parameters
    ----------
    docs : numpy.ndarray of int, shape (n_draws, n_live)
        Positions among the gold documents: all that are relevant to some query, in the order that
        they are cumulated in.
    start : numpy.ndarray of float, shape (n_draws, n_units)
        Each unit's first point u.
    gains : numpy.ndarray of int, shape (n_draws, n_slots), or None
        The gains as dealt, positions in `MarginalDraws.palette`; None where no query has gains
        that differ.
    """

    docs: DrawArray
    start: FloatArray
    gains: Codes | None = None

    @property
    def nbytes(self) -> int:
        """Memory held."""
        return sum(a.nbytes for a in (self.docs, self.start, self.gains) if a is not None)


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
    first_slot : numpy.ndarray of int, shape (n_queries,)
        Where each query's slots begin.
    own_gains, worth : numpy.ndarray of float, shape (n_slots,)
        Gain of each slot before any gain is dealt, and the same over the normaliser.
    palette : numpy.ndarray of float, shape (n_gains,)
        The distinct gains.
    """

    def __init__(self, gold: Gold, marginals: Marginals, units: Units) -> None:
        self.gold = gold
        self.units = units
        self.marginals = marginals
        order = np.argsort(marginals.size_class[gold.owner], kind="stable")
        self.owner = gold.owner[order]
        self.own_gains = gold.gain[order]
        self.worth = gold.worth[order]
        starts = np.flatnonzero(np.diff(self.owner, prepend=-1))
        self.first_slot = np.empty(len(gold.sizes), dtype=np.int64)
        self.first_slot[self.owner[starts]] = starts
        self.palette, code = np.unique(self.own_gains, return_inverse=True)
        first = self.first_slot[self.owner]
        self._gains = GainDealer(first, code, gold.sizes[self.owner])
        self.live = np.flatnonzero(gold.frequency)

    def source(self, seed: int) -> Source[Dealt]:
        """Return the source of these draws."""
        key = gold_key(self.gold, self.units)
        return Source(key, "marginal", seed, len(self.owner), self.draw)

    def draw(self, block: Block) -> Dealt:
        """Return a whole block of draws."""
        n_units = len(self.units)
        docs = np.empty((block.length, len(self.live)), dtype=np.int32)
        start = np.empty((block.length, n_units))
        for row in range(block.length):
            docs[row] = block.rng.permutation(self.live)
            start[row] = block.rng.random(n_units)
        return Dealt(docs, start, self._gains.deal(block) if len(self._gains) else None)

    def documents(self, dealt: Dealt) -> DrawArray:
        """Return the document in every slot, shape (n_draws, n_slots)."""
        model = self.marginals
        line = _Line(model.pi, len(self.live), 1)
        slot = np.arange(len(self.owner)) - self.first_slot[self.owner]
        # The classes' lines stand one after the other: class a takes up R_a of the whole, so that
        # all points of a draw are found in one search.
        offset = np.cumsum(model.size) - model.size
        size_class = model.size_class[self.owner]
        out = np.empty((len(dealt.docs), len(self.owner)), dtype=np.int32)
        for row, order, start in zip(out, dealt.docs, dealt.start, strict=True):
            ends = line.cumulate(model.freq_class[order][None])[line.place].T + offset[:, None]
            points = (offset[size_class] + slot) + start[self.units.of[self.owner]]
            at = np.searchsorted(ends.ravel(), points, side="right") - size_class * len(order)
            # Rounding may leave a point a hair beyond its class's last document.
            row[:] = order[np.clip(at, 0, len(order) - 1)]
        return out

    def gains(self, dealt: Dealt) -> FloatArray | None:
        """Return the gain in every slot, shape (n_draws, n_slots); None where it is the query's."""
        return None if dealt.gains is None else self.palette[dealt.gains]


class Meetings:
    """Which of some pairs of a query and a document the draws join, without dealing the rest.

    A document's stretch of the cumulated line says which points fall on it: none or one. Only the
    pairs asked for are looked at, a few thousand where a ranking counts to a small depth, however
    many documents are dealt.

    Parameters
    ----------
    source : MarginalDraws
        The draws.
    query, doc : numpy.ndarray of int, shape (n_pairs,)
        The pairs.
    """

    def __init__(self, source: MarginalDraws, query: IntArray, doc: IntArray) -> None:
        model, n_live = source.marginals, len(source.live)
        self._source = source
        self._doc = doc
        self._unit = source.units.of[query]
        self._size_class = model.size_class[query]
        self._pi = model.of(query, doc)
        self._last = model.size[self._size_class] - 1
        # Cumulated either by class of R, or as numbers of documents by class of frequency, which a
        # product with π turns into the same: whichever takes less time. Small whole numbers are
        # cumulated some four times as fast.
        n_sizes, n_frequencies = model.pi.shape
        by_numbers = (n_live + 4 * len(doc)) * n_frequencies
        self.by_size = 4 * n_live * n_sizes < by_numbers
        whole = np.uint16 if n_live < 1 << 16 else np.uint32
        self._table = model.pi if self.by_size else np.eye(n_frequencies, dtype=whole)
        self._weight = None if self.by_size else model.pi[self._size_class]
        self._lines = threading.local()

    def of_draws(self, dealt: Dealt, n_draws: int) -> tuple[IntArray, IntArray, IntArray]:
        """Return the pairs that the first so many draws join, and the number of the query's slot.

        Returns
        -------
        draw : numpy.ndarray of int, shape (n_joined,)
            Increasing.
        pair : numpy.ndarray of int, shape (n_joined,)
            Positions among the pairs, increasing within a draw.
        slot : numpy.ndarray of int, shape (n_joined,)
            0 … R − 1.
        """
        n_at_once = self.line(1).draws_at_once
        parts = [
            self._of_few(dealt, slice(first, min(first + n_at_once, n_draws)))
            for first in range(0, n_draws, n_at_once)
        ]
        draw, pair, slot = (np.concatenate(part) for part in zip(*parts, strict=True))
        return draw, pair, slot

    def _of_few(self, dealt: Dealt, rows: slice) -> tuple[IntArray, IntArray, IntArray]:
        # In words of the machine's own size, which numpy takes for positions as they are.
        order = dealt.docs[rows].astype(np.int64)
        line = self.line(len(order))
        cumulated = line.cumulate(self._source.marginals.freq_class.take(order))
        at = line.places_of(order, self._doc)
        if self._weight is None:
            high = cumulated[at, self._size_class]
        else:
            numbers = cumulated.take(at, axis=0).astype(np.float64)
            high = np.einsum("npf,pf->np", numbers, self._weight)
        high -= dealt.start[rows].take(self._unit, axis=1)
        # The points u, u + 1, … below a place x are ⌈x − u⌉ in number.
        first = np.ceil(high - self._pi)
        joined = np.flatnonzero(np.ceil(high) > first)
        draw, pair = np.divmod(joined, len(self._doc))
        slot = np.maximum(first.ravel()[joined].astype(np.int64), 0)
        return draw + rows.start, pair, np.minimum(slot, self._last[pair])

    def line(self, n_draws: int) -> _Line:
        """Return this thread's scratch memory for so many draws."""
        lines: dict[int, _Line] = self._lines.__dict__.setdefault("of", {})
        if n_draws not in lines:
            n_docs = self._source.gold.n_docs
            lines[n_draws] = _Line(self._table, len(self._source.live), n_draws, n_docs)
        return lines[n_draws]


class _Line:
    """Scratch memory in which the documents of a few draws are cumulated.

    Runs of documents are cumulated for all runs at once, then over the runs in the same way:
    faster than one long cumulation (python -m benchmarks.draws). Memory that is asked of the
    system anew for each draw would cost as much again.

    Parameters
    ----------
    table : numpy.ndarray, shape (n_lines, n_classes)
        What a document of each class adds to each line.
    n_live : int
        Documents in a draw.
    n_draws : int
        How many draws at once.
    n_docs : int, optional
        Numbers that documents have; for `places_of`.
    """

    def __init__(self, table: Table, n_live: int, n_draws: int, n_docs: int = 0) -> None:
        n_lines, n_classes = table.shape
        n_runs = -(-n_live // _RUN)
        width = max(1, math.isqrt(n_runs))
        shape = (_RUN, width, -(-n_runs // width))
        nothing = np.zeros((1, n_lines), table.dtype)
        self._table = np.concatenate([table.T, nothing])
        self._inside = np.empty((*shape, n_draws, n_lines), table.dtype)
        self._padded = np.full((n_draws, math.prod(shape)), n_classes)
        # The order of the documents runs along a run, over the runs of a column, over the columns.
        places = np.arange(math.prod(shape)).reshape(shape).transpose(2, 1, 0).ravel()[:n_live]
        # Where the documents of the first draw stand in what `cumulate` returns.
        self.place = places * n_draws
        self._place_of = np.zeros((n_draws, n_docs), dtype=np.int64)
        self._places = self.place + np.arange(n_draws)[:, None]
        self.draws_at_once = max(1, min(_MOST_AT_ONCE, _BYTES_AT_ONCE // self._inside.nbytes))

    def cumulate(self, doc_class: IntArray) -> Table:
        """Return the sums up to and including each document.

        Parameters
        ----------
        doc_class : numpy.ndarray of int, shape (n_draws, n_live)
            The class of each document, in each draw's order.

        Returns
        -------
        numpy.ndarray, shape (places × n_draws, n_lines)
        """
        inside = self._inside
        self._padded[:, : doc_class.shape[1]] = doc_class
        classes = self._padded.reshape(-1, *inside.shape[2:0:-1], _RUN).transpose(3, 2, 1, 0)
        # Every class is within the table; "clip" spares a copy that "raise" would make.
        np.take(self._table, classes, axis=0, out=inside, mode="clip")
        _add_up(inside)
        runs = inside[-1]
        before = runs.copy()
        _add_up(before)
        columns = before[-1].copy()
        before -= runs
        before += np.cumsum(columns, axis=0, dtype=columns.dtype) - columns
        inside += before
        flat: Table = inside.reshape(-1, inside.shape[-1])
        return flat

    def places_of(self, order: IntArray, docs: IntArray) -> IntArray:
        """Return where documents stand in what `cumulate` returns, shape (n_draws, n_asked).

        One that is relevant to no query stands anywhere: it adds nothing.
        """
        for number, (place_of, mine) in enumerate(zip(self._place_of, order, strict=True)):
            place_of[mine] = self._places[number]
        return self._place_of.take(docs, axis=1)


def _add_up(steps: Table) -> None:
    for i in range(1, len(steps)):
        steps[i] += steps[i - 1]
