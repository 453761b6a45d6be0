"""Chunks to documents: each document takes the best place of its chunks (max-passage)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from falsify_nb.core.notices import Notice
from falsify_nb.core.tables import IdColumn, Origin, Run
from falsify_nb.errors import Cancelled, DuplicateError, FunctionError, ReadError, shorten
from falsify_nb.io.assemble import build_run
from falsify_nb.io.ids import id_text

__all__ = ["by_document"]


def by_document(run: Run, doc_of: Mapping[Any, Any] | Callable[[str], Any]) -> Run:
    """Return a run of chunks as a run of documents.

    Parameters
    ----------
    run : Run
        Rankings of chunk ids.
    doc_of : mapping or callable
        Chunk id to document id; asked once per distinct chunk.

    Returns
    -------
    Run
        With scores: each document has the highest score of its chunks. Without: documents stand
        where their first chunk stood. A rank column is dropped, because it counted chunks.

    Raises
    ------
    ReadError
        If a chunk has no document.
    FunctionError
        If the function raises.
    """
    documents = _documents(run.doc, doc_of)
    keep = _best_rows(run, documents)
    query = IdColumn(run.query.codes[keep], run.query.labels)
    doc = IdColumn(documents.codes[keep], documents.labels)
    score = None if run.score is None else run.score[keep]
    merged = len(run) - len(keep)
    text = (
        f"{len(run):,} chunks were read as {len(keep):,} documents; "
        f"each document has the best place of its chunks."
    )
    notices = (*run.notices, Notice("chunks", text, merged))
    return build_run(
        query,
        doc,
        score,
        origin=_origin_of(run.origin, keep),
        notices=notices,
        empty_queries=run.empty_queries,
        name=run.name,
    )


def _documents(chunks: IdColumn, doc_of: Mapping[Any, Any] | Callable[[str], Any]) -> IdColumn:
    table = _as_text_keys(doc_of) if isinstance(doc_of, Mapping) else None
    if table is None and not callable(doc_of):
        raise ReadError(
            f"doc_of={shorten(doc_of)} is neither a mapping nor a function",
            remedy="Give {chunk_id: document_id}, or a function from one to the other.",
        )
    position: dict[str, int] = {}
    recode = np.empty(len(chunks.labels), dtype=np.int64)
    for code, chunk in enumerate(chunks.labels.tolist()):
        where = f"doc_of, chunk {chunk!r}"
        if table is not None:
            if chunk not in table:
                raise ReadError(
                    f"Chunk {chunk!r} has no document",
                    where="doc_of",
                    remedy="Give doc_of every chunk that the run holds.",
                )
            value = table[chunk]
        else:
            value = _ask(doc_of, chunk, where)
        recode[code] = position.setdefault(id_text(value, where, "document id"), len(position))
    labels = np.empty(len(position), dtype=object)
    labels[:] = list(position)
    return IdColumn(recode[chunks.codes], labels)


def _as_text_keys(doc_of: Mapping[Any, Any]) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for key, value in doc_of.items():
        chunk = key if isinstance(key, str) else id_text(key, "doc_of", "chunk id")
        if chunk in out:
            raise DuplicateError(
                f"Chunk {chunk!r} is given twice, as text and as a number",
                where="doc_of",
                remedy="Use one type of key.",
            )
        out[chunk] = value
    return out


def _ask(doc_of: Any, chunk: str, where: str) -> Any:  # noqa: ANN401
    try:
        return doc_of(chunk)
    except Cancelled:
        raise
    except Exception as error:
        raise FunctionError(
            f"doc_of raised {type(error).__name__}: {error}",
            where=where,
            remedy="Make it return the document id of every chunk.",
        ) from error


def _best_rows(run: Run, documents: IdColumn) -> npt.NDArray[np.int64]:
    """Return the row to keep for each (query, document), in the order of the rows."""
    key = run.query.codes * max(len(documents.labels), 1) + documents.codes
    place = np.arange(len(run)) if run.score is None else -run.score
    order = np.lexsort((place, key))
    is_best = np.ones(len(order), dtype=bool)
    is_best[1:] = key[order][1:] != key[order][:-1]
    return np.sort(order[is_best])


def _origin_of(origin: Origin, rows: npt.NDArray[np.int64]) -> Origin:
    numbers = rows + origin.first if origin.numbers is None else origin.numbers[rows]
    return Origin(origin.name, origin.unit, numbers.astype(np.int64), origin.first)
