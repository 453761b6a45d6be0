"""Frames: pandas, polars and Arrow tables, read by column names and never changed."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from falsify_nb.core.tables import Corpus, IdColumn, Origin, Qrels, Run
from falsify_nb.errors import ReadError, ScoreError, shorten
from falsify_nb.io.assemble import build_corpus, build_qrels, build_run
from falsify_nb.io.columns import find_column, need_column, refuse_scores
from falsify_nb.io.frames import Table
from falsify_nb.io.ids import code_objects, id_text
from falsify_nb.io.jsonl import qrels_of_records, run_of_records
from falsify_nb.io.numbers import number, numbers_from_texts
from falsify_nb.io.order import by_rank, whole_ranks
from falsify_nb.io.problems import Problems

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["corpus_of_table", "id_sequence", "qrels_of_table", "run_of_table"]


def ids_of(series: pd.Series[Any], origin: Origin, name: str, what: str) -> IdColumn:
    """Code one column of ids; a column of fractions or truth values is refused by its name."""
    import pandas as pd

    where = Origin(f"{origin.name}, column {name!r}", origin.unit, origin.numbers, origin.first)
    dtype = series.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        codes = np.asarray(series.cat.codes, dtype=np.int64)
        used = np.unique(codes[codes >= 0])
        dense = np.full(len(series.cat.categories) + 1, -1, dtype=np.int64)
        dense[used] = np.arange(len(used))
        categories = series.cat.categories.take(used)
        _check_id_dtype(categories.dtype, where.name, what)
        return code_objects(dense[codes], np.asarray(categories, object), where, what)
    _check_id_dtype(dtype, where.name, what)
    try:
        codes, labels = pd.factorize(series)
    except TypeError:
        # Lists, arrays and the like cannot be looked up: one by one, for the first to be named.
        texts = [id_text(value, where.at(row), what) for row, value in enumerate(series)]
        return IdColumn.from_ids(texts)
    return code_objects(np.asarray(codes, np.int64), np.asarray(labels, object), where, what)


def _check_id_dtype(dtype: Any, where: str, what: str) -> None:  # noqa: ANN401
    from pandas.api import types

    if types.is_float_dtype(dtype):
        raise ReadError(
            f"The {what}s are fractions ({dtype})",
            where=where,
            remedy="A missing cell turns whole numbers into fractions, and 007 into 7.0. "
            "Read the column as text (dtype=str), or astype('int64') if nothing is missing.",
        )
    if types.is_bool_dtype(dtype) or types.is_datetime64_any_dtype(dtype):
        raise ReadError(
            f"The {what}s are of type {dtype}", where=where, remedy="Read the column as text."
        )


def numbers_of(table: Table, name: str, what: str) -> npt.NDArray[np.float64]:
    """Return a column of numbers as float64, always a copy; missing ones become NaN."""
    import pandas as pd
    from pandas.api import types

    series, origin = table.columns[name], table.origin
    dtype = series.dtype
    if table.is_text:
        return numbers_from_texts(series.tolist(), what, origin, name)
    if types.is_numeric_dtype(dtype) and not types.is_complex_dtype(dtype):
        return np.array(series.to_numpy(dtype=np.float64, na_value=np.nan), copy=True)
    if types.is_object_dtype(dtype) or isinstance(dtype, pd.CategoricalDtype):
        return _numbers_of_objects(series, origin, name, what)
    raise ScoreError(
        f"The {what}s are of type {dtype}, no numbers",
        where=f"{origin.name}, column {name!r}",
        remedy=_as_numbers(name),
    )


def _as_numbers(name: str) -> str:
    return f"Convert them: frame[{name!r}] = pandas.to_numeric(frame[{name!r}])."


def _numbers_of_objects(
    series: pd.Series[Any], origin: Origin, name: str, what: str
) -> npt.NDArray[np.float64]:
    out = np.empty(len(series), dtype=np.float64)
    for row, value in enumerate(series):
        where = f"{origin.at(row)}, column {name!r}"
        if isinstance(value, str):
            # Before version 3, pandas keeps text in columns of objects.
            raise ScoreError(
                f"The {what} {shorten(value)} is text, no number",
                where=where,
                remedy=_as_numbers(name),
            )
        out[row] = number(value, what, where)
    return out


def _is_per_query(table: Table, role: str) -> bool:
    """Return whether a frame has one row a query, with all of its documents in one cell."""
    columns, where = table.columns, table.origin.name
    if table.is_text or find_column(columns, role, where) is None:
        return False
    return find_column(columns, "doc", where) is None and (
        find_column(columns, "query", where) is not None
    )


def _records_of(table: Table) -> Iterator[tuple[int, dict[str, Any]]]:
    names = list(table.columns)
    cells = zip(*table.columns.values(), strict=True)
    for row, values in enumerate(cells, start=table.origin.first):
        yield row, dict(zip(names, values, strict=True))


def run_of_table(table: Table, name: str) -> Run:
    """Read a run from a frame with query, document and score or rank columns.

    Raises
    ------
    ReadError, ScoreError, DuplicateError
        With row and column.
    """
    columns, origin = table.columns, table.origin
    if _is_per_query(table, "retrieved"):
        return run_of_records(_records_of(table), origin, name, Problems())
    query_name = need_column(columns, "query", origin.name)
    doc_name = need_column(columns, "doc", origin.name)
    score_name = find_column(columns, "score", origin.name)
    rank_name = find_column(columns, "rank", origin.name)
    if score_name is None and rank_name is None:
        if find_column(columns, "grade", origin.name) is not None:
            raise ReadError(
                "The table has grades and no scores: these are qrels, not a run",
                where=origin.name,
                remedy="Give it as qrels.",
            )
        need_column(columns, "score", origin.name)
    query = ids_of(columns[query_name], origin, query_name, "query id")
    doc = ids_of(columns[doc_name], origin, doc_name, "document id")
    ranks = None
    if rank_name is not None:
        ranks = numbers_of(table, rank_name, "rank")
    if score_name is None:
        assert ranks is not None
        query, doc, origin = by_rank(query, doc, ranks, origin)
        return build_run(query, doc, None, origin=origin, name=name)
    score = numbers_of(table, score_name, "score")
    return build_run(query, doc, score, rank=whole_ranks(ranks), origin=origin, name=name)


def qrels_of_table(table: Table) -> Qrels:
    """Read qrels from a frame with query, document and grade columns.

    Raises
    ------
    ReadError, ScoreError, DuplicateError
        With row and column.
    """
    columns, origin = table.columns, table.origin
    if _is_per_query(table, "gold"):
        return qrels_of_records(_records_of(table), origin, Problems())
    query_name = need_column(columns, "query", origin.name)
    doc_name = need_column(columns, "doc", origin.name)
    grade_name = need_column(columns, "grade", origin.name)
    refuse_scores(grade_name, doc_name, origin.name)
    query = ids_of(columns[query_name], origin, query_name, "query id")
    doc = ids_of(columns[doc_name], origin, doc_name, "document id")
    grade = numbers_of(table, grade_name, "grade")
    return build_qrels(query, doc, grade, origin=origin)


def corpus_of_table(table: Table) -> Corpus:
    """Read the document ids of a frame of documents."""
    name = need_column(table.columns, "doc", table.origin.name)
    doc = ids_of(table.columns[name], table.origin, name, "document id")
    return build_corpus(doc, origin=table.origin)


def id_sequence(obj: Any, name: str) -> Corpus | None:  # noqa: ANN401
    """Read a corpus from one column of ids: a pandas Series or Index, or a numpy array."""
    pandas = sys.modules.get("pandas")
    is_column = pandas is not None and isinstance(obj, pandas.Series | pandas.Index)
    if not is_column and not (isinstance(obj, np.ndarray) and obj.ndim == 1):
        return None
    import pandas as pd

    origin = Origin(name, "row")
    values = obj.astype(object) if isinstance(obj, np.ndarray) and obj.dtype.kind in "US" else obj
    doc = ids_of(pd.Series(values).reset_index(drop=True), origin, "ids", "document id")
    return build_corpus(doc, origin=origin)
