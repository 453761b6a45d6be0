"""A retriever as the run: asked once per query, with progress, and nothing lost when it fails."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from typing import Any

from falsify_nb.core.tables import Origin, Run
from falsify_nb.errors import (
    Cancelled,
    DuplicateError,
    FalsifyError,
    OptionError,
    RetrieverError,
)
from falsify_nb.io.frames import as_table
from falsify_nb.io.ids import id_text
from falsify_nb.io.per_query import to_per_query
from falsify_nb.io.records import Hits

__all__ = ["as_search", "is_retriever", "retrieve"]

_METHODS = ("invoke", "get_relevant_documents", "retrieve", "search")
_ID_KEYS = ("doc_id", "docno", "document_id", "docid", "chunk_id", "_id", "id", "source")


def is_retriever(obj: Any) -> bool:  # noqa: ANN401 - any user object
    """Return whether an object can be asked: a function, or an object with a known method."""
    return callable(obj) or any(callable(getattr(obj, name, None)) for name in _METHODS)


def as_search(obj: Any) -> Callable[[str], Any]:  # noqa: ANN401
    """Return the function from text to hits of a retriever object."""
    for name in _METHODS:
        method = getattr(obj, name, None)
        if callable(method):
            return method
    return obj


def retrieve(
    retriever: Any,  # noqa: ANN401
    queries: Any,  # noqa: ANN401
    *,
    name: str = "run",
    progress: Callable[[str, int, int], None] | None = None,
) -> Run:
    """Ask a retriever every query once.

    Parameters
    ----------
    retriever : callable or object
        ``search(text)`` giving ids, pairs (id, score) or {id: score}; or an object with
        ``invoke``, ``get_relevant_documents``, ``retrieve`` or ``search``.
    queries : mapping of query id to text, frame or path
        What to ask, in any form of `falsify_nb.io.per_query.to_per_query`.
    name : str
        The system's name.
    progress : callable, optional
        Called with (task, done, total) before each call; raising in it stops.

    Raises
    ------
    OptionError
        If there are no queries.
    InputError
        If a query has no text, or stands twice.
    RetrieverError
        If a call raises or returns no hits; it names the query and keeps what was done.
    """
    if queries is None:
        raise OptionError(
            "The run is a retriever, and there are no queries to ask it",
            remedy="Give queries={query_id: text}.",
        )
    asked = to_per_query(queries, "queries") or {}
    search = as_search(retriever)
    gathered: dict[str, Any] = {}
    hits = Hits("run")
    for position, (query, text) in enumerate(asked.items()):
        if progress is not None:
            _report(progress, position, len(asked), gathered)
        found = _ask(search, query, text, gathered)
        try:
            before = len(hits.docs)
            hits.add(query, found)
            _check_documents(hits.docs[before:], f"query {query!r}")
        except FalsifyError as error:
            what = f"The retriever's answer cannot be read: {error.what}"
            raise _stopped(what, error.where, error.remedy, gathered) from error
        gathered[query] = found
    if progress is not None:
        _report(progress, len(asked), len(asked), gathered)
    return hits.run(name, Origin("the retriever's answers", "item"))


def _check_documents(docs: list[str], where: str) -> None:
    """Refuse bad or repeated ids while the answers are still to be kept."""
    seen: set[str] = set()
    for doc in docs:
        text = id_text(doc, where, "document id")
        if text in seen:
            raise DuplicateError(
                f"Document {text!r} is returned twice",
                where=where,
                remedy="Return each document once. For chunks: return their own ids, "
                "and read_run(search, queries=..., doc_of=...) makes documents of them.",
            )
        seen.add(text)


def _report(
    progress: Callable[[str, int, int], None], done: int, total: int, gathered: dict[str, Any]
) -> None:
    try:
        progress("asking the retriever", done, total)
    except (Cancelled, KeyboardInterrupt) as stop:
        stop.done = gathered  # type: ignore[union-attr]
        raise


def _ask(search: Callable[[str], Any], query: str, text: str, gathered: dict[str, Any]) -> Any:  # noqa: ANN401
    try:
        found = search(text)
        if isinstance(found, Mapping | AbstractSet | str) or as_table(found, "") is not None:
            return found
        if not inspect.isawaitable(found):
            return [_hit(h) for h in found]
    except (Cancelled, KeyboardInterrupt) as stop:
        stop.done = gathered  # type: ignore[union-attr]
        raise
    except Exception as error:
        raise _stopped(
            f"The retriever raised {type(error).__name__}: {error}",
            f"query {query!r}, {len(gathered)} queries done",
            "What was done is in the error's `done`: sys.last_value.done in a notebook.",
            gathered,
        ) from error
    if inspect.iscoroutine(found):
        # Left alone, it would warn that it was never awaited.
        found.close()
    raise _stopped(
        "The retriever is asynchronous",
        f"query {query!r}",
        "Hand over its answers: {query_id: await search(text) for query_id, text in "
        "queries.items()}.",
        gathered,
    )


def _stopped(what: str, where: str, remedy: str, gathered: dict[str, Any]) -> RetrieverError:
    error = RetrieverError(what, where=where, remedy=remedy)
    error.done = gathered
    return error


def _hit(item: Any) -> Any:  # noqa: ANN401
    """Return an id or (id, score) for the document objects of the usual libraries."""
    if isinstance(item, str | int | float | tuple | list | Mapping):
        if isinstance(item, tuple | list) and len(item) == 2 and not hasattr(item, "_fields"):
            first = _hit(item[0])
            return (first, item[1])
        return item
    node = getattr(item, "node", None)
    if node is not None:
        score = getattr(item, "score", None)
        found = _object_id(node)
        return found if score is None else (found, score)
    return _object_id(item)


def _object_id(item: Any) -> Any:  # noqa: ANN401
    """Return the id that a document object carries, its metadata first."""
    metadata = getattr(item, "metadata", None)
    if isinstance(metadata, Mapping):
        for key in _ID_KEYS:
            if metadata.get(key) is not None:
                return metadata[key]
    for key in ("id", "node_id", "doc_id", "id_"):
        value = getattr(item, key, None)
        if value is not None:
            return value
    return item
