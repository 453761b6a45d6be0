"""Scores and grades: finite numbers, from Python objects or from text."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from falsify_nb.core.tables import Origin
from falsify_nb.errors import ScoreError, shorten

__all__ = ["number", "number_from_text", "numbers_from_texts"]


def number(value: Any, what: str, where: str) -> float:  # noqa: ANN401 - any user object
    """Return a real number as float, or refuse it.

    Raises
    ------
    ScoreError
        If it is text, missing, not finite, or nothing that float() takes.
    """
    try:
        if value is None or isinstance(value, str | bytes | bytearray | complex):
            raise TypeError  # noqa: TRY301 - the same message as for what float() refuses
        result = float(value)
    except (TypeError, ValueError, OverflowError, RuntimeError):
        raise ScoreError(
            f"The {what} {shorten(value)} is no number",
            where=where,
            remedy=f"Give a finite {what}, or leave the document out.",
        ) from None
    if not math.isfinite(result):
        raise ScoreError(
            f"The {what} is {'NaN' if math.isnan(result) else format(result, '+g')}",
            where=where,
            remedy=f"Give a finite {what}, or leave the document out.",
        )
    return result


def number_from_text(text: str, what: str, where: str) -> float:
    """Return a finite number from its decimal text; float() alone would take 1_0 and nan.

    Raises
    ------
    ScoreError
        If the text spells no finite number.
    """
    try:
        value = float(text) if text.isascii() and "_" not in text else math.nan
    except ValueError:
        value = math.nan
    if math.isfinite(value):
        return value
    comma = " Use a decimal point." if "," in text else ""
    raise ScoreError(
        f"The {what} {shorten(text)} is no finite number",
        where=where,
        remedy=f"Give a number such as 12.5 or 1e-3.{comma}",
    )


def numbers_from_texts(
    texts: list[str], what: str, origin: Origin, column: str
) -> npt.NDArray[np.float64]:
    """Return a column of numbers from their texts, naming the first that spells none."""
    joined = "".join(texts)
    if joined.isascii() and "_" not in joined:
        try:
            values = np.array(list(map(float, texts)), dtype=np.float64)
        except ValueError:
            pass
        else:
            if np.isfinite(values).all():
                return values
    return np.array(
        [
            number_from_text(text, what, f"{origin.at(row)}, column {column!r}")
            for row, text in enumerate(texts)
        ],
        dtype=np.float64,
    )
