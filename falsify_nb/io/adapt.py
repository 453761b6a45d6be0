"""The one door: whatever a user hands over becomes a run, qrels or corpus, or is refused."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import chain
from typing import Any

import numpy as np

from falsify_nb.core.tables import Corpus, Origin, Qrels, Run
from falsify_nb.errors import CorpusError, ReadError, shorten
from falsify_nb.io import records, tables
from falsify_nb.io.chunks import by_document
from falsify_nb.io.formats import read_file
from falsify_nb.io.jsonl import qrels_of_records, run_of_records
from falsify_nb.io.problems import OnError, Problems
from falsify_nb.io.retrieve import is_retriever, retrieve
from falsify_nb.io.text import is_readable

__all__ = ["Progress", "to_corpus", "to_qrels", "to_run"]

Progress = Callable[[str, int, int], None]


def to_run(
    obj: Any,  # noqa: ANN401 - whatever a user hands over
    *,
    name: str = "run",
    queries: Mapping[Any, str] | None = None,
    doc_of: Mapping[Any, Any] | Callable[[str], Any] | None = None,
    progress: Progress | None = None,
    errors: OnError = "raise",
) -> Run:
    """Return any kind of run as a table.

    Parameters
    ----------
    obj : object
        A mapping {query: ranking}, a frame, rows, a file, a retriever, or a `Run`.
    name : str
        The system's name where the input has none.
    queries : mapping of query id to text, optional
        What a retriever is asked; needed for one, not used otherwise.
    doc_of : mapping or callable, optional
        Chunk id to document id: each document takes the best place of its chunks.
    progress : callable, optional
        Called with (task, done, total) between calls of a retriever.
    errors : {"raise", "collect"}
        Whether a file's first problem is raised, or up to twenty are listed together.

    Raises
    ------
    InputError
        If it cannot be used; the message names the place and what to type.
    """
    run = _run(obj, name, queries, progress, Problems(errors))
    if doc_of is not None:
        run = by_document(run, doc_of)
    return run


def _run(  # noqa: PLR0911 - one return per kind of input
    obj: Any,  # noqa: ANN401
    name: str,
    queries: Mapping[Any, str] | None,
    progress: Progress | None,
    problems: Problems,
) -> Run:
    if isinstance(obj, Run):
        return obj
    _refuse_kind(obj, Qrels, "run", "qrels")
    if obj is None:
        raise ReadError("The run is None", remedy="Give a run, a file or a retriever.")
    if is_readable(obj):
        return read_file(obj, "run", problems)
    table = tables.as_table(obj, "the run")
    if table is not None:
        return tables.run_of_table(table, name)
    inner = _ranx_mapping(obj)
    if isinstance(inner, Mapping):
        return records.run_of_mapping(inner, name)
    if is_retriever(obj):
        return retrieve(obj, queries, name=name, progress=progress)
    first, rows = _rows(obj, "run")
    fields = records.as_fields(first) if first is not None else None
    if fields is not None and "retrieved" in fields:
        return run_of_records(enumerate(rows), Origin("the run", "item"), name, problems)
    return records.run_of_rows(rows, name, Origin("the run", "item"))


def to_qrels(
    obj: Any,  # noqa: ANN401
    *,
    errors: OnError = "raise",
) -> Qrels:
    """Return any kind of relevance judgments as a table.

    Parameters
    ----------
    obj : object
        A mapping {query: {document: grade}} or {query: relevant ids}, a frame, rows, a file, or
        a `Qrels`.
    errors : {"raise", "collect"}
        Whether a file's first problem is raised, or up to twenty are listed together.

    Raises
    ------
    InputError
        If it cannot be used; the message names the place and what to type.
    """
    problems = Problems(errors)
    if isinstance(obj, Qrels):
        return obj
    _refuse_kind(obj, Run, "qrels", "a run")
    if obj is None:
        raise ReadError("The qrels are None", remedy="Give judgments or a file of them.")
    if is_readable(obj):
        return read_file(obj, "qrels", problems)
    table = tables.as_table(obj, "the qrels")
    if table is not None:
        return tables.qrels_of_table(table)
    inner = _ranx_mapping(obj)
    if isinstance(inner, Mapping):
        return records.qrels_of_mapping(inner)
    first, rows = _rows(obj, "qrels")
    fields = records.as_fields(first) if first is not None else None
    if fields is not None and "gold" in fields:
        return qrels_of_records(enumerate(rows), Origin("the qrels", "item"), problems)
    return records.qrels_of_rows(rows, Origin("the qrels", "item"))


def to_corpus(obj: Any, *, errors: OnError = "raise") -> Corpus | None:  # noqa: ANN401
    """Return a corpus from its ids, a file of them, or its size; None stays None.

    Parameters
    ----------
    obj : object
        Ids, {id: text}, records or a frame with ids, a file, a number of documents, or None.
    errors : {"raise", "collect"}
        Whether a file's first problem is raised, or up to twenty are listed together.

    Raises
    ------
    InputError
        If it cannot be used; the message names the place and what to type.
    """
    if obj is None or isinstance(obj, Corpus):
        return obj
    if isinstance(obj, bool | np.bool_ | float | np.floating):
        raise CorpusError(
            f"corpus={shorten(obj)} is no number of documents",
            remedy="Give a whole number, the ids, or a file of them.",
        )
    if hasattr(obj, "__index__") and not isinstance(obj, np.ndarray):
        size = int(obj.__index__())
        if size < 1:
            raise CorpusError(f"corpus={size} is less than 1", remedy="Give its size or its ids.")
        return Corpus(size)
    if is_readable(obj):
        return read_file(obj, "corpus", Problems(errors))
    table = tables.as_table(obj, "the corpus")
    if table is not None:
        return tables.corpus_of_table(table)
    ids = tables.id_sequence(obj, "the corpus")
    if ids is not None:
        return ids
    _, rows = _rows(obj, "corpus")
    return records.corpus_of_ids(rows, Origin("the corpus", "item"))


def _refuse_kind(obj: Any, kind: type, what: str, other: str) -> None:  # noqa: ANN401
    if isinstance(obj, kind):
        raise ReadError(f"{other} was given as the {what}", remedy="Swap the two arguments.")


def _ranx_mapping(obj: Any) -> Any:  # noqa: ANN401
    """Return the dict of an object that can write itself as one (ranx, for example)."""
    if isinstance(obj, Mapping):
        return obj
    to_dict = getattr(obj, "to_dict", None)
    if type(obj).__module__.partition(".")[0] == "ranx" and callable(to_dict):
        return to_dict()
    return obj


def _rows(obj: Any, what: str) -> tuple[Any, Iterable[Any]]:  # noqa: ANN401
    """Return an iterable's first item beside all of its items."""
    try:
        items = iter(obj)
    except TypeError:
        raise ReadError(
            f"A {type(obj).__name__} is no {what}",
            remedy="Give a dict, a frame, rows, or a file; docs/formats.md lists them all.",
        ) from None
    try:
        first = next(items)
    except StopIteration:
        raise ReadError(f"The {what} is empty", remedy="Give at least one entry.") from None
    return first, chain([first], items)
