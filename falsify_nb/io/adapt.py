"""The one door: whatever a user hands over becomes a run, qrels or corpus, or is refused."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from itertools import chain
from typing import Any

import numpy as np

from falsify_nb.core.tables import Corpus, Origin, Qrels, Run
from falsify_nb.errors import CorpusError, ReadError, a_kind, shorten
from falsify_nb.io import records, rows, tables
from falsify_nb.io.chunks import by_document
from falsify_nb.io.columns import find_column
from falsify_nb.io.formats import read_file
from falsify_nb.io.frames import as_table
from falsify_nb.io.items import as_fields
from falsify_nb.io.jsonl import qrels_of_records, run_of_records
from falsify_nb.io.problems import OnError, Problems
from falsify_nb.io.retrieve import is_retriever, retrieve
from falsify_nb.io.text import is_readable

__all__ = ["Progress", "to_corpus", "to_qrels", "to_run"]

_PARTS = {
    "run": (),
    "qrels": ("qrels_iter", "get_qrels"),
    "corpus": ("docs_iter", "get_corpus_iter"),
}
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
    if type(obj).__module__.startswith("ranx."):
        name = getattr(obj, "name", None) or name
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
    if is_readable(obj):
        return read_file(obj, "run", problems)
    obj = _unwrapped(obj, "run")
    table = as_table(obj, "the run")
    if table is not None:
        return tables.run_of_table(table, name)
    if isinstance(obj, Mapping):
        return records.run_of_mapping(obj, name, _entries("run"))
    if is_retriever(obj):
        return retrieve(obj, queries, name=name, progress=progress)
    first, items = _items(obj, "run")
    if _has(first, "retrieved"):
        return run_of_records(items, _origin("run"), name, problems)
    return rows.run_of_rows(items, name, _origin("run"), problems)


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
    if is_readable(obj):
        return read_file(obj, "qrels", problems)
    obj = _unwrapped(obj, "qrels")
    table = as_table(obj, "the qrels")
    if table is not None:
        return tables.qrels_of_table(table)
    if isinstance(obj, Mapping):
        return records.qrels_of_mapping(obj, _entries("qrels"))
    first, items = _items(obj, "qrels")
    if _has(first, "gold"):
        return qrels_of_records(items, _origin("qrels"), problems)
    return rows.qrels_of_rows(items, _origin("qrels"), problems)


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
    obj = _unwrapped(obj, "corpus")
    table = as_table(obj, "the corpus")
    if table is not None:
        return tables.corpus_of_table(table)
    arrow = sys.modules.get("pyarrow")
    if arrow is not None and isinstance(obj, arrow.Array | arrow.ChunkedArray):
        obj = obj.to_pylist()
    ids = tables.id_sequence(obj, "the corpus")
    if ids is not None:
        return ids
    _, items = _items(obj, "corpus")
    return rows.corpus_of_ids(items, _origin("corpus"), Problems())


def _refuse_kind(obj: Any, kind: type, what: str, other: str) -> None:  # noqa: ANN401
    if obj is None:
        raise ReadError(f"The {what} is None", remedy=f"Give the {what}: an object or a file.")
    if isinstance(obj, bytes | bytearray):
        raise ReadError(
            f"The {what} is {len(obj):,} bytes", remedy="Hand over io.BytesIO(data), or a file."
        )
    if isinstance(obj, kind):
        raise ReadError(f"{other} was given as the {what}", remedy="Swap the two arguments.")


def _unwrapped(obj: Any, what: str) -> Any:  # noqa: ANN401
    """Return what an object of another package holds: a dict, a frame or an iterator."""
    package = type(obj).__module__.partition(".")[0]
    if package == "ranx" and hasattr(obj, "to_dict"):
        if (type(obj).__name__, what) in {("Qrels", "run"), ("Run", "qrels")}:
            raise ReadError(
                f"A ranx {type(obj).__name__} was given as the {what}",
                remedy="Swap the two arguments.",
            )
        return obj.to_dict()
    # Datasets of ir_datasets and of PyTerrier hand out their parts by method.
    for name in _PARTS[what]:
        method = getattr(obj, name, None)
        if callable(method) and not isinstance(obj, Mapping):
            return method()
    return obj


def _origin(what: str) -> Origin:
    return Origin(f"the {what}", "item")


def _entries(what: str) -> Origin:
    """Return the origin of a mapping, whose places are its keys."""
    return Origin(f"the {what}", "entry")


def _has(first: Any, role: str) -> bool:  # noqa: ANN401
    """Return whether a first row is a record with a column of this role."""
    fields = as_fields(first)
    return fields is not None and find_column(fields, role, "") is not None


def _items(obj: Any, what: str) -> tuple[Any, Iterable[tuple[int, Any]]]:  # noqa: ANN401
    """Return an iterable's first item beside all of its items, numbered."""
    try:
        items = iter(obj)
    except TypeError:
        raise ReadError(
            f"{a_kind(obj).capitalize()} is no {what}",
            remedy="Give a dict, a frame, rows, or a file; docs/formats.md lists them all.",
        ) from None
    try:
        first = next(items)
    except StopIteration:
        raise ReadError(f"The {what} is empty", remedy="Give at least one entry.") from None
    return first, enumerate(chain([first], items))
