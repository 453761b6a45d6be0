"""TREC files, as trec_eval reads them: columns parted by blanks or tabs, one row a line."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Literal

import numpy as np

from falsify_nb.core.notices import Notice
from falsify_nb.core.tables import IdColumn, Origin, Qrels, Run
from falsify_nb.errors import ReadError, ScoreError, shorten
from falsify_nb.io.assemble import build_qrels, build_run
from falsify_nb.io.ids import id_text
from falsify_nb.io.problems import Problems
from falsify_nb.io.text import Source
from falsify_nb.io.trec_fast import Columns, read_columns

__all__ = ["read_trec_qrels", "read_trec_run"]

Kind = Literal["run", "qrels"]
_SHAPE = {
    "run": "query Q0 document rank score tag",
    "qrels": "query 0 document grade",
}


def read_trec_run(source: Source, problems: Problems) -> Run:
    """Read ``query Q0 document rank score tag`` lines; the tag may be missing.

    Raises
    ------
    ReadError, ScoreError, DuplicateError
        With file and line.
    """
    columns = read_columns(source.data, "run") or _read_lines(source, "run", problems)
    problems.finish(source.name)
    return build_run(
        columns.query,
        columns.doc,
        columns.value,
        rank=columns.rank,
        origin=_origin(source, columns),
        notices=columns.notices,
        name=columns.tag,
    )


def read_trec_qrels(source: Source, problems: Problems) -> Qrels:
    """Read ``query 0 document grade`` lines; three columns are read without the second.

    Raises
    ------
    ReadError, ScoreError, DuplicateError
        With file and line.
    """
    columns = read_columns(source.data, "qrels") or _read_lines(source, "qrels", problems)
    problems.finish(source.name)
    return build_qrels(
        columns.query,
        columns.doc,
        columns.value,
        origin=_origin(source, columns),
        notices=columns.notices,
    )


def _origin(source: Source, columns: Columns) -> Origin:
    return Origin(source.name, "line", columns.lines, first=1)


def _numbered_fields(data: bytes) -> Iterator[tuple[int, list[str]]]:
    """Yield the fields of each line that holds something, comments left out, numbered from 1."""
    for number, line in enumerate(data.split(b"\n"), start=1):
        if not line.startswith(b"#"):
            # Splitting bytes knows ASCII blanks only: a no-break space belongs to an id.
            fields = line.split()
            if fields:
                yield number, [f.decode("utf-8") for f in fields]


def _read_lines(source: Source, kind: Kind, problems: Problems) -> Columns:
    """Read line by line: slower, and able to say what is wrong with each."""
    rows: list[tuple[str, str, float]] = []
    ranks: list[int] = []
    lines: list[int] = []
    n_long = 0
    tag = ""
    for number, fields in _numbered_fields(source.data):
        where = f"{source.name}, line {number}"
        try:
            row, rank = _parse(fields, kind, where)
        except (ReadError, ScoreError) as error:
            problems.add(error)
            if problems.is_full:
                break
            continue
        n_long += len(fields) > 6
        if not rows and len(fields) > 5:
            tag = fields[5]
        rows.append(row)
        lines.append(number)
        if rank is not None:
            ranks.append(rank)
    return Columns(
        query=IdColumn.from_ids([r[0] for r in rows]),
        doc=IdColumn.from_ids([r[1] for r in rows]),
        value=np.array([r[2] for r in rows], dtype=np.float64),
        rank=np.array(ranks, dtype=np.int64) if ranks and len(ranks) == len(rows) else None,
        lines=np.array(lines, dtype=np.int64),
        tag=tag,
        notices=_long_notice(n_long),
    )


def _long_notice(n: int) -> tuple[Notice, ...]:
    if not n:
        return ()
    text = f"{n:,} lines of the run have more than six columns; the rest was not read."
    return (Notice("extra-columns", text, n),)


def _parse(fields: list[str], kind: Kind, where: str) -> tuple[tuple[str, str, float], int | None]:
    if kind == "run":
        return _parse_run(fields, where)
    if len(fields) not in {3, 4}:
        if len(fields) in {5, 6} and _is_number(fields[4]):
            raise ReadError(
                f"{len(fields)} columns: this is a run, not qrels",
                where=where,
                remedy="Give it as the run, and the judgments as qrels.",
            )
        raise _wrong_count(fields, kind, where)
    query, doc, grade = fields[0], fields[-2], fields[-1]
    value = _number(grade, "grade", where)
    return (id_text(query, where, "query id"), id_text(doc, where, "document id"), value), None


def _parse_run(fields: list[str], where: str) -> tuple[tuple[str, str, float], int | None]:
    if len(fields) < 5:
        if len(fields) == 4 and _is_number(fields[3]):
            raise ReadError(
                "4 columns: these are qrels, not a run",
                where=where,
                remedy="Give them as qrels, and the system's output as the run.",
            )
        raise _wrong_count(fields, "run", where)
    query, _, doc, rank_text, score = fields[:5]
    rank = int(rank_text) if _is_whole(rank_text) else None
    # An id with a blank in it moves the columns: then the rank is no number, or the column
    # after the score is one. trec_eval itself lets lines run on after the tag.
    if len(fields) > 6 and (rank is None or not _is_number(score) or _is_number(fields[5])):
        raise _wrong_count(fields, "run", where)
    value = _number(score, "score", where)
    return (id_text(query, where, "query id"), id_text(doc, where, "document id"), value), rank


def _wrong_count(fields: list[str], kind: Kind, where: str) -> ReadError:
    n = len(fields)
    expected = "6 columns" if kind == "run" else "4 columns"
    hint = " Ids must not hold blanks." if n > (6 if kind == "run" else 4) else ""
    return ReadError(
        f"{n} column{'s' if n != 1 else ''} in {shorten(' '.join(fields))}, not {expected}",
        where=where,
        remedy=f"A TREC {kind} line is: {_SHAPE[kind]}.{hint}",
    )


def _is_whole(text: str) -> bool:
    return text.isascii() and text.lstrip("+-").isdigit() and len(text) < 18


def _is_number(text: str) -> bool:
    try:
        _number(text, "number", "")
    except ScoreError:
        return False
    return True


def _number(text: str, what: str, where: str) -> float:
    """Return a finite number from its decimal text; float() alone would take 1_0 and nan."""
    try:
        value = float(text) if text.isascii() and "_" not in text else math.nan
    except ValueError:
        value = math.nan
    if math.isfinite(value):
        return value
    comma = " Use a decimal point." if "," in text else ""
    raise ScoreError(
        f"The {what} {shorten(text)} is no finite number",
        where=where,
        remedy=f"Give a number such as 12.5 or 1e-3.{comma}",
    )
