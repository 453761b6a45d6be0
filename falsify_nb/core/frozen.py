"""What frozen results share: arrays that stay as they are, and copies that are frozen too."""

from __future__ import annotations

import dataclasses
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

__all__ = ["FrozenDict", "array_out", "freeze", "rebuilt"]

Held = TypeVar("Held")


class FrozenDict(dict[str, Held]):
    """A dict that refuses writing; unlike a mapping proxy it can be pickled and copied."""

    def _refuse(self, *_: object, **__: object) -> None:
        raise TypeError("a result cannot be changed")

    __setitem__ = __delitem__ = update = pop = popitem = clear = setdefault = __ior__ = _refuse  # type: ignore[assignment]

    def __reduce__(self) -> tuple[object, ...]:
        return (FrozenDict, (dict(self),))


def rebuilt(value: Any) -> tuple[object, ...]:  # noqa: ANN401
    """Return what pickle and copy rebuild a value from: by its class, which freezes the arrays."""
    return type(value), tuple(getattr(value, f.name) for f in dataclasses.fields(value))


def freeze(*arrays: npt.NDArray[Any] | None) -> None:
    """Make arrays read-only."""
    for array in arrays:
        if array is not None:
            array.flags.writeable = False


def array_out(array: npt.NDArray[np.float64] | None, *, keep: bool) -> list[Any] | None:
    """Return an array as a list, an empty one where it is not to be kept."""
    if array is None:
        return None
    return array.tolist() if keep else []
