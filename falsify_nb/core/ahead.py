"""Working a few steps ahead in threads: numpy lets go of the interpreter in its long loops."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import chain, islice
from time import perf_counter
from typing import TypeVar

__all__ = ["ahead"]

Item = TypeVar("Item")
Made = TypeVar("Made")

_MOST_WORKERS = 4
# Handing work to a thread and back costs about a millisecond: shorter items are made on the spot.
_WORTH_A_THREAD = 0.005


def ahead(make: Callable[[Item], Made], items: Iterable[Item]) -> Iterator[Made]:
    """Yield ``make(item)`` in the items' order, the next ones being made meanwhile.

    The first item is made before any thread is started, and where it was quickly done no thread is.
    What is yielded does not depend on that, or on the number of processors, as long as each item is
    on its own.

    Examples
    --------
    >>> list(ahead(abs, [-1, 2, -3]))
    [1, 2, 3]
    """
    source = iter(items)
    seconds = 0.0
    for item in islice(source, 1):
        started = perf_counter()
        made = make(item)
        seconds = perf_counter() - started
        yield made
    if seconds < _WORTH_A_THREAD:
        yield from map(make, source)
        return
    rest = deque(islice(source, 1))
    if not rest:
        return
    n_workers = min(os.cpu_count() or 1, _MOST_WORKERS)
    with ThreadPoolExecutor(n_workers) as pool:
        queue: deque[Future[Made]] = deque()
        try:
            for item in chain(rest, islice(source, n_workers - 1)):
                queue.append(_begun(pool, make, item))
            while queue:
                done = queue.popleft().result()
                for item in islice(source, 1):
                    queue.append(_begun(pool, make, item))
                yield done
        finally:
            for waiting in queue:
                waiting.cancel()


def _begun(pool: ThreadPoolExecutor, make: Callable[[Item], Made], item: Item) -> Future[Made]:
    try:
        return pool.submit(make, item)
    except RuntimeError:
        # No thread can be started at a limit, or while the interpreter ends.
        future: Future[Made] = Future()
        try:
            future.set_result(make(item))
        except Exception as error:  # noqa: BLE001 - it is raised in its turn
            future.set_exception(error)
        return future
