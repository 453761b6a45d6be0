"""One record a query: {"query_id", "retrieved", "gold", "rel"}, in JSON lines or in memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from falsify_nb.core.tables import Origin, Qrels, Run
from falsify_nb.errors import DuplicateError, InputError, ReadError, a_kind
from falsify_nb.io.columns import find_column, need_column
from falsify_nb.io.ids import id_text
from falsify_nb.io.items import as_fields, is_single
from falsify_nb.io.numbers import number
from falsify_nb.io.problems import Problems
from falsify_nb.io.records import Hits, placed

# What else may name a record's query, since no document id stands beside it.
_IDS = ("id", "_id")

__all__ = ["qrels_of_records", "run_of_records"]


def run_of_records(
    records: Iterable[tuple[int, Any]], origin: Origin, name: str, problems: Problems
) -> Run:
    """Read the rankings of numbered records, one a query."""
    hits = _gather(records, origin, "run", problems)
    return hits.run(name, origin)


def qrels_of_records(
    records: Iterable[tuple[int, Any]], origin: Origin, problems: Problems
) -> Qrels:
    """Read the gold documents of numbered records, one a query."""
    hits = _gather(records, origin, "qrels", problems)
    return hits.qrels(origin)


def _gather(
    records: Iterable[tuple[int, Any]], origin: Origin, what: str, problems: Problems
) -> Hits:
    hits = Hits(what)
    seen: dict[str, int] = {}
    for position, (place, item) in enumerate(records, start=1):
        where = f"{origin.name}, {origin.unit} {place}"
        try:
            query, fields = _query_of(item, position, where)
            if query in seen:
                raise DuplicateError(
                    f"Query {query!r} is given twice",
                    where=f"{where}; first at {origin.unit} {seen[query]}",
                    remedy="Give each query one record, or different ids.",
                )
            seen[query] = place
            hits.add(query, _content(fields, what, where))
        except InputError as error:
            problems.add(placed(error, where))
            if problems.is_full:
                break
    problems.finish(origin.name)
    return hits


def _query_of(item: Any, position: int, where: str) -> tuple[str, Mapping[str, Any]]:  # noqa: ANN401
    fields = as_fields(item)
    if fields is None:
        raise ReadError("This is no record", where=where, remedy='Give {"query_id": …} a line.')
    name = find_column(fields, "query", where) or next((n for n in _IDS if n in fields), None)
    # Records without ids are queries of their own, numbered from 1.
    query = str(position) if name is None else id_text(fields[name], where, "query id")
    return query, fields


def _content(fields: Mapping[str, Any], what: str, where: str) -> Any:  # noqa: ANN401
    if what == "run":
        return fields[need_column(fields, "retrieved", where)]
    return _judged(fields, where)


def _judged(fields: Mapping[str, Any], where: str) -> Any:  # noqa: ANN401
    """Return {document: grade} of a record; `rel` is the grade of gold given without one."""
    gold = fields[need_column(fields, "gold", where)]
    rel_name = find_column(fields, "grade", where)
    if isinstance(gold, Mapping):
        return gold
    rel = 1.0 if rel_name is None else number(fields[rel_name], "grade ('rel')", where)
    listed = [gold] if gold is not None and is_single(gold) else gold
    if not isinstance(listed, list | tuple | set | frozenset | np.ndarray):
        raise ReadError(
            f"The gold is {a_kind(gold)}",
            where=where,
            remedy='Give an id, a list of ids, or {"id": grade}.',
        )
    return [(doc, rel) if is_single(doc) else doc for doc in listed]
