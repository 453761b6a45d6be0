"""The columns of a regular TREC file, read by whole arrays; anything odd is left to others."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import numpy.typing as npt

from falsify_nb.core.notices import Notice
from falsify_nb.core.tables import IdColumn
from falsify_nb.io.floats import parse_floats
from falsify_nb.io.words import (
    Ints,
    Words,
    code_decimals,
    code_words,
    join_words,
    pack,
    parse_decimals,
    word_view,
)

__all__ = ["Columns", "read_columns"]

_BLOCK = 1 << 19
_HASH = ord("#")
# What most ids end in: a number in its only spelling.
_NUMBER = re.compile(rb"([1-9]\d{0,7}|(?<!\d)0)$")


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """What a TREC file holds, row by row.

    Parameters
    ----------
    query, doc : IdColumn
        The ids of each row.
    value : numpy.ndarray of float, shape (n_rows,)
        Scores or grades.
    rank : numpy.ndarray of int, shape (n_rows,), or None
        Ranks, where all of them are whole numbers.
    lines : numpy.ndarray of int, shape (n_rows,), or None
        Line numbers; None when row i stands on line i + 1.
    tag : str
        The first line's run tag.
    notices : tuple of Notice
        What was decided.
    """

    query: IdColumn
    doc: IdColumn
    value: npt.NDArray[np.float64]
    rank: npt.NDArray[np.int64] | None
    lines: npt.NDArray[np.int64] | None
    tag: str = ""
    notices: tuple[Notice, ...] = ()


@dataclass(slots=True)
class _Gathered:
    """What the blocks read so far hold, to be joined at the end.

    Document ids are kept as words or, where all of them are, as numbers behind a prefix.
    """

    is_numbered: bool
    prefix: bytes | None = None
    query: list[Words] = field(default_factory=list)
    doc: list[Words] = field(default_factory=list)
    numbers: list[Ints] = field(default_factory=list)
    value: list[npt.NDArray[np.float64]] = field(default_factory=list)
    rank: list[Ints] = field(default_factory=list)
    lines: list[Ints] = field(default_factory=list)


def read_columns(data: bytes, kind: Literal["run", "qrels"]) -> Columns | None:
    """Read a regular file, or return None for one that has to be read line by line.

    Parameters
    ----------
    data : bytes
        The text in UTF-8.
    kind : {"run", "qrels"}
        Five or six columns of a run, or three or four of qrels, the same number on each line;
        empty lines and lines that begin with "#" are left out.

    Notes
    -----
    Memory is O(len(data)): about two times the file for the columns.
    """
    n_fields = _count_fields(data)
    if n_fields not in ({5, 6} if kind == "run" else {3, 4}):
        return None
    got = _Gathered(is_numbered=True)
    columns = _read(data, kind, n_fields, got)
    if columns is None and not got.is_numbered:
        columns = _read(data, kind, n_fields, _Gathered(is_numbered=False))
    return columns


def _read(
    data: bytes, kind: Literal["run", "qrels"], n_fields: int, got: _Gathered
) -> Columns | None:
    n_lines = 0
    is_plain = True
    for start, stop in _blocks(data):
        block = data[start : stop + 8]
        if len(block) < stop - start + 8:
            block = block[: stop - start].ljust(stop - start + 8, b"\n")
        found = _find_fields(block, stop - start, n_fields)
        if found is None or not _take(got, block, found, kind):
            return None
        starts, _, lines, n_breaks = found
        got.lines.append(lines + n_lines)
        is_plain = is_plain and len(starts) == n_breaks
        n_lines += n_breaks
    return _join(got, data, n_fields, is_plain=is_plain)


def _blocks(data: bytes) -> Iterator[tuple[int, int]]:
    """Yield ranges that end behind a line end and fit the processor's cache."""
    start = 0
    while start < len(data):
        stop = data.find(b"\n", min(start + _BLOCK, len(data))) + 1 or len(data)
        yield start, stop
        start = stop


def _first_line(data: bytes) -> bytes:
    start = 0
    while start < len(data):
        stop = data.find(b"\n", start)
        line = data[start : stop if stop >= 0 else len(data)]
        if not line.startswith(b"#") and line.strip():
            return line
        if stop < 0:
            break
        start = stop + 1
    return b""


def _count_fields(data: bytes) -> int:
    return len(_first_line(data).split())


