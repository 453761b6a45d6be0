"""Dealing whole gold sets out: Nulls A and B, and Null D where every query has one document."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from falsify_nb.core.benchmark import Gold
from falsify_nb.core.contributions import Units
from falsify_nb.core.draw_cache import Source
from falsify_nb.core.lookup import set_dtype
from falsify_nb.core.shuffling import releases_interpreter, shuffled
from falsify_nb.core.streams import Block

__all__ = ["DrawArray", "Kind", "draw_sets", "draws_of_sets", "gold_key", "sets_to_draw_ahead"]

IntArray = npt.NDArray[np.int64]
DrawArray = npt.NDArray[np.integer[Any]]
Kind = Literal["permuted", "uniform", "frequent"]


def draw_sets(gold: Gold, kind: Kind, block: Block, units: Units) -> DrawArray:
    """Deal whole gold sets out: which distinct set each query gets.

    Parameters
    ----------
    gold : Gold
        The effective gold.
    kind : {"permuted", "uniform", "frequent"}
        Null A's permutation of the queries; Null B's independent uniform choice; the gold of a
        random query, which is Null D where every query has one gold document.
    block : Block
        The draws wanted.
    units : Units
        With groups, A deals whole groups out (of equal sizes, never a group to itself), and the
        others choose once per group.

    Returns
    -------
    numpy.ndarray of int, shape (block.length, n_queries)
    """
    dealt = _DEALERS[kind](gold, block, units)
    return dealt.astype(set_dtype(len(gold.set_query)), copy=False)


def draws_of_sets(gold: Gold, kind: Kind, units: Units, seed: int) -> Source[DrawArray]:
    """Return the source of such draws.

    Parameters
    ----------
    gold, kind, units
        As in `draw_sets`.
    seed : int
        The user's seed.
    """

    def make(block: Block) -> DrawArray:
        return draw_sets(gold, kind, block, units)

    n, n_sets = len(gold.norm), len(gold.set_query)
    alongside = kind != "permuted" or (not units.grouped and releases_interpreter(n, n_sets))
    return Source(gold_key(gold, units), kind, seed, n, make, alongside)


def sets_to_draw_ahead(gold: Gold, units: Units, seed: int) -> list[Source[DrawArray]]:
    """Return the sources whose draws are worth making while something else is done.

    Those of Null B are made faster than they could be handed over.

    Parameters
    ----------
    gold, units, seed
        As in `draws_of_sets`.
    """
    kinds: list[Kind] = [] if np.ptp(units.sizes) > 0 else ["permuted"]
    if gold.is_single:
        kinds.append("frequent")
    return [draws_of_sets(gold, kind, units, seed) for kind in kinds]


def _permuted(gold: Gold, block: Block, units: Units) -> DrawArray:
    if units.grouped:
        return _permuted_groups(gold, block, units)
    return shuffled(block.rng, gold.gold_set, len(gold.set_query), block.length)


def _uniform(gold: Gold, block: Block, units: Units) -> DrawArray:
    shape = (block.length, len(units))
    n_sets = len(gold.set_query)
    chosen = block.rng.integers(0, n_sets, shape, dtype=_word(n_sets))
    return chosen[:, units.of] if units.grouped else chosen


def _frequent(gold: Gold, block: Block, units: Units) -> DrawArray:
    shape = (block.length, len(units))
    n = len(gold.gold_set)
    chosen = block.rng.integers(0, n, shape, dtype=_word(n))
    # Every number is one of a query; "clip" spares a look at each.
    dealt = gold.gold_set.astype(set_dtype(len(gold.set_query))).take(chosen, mode="clip")
    return dealt[:, units.of] if units.grouped else dealt


def _word(n: int) -> type[np.uint16 | np.int32]:
    """Return the type in which numpy draws numbers below n fastest."""
    return np.uint16 if n < 1 << 16 else np.int32


def _permuted_groups(gold: Gold, block: Block, units: Units) -> DrawArray:
    """Deal groups around a random circle: every other group comes with the same probability."""
    members = np.argsort(units.of, kind="stable").reshape(len(units), -1)
    out = np.empty((block.length, len(gold.gold_set)), dtype=np.int32)
    for row in out:
        circle = block.rng.permutation(len(units))
        dealt = block.rng.permuted(members[np.roll(circle, -1)], axis=1)
        row[members[circle]] = gold.gold_set[dealt]
    return out


_DEALERS: dict[Kind, Callable[[Gold, Block, Units], DrawArray]] = {
    "permuted": _permuted,
    "uniform": _uniform,
    "frequent": _frequent,
}


def gold_key(gold: Gold, units: Units) -> tuple[bytes, bytes]:
    """Return what draws of gold depend on: the effective gold, and the grouping.

    Parameters
    ----------
    gold : Gold
        The effective gold.
    units : Units
        Queries, or groups of queries.
    """
    return gold.fingerprint, units.of.tobytes() if units.grouped else b""
