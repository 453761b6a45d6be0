"""What is given for each query beside its judgments: its text, or its group."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from numbers import Number
from typing import Any, Literal

from falsify_nb.errors import DuplicateError, OptionError, ReadError, a_kind, shorten
from falsify_nb.io.columns import find_column, need_column
from falsify_nb.io.delimited import read_delimited, split_header
from falsify_nb.io.frames import Table, as_table
from falsify_nb.io.ids import id_text, is_missing
from falsify_nb.io.jsons import content_of_json, is_json, is_json_lines
from falsify_nb.io.problems import Problems
from falsify_nb.io.records import by_query
from falsify_nb.io.text import Source, is_readable, open_source

__all__ = ["PerQuery", "to_per_query"]

PerQuery = Literal["queries", "groups"]
# What the value is called, and the role of its column.
_ROLE: dict[PerQuery, str] = {"queries": "text", "groups": "group"}
# Query, value, and where they stand.
Pair = tuple[Any, Any, str]


def to_per_query(obj: Any, option: PerQuery) -> dict[str, str] | None:  # noqa: ANN401 - any form
    """Return a text for each query id.

    Parameters
    ----------
    obj : object
        A mapping {query: value}, a pandas Series by query, a frame with a column of query ids and
        one of texts (groups), or a file: lines of ``id<TAB>value``, a table with a header, JSON or
        JSON lines. None is nothing given.
    option : {"queries", "groups"}
        What it is.

    Raises
    ------
    OptionError
        If it has none of these forms.
    InputError
        If a query stands twice or its value is missing; the message names the query.

    Examples
    --------
    >>> to_per_query({1: "a", "2": "b"}, "groups")
    {'1': 'a', '2': 'b'}
    """
    if obj is None:
        return None
    found: dict[str, str] = {}
    for key, value, where in _pairs(obj, option):
        query = id_text(key, where, "query id")
        if query in found:
            raise DuplicateError(
                f"Query {query!r} stands twice", where=where, remedy="Keep each query once."
            )
        found[query] = _text(value, query, option, where)
    return found


def _pairs(obj: Any, option: PerQuery) -> Iterable[Pair]:  # noqa: ANN401
    if is_readable(obj):
        return _of_file(open_source(obj, option), option)
    table = as_table(obj, option)
    if table is not None:
        return _of_table(table, option)
    if callable(getattr(obj, "items", None)):
        return ((query, value, option) for query, value in by_query(obj, option))
    raise OptionError(
        f"{option} is {a_kind(obj)}, no mapping",
        remedy=f"Give {option}={{query_id: {_ROLE[option]}}}, a frame with those two columns, or "
        "a file.",
    )


def _of_table(table: Table, option: PerQuery) -> Iterator[Pair]:
    name = table.origin.name
    query = need_column(table.columns, "asked", name)
    value = need_column([c for c in table.columns if c != query], _ROLE[option], name)
    rows = zip(table.columns[query], table.columns[value], strict=True)
    for number, (key, text) in enumerate(rows):
        yield key, text, table.origin.at(number)


def _of_file(source: Source, option: PerQuery) -> Iterable[Pair]:
    if is_json(source) or is_json_lines(source):
        return _of_json(source, option)
    names, separator = split_header(source.data)
    asked = find_column(names, "asked", source.name)
    value = find_column([n for n in names if n != asked], _ROLE[option], source.name)
    if asked is not None and value is not None:
        return _of_table(read_delimited(source, names, separator, Problems()), option)
    return _of_lines(source, option)


def _of_lines(source: Source, option: PerQuery) -> Iterator[Pair]:
    for number, line in enumerate(source.data.decode().splitlines(), 1):
        if not line.strip():
            continue
        where = f"{source.name}, line {number}"
        key, tab, text = line.partition("\t")
        if not tab:
            raise ReadError(
                f"There is no tab after the id {shorten(key)}",
                where=where,
                remedy=f"Write one query a line: its id, a tab, and its {_ROLE[option]}.",
            )
        yield key, text, where


def _of_json(source: Source, option: PerQuery) -> Iterator[Pair]:
    content, origin = content_of_json(source, Problems())
    if isinstance(content, Mapping):
        for query, value in by_query(content, source.name):
            yield query, value, source.name
        return
    for number, record in content:
        where = f"{origin.name}, {origin.unit} {number}"
        if not isinstance(record, Mapping):
            raise ReadError(
                f"This is {a_kind(record)}, no record",
                where=where,
                remedy=f'Write {{"query_id": …, "{_ROLE[option]}": …}}.',
            )
        query = need_column(record, "asked", where)
        value = need_column([k for k in record if k != query], _ROLE[option], where)
        yield record[query], record[value], where


def _text(value: Any, query: str, option: PerQuery, where: str) -> str:  # noqa: ANN401
    if isinstance(value, str):
        return str(value)
    role = _ROLE[option]
    if is_missing(value):
        alone = " A query alone is a group of its own." if option == "groups" else ""
        raise ReadError(
            f"Query {query!r} has no {role}",
            where=where,
            remedy=f"Give every query one, or leave it out.{alone}",
        )
    if option == "groups" and isinstance(value, Number) and not isinstance(value, bool):
        whole = isinstance(value, float) and math.isfinite(value) and value.is_integer()
        return str(int(value)) if whole else str(value)  # type: ignore[call-overload]
    raise ReadError(
        f"The {role} of query {query!r} is {a_kind(value)}: {shorten(value)}",
        where=where,
        remedy="Give it as text.",
    )
