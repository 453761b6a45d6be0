"""The public readers: a file, an open file or an object in, a checked table out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from falsify_nb.core.tables import Corpus, Qrels, Run
from falsify_nb.errors import ReadError
from falsify_nb.io.adapt import to_corpus, to_qrels, to_run
from falsify_nb.io.problems import OnError

__all__ = ["read_corpus", "read_qrels", "read_run"]


def read_run(
    source: Any,  # noqa: ANN401 - whatever a user hands over
    *,
    name: str = "run",
    queries: Mapping[Any, str] | None = None,
    doc_of: Mapping[Any, Any] | Callable[[str], Any] | None = None,
    errors: OnError = "raise",
) -> Run:
    """Read a run: one system's ranking for each query.

    Parameters
    ----------
    source : path-like, open file or object
        A TREC, CSV, TSV, JSON, JSONL or Parquet file, compressed or not; or a dict
        {query: {document: score}} or {query: [document, ...]}, rows, a frame, or a retriever.
    name : str
        The system's name, where the source has none.
    queries : mapping of query id to text, optional
        What a retriever is asked, where the source is one.
    doc_of : mapping or callable, optional
        Chunk id to document id; each document takes the best place of its chunks.
    errors : {"raise", "collect"}
        Raise the first problem of a file, or list up to twenty of them at once.

    Returns
    -------
    Run
        Ids are text; scores are finite float64, any range, higher is better.

    Raises
    ------
    ReadError
        If it cannot be opened or understood; with file and line, or row and column.
    ScoreError, DuplicateError
        If a score is not finite, or a document stands twice in one ranking.

    Examples
    --------
    >>> read_run({"q1": {"d1": 2.5, "d2": 1.0}, "q2": {"d1": 0.3}})
    Run(3 scored documents for 2 queries)
    """
    return to_run(source, name=name, queries=queries, doc_of=doc_of, errors=errors)


def read_qrels(source: Any, *, errors: OnError = "raise") -> Qrels:  # noqa: ANN401
    """Read relevance judgments.

    Parameters
    ----------
    source : path-like, open file or object
        A TREC or BEIR qrels, CSV, JSON, JSONL or Parquet file, compressed or not; or a dict
        {query: {document: grade}} or {query: relevant ids}, rows, or a frame.
    errors : {"raise", "collect"}
        Raise the first problem of a file, or list up to twenty of them at once.

    Returns
    -------
    Qrels
        Grades are finite float64; greater than 0 is relevant.

    Raises
    ------
    ReadError
        If it cannot be opened or understood; with file and line, or row and column.
    ScoreError, DuplicateError
        If a grade is not finite, or a pair is judged twice.

    Examples
    --------
    >>> read_qrels([("q1", "d1", 1), ("q1", "d2", 0)])
    Qrels(2 judgments of 1 query)
    """
    return to_qrels(source, errors=errors)


def read_corpus(source: Any, *, errors: OnError = "raise") -> Corpus:  # noqa: ANN401
    """Read the ids of a collection, or take its size.

    Parameters
    ----------
    source : path-like, open file, object or int
        A file with one id a line, a TSV or JSONL of documents; ids, {id: text}, or a number of
        documents, at least 1.
    errors : {"raise", "collect"}
        Raise the first problem of a file, or list up to twenty of them at once.

    Returns
    -------
    Corpus
        Repeated ids count once, with a notice.

    Raises
    ------
    InputError
        If it cannot be used.

    Examples
    --------
    >>> read_corpus(["d1", "d2", "d2"]).size
    2
    """
    corpus = to_corpus(source, errors=errors)
    if corpus is None:
        raise ReadError("The corpus is None", remedy="Give its ids, a file of them, or its size.")
    return corpus
