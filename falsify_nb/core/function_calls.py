"""Calling a user's metric: each distinct pair once, with progress, and nothing lost on the way."""

from __future__ import annotations

import hashlib
import math
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from falsify_nb.core.metrics import FunctionMetric
from falsify_nb.core.task import Progress
from falsify_nb.errors import FalsifyError, FunctionError, MissingExtraError, shorten

__all__ = ["Argument", "Caller", "Pair"]

FloatArray = npt.NDArray[np.float64]

# Interrupted work is kept for this many functions.
_KEPT_FUNCTIONS = 4
# Pairs handed to a batch, or to a round of workers, at once.
_ROUND = 512
_kept: OrderedDict[int, tuple[Any, dict[bytes, float]]] = OrderedDict()


@dataclass(frozen=True, slots=True, eq=False)
class Argument:
    """A ranking or a gold, with a digest of its content made once.

    Parameters
    ----------
    items : tuple
        Document ids best first, or pairs of id and grade.
    query : str
        The query that it comes from, for messages.
    key : bytes
        The digest.
    """

    items: tuple[Any, ...]
    query: str
    key: bytes

    @classmethod
    def of(cls, items: tuple[Any, ...], query: str) -> Argument:
        """Digest a ranking or a gold."""
        text = "\x00".join(map(repr, items)).encode()
        return cls(items, query, hashlib.blake2b(text, digest_size=16).digest())


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """One call: a ranking and a gold."""

    ranking: Argument
    gold: Argument

    @property
    def key(self) -> bytes:
        """A digest of the content."""
        return self.ranking.key + self.gold.key

    @property
    def place(self) -> str:
        """The queries in words."""
        if self.ranking.query == self.gold.query:
            return f"query {self.ranking.query!r}"
        return f"ranking of query {self.ranking.query!r}, gold of query {self.gold.query!r}"


@dataclass
class Caller:
    """Scores pairs by a function and remembers what it scored.

    Parameters
    ----------
    metric : FunctionMetric
        The function.
    bounds : tuple of float
        Range of its values; a value outside is an error.
    n_jobs : int or None
        Workers, through joblib; None calls one after the other.
    progress : callable or None
        ``progress("metric calls", done, total)`` between calls; raising in it stops.
    """

    metric: FunctionMetric
    bounds: tuple[float, float]
    n_jobs: int | None = None
    progress: Progress | None = None
    known: dict[bytes, float] = field(default_factory=dict)
    seconds: float = 0.0
    calls: int = 0

    def __post_init__(self) -> None:
        kept = _kept.get(id(self.metric.function))
        if kept is not None:
            self.known = kept[1]

    def scores(self, pairs: Sequence[Pair], *, collect: bool = False) -> FloatArray:
        """Return the score of each pair, shape (n_pairs,).

        Parameters
        ----------
        pairs : sequence of Pair
            What to score; equal ones are called once.
        collect : bool
            Whether all values are asked for before an unusable one is reported, so that the
            message counts them.

        Raises
        ------
        FunctionError
            If the function raises, or returns no number within the bounds. What was scored
            before is kept for the next call with the same function.
        """
        keys = [pair.key for pair in pairs]
        todo = {k: p for k, p in zip(keys, pairs, strict=True) if k not in self.known}
        bad: list[tuple[Pair, FunctionError]] = []
        started = time.perf_counter()
        try:
            for key, pair, value in self._called(list(todo.items())):
                try:
                    self.known[key] = _checked(value, pair, self.bounds)
                except FunctionError as error:
                    if not collect:
                        raise
                    bad.append((pair, error))
        except BaseException:
            self._keep()
            raise
        finally:
            self.seconds += time.perf_counter() - started
        if bad:
            self._keep()
            first = bad[0][1]
            raise FunctionError(
                f"{len(bad)} of {len(pairs)} queries could not be measured: {first.what}",
                where=first.where,
                remedy=first.remedy,
            )
        return np.array([self.known[k] for k in keys], dtype=float)

    def done(self) -> None:
        """Let go of what was kept: the work came to its end."""
        _kept.pop(id(self.metric.function), None)

    def _keep(self) -> None:
        # The function is held too, so that its id cannot come to mean another one.
        _kept[id(self.metric.function)] = (self.metric.function, self.known)
        while len(_kept) > _KEPT_FUNCTIONS:
            _kept.popitem(last=False)

    def _called(self, todo: list[tuple[bytes, Pair]]) -> Iterator[tuple[bytes, Pair, Any]]:
        total = len(todo)
        for begin in range(0, total, _ROUND):
            part = todo[begin : begin + _ROUND]
            values = self._round([pair for _, pair in part])
            for done, ((key, pair), value) in enumerate(zip(part, values, strict=True), begin):
                self.calls += 1
                yield key, pair, value
                if self.progress is not None:
                    self.progress("metric calls", done + 1, total)

    def _round(self, pairs: list[Pair]) -> Iterable[Any]:
        function = self.metric.function
        if self.metric.batch is not None:
            return self.metric.batch([(list(p.ranking.items), dict(p.gold.items)) for p in pairs])
        if self.n_jobs is None:
            return (_call(function, pair) for pair in pairs)
        return _parallel(self.n_jobs)(_delayed(function, pair) for pair in pairs)


def _delayed(function: Callable[..., Any], pair: Pair) -> Any:  # noqa: ANN401 - joblib's own type
    from joblib import delayed

    return delayed(_call)(function, pair)


def _parallel(n_jobs: int) -> Any:  # noqa: ANN401
    try:
        from joblib import Parallel
    except ImportError as error:
        raise MissingExtraError(
            f"n_jobs={n_jobs} needs joblib", remedy="Run: pip install joblib"
        ) from error
    return Parallel(n_jobs=n_jobs, return_as="generator")


def _call(function: Callable[..., Any], pair: Pair) -> Any:  # noqa: ANN401 - whatever it returns
    # Fresh copies each time: a function that changes its arguments changes nothing else.
    try:
        return function(list(pair.ranking.items), dict(pair.gold.items))
    except FalsifyError:
        raise
    except Exception as error:
        raise FunctionError(
            f"the metric function raised {type(error).__name__}: {error}",
            where=pair.place,
            remedy="Mend the function; what was scored so far is kept for the next call.",
        ) from error


def _checked(value: object, pair: Pair, bounds: tuple[float, float]) -> float:
    low, high = bounds
    is_number = isinstance(value, bool | int | float | np.bool_ | np.number)
    if not is_number and isinstance(value, np.ndarray) and value.ndim == 0:
        is_number, value = True, value.item()
    number = float(value) if is_number and not isinstance(value, complex) else math.nan  # type: ignore[arg-type]
    slack = 1e-9 * (high - low)
    if not is_number or math.isnan(number):
        raise FunctionError(
            f"the metric function returned {shorten(value)}, which is no number",
            where=pair.place,
            remedy="Return a float for every query, 0.0 where nothing was found.",
        )
    if not low - slack <= number <= high + slack:
        raise FunctionError(
            f"the metric function returned {number:g}, outside its bounds {low:g} to {high:g}",
            where=pair.place,
            remedy="Give its true range as bounds=(low, high).",
        )
    return min(max(number, low), high)
