"""The rules for ids: text, never a number; nothing is trimmed, merged or guessed."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from falsify_nb.core.tables import IdColumn, Origin
from falsify_nb.errors import InputError, ReadError, shorten

__all__ = ["check_labels", "code_objects", "id_text", "is_missing", "merge_columns"]

_ADVICE = "Ids are text or whole numbers; convert them yourself, for example with astype(str)."


def id_text(value: Any, where: str, what: str = "id") -> str:  # noqa: ANN401 - any user object
    """Return an id as text, or refuse it.

    Parameters
    ----------
    value : object
        A string is taken as it is, a whole number becomes its decimal text.
    where : str
        The place, for the message.
    what : str
        ``"query id"`` or ``"document id"``.

    Raises
    ------
    ReadError
        If it is empty, blank at its ends, missing, fractional, a truth value or another object.
    """
    if type(value) is str:
        text = value
    elif isinstance(value, str):
        text = str.__str__(value)
    elif isinstance(value, bool | np.bool_):
        raise ReadError(f"The {what} is the truth value {value}", where=where, remedy=_ADVICE)
    else:
        text = _number_text(value, where, what)
    if not text:
        raise ReadError(f"The {what} is empty", where=where, remedy="Give every row an id.")
    if text != text.strip():
        raise ReadError(
            f"The {what} {shorten(text)} has blanks at its ends",
            where=where,
            remedy="Strip the ids of run, qrels and corpus alike, for example with str.strip().",
        )
    if "\x00" in text:
        raise ReadError(f"The {what} {shorten(text)} holds a zero byte", where=where)
    if not text.isascii():
        _check_encodable(text, where, what)
    return text


def _number_text(value: Any, where: str, what: str) -> str:  # noqa: ANN401
    if getattr(value, "ndim", None) == 0 and hasattr(value, "item"):
        value = value.item()
        if isinstance(value, str):
            return value
    try:
        return str(operator.index(value))
    except TypeError:
        pass
    if is_missing(value):
        raise ReadError(f"The {what} is missing", where=where, remedy="Give every row an id.")
    if isinstance(value, bytes):
        remedy = "Decode it: value.decode()."
    elif isinstance(value, float):
        remedy = "A missing cell turns whole numbers into fractions; read ids as text."
    else:
        remedy = _ADVICE
    kind = type(value).__name__
    raise ReadError(f"The {what} {shorten(value)} is a {kind}", where=where, remedy=remedy)


def is_missing(value: Any) -> bool:  # noqa: ANN401
    """Return whether a value stands for none: None, NaN, and pandas' own marks."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return True
    # pandas' own marks of a missing value, named so that pandas need not be loaded.
    return type(value).__name__ in {"NAType", "NaTType"}


def _check_encodable(text: str, where: str, what: str) -> None:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise ReadError(
            f"The {what} {shorten(text)} holds half a character pair",
            where=where,
            remedy="Read the source file as UTF-8.",
        ) from None


def check_labels(column: IdColumn, place: Callable[[int], str], what: str) -> None:
    """Apply the text rules to the distinct ids of a column, naming the first row of a bad one."""
    labels = column.labels.tolist()
    joined = "".join(labels)
    # One pass over all ids at once: most tables hold plain ids, and then this settles it.
    if all(labels) and joined.isascii() and joined.isprintable() and " " not in joined:
        return
    for code, label in enumerate(labels):
        try:
            id_text(label, "", what)
        except ReadError as error:
            rows = np.flatnonzero(column.codes == code)
            if len(rows):
                where = place(int(rows[0]))
                raise ReadError(error.what, where=where, remedy=error.remedy) from None


def code_objects(
    codes: npt.NDArray[np.int64],
    values: npt.NDArray[np.object_] | Sequence[Any],
    origin: Origin,
    what: str,
) -> IdColumn:
    """Turn codes into distinct objects (text or numbers) into an id column of text.

    Two objects of one text, such as 1 and "1", become one id. A code of −1 is a missing id.
    """
    missing = np.flatnonzero(codes < 0)
    if len(missing):
        where = origin.at(int(missing[0]))
        raise ReadError(f"The {what} is missing", where=where, remedy="Give every row an id.")
    if set(map(type, values)) <= {str}:
        labels = np.empty(len(values), dtype=object)
        labels[:] = values
        column = IdColumn(codes.astype(np.int64, copy=False), labels)
    else:
        texts = [_text_at(v, i, codes, origin, what) for i, v in enumerate(values)]
        recoded = IdColumn.from_ids(texts)
        column = IdColumn(recoded.codes[codes], recoded.labels)
    check_labels(column, origin.at, what)
    return column


def _text_at(value: Any, code: int, codes: Any, origin: Origin, what: str) -> str:  # noqa: ANN401
    try:
        return id_text(value, "", what)
    except ReadError as error:
        rows = np.flatnonzero(codes == code)
        where = origin.at(int(rows[0])) if len(rows) else origin.name
        raise ReadError(error.what, where=where, remedy=error.remedy) from None


def merge_columns(parts: Sequence[IdColumn]) -> IdColumn:
    """Join id columns end to end, their labels coded anew."""
    if not parts:
        raise InputError("No column to join")
    position: dict[str, int] = {}
    codes = []
    for part in parts:
        recode = np.fromiter(
            (position.setdefault(t, len(position)) for t in part.labels.tolist()),
            dtype=np.int64,
            count=len(part.labels),
        )
        codes.append(recode[part.codes] if len(part.labels) else part.codes)
    labels = np.empty(len(position), dtype=object)
    labels[:] = list(position)
    return IdColumn(np.concatenate(codes), labels)
