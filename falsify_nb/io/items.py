"""One query's results or judgments, item by item: ids, pairs and records told apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from falsify_nb.errors import ReadError, a_kind, shorten
from falsify_nb.io.columns import find_column, need_column
from falsify_nb.io.frames import Table, as_table

__all__ = ["MOST_FIELDS", "as_fields", "check_types", "is_record", "is_single", "listed", "pair_of"]

# A mapping of more keys is no record of one document.
MOST_FIELDS = 64
_NUMBERS = ("score", "grade", "rank")


def is_single(value: Any) -> bool:  # noqa: ANN401
    """Return whether a value is one id rather than several: text is never its letters."""
    if value is None or isinstance(value, str | bytes | int | float | np.generic):
        return True
    # A number of another library, such as a tensor without dimensions.
    return getattr(value, "ndim", None) == 0


def listed(value: Any, where: str) -> list[Any]:  # noqa: ANN401
    """Return the items of one query; a column of numbers with ids as index gives pairs."""
    table = as_table(value, where)
    if table is not None:
        return pairs_of_table(table, where)
    index, items = getattr(value, "index", None), getattr(value, "items", None)
    if index is not None and callable(items) and getattr(value, "dtype", "O") != "O":
        pairs = list(items())
        _refuse_unclear(pairs, where)
        if all(isinstance(v, int | float | np.number) for _, v in pairs):
            return pairs
    try:
        return list(value)
    except TypeError:
        raise ReadError(
            f"{a_kind(value).capitalize()} is no ranking",
            where=where,
            remedy="Give {document: score}, or a list of ids in ranking order.",
        ) from None


def _refuse_unclear(pairs: list[Any], where: str) -> None:
    """Refuse whole numbers under whole numbers: ids by row number look like scores by id."""
    whole = (int, np.integer)
    if pairs and all(isinstance(k, whole) and isinstance(v, whole) for k, v in pairs):
        raise ReadError(
            "A column of whole numbers under whole numbers: are these ids, or scores?",
            where=where,
            remedy="Give ids in ranking order as tolist(), {document: score} as to_dict().",
        )


def pairs_of_table(table: Table, where: str) -> list[Any]:
    """Return what a frame for one query holds, as a retriever of PyTerrier answers."""
    doc = need_column(table.columns, "doc", where)
    number_name = find_column(table.columns, "score", where)
    if number_name is None:
        number_name = need_column(table.columns, "grade", where)
    return list(zip(table.columns[doc].tolist(), table.columns[number_name].tolist(), strict=True))


def check_types(items: Sequence[Any], where: str) -> None:
    """Refuse ("d1", 0.7) given for [("d1", 0.7)]: ids are all text or all numbers."""
    if set(map(type, items)) == {str}:
        return
    single = [is_single(item) for item in items]
    if not all(single) or not items:
        return
    n_text = sum(isinstance(item, str) for item in items)
    if 0 < n_text < len(items):
        raise ReadError(
            f"{shorten(items)} mixes text and numbers",
            where=where,
            remedy="Pairs go into a list: [(document, score), …]; ids are of one type.",
        )


def pair_of(item: Any, default: float | None, where: str) -> tuple[Any, Any]:  # noqa: ANN401
    """Return (document, number) of one item: a pair, a record, or a bare id with a default."""
    if is_single(item):
        if default is None:
            raise ReadError(
                f"{shorten(item)} has no score, though others of this ranking have one",
                where=where,
                remedy="Give pairs (document, score) throughout.",
            )
        return item, default
    fields = as_fields(item)
    if fields is not None:
        role = "grade" if default is not None else "score"
        doc = need_column(fields, "doc", where)
        value = find_column(fields, role, where)
        if value is None and default is None:
            need_column(fields, role, where)
        return fields[doc], fields[value] if value is not None else default
    if isinstance(item, Sequence | np.ndarray) and len(item) == 2:
        return item[0], item[1]
    raise ReadError(
        f"{shorten(item)} is neither an id nor a pair (document, number)",
        where=where,
        remedy="Give {document: number}, or a list of pairs.",
    )


def as_fields(item: Any) -> Mapping[str, Any] | None:  # noqa: ANN401
    """Return a record's fields by name: a dict, a named tuple or a dataclass; else None."""
    if isinstance(item, Mapping):
        return item
    if isinstance(item, tuple) and hasattr(item, "_fields"):
        return dict(zip(item._fields, item, strict=True))
    if isinstance(item, np.void) and item.dtype.names:
        return dict(zip(item.dtype.names, item.tolist(), strict=True))
    names = getattr(type(item), "__dataclass_fields__", None)
    if names is not None:
        return {name: getattr(item, name) for name in names}
    return None


def is_record(value: Mapping[Any, Any], where: str) -> bool:
    """Return whether a mapping is one record of a document rather than {document: score}.

    Raises
    ------
    ReadError
        If it may be either: then all of its values are numbers.
    """
    if not 1 < len(value) <= MOST_FIELDS or not all(isinstance(k, str) for k in value):
        return False
    try:
        doc = find_column(value, "doc", "")
        if doc is None or not any(find_column(value, role, "") for role in _NUMBERS):
            return False
    except ReadError:
        return False
    if not isinstance(value[doc], str):
        raise ReadError(
            f"{shorten(dict(value))} may be one record, or numbers of documents with these names",
            where=where,
            remedy="Put a record into a list, its id as text; or give pairs (document, number).",
        )
    return True
