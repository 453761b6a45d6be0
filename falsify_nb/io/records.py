"""Plain Python: dicts by query, records, named tuples, and iterators of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from falsify_nb.core.tables import Corpus, IdColumn, Origin, Qrels, Run
from falsify_nb.errors import DuplicateError, ReadError, ScoreError, shorten
from falsify_nb.io.assemble import build_corpus, build_qrels, build_run
from falsify_nb.io.columns import find_column, need_column
from falsify_nb.io.ids import id_text
from falsify_nb.io.order import by_rank

__all__ = ["Hits", "corpus_of_ids", "number", "qrels_of_mapping", "qrels_of_rows"]


def number(value: Any, what: str, where: str) -> float:  # noqa: ANN401 - any user object
    """Return a real number as float, or refuse it.

    Raises
    ------
    ScoreError
        If it is text, missing, or nothing that float() takes.
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
            f"The {what} is {result}",
            where=where,
            remedy=f"Give a finite {what}, or leave the document out.",
        )
    return result


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
        elif _is_single(judged):
            pairs = [(judged, 1)]
        else:
            pairs = [_pair(item, 1, where) for item in _listed(judged, where)]
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
            items = [ranking] if _is_single(ranking) else _listed(ranking, where)
            scored = bool(items) and not _is_single(items[0])
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
                where="the run",
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


def _is_single(value: Any) -> bool:  # noqa: ANN401
    """Return whether a value is one id rather than several: text is never its letters."""
    if isinstance(value, str | bytes | int | np.generic):
        return True
    return value is None or isinstance(value, float)


def _listed(value: Any, where: str) -> list[Any]:  # noqa: ANN401
    try:
        return list(value)
    except TypeError:
        raise ReadError(
            f"A {type(value).__name__} is no ranking",
            where=where,
            remedy="Give {document: score}, or a list of ids in ranking order.",
        ) from None


def _pair(item: Any, default: float | None, where: str) -> tuple[Any, Any]:  # noqa: ANN401
    """Return (document, number) of one item: a pair, a record, or a bare id with a default."""
    if _is_single(item):
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


def run_of_mapping(obj: Mapping[Any, Any], name: str) -> Run:
    """Read {query: ranking}."""
    hits = Hits("run")
    for query, ranking in by_query(obj, "the run"):
        hits.add(query, ranking)
    return hits.run(name, Origin("the run", "item"))


def qrels_of_mapping(obj: Mapping[Any, Any]) -> Qrels:
    """Read {query: {document: grade}}, or {query: relevant ids}."""
    hits = Hits("qrels")
    for query, judged in by_query(obj, "the qrels"):
        hits.add(query, judged)
    return hits.qrels(Origin("the qrels", "item"))


@dataclass(slots=True)
class _Rows:
    """Flat rows, as columns of text and numbers."""

    queries: list[str] = field(default_factory=list)
    docs: list[str] = field(default_factory=list)
    values: list[float] = field(default_factory=list)
    ranks: list[float] = field(default_factory=list)


def read_rows(rows: Iterable[Any], what: str, role: str, origin: Origin) -> _Rows:
    """Read flat rows: records with known names, or tuples (query, document, number)."""
    out = _Rows()
    for position, item in enumerate(rows):
        where = origin.at(position)
        fields = as_fields(item)
        if fields is not None:
            _add_record(out, fields, role, where)
        elif isinstance(item, tuple | list) and len(item) == 3:
            out.queries.append(id_text(item[0], where, "query id"))
            out.docs.append(id_text(item[1], where, "document id"))
            out.values.append(number(item[2], role, _row_place(where, out)))
        else:
            raise ReadError(
                f"{shorten(item)} is no row of a {what}",
                where=where,
                remedy=f"Give tuples (query, document, {role}) or records with those names.",
            )
    return out


def _row_place(where: str, rows: _Rows) -> str:
    return f"{where}: query {rows.queries[-1]!r}, document {rows.docs[-1]!r}"


def _add_record(out: _Rows, fields: Mapping[str, Any], role: str, where: str) -> None:
    query = fields[need_column(fields, "query", where)]
    doc = fields[need_column(fields, "doc", where)]
    value_name = find_column(fields, role, where)
    rank_name = find_column(fields, "rank", where) if role == "score" else None
    if value_name is None and rank_name is None:
        need_column(fields, role, where)
    out.queries.append(id_text(query, where, "query id"))
    out.docs.append(id_text(doc, where, "document id"))
    place = _row_place(where, out)
    if value_name is not None:
        out.values.append(number(fields[value_name], role, place))
    if rank_name is not None:
        out.ranks.append(number(fields[rank_name], "rank", place))


def run_of_rows(rows: Iterable[Any], name: str, origin: Origin) -> Run:
    """Read flat rows of a run."""
    got = read_rows(rows, "run", "score", origin)
    query, doc = IdColumn.from_ids(got.queries), IdColumn.from_ids(got.docs)
    n = len(query)
    if not got.values and len(got.ranks) == n and n:
        ranks = np.array(got.ranks, dtype=np.float64)
        query, doc, origin = by_rank(query, doc, ranks, origin)
        return build_run(query, doc, None, origin=origin, name=name)
    if len(got.values) != n:
        raise ReadError(
            f"{n - len(got.values)} of {n} rows have no score",
            where=origin.name,
            remedy="Give every row a score.",
        )
    whole = len(got.ranks) == n and all(r == int(r) for r in got.ranks)
    return build_run(
        query,
        doc,
        np.array(got.values, dtype=np.float64),
        rank=np.array(got.ranks, dtype=np.int64) if whole and n else None,
        origin=origin,
        name=name,
    )


def qrels_of_rows(rows: Iterable[Any], origin: Origin) -> Qrels:
    """Read flat rows of judgments."""
    got = read_rows(rows, "qrels", "grade", origin)
    return build_qrels(
        IdColumn.from_ids(got.queries),
        IdColumn.from_ids(got.docs),
        np.array(got.values, dtype=np.float64),
        origin=origin,
    )


def corpus_of_ids(ids: Iterable[Any], origin: Origin) -> Corpus:
    """Read the ids of a corpus: ids themselves, or records that hold one each."""
    texts = []
    for position, item in enumerate(ids):
        where = origin.at(position)
        fields = None if _is_single(item) else as_fields(item)
        value = item if fields is None else fields[need_column(fields, "doc", where)]
        texts.append(id_text(value, where, "document id"))
    return build_corpus(IdColumn.from_ids(texts), origin=origin)