def _find_fields(block: bytes, size: int, n_fields: int) -> tuple[Ints, Ints, Ints, int] | None:
    """Return starts and lengths of all fields, line numbers, and how many lines there are.

    Shapes are (n_rows, n_fields), the same, and (n_rows,). None: a line has another number of
    fields, or a control character needs a closer look.
    """
    text = np.frombuffer(block, dtype=np.uint8, count=size)
    blanks = np.flatnonzero(text <= 32)
    kinds = text[blanks]
    is_break = kinds == 10
    n_tabs = int(np.count_nonzero(kinds == 9))
    known = n_tabs + sum(int(np.count_nonzero(kinds == c)) for c in (10, 32, 13))
    if known != len(blanks):
        return None
    breaks = blanks[is_break]
    if not len(breaks) or breaks[-1] != size - 1:
        breaks, blanks = np.append(breaks, size), np.append(blanks, size)
    n_lines = len(breaks)
    # A field stands between two blanks that are no neighbours.
    starts, stops = np.append(0, blanks[:-1] + 1), blanks
    is_field = stops > starts
    if not is_field.all():
        starts, stops = starts[is_field], stops[is_field]
    if n_fields == 4 and n_tabs not in {0, 3 * n_lines}:
        # Three columns parted by tabs, with a blank in an id, would pass for four.
        return None
    if len(starts) == n_fields * n_lines:
        begin, end = starts.reshape(-1, n_fields), stops.reshape(-1, n_fields)
        in_line = (end[:, -1] <= breaks).all() and (begin[1:, 0] > breaks[:-1]).all()
        if in_line and not (text[begin[:, 0]] == _HASH).any():
            return begin, end - begin, np.arange(1, n_lines + 1), n_lines
    return _find_uneven(text, starts, stops, breaks, n_fields)


def _find_uneven(
    text: npt.NDArray[np.uint8], starts: Ints, stops: Ints, breaks: Ints, n_fields: int
) -> tuple[Ints, Ints, Ints, int] | None:
    """Do the same where some lines are empty or comments."""
    behind = np.searchsorted(starts, breaks)
    before = np.concatenate([[0], behind[:-1]])
    line_start = np.concatenate([[0], breaks[:-1] + 1])
    is_comment = text[np.minimum(line_start, len(text) - 1)] == _HASH
    rows = np.flatnonzero((behind > before) & ~is_comment)
    if (behind[rows] - before[rows] != n_fields).any():
        return None
    index = before[rows][:, None] + np.arange(n_fields)
    return starts[index], stops[index] - starts[index], rows + 1, len(breaks)


def _take(
    got: _Gathered,
    block: bytes,
    found: tuple[Ints, Ints, Ints, int],
    kind: Literal["run", "qrels"],
) -> bool:
    """Read one block's columns into what was gathered; False where one needs a closer look."""
    starts, lengths = found[0], found[1]
    if not len(starts):
        return True
    words = word_view(block)
    doc, value = (2, 4) if kind == "run" else (starts.shape[1] - 2, starts.shape[1] - 1)
    got.query.append(pack(words, starts[:, 0], lengths[:, 0]))
    if not _take_docs(got, words, starts[:, doc], lengths[:, doc]):
        return False
    numbers = parse_floats(block, words, starts[:, value], lengths[:, value])
    if numbers is None or not np.isfinite(numbers).all():
        return False
    got.value.append(numbers)
    if kind == "run":
        ranks = parse_decimals(words, starts[:, 3], lengths[:, 3])
        if ranks is None:
            return False
        got.rank.append(ranks)
    return True


def _take_docs(got: _Gathered, words: Words, starts: Ints, lengths: Ints) -> bool:
    """Read one block's document ids; False where one is no number behind the prefix."""
    if not got.is_numbered:
        got.doc.append(pack(words, starts, lengths))
        return True
    if got.prefix is None:
        first = pack(words, starts[:1], lengths[:1]).tobytes()[: int(lengths[0])]
        got.prefix = _NUMBER.sub(b"", first)
    numbers = parse_decimals(words, starts, lengths, got.prefix)
    if numbers is None:
        # The file is read again from its start, with ids as words.
        got.is_numbered = False
        return False
    got.numbers.append(numbers)
    return True


def _join(got: _Gathered, data: bytes, n_fields: int, *, is_plain: bool) -> Columns | None:
    if not got.value:
        return None
    query = _code_sorted(join_words(got.query))
    if got.is_numbered:
        prefix = (got.prefix or b"").decode("utf-8")
        doc: IdColumn | None = code_decimals(np.concatenate(got.numbers), prefix)
    else:
        doc = code_words(join_words(got.doc))
    if query is None or doc is None:
        return None
    return Columns(
        query=query,
        doc=doc,
        value=np.concatenate(got.value),
        rank=np.concatenate(got.rank) if got.rank else None,
        lines=None if is_plain else np.concatenate(got.lines),
        tag=_first_line(data).split()[5].decode("utf-8") if n_fields == 6 else "",
    )


def _code_sorted(packed: Words) -> IdColumn | None:
    """Code ids of which equal ones mostly stand together: one look per stretch of them."""
    is_new = np.ones(len(packed), dtype=bool)
    is_new[1:] = (packed[1:] != packed[:-1]).any(axis=1)
    heads = np.flatnonzero(is_new)
    column = code_words(packed[heads])
    if column is None:
        return None
    lengths = np.diff(np.append(heads, len(packed)))
    return IdColumn(np.repeat(column.codes, lengths), column.labels)
