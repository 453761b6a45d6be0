"""CSV and TSV with a header line: columns by name, ids as text, lines counted."""

from __future__ import annotations

import csv
import io
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from falsify_nb.core.tables import Origin
from falsify_nb.errors import ReadError, shorten
from falsify_nb.io.columns import find_column
from falsify_nb.io.frames import Table
from falsify_nb.io.ids import id_text
from falsify_nb.io.numbers import number_from_text
from falsify_nb.io.problems import Problems
from falsify_nb.io.text import Source

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["first_line", "header_of", "read_delimited", "split_header"]

_SEPARATORS = "\t,;|"


def first_line(data: bytes) -> str:
    """Return the first line that holds something, comments left out; empty when there is none."""
    start = 0
    while start < len(data):
        stop = data.find(b"\n", start)
        stop = len(data) if stop < 0 else stop
        line = data[start:stop]
        if line.strip() and not line.startswith(b"#"):
            return line.decode("utf-8").rstrip("\r")
        start = stop + 1
    return ""


def split_header(data: bytes) -> tuple[list[str], str]:
    """Return the first line as if it were a header: its names, and the separator."""
    line = first_line(data)
    separator = next((s for s in _SEPARATORS if s in line), "\t")
    return [n.strip().strip('"') for n in line.split(separator)], separator


def header_of(data: bytes) -> tuple[list[str], str] | None:
    """Return the column names and the separator if the first line is a header, else None.

    It is one if it names a query and a document column, or begins with a document column, in
    any of the known spellings, and no field of it is a number.
    """
    names, separator = split_header(data)
    if any(n.lstrip("+-").replace(".", "", 1).isdigit() for n in names):
        return None
    try:
        query, doc = (find_column(names, role, "") for role in ("query", "doc"))
    except ReadError:
        # Two columns for one thing: a header, and refused as such when it is read.
        return names, separator
    is_header = doc is not None and (query is not None or doc == names[0])
    return (names, separator) if is_header else None


def read_delimited(source: Source, names: list[str], separator: str, problems: Problems) -> Table:
    """Return the columns of a file that begins with a header line.

    Fields of a TSV are taken as they stand; those of other files may be quoted.

    Raises
    ------
    ReadError
        With the line, if a row has another number of fields than the header.
    """
    # Whoever asks for all problems at once gets the reader that looks at every row.
    is_quick = problems.errors == "raise"
    frame = _read_fast(source.data, names, separator) if is_quick else None
    lines = None
    first = 2
    if frame is None:
        frame, lines = _read_rows(source, names, separator, problems)
    columns = {}
    for position, name in enumerate(names):
        if name and names.count(name) == 1:
            columns[name] = frame.iloc[:, position]
    if len(columns) < len([n for n in names if n]):
        twice = next(n for n in names if n and names.count(n) > 1)
        raise ReadError(
            f"The header names {shorten(twice)} twice",
            where=f"{source.name}, line 1",
            remedy="Give each column its own name.",
        )
    return Table(columns, Origin(source.name, "line", lines, first), is_text=True)


def _read_fast(data: bytes, names: list[str], separator: str) -> pd.DataFrame | None:
    """Read a file whose rows are its lines; None for one that needs a closer look."""
    import pandas as pd

    if (separator != "\t" and b'"' in data) or b"\n\n" in data or b"\n\r\n" in data:
        return None
    if data.startswith((b"\n", b"\r", b"#")):
        return None
    n_lines = data.count(b"\n") + (not data.endswith(b"\n"))
    if data.count(separator.encode()) != (len(names) - 1) * n_lines:
        # The parser would fill a short row up.
        return None
    with warnings.catch_warnings():
        # More fields than the header has are a warning there, and a refusal here.
        warnings.simplefilter("error")
        try:
            return pd.read_csv(
                io.BytesIO(data),
                sep=separator,
                header=None,
                skiprows=1,
                names=list(range(len(names))),
                index_col=False,
                dtype=str,
                na_filter=False,
                keep_default_na=False,
                quoting=csv.QUOTE_NONE,
                encoding="utf-8",
            )
        except (ValueError, Warning):
            return None


def _read_rows(
    source: Source, names: list[str], separator: str, problems: Problems
) -> tuple[pd.DataFrame, np.ndarray[tuple[int], np.dtype[np.int64]]]:
    """Read record by record, able to say what is wrong with each."""
    import pandas as pd

    rows: list[list[str]] = []
    lines: list[int] = []
    for line, fields in _records(source, separator):
        where = f"{source.name}, line {line}"
        if len(fields) == len(names):
            rows.append(fields)
            lines.append(line)
            if problems.errors == "collect":
                _check_row(dict(zip(names, fields, strict=True)), where, problems)
        else:
            problems.add(
                ReadError(
                    f"{len(fields)} fields in {shorten(separator.join(fields))}, "
                    f"but the header has {len(names)}",
                    where=where,
                    remedy="Quote fields that hold the separator, or mend the line.",
                )
            )
        if problems.is_full:
            break
    problems.finish(source.name)
    frame = pd.DataFrame(rows, columns=range(len(names)), dtype=object)
    return frame, np.array(lines, dtype=np.int64)


def _records(source: Source, separator: str) -> Iterator[tuple[int, list[str]]]:
    text = io.StringIO(source.data.decode("utf-8"), newline="")
    is_quoted = separator != "\t"
    reader = csv.reader(
        text,
        delimiter=separator,
        quoting=csv.QUOTE_MINIMAL if is_quoted else csv.QUOTE_NONE,
        strict=is_quoted,
    )
    line = 1
    has_header = False
    while True:
        try:
            fields = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise ReadError(
                f"The quotes do not match: {error}",
                where=f"{source.name}, line {reader.line_num}",
                remedy="Double the quotes inside quoted fields.",
            ) from error
        if fields and not (len(fields) == 1 and not fields[0].strip()):
            if has_header:
                yield line, fields
            elif not fields[0].startswith("#"):
                has_header = True
        line = reader.line_num + 1


def _check_row(row: dict[str, str], where: str, problems: Problems) -> None:
    """Note what is wrong with the ids and the number of one row."""
    for role, what in (("query", "query id"), ("doc", "document id")):
        name = find_column(row, role, where)
        if name is not None:
            with problems.noting():
                id_text(row[name], where, what)
    for role in ("grade", "score", "rank"):
        name = find_column(row, role, where)
        if name is not None:
            with problems.noting():
                number_from_text(row[name], name, where)
            return
