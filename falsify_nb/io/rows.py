"""Flat rows: records, named tuples and tuples, one result or judgment each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from falsify_nb.core.tables import Corpus, IdColumn, Origin, Qrels, Run
from falsify_nb.errors import ReadError, shorten
from falsify_nb.io.assemble import build_corpus, build_qrels, build_run
from falsify_nb.io.columns import find_column, need_column, refuse_scores
from falsify_nb.io.ids import id_text
from falsify_nb.io.items import as_fields, is_single
from falsify_nb.io.numbers import number
from falsify_nb.io.order import by_rank, whole_ranks
from falsify_nb.io.problems import Problems

__all__ = ["corpus_of_ids", "qrels_of_rows", "run_of_rows"]

Numbered = Iterable[tuple[int, Any]]


@dataclass(slots=True)
class _Rows:
    """Rows as columns: what is missing throughout stays empty."""

    places: list[int] = field(default_factory=list)
    queries: list[str] = field(default_factory=list)
    docs: list[str] = field(default_factory=list)
    values: list[float] = field(default_factory=list)
    ranks: list[float] = field(default_factory=list)

    def origin(self, origin: Origin) -> Origin:
        """Return how places are named, with the number of each row."""
        numbers = np.array(self.places, dtype=np.int64)
        return Origin(origin.name, origin.unit, numbers, origin.first)


@dataclass(slots=True)
class _Row:
    """One row, read before it joins the others, so that a faulty one leaves no trace."""

    query: str
    doc: str
    value: float | None = None
    rank: float | None = None


def _gather(rows: Numbered, what: str, role: str, origin: Origin, problems: Problems) -> _Rows:
    out = _Rows()
    for place, item in rows:
        with problems.noting():
            row = _read(item, what, role, f"{origin.name}, {origin.unit} {place}")
            out.places.append(place)
            out.queries.append(row.query)
            out.docs.append(row.doc)
            if row.value is not None:
                out.values.append(row.value)
            if row.rank is not None:
                out.ranks.append(row.rank)
        if problems.is_full:
            break
    problems.finish(origin.name)
    return out


def _read(item: Any, what: str, role: str, where: str) -> _Row:  # noqa: ANN401
    fields = as_fields(item)
    if fields is not None:
        return _read_record(fields, role, where)
    if isinstance(item, tuple | list | np.ndarray) and not is_single(item) and len(item) == 3:
        query = id_text(item[0], where, "query id")
        doc = id_text(item[1], where, "document id")
        return _Row(query, doc, number(item[2], role, f"{where}: query {query!r}, {doc!r}"))
    raise ReadError(
        f"{shorten(item)} is no row of a {what}",
        where=where,
        remedy=f"Give tuples (query, document, {role}), or records with those names.",
    )


def _read_record(fields: Mapping[str, Any], role: str, where: str) -> _Row:
    query = id_text(fields[need_column(fields, "query", where)], where, "query id")
    doc = id_text(fields[need_column(fields, "doc", where)], where, "document id")
    value_name = find_column(fields, role, where)
    if role == "grade" and value_name is not None:
        refuse_scores(value_name, need_column(fields, "doc", where), where)
    rank_name = find_column(fields, "rank", where) if role == "score" else None
    if value_name is None and rank_name is None:
        need_column(fields, role, where)
    place = f"{where}: query {query!r}, document {doc!r}"
    return _Row(
        query,
        doc,
        None if value_name is None else number(fields[value_name], role, place),
        None if rank_name is None else number(fields[rank_name], "rank", place),
    )


def run_of_rows(rows: Numbered, name: str, origin: Origin, problems: Problems) -> Run:
    """Read a run from numbered rows; without scores, ranks make the order.

    Raises
    ------
    ReadError, ScoreError, DuplicateError
        With the row's number.
    """
    got = _gather(rows, "run", "score", origin, problems)
    origin = got.origin(origin)
    query, doc = IdColumn.from_ids(got.queries), IdColumn.from_ids(got.docs)
    ranks = np.array(got.ranks, dtype=np.float64) if len(got.ranks) == len(query) else None
    if not got.values and ranks is not None and len(ranks):
        query, doc, origin = by_rank(query, doc, ranks, origin)
        return build_run(query, doc, None, origin=origin, name=name)
    if len(got.values) != len(query):
        raise ReadError(
            f"{len(query) - len(got.values):,} of {len(query):,} rows have no score",
            where=origin.name,
            remedy="Give every row a score.",
        )
    score = np.array(got.values, dtype=np.float64)
    return build_run(query, doc, score, rank=whole_ranks(ranks), origin=origin, name=name)


def qrels_of_rows(rows: Numbered, origin: Origin, problems: Problems) -> Qrels:
    """Read qrels from numbered rows.

    Raises
    ------
    ReadError, ScoreError, DuplicateError
        With the row's number.
    """
    got = _gather(rows, "qrels", "grade", origin, problems)
    query, doc = IdColumn.from_ids(got.queries), IdColumn.from_ids(got.docs)
    grade = np.array(got.values, dtype=np.float64)
    return build_qrels(query, doc, grade, origin=got.origin(origin))


def corpus_of_ids(ids: Numbered, origin: Origin, problems: Problems) -> Corpus:
    """Read the ids of a corpus: ids themselves, or records that hold one each."""
    texts = []
    for place, item in ids:
        where = f"{origin.name}, {origin.unit} {place}"
        with problems.noting():
            fields = None if is_single(item) else as_fields(item)
            value = item if fields is None else fields[need_column(fields, "doc", where)]
            texts.append(id_text(value, where, "document id"))
        if problems.is_full:
            break
    problems.finish(origin.name)
    return build_corpus(IdColumn.from_ids(texts), origin=origin)
