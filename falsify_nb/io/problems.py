"""Raise the first problem of a file, or gather up to twenty and raise them together."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

from falsify_nb.errors import InputError, OptionError, ReadError, shorten

__all__ = ["MAX_PROBLEMS", "OnError", "Problems"]

OnError = Literal["raise", "collect"]
MAX_PROBLEMS = 20


class Problems:
    """What was found wrong while reading one input.

    Parameters
    ----------
    errors : {"raise", "collect"}
        Whether `add` raises at once, or keeps the error until `finish`.
    """

    def __init__(self, errors: OnError = "raise") -> None:
        if errors not in {"raise", "collect"}:
            raise OptionError(f"errors={shorten(errors)} is not one of 'raise', 'collect'")
        self.errors = errors
        self.found: list[InputError] = []

    @property
    def is_full(self) -> bool:
        """Whether no further problem would be listed."""
        return len(self.found) >= MAX_PROBLEMS

    def add(self, error: InputError) -> None:
        """Raise the error, or keep it."""
        if self.errors == "raise":
            raise error
        if not self.is_full:
            self.found.append(error)

    @contextmanager
    def noting(self) -> Iterator[None]:
        """Add an error that the block raises, and go on behind it."""
        try:
            yield
        except InputError as error:
            self.add(error)

    def finish(self, name: str) -> None:
        """Raise what was kept, if anything."""
        if not self.found:
            return
        if len(self.found) == 1:
            raise self.found[0]
        count = f"The first {len(self.found)}" if self.is_full else str(len(self.found))
        listed = "".join(f"\n  {error}" for error in self.found)
        raise ReadError(f"{count} problems in {name}:{listed}")
