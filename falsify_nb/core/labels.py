"""The distinct ids of a column: strings, or numbers behind a prefix until strings are asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import repeat
from typing import Any, overload

import numpy as np
import numpy.typing as npt

__all__ = ["Labels", "NumberedLabels", "met", "positions"]

IntArray = npt.NDArray[np.int64]
StrArray = npt.NDArray[np.object_]


class NumberedLabels:
    """Distinct ids that are a prefix and a number, such as ``doc-17``: strings made on demand.

    Millions of strings cost more than reading their file. What a gate asks of most of them is only
    whether they are judged, which the numbers answer.

    Parameters
    ----------
    prefix : str
        What each id begins with; may be empty.
    numbers : numpy.ndarray of int, shape (n_labels,)
        The numbers behind it, increasing, each written without sign or leading zero.

    Examples
    --------
    >>> import numpy as np
    >>> labels = NumberedLabels("doc-", np.array([2, 17]))
    >>> labels[np.array([1, 1, 0])].tolist()
    ['doc-17', 'doc-17', 'doc-2']
    """

    __slots__ = ("numbers", "prefix")

    def __init__(self, prefix: str, numbers: IntArray) -> None:
        self.prefix = prefix
        self.numbers = numbers
        self.numbers.flags.writeable = False

    def __len__(self) -> int:
        return len(self.numbers)

    @overload
    def __getitem__(self, at: int | np.integer[Any]) -> str: ...
    @overload
    def __getitem__(self, at: slice | npt.NDArray[Any]) -> StrArray: ...
    def __getitem__(self, at: Any) -> Any:
        chosen = self.numbers[at]
        if chosen.ndim == 0:
            return f"{self.prefix}{int(chosen)}"
        out = np.empty(len(chosen), dtype=object)
        out[:] = self._texts(chosen)
        return out

    def __iter__(self) -> Iterator[str]:
        return iter(self.tolist())

    def tolist(self) -> list[str]:
        """Return all ids as strings."""
        return self._texts(self.numbers)

    def _texts(self, numbers: IntArray) -> list[str]:
        texts = map(str, numbers.tolist())
        return list(map(self.prefix.__add__, texts) if self.prefix else texts)

    def codes(self, ids: Iterable[str]) -> IntArray:
        """Return the code of each id, −1 for one that is no label, shape (n_ids,)."""
        wanted = np.fromiter(map(self._number, ids), dtype=np.int64)
        if not len(self.numbers):
            return np.full(len(wanted), -1)
        code = np.minimum(np.searchsorted(self.numbers, wanted), len(self.numbers) - 1)
        return np.where(self.numbers[code] == wanted, code, -1)

    def _number(self, text: str) -> int:
        """Return the number of an id that could be a label, else −1."""
        digits = text[len(self.prefix) :]
        fits = text.startswith(self.prefix) and len(digits) <= 18 and digits.isascii()
        if not fits or not digits.isdigit() or (digits[0] == "0" and len(digits) > 1):
            return -1
        return int(digits)


Labels = StrArray | NumberedLabels


def positions(labels: Labels, codes: IntArray, position: Mapping[str, int]) -> IntArray:
    """Return the place that a mapping gives to each code's id, −1 where it has none.

    Parameters
    ----------
    labels : Labels
        The distinct ids.
    codes : numpy.ndarray of int, shape (n,)
        Those of interest, distinct.
    position : mapping of str to int
        Ids and their places.

    Examples
    --------
    >>> import numpy as np
    >>> positions(np.array(["a", "b"], dtype=object), np.array([0, 1]), {"b": 7}).tolist()
    [-1, 7]
    """
    if not isinstance(labels, NumberedLabels):
        found = map(position.get, labels[codes], repeat(-1))
        return np.fromiter(found, dtype=np.int64, count=len(codes))
    table = np.full(len(labels), -1, dtype=np.int64)
    code = labels.codes(position)
    is_label = code >= 0
    places = np.fromiter(position.values(), dtype=np.int64, count=len(position))
    table[code[is_label]] = places[is_label]
    return table[codes]


def met(labels: Labels, ids: Iterable[str]) -> set[str]:
    """Return those ids that are labels.

    Examples
    --------
    >>> import numpy as np
    >>> met(NumberedLabels("d", np.array([1, 2])), ["d1", "d01"])
    {'d1'}
    """
    if isinstance(labels, NumberedLabels):
        listed = list(ids)
        return {listed[i] for i in np.flatnonzero(labels.codes(listed) >= 0)}
    wanted = frozenset(ids)
    # The labels may be many, each a place in memory to go to: one walk along them.
    return set(filter(wanted.__contains__, labels.tolist()))
