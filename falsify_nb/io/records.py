"""Plain Python by query: {query: {document: score}}, {query: [document, …]} and their like."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from falsify_nb.core.tables import IdColumn, Origin, Qrels, Run
from falsify_nb.errors import DuplicateError, InputError, ReadError, shorten
from falsify_nb.io.assemble import build_qrels, build_run
from falsify_nb.io.columns import find_column
from falsify_nb.io.ids import check_labels, id_text
from falsify_nb.io.items import MOST_FIELDS, check_types, is_record, is_single, listed, pair_of
from falsify_nb.io.numbers import number
from falsify_nb.io.problems import Problems

__all__ = ["Hits", "by_query", "placed", "qrels_of_mapping", "run_of_mapping"]


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
    counts: list[int] = field(default_factory=list)
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
            return
        self.queries.append(query)
        self.counts.append(added)

    def _add_plain(self, content: Mapping[Any, Any]) -> bool:
        """Add {text: number} in one go; False where an entry needs a closer look."""
        docs, values = list(content), list(content.values())
        if set(map(type, docs)) != {str} or not set(map(type, values)) <= {float, int}:
            return False
        try:
            numbers = list(map(float, values))
        except OverflowError:
            return False
        if not all(map(math.isfinite, numbers)):
            return False
        self.docs.extend(docs)
        self.values.extend(numbers)
        return True

    def _add_judged(self, judged: Any, where: str) -> None:  # noqa: ANN401
        if judged is None:
            raise ReadError("The judgments are None", where=where, remedy="Write {} for none.")
        if isinstance(judged, Mapping) and not is_record(judged, where):
            if self._add_plain(judged):
                return
            pairs: Iterable[tuple[Any, Any]] = judged.items()
        elif is_single(judged):
            pairs = [(judged, 1)]
        else:
            items = [judged] if isinstance(judged, Mapping) else listed(judged, where)
            check_types(items, where)
            pairs = [pair_of(item, 1, where) for item in items]
        for doc, grade in pairs:
            text = id_text(doc, where, "document id")
            self.docs.append(text)
            self.values.append(number(grade, "grade", f"{where}, document {text!r}"))

    def _add_ranked(self, query: str, ranking: Any, where: str) -> None:  # noqa: ANN401
        if isinstance(ranking, Mapping) and not is_record(ranking, where):
            items: Sequence[Any] = list(ranking.items())
            scored = bool(items)
        else:
            if isinstance(ranking, AbstractSet):
                raise ReadError(
                    "A set has no order",
                    where=where,
                    remedy="Give a list in ranking order, or a dict with scores.",
                )
            is_one = is_single(ranking) or isinstance(ranking, Mapping)
            items = [ranking] if is_one else listed(ranking, where)
            check_types(items, where)
            scored = bool(items) and not is_single(items[0])
        if not items:
            return
        self._note_kind(query, scored=scored)
        if isinstance(ranking, Mapping) and scored and self._add_plain(ranking):
            return
        if not scored and set(map(type, items)) == {str}:
            self.docs.extend(items)
            return
        for item in items:
            if scored:
                doc, score = pair_of(item, None, where)
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

    def _columns(self) -> tuple[IdColumn, IdColumn]:
        labels = np.empty(len(self.queries), dtype=object)
        labels[:] = self.queries
        query = IdColumn(np.repeat(np.arange(len(labels)), self.counts), labels)
        doc = IdColumn.from_ids(self.docs)
        check_labels(doc, lambda row: f"query {labels[query.codes[row]]!r}", "document id")
        return query, doc

    def run(self, name: str, origin: Origin) -> Run:
        """Return what was gathered as a run."""
        query, doc = self._columns()
        score = None if self.scored is None else np.array(self.values, dtype=np.float64)
        return build_run(query, doc, score, origin=origin, empty_queries=self.empty, name=name)

    def qrels(self, origin: Origin) -> Qrels:
        """Return what was gathered as qrels."""
        query, doc = self._columns()
        grade = np.array(self.values, dtype=np.float64)
        return build_qrels(query, doc, grade, origin=origin, empty_queries=self.empty)


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


def run_of_mapping(
    obj: Mapping[Any, Any], name: str, origin: Origin, problems: Problems | None = None
) -> Run:
    """Read {query: ranking}; with a file's `problems`, its name stands in each of them."""
    return _hits_of_mapping(obj, "run", origin, problems).run(name, origin)


def qrels_of_mapping(
    obj: Mapping[Any, Any], origin: Origin, problems: Problems | None = None
) -> Qrels:
    """Read {query: {document: grade}}, or {query: relevant ids}."""
    return _hits_of_mapping(obj, "qrels", origin, problems).qrels(origin)


def _hits_of_mapping(
    obj: Mapping[Any, Any], what: str, origin: Origin, problems: Problems | None
) -> Hits:
    _refuse_columns(obj, origin.name)
    hits = Hits(what)
    for query, content in by_query(obj, origin.name):
        try:
            hits.add(query, content)
        except InputError as error:
            if problems is None:
                raise
            problems.add(placed(error, origin.name))
            if problems.is_full:
                break
    if problems is not None:
        problems.finish(origin.name)
    return hits


def placed(error: InputError, where: str) -> InputError:
    """Return the error with a place in front, where it names only the query."""
    if error.where.startswith(where):
        return error
    place = f"{where}, {error.where}" if error.where else where
    return type(error)(error.what, where=place, remedy=error.remedy)


def _refuse_columns(obj: Mapping[Any, Any], where: str) -> None:
    """Refuse {"query_id": [...], "doc_id": [...]}: the columns of a table, not its queries."""
    if not 2 < len(obj) <= MOST_FIELDS or not all(isinstance(k, str) for k in obj):
        return
    try:
        found = [find_column(obj, role, "") for role in ("query", "doc")]
        has_number = any(find_column(obj, role, "") for role in ("score", "grade", "rank"))
    except ReadError:
        return
    if all(found) and has_number:
        raise ReadError(
            f"The keys {', '.join(shorten(k) for k in list(obj)[:4])} are the columns of a table, "
            "not queries",
            where=where,
            remedy="Hand over pandas.DataFrame(...) of it.",
        )
