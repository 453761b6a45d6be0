"""Plain Python by query: {query: {document: score}}, {query: [document, …]} and their like."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from falsify_nb.core.tables import IdColumn, Origin, Qrels, Run
from falsify_nb.errors import DuplicateError, ReadError
from falsify_nb.io.assemble import build_qrels, build_run
from falsify_nb.io.ids import check_labels, id_text
from falsify_nb.io.items import check_types, is_record, is_single, listed, pair_of
from falsify_nb.io.numbers import number

__all__ = ["Hits", "by_query", "qrels_of_mapping", "run_of_mapping"]


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
        if isinstance(judged, Mapping) and not is_record(judged):
            if self._add_plain(judged):
                return
            pairs: Iterable[tuple[Any, Any]] = judged.items()
        elif is_single(judged):
            pairs = [(judged, 1)]
        else:
            items = listed(judged, where)
            check_types(items, where)
            pairs = [pair_of(item, 1, where) for item in items]
        for doc, grade in pairs:
            text = id_text(doc, where, "document id")
            self.docs.append(text)
            self.values.append(number(grade, "grade", f"{where}, document {text!r}"))

    def _add_ranked(self, query: str, ranking: Any, where: str) -> None:  # noqa: ANN401
        if isinstance(ranking, Mapping) and not is_record(ranking):
            items: Sequence[Any] = list(ranking.items())
            scored = bool(items)
        else:
            if isinstance(ranking, AbstractSet):
                raise ReadError(
                    "A set has no order",
                    where=where,
                    remedy="Give a list in ranking order, or a dict with scores.",
                )
            items = [ranking] if is_single(ranking) else listed(ranking, where)
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
