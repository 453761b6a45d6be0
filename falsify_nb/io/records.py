"""Plain Python by query: {query: {document: score}}, {query: [document, …]} and their like."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from falsify_nb.core.tables import IdColumn, Origin, Qrels, Run
from falsify_nb.errors import DuplicateError, ReadError, shorten
from falsify_nb.io.assemble import build_qrels, build_run
from falsify_nb.io.columns import find_column, need_column
from falsify_nb.io.ids import id_text
from falsify_nb.io.numbers import number
from falsify_nb.io.tables import Table, as_table

__all__ = ["Hits", "as_fields", "by_query", "is_single", "qrels_of_mapping", "run_of_mapping"]


@dataclass(slots=True)
class Hits:
    """Rows gathered one ranking at a time.

    Parameters
    ----------
    what : str
        ``"run"`` or ``"qrels"``.
    """

    what: str
    queries: list[str] = field(default_factory=list)
    docs: list[str] = field(default_factory=list)
    values: list[float] = field(default_factory=list)
    empty: list[str] = field(default_factory=list)
    scored: str | None = None
    ranked: str | None = None

    def add(self, query: str, ranking: Any) -> None:  # noqa: ANN401
        """Add one query's documents: a dict, ids in order, pairs, or records."""
        where = f"query {query!r}"
        before = len(self.docs)
        if self.what == "qrels":
            self._add_judged(ranking, where)
        else:
            self._add_ranked(query, ranking, where)
        added = len(self.docs) - before
        if not added:
            self.empty.append(query)
        self.queries.extend([query] * added)

    def _add_judged(self, judged: Any, where: str) -> None:  # noqa: ANN401
        if judged is None:
            raise ReadError("The judgments are None", where=where, remedy="Write {} for none.")
        if isinstance(judged, Mapping) and not _is_record(judged):
            pairs: Iterable[tuple[Any, Any]] = judged.items()
        elif is_single(judged):
            pairs = [(judged, 1)]
        else:
            items = _listed(judged, where)
            _check_types(items, where)
            pairs = [_pair(item, 1, where) for item in items]
        for doc, grade in pairs:
            text = id_text(doc, where, "document id")
            self.docs.append(text)
            self.values.append(number(grade, "grade", f"{where}, document {text!r}"))

    def _add_ranked(self, query: str, ranking: Any, where: str) -> None:  # noqa: ANN401
        if isinstance(ranking, Mapping) and not _is_record(ranking):
            items: Sequence[Any] = list(ranking.items())
            scored = bool(items)
        else:
            if isinstance(ranking, AbstractSet):
                raise ReadError(
                    "A set has no order",
                    where=where,
                    remedy="Give a list in ranking order, or a dict with scores.",
                )
            items = [ranking] if is_single(ranking) else _listed(ranking, where)
            _check_types(items, where)
            scored = bool(items) and not is_single(items[0])
        if not items:
            return
        self._note_kind(query, scored=scored)
        for item in items:
            if scored:
                doc, score = _pair(item, None, where)
                text = id_text(doc, where, "document id")
                self.values.append(number(score, "score", f"{where}, document {text!r}"))
            else:
                text = id_text(item, where, "document id")
            self.docs.append(text)

    def _note_kind(self, query: str, *, scored: bool) -> None:
        if scored and self.scored is None:
            self.scored = query
        elif not scored and self.ranked is None:
            self.ranked = query
        if self.scored is not None and self.ranked is not None:
            raise ReadError(
                f"Query {self.scored!r} has scores and query {self.ranked!r} has none",
                where=f"query {query!r}",
                remedy="Give scores for all queries or for none.",
            )

    def run(self, name: str, origin: Origin) -> Run:
        """Return what was gathered as a run."""
        score = None if self.scored is None else np.array(self.values, dtype=np.float64)
        return build_run(
            IdColumn.from_ids(self.queries),
            IdColumn.from_ids(self.docs),
            score,
            origin=origin,
            empty_queries=self.empty,
            name=name,
        )

    def qrels(self, origin: Origin) -> Qrels:
        """Return what was gathered as qrels."""
        return build_qrels(
            IdColumn.from_ids(self.queries),
            IdColumn.from_ids(self.docs),
            np.array(self.values, dtype=np.float64),
            origin=origin,
            empty_queries=self.empty,
        )


