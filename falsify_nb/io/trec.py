"""TREC files, as trec_eval reads them: columns parted by blanks or tabs, one row a line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

import numpy as np

from falsify_nb.core.notices import Notice
from falsify_nb.core.tables import IdColumn, Origin, Qrels, Run
from falsify_nb.errors import ReadError, ScoreError, shorten
from falsify_nb.io.assemble import build_qrels, build_run
from falsify_nb.io.ids import check_labels, id_text
from falsify_nb.io.numbers import number_from_text
from falsify_nb.io.problems import Problems
from falsify_nb.io.text import Source
from falsify_nb.io.trec_fast import Columns, read_columns

__all__ = ["read_trec_qrels", "read_trec_run"]

Kind = Literal["run", "qrels"]
Row = tuple[str, str, float]
_ITERATION = re.compile(r"\d+|[Qq]\d+")
_HEADER = frozenset({"score", "sim", "similarity"})
# The first words of trec_eval's output, three columns that could pass for judgments.
_TREC_EVAL = frozenset({"runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "map"})
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
    columns, origin = _read(source, "run", problems)
    return build_run(
        columns.query,
        columns.doc,
        columns.value,
        rank=columns.rank,
        origin=origin,
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
    columns, origin = _read(source, "qrels", problems)
    return build_qrels(columns.query, columns.doc, columns.value, origin=origin)


def _read(source: Source, kind: Kind, problems: Problems) -> tuple[Columns, Origin]:
    columns = read_columns(source.data, kind) or _read_lines(source, kind, problems)
    problems.finish(source.name)
    origin = Origin(source.name, "line", columns.lines, first=1)
    if not source.data.isascii():
        # The rest of the rules for ids holds by itself where blanks part the columns.
        check_labels(columns.query, origin.at, "query id")
        check_labels(columns.doc, origin.at, "document id")
    return columns, origin


def _numbered_fields(data: bytes) -> Iterator[tuple[int, list[str], int]]:
    """Yield line number (from 1), fields and number of tabs of each line that holds a row."""
    for number, line in enumerate(data.split(b"\n"), start=1):
        if not line.startswith(b"#"):
            # Splitting bytes knows ASCII blanks only: a no-break space belongs to an id.
            fields = [f.decode("utf-8") for f in line.split()]
            if fields:
                yield number, fields, line.count(b"\t")


def _read_lines(source: Source, kind: Kind, problems: Problems) -> Columns:
    """Read line by line: slower, and able to say what is wrong with each."""
    rows: list[tuple[str, str, float]] = []
    ranks: list[int] = []
    lines: list[int] = []
    n_long = 0
    tag = ""
    for number, fields, n_tabs in _numbered_fields(source.data):
        where = f"{source.name}, line {number}"
        with problems.noting():
            if kind == "run":
                row, rank = _parse_run(fields, where)
            else:
                row, rank = _parse_qrels(fields, n_tabs, where), None
            n_long += len(fields) > 6
            if not rows and len(fields) > 5:
                tag = fields[5]
            rows.append(row)
            lines.append(number)
            if rank is not None:
                ranks.append(rank)
        if problems.is_full:
            break
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


def _parse_qrels(fields: list[str], n_tabs: int, where: str) -> Row:
    if len(fields) > n_tabs + 1 and n_tabs == 3:
        raise _blank_in_id(fields, n_tabs, where)
    if len(fields) not in {3, 4}:
        if len(fields) in {5, 6} and _is_number(fields[4]):
            raise ReadError(
                f"{len(fields)} columns: this is a run, not qrels",
                where=where,
                remedy="Give it as the run, and the judgments as qrels.",
            )
        raise _wrong_count(fields, "qrels", where)
    if len(fields) == 4 and n_tabs == 2 and not _ITERATION.fullmatch(fields[1]):
        raise _blank_in_id(fields, n_tabs, where)
    if fields[0] in _TREC_EVAL and len(fields) == 3:
        raise ReadError(
            "This is what trec_eval prints, not qrels", where=where, remedy="Give the qrels."
        )
    value = number_from_text(fields[-1], "grade", where)
    return id_text(fields[0], where, "query id"), id_text(fields[-2], where, "document id"), value


def _blank_in_id(fields: list[str], n_tabs: int, where: str) -> ReadError:
    words = f"{n_tabs} tabs and {len(fields)} words"
    return ReadError(
        f"{shorten(' '.join(fields))} has {words}: an id holds a blank",
        where=where,
        remedy="Ids in a TREC file must not hold blanks.",
    )


def _parse_run(fields: list[str], where: str) -> tuple[Row, int | None]:
    if len(fields) < 5:
        if len(fields) == 4 and _is_number(fields[3]):
            raise ReadError(
                "4 columns: these are qrels, not a run",
                where=where,
                remedy="Give them as qrels, and the system's output as the run.",
            )
        raise _wrong_count(fields, "run", where)
    query, _, doc, rank_text, score = fields[:5]
    if score.lower() in _HEADER:
        raise ReadError(
            "This is a line of column names",
            where=where,
            remedy="Part the columns by tabs or commas, or leave the line out.",
        )
    rank = int(rank_text) if _is_whole(rank_text) else None
    # An id with a blank in it moves the columns: then the rank is no number, or the column
    # after the score is one. trec_eval itself lets lines run on after the tag.
    is_shifted = len(fields) > 5 and _is_number(fields[5])
    if (rank is None and is_shifted) or (len(fields) > 6 and (rank is None or is_shifted)):
        raise _wrong_count(fields, "run", where)
    value = number_from_text(score, "score", where)
    return (id_text(query, where, "query id"), id_text(doc, where, "document id"), value), rank


def _wrong_count(fields: list[str], kind: Kind, where: str) -> ReadError:
    n = len(fields)
    most = 6 if kind == "run" else 4
    count = f"{n} column{'s' if n != 1 else ''}"
    hint = " Ids must not hold blanks." if n >= most else ""
    if n == 3 and kind == "run":
        hint = " For three columns, name them in a first line: query_id, doc_id, rank (or score)."
    return ReadError(
        f"{shorten(' '.join(fields))} has {count}"
        + (f", not {most}" if n != most else ", and they do not fit"),
        where=where,
        remedy=f"A TREC {kind} line is: {_SHAPE[kind]}.{hint}",
    )


def _is_whole(text: str) -> bool:
    return text.isascii() and text.lstrip("+-").isdigit() and len(text) < 18


def _is_number(text: str) -> bool:
    try:
        number_from_text(text, "number", "")
    except ScoreError:
        return False
    return True
