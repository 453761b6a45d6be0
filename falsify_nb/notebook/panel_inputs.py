"""A run's inputs as they were when it started, whatever other cells do to them meanwhile."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["is_same", "snapshot"]


def snapshot(value: Any) -> Any:  # noqa: ANN401 - whatever falsify() takes
    """Return a copy that later changes of the value do not reach.

    Mappings are copied two levels deep, frames by their own means (a lazy copy where the
    library has one). What cannot be copied cheaply, such as a generator or a function, and
    what cannot change, such as a path, is returned as it is.
    """
    if isinstance(value, Mapping):
        return {key: _inner(inner) for key, inner in value.items()}
    if isinstance(value, list | set):
        return value.copy()
    if _is_frame(value):
        return value.copy() if hasattr(value, "copy") else value.clone()
    return value


def _inner(value: Any) -> Any:  # noqa: ANN401
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, list | set):
        return value.copy()
    return snapshot(value) if _is_frame(value) else value


def _is_frame(value: object) -> bool:
    # pyarrow's tables never change, so they need no copy.
    library = type(value).__module__.partition(".")[0]
    return library in {"pandas", "polars"} and hasattr(value, "columns")


def is_same(taken: Any, current: Any) -> bool:  # noqa: ANN401
    """Return whether a value still is what the snapshot holds.

    Examples
    --------
    >>> run = {"q1": ["d1"]}
    >>> taken = snapshot(run)
    >>> run["q1"].append("d2")
    >>> is_same(taken, run)
    False
    """
    if taken is current:
        return True
    if _is_frame(taken):
        return type(taken) is type(current) and bool(taken.equals(current))
    try:
        return bool(taken == current)
    except (TypeError, ValueError):
        # Arrays inside do not say yes or no as a whole; their text is the best that is known.
        return repr(taken) == repr(current)
    except RuntimeError:
        return False  # another cell is changing it at this moment
