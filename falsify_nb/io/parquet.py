"""Parquet files, through pyarrow or polars, whichever is installed."""

from __future__ import annotations

import io
from importlib import import_module
from typing import Any

from falsify_nb.errors import MissingExtraError, ReadError, shorten
from falsify_nb.io.frames import Table, as_table
from falsify_nb.io.text import Source

__all__ = ["is_parquet", "read_parquet"]


def is_parquet(source: Source) -> bool:
    """Return whether a file begins with Parquet's magic bytes."""
    return source.data.startswith(b"PAR1")


def read_parquet(source: Source) -> Table:
    """Return the columns of a Parquet file.

    Raises
    ------
    MissingExtraError
        If neither pyarrow nor polars is installed.
    ReadError
        If the file is damaged.
    """
    read = _reader(source.name)
    try:
        table = as_table(read(io.BytesIO(source.data)), source.name)
    except ReadError:
        raise
    except Exception as error:
        # Both libraries have error classes of their own, known only once they are loaded; names
        # and cells are decoded late, so that damage may show up only with the columns.
        raise ReadError(
            f"The Parquet file cannot be read: {shorten(str(error))}",
            where=source.name,
            remedy="Write it again, or save it as CSV.",
        ) from error
    assert table is not None
    return table


def _reader(name: str) -> Any:  # noqa: ANN401 - a function of a library that may be absent
    for module, function in (("pyarrow.parquet", "read_table"), ("polars", "read_parquet")):
        try:
            return getattr(import_module(module), function)
        except ImportError:
            continue
    raise MissingExtraError(
        "Reading Parquet needs pyarrow or polars",
        where=name,
        remedy="Type: pip install pyarrow; or save the table as CSV.",
    )
