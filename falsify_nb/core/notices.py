"""Notices: what was decided about the data, counted, with examples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["Notice"]


@dataclass(frozen=True, slots=True)
class Notice:
    """One decision about the data that a reader of the result should know.

    Parameters
    ----------
    code : str
        A stable short name, such as ``"missing-queries"``.
    text : str
        One plain sentence, the count included.
    count : int
        How many queries, documents or rows it concerns; 0 where counting makes no sense.
    examples : tuple of str
        Up to three examples.

    Examples
    --------
    >>> print(Notice("missing-queries", "2 queries are missing from the run.", 2, ("q2", "q4")))
    2 queries are missing from the run. For example: q2, q4.
    """

    code: str
    text: str
    count: int = 0
    examples: tuple[str, ...] = ()

    def __str__(self) -> str:
        if not self.examples:
            return self.text
        return f"{self.text} For example: {', '.join(self.examples)}."

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain JSON types."""
        return {
            "code": self.code,
            "text": self.text,
            "count": self.count,
            "examples": list(self.examples),
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Notice:
        """Rebuild a notice from `to_dict`."""
        return cls(data["code"], data["text"], data["count"], tuple(data["examples"]))
