"""JSON: one document of a run or qrels, or one record a line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any

from falsify_nb.core.tables import Corpus, Origin, Qrels, Run
from falsify_nb.errors import DuplicateError, ReadError, shorten
from falsify_nb.io import records, rows
from falsify_nb.io.columns import SPELLINGS
from falsify_nb.io.delimited import first_line
from falsify_nb.io.jsonl import qrels_of_records, run_of_records
from falsify_nb.io.problems import Problems
from falsify_nb.io.text import Source

__all__ = [
    "content_of_json",
    "corpus_of_json",
    "is_json",
    "is_json_lines",
    "qrels_of_json",
    "run_of_json",
]

_PER_QUERY = frozenset(s for role in ("retrieved", "gold") for g in SPELLINGS[role] for s in g)
# A brace or bracket is followed by what may follow it in JSON.
_OPENING = re.compile(rb'\{\s*(["}]|$)|\[\s*([\[{"\]]|\d+\s*,|$)')
_TREC_FIELDS = range(4, 10)
_RECORD = _PER_QUERY | {"query_id", "qid", "query-id", "doc_id", "docno", "corpus-id", "_id", "id"}


def is_json(source: Source) -> bool:
    """Return whether a file begins like JSON, and not like a TREC line with such an id."""
    head = source.data[:1024].lstrip()
    if head[:1] not in {b"{", b"["}:
        return False
    return bool(_OPENING.match(head)) or len(head.splitlines()[0].split()) not in _TREC_FIELDS


def is_json_lines(source: Source) -> bool:
    """Return whether the first line that holds something is a whole JSON record."""
    if source.data[:1024].lstrip()[:1] != b"{":
        return False
    first = first_line(source.data)
    try:
        record = json.loads(first)
    except (ValueError, RecursionError):
        return False
    if not isinstance(record, dict) or source.data.strip() != first.encode().strip():
        return isinstance(record, dict)
    # One line alone may be {query: ranking} as well: a record holds single values, or two lists.
    single = [k for k in _RECORD & record.keys() if isinstance(record[k], str | int | float)]
    return bool(single) or len(_PER_QUERY & record.keys()) > 1


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Build an object, refusing a key that stands twice: json itself would keep the last."""
    out = dict(pairs)
    if len(out) < len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise DuplicateError(
                    f"The key {shorten(key)} stands twice in one object",
                    remedy="Keep each query and document once.",
                )
            seen.add(key)
    return out


def _parse(text: bytes, where: str) -> Any:  # noqa: ANN401 - any JSON value
    try:
        return json.loads(text, object_pairs_hook=_object)
    except DuplicateError as error:
        raise DuplicateError(error.what, where=where, remedy=error.remedy) from None
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}" if error.lineno > 1 else ""
        raise ReadError(
            f"This is no JSON: {error.msg} at character {error.colno}",
            where=f"{where}, {place}" if place else where,
            remedy="Check quotes, commas and brackets.",
        ) from None
    except (ValueError, RecursionError) as error:
        raise ReadError(
            f"This JSON cannot be read: {shorten(str(error))}", where=where, remedy="Is it JSON?"
        ) from None


def _lines(source: Source, problems: Problems) -> Iterator[tuple[int, Any]]:
    for number, line in enumerate(source.data.split(b"\n"), start=1):
        if line.strip():
            record = None
            with problems.noting():
                record = _parse(line, f"{source.name}, line {number}")
            if record is not None:
                yield number, record
        if problems.is_full:
            return


def content_of_json(source: Source, problems: Problems) -> tuple[Any, Origin]:
    """Return a mapping, or an iterator of numbered records, with how its places are named."""
    if is_json_lines(source):
        return _lines(source, problems), Origin(source.name, "line", first=1)
    got = _parse(source.data, source.name)
    if isinstance(got, Mapping):
        return got, Origin(source.name, "item")
    return enumerate(got), Origin(source.name, "item")


def _peek(items: Iterator[tuple[int, Any]], what: str, name: str) -> tuple[bool, Any]:
    """Return whether rows are one a query, beside all of them."""
    first = next(items, None)
    if first is None:
        raise ReadError(f"The {what} is empty", where=name, remedy="Give at least one record.")
    is_per_query = isinstance(first[1], Mapping) and bool(_PER_QUERY & first[1].keys())
    return is_per_query, chain([first], items)


def run_of_json(source: Source, problems: Problems) -> Run:
    """Read a run from JSON or JSON lines."""
    got, origin = content_of_json(source, problems)
    if isinstance(got, Mapping):
        return records.run_of_mapping(got, "run", origin, problems)
    per_query, items = _peek(iter(got), "run", source.name)
    if per_query:
        return run_of_records(items, origin, "run", problems)
    return rows.run_of_rows(items, "run", origin, problems)


def qrels_of_json(source: Source, problems: Problems) -> Qrels:
    """Read qrels from JSON or JSON lines."""
    got, origin = content_of_json(source, problems)
    if isinstance(got, Mapping):
        return records.qrels_of_mapping(got, origin, problems)
    per_query, items = _peek(iter(got), "qrels", source.name)
    if per_query:
        return qrels_of_records(items, origin, problems)
    return rows.qrels_of_rows(items, origin, problems)


def corpus_of_json(source: Source, problems: Problems) -> Corpus:
    """Read the ids of a corpus from JSON or JSON lines."""
    got, origin = content_of_json(source, problems)
    ids: Iterable[tuple[int, Any]] = enumerate(got) if isinstance(got, Mapping) else got
    return rows.corpus_of_ids(ids, origin, problems)
