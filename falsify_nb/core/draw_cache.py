"""The draws that all systems of one benchmark share: made once, kept, and made ahead of need."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar, cast

from falsify_nb.core.ahead import ahead
from falsify_nb.core.streams import Block, block_length, blocks

__all__ = ["DRAWS", "DrawCache", "Source", "unchanged"]


class _Sized(Protocol):
    @property
    def nbytes(self) -> int: ...


Drawn = TypeVar("Drawn", bound=_Sized)
Used = TypeVar("Used")
Item = TypeVar("Item")

CACHE_BUDGET_BYTES = 512_000_000
# Fewer entries than this are drawn before a thread has begun.
_WORTH_A_THREAD = 500_000
# At most; where gold sets are few, an entry takes one byte.
_BYTES_PER_ENTRY = 4


@dataclass(frozen=True, slots=True, eq=False)
class Source(Generic[Drawn]):
    """Where draws come from.

    Parameters
    ----------
    key : tuple of bytes
        What the draws depend on besides, see `falsify_nb.core.label_draws.gold_key`.
    component, seed, entries
        As in `falsify_nb.core.streams.blocks`.
    make : callable
        Draws a whole block.
    alongside : bool
        Whether other threads can work while it does.
    """

    key: tuple[bytes, bytes]
    component: str
    seed: int
    entries: int
    make: Callable[[Block], Drawn]
    alongside: bool = False

    def place(self, number: int) -> tuple[object, ...]:
        """Return what names a block among all that were ever drawn."""
        return (*self.key, self.component, self.seed, number)

    def blocks(self, n_draws: int) -> Iterator[Block]:
        """Yield the blocks that hold the first so many draws."""
        return blocks(self.seed, self.component, n_draws, self.entries)

    def n_blocks(self, n_draws: int) -> int:
        """Return how many blocks these are."""
        return -(-n_draws // block_length(self.entries))


def unchanged(_block: Block, drawn: Drawn) -> Drawn:
    """Return a block's draws themselves, for `DrawCache.blocks`."""
    return drawn


class DrawCache:
    """Draws kept for the next system on the same benchmark, oldest out first.

    The key is the content of the gold, so that a cached draw can only be the right one.
    """

    def __init__(self, budget: int = CACHE_BUDGET_BYTES) -> None:
        self.budget = budget
        self._held: OrderedDict[tuple[object, ...], _Sized] = OrderedDict()
        self._coming: dict[tuple[object, ...], Future[Any]] = {}
        # The pool of whoever is within `making`.
        self._mine = threading.local()
        self._lock = threading.Lock()

    def blocks(
        self,
        source: Source[Drawn],
        n_draws: int,
        use: Callable[[Block, Drawn], Used],
        *,
        in_steps: bool = False,
    ) -> Iterator[tuple[Block, Used]]:
        """Yield each block with what `use` finds in its draws, a few blocks ahead in threads.

        Draws that are held are read on the spot: looking up is quicker than handing over. Within
        `making` its thread reads the last ones, once it has made all that it was to make.

        Parameters
        ----------
        source : Source
            Draws a block that is not held.
        n_draws : int
            How many draws are wanted.
        use : callable
            Reads a block; neither may change what it is given.
        in_steps : bool
            Whether that takes many short steps, at each of which threads would wait for each other.
        """

        def used(block: Block) -> tuple[Block, Used]:
            return block, use(block, self._taken(source, block, n_draws))

        pool = getattr(self._mine, "pool", None)
        if pool is not None and source.alongside:
            yield from _shared_out(pool, used, list(source.blocks(n_draws)))
            return
        with self._lock:
            is_held = source.place(0) in self._held
        each = map if in_steps or is_held else ahead
        yield from each(used, source.blocks(n_draws))

    @contextmanager
    def making(self, sources: Iterable[Source[Any]], n_draws: int) -> Iterator[None]:
        """Have draws made by a thread while something else is done.

        Whoever needs a block that the thread has not begun makes it himself.

        Parameters
        ----------
        sources : iterable of Source
            In the order in which they are to be made; those that would not gain by it, or would
            not be kept, are passed over.
        n_draws : int
            How many draws of each.
        """
        wanted = [
            (source, block)
            for source in sources
            if source.alongside
            and n_draws * source.entries >= _WORTH_A_THREAD
            # What would not be kept must not pile up.
            and n_draws * source.entries * _BYTES_PER_ENTRY <= self.budget // 3
            for block in source.blocks(n_draws)
        ]
        with self._lock:
            wanted = [w for w in wanted if w[0].place(w[1].number) not in self._held]
        if not wanted or (os.cpu_count() or 1) == 1:
            yield
            return
        pool, outer = ThreadPoolExecutor(1), getattr(self._mine, "pool", None)
        mine: dict[tuple[object, ...], Future[Any]] = {}
        try:
            # No thread can be started at a limit, or while the interpreter ends: then whoever
            # needs a block makes it.
            with suppress(RuntimeError):
                for source, block in wanted:
                    mine[source.place(block.number)] = pool.submit(source.make, block)
                self._mine.pool = pool
            with self._lock:
                self._coming.update(mine)
            yield
        finally:
            # A gate may be called within a gate, by a metric or a progress hook.
            self._mine.pool = outer
            pool.shutdown(cancel_futures=True)
            with self._lock:
                for place in mine:
                    self._coming.pop(place, None)

    def forget_threads(self) -> None:
        """Let go of what a thread was to bring: in a forked process it never will."""
        self._lock = threading.Lock()
        self._mine = threading.local()
        self._coming = {}

    def _taken(self, source: Source[Drawn], block: Block, n_draws: int) -> Drawn:
        place = source.place(block.number)
        with self._lock:
            held = self._held.get(place)
            coming = self._coming.pop(place, None)
        if held is not None:
            return cast("Drawn", held)
        made = source.make(block) if coming is None or coming.cancel() else coming.result()
        self._keep(place, made, made.nbytes * source.n_blocks(n_draws))
        return made

    def _keep(self, place: tuple[object, ...], drawn: _Sized, total: int) -> None:
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


def _shared_out(
    pool: ThreadPoolExecutor, make: Callable[[Item], Used], items: list[Item]
) -> Iterator[Used]:
    """Yield ``make(item)`` in order; a pool takes items from the end, the caller the others."""
    futures: dict[int, Future[Used]] = {}
    # See `DrawCache.making` for when nothing can be handed over.
    with suppress(RuntimeError):
        for number in reversed(range(len(items))):
            futures[number] = pool.submit(make, items[number])
    for number, item in enumerate(items):
        future = futures.get(number)
        yield make(item) if future is None or future.cancel() else future.result()


# The package's one store of draws; its content only saves time.
DRAWS = DrawCache()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=DRAWS.forget_threads)