def is_single(value: Any) -> bool:  # noqa: ANN401
    """Return whether a value is one id rather than several: text is never its letters."""
    if value is None or isinstance(value, str | bytes | int | float | np.generic):
        return True
    # A number of another library, such as a tensor without dimensions.
    return getattr(value, "ndim", None) == 0


def _listed(value: Any, where: str) -> list[Any]:  # noqa: ANN401
    """Return the items of one query; a column of numbers with ids as index gives pairs."""
    table = as_table(value, where)
    if table is not None:
        return _pairs_of_table(table, where)
    index, items = getattr(value, "index", None), getattr(value, "items", None)
    if index is not None and callable(items) and getattr(value, "dtype", "O") != "O":
        pairs = list(items())
        if all(isinstance(v, int | float | np.number) for _, v in pairs):
            return pairs
    try:
        return list(value)
    except TypeError:
        raise ReadError(
            f"A {type(value).__name__} is no ranking",
            where=where,
            remedy="Give {document: score}, or a list of ids in ranking order.",
        ) from None


def _pairs_of_table(table: Table, where: str) -> list[Any]:
    """Return what a frame for one query holds, as a retriever of PyTerrier answers."""
    doc = need_column(table.columns, "doc", where)
    number_name = find_column(table.columns, "score", where)
    if number_name is None:
        number_name = need_column(table.columns, "grade", where)
    return list(zip(table.columns[doc].tolist(), table.columns[number_name].tolist(), strict=True))


def _check_types(items: Sequence[Any], where: str) -> None:
    """Refuse ("d1", 0.7) given for [("d1", 0.7)]: ids are all text or all numbers."""
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


def _pair(item: Any, default: float | None, where: str) -> tuple[Any, Any]:  # noqa: ANN401
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
    names = getattr(type(item), "__dataclass_fields__", None)
    if names is not None:
        return {name: getattr(item, name) for name in names}
    return None


def _is_record(value: Mapping[Any, Any]) -> bool:
    """Return whether a mapping is one record of a document rather than {document: score}."""
    if not all(isinstance(k, str) for k in value) or len(value) < 2:
        return False
    try:
        doc = find_column(value, "doc", "")
        return doc is not None and any(
            find_column(value, role, "") is not None for role in ("score", "grade", "rank")
        )
    except ReadError:
        return False


def by_query(obj: Mapping[Any, Any], what: str) -> Iterator[tuple[str, Any]]:
    """Yield the entries of {query: …} under their ids as text, refusing 1 beside "1"."""
    seen: dict[str, Any] = {}
    for key, value in obj.items():
        query = id_text(key, what, "query id")
        if query in seen:
            raise DuplicateError(
                f"Query {query!r} is given twice, as {seen[query]!r} and as {key!r}",
                where=what,
                remedy="Use one type of key.",
            )
        seen[query] = key
        yield query, value


def run_of_mapping(obj: Mapping[Any, Any], name: str, origin: Origin) -> Run:
    """Read {query: ranking}."""
    hits = Hits("run")
    for query, ranking in by_query(obj, origin.name):
        hits.add(query, ranking)
    return hits.run(name, origin)


def qrels_of_mapping(obj: Mapping[Any, Any], origin: Origin) -> Qrels:
    """Read {query: {document: grade}}, or {query: relevant ids}."""
    hits = Hits("qrels")
    for query, judged in by_query(obj, origin.name):
        hits.add(query, judged)
    return hits.qrels(origin)
