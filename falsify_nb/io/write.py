"""Writing runs and qrels in the formats that are read."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import lzma
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from falsify_nb.core.tables import Qrels, Run
from falsify_nb.errors import OptionError

__all__ = ["WRITTEN_SUFFIXES", "write_qrels", "write_run"]

WRITTEN_SUFFIXES = (".trec", ".txt", ".csv", ".tsv", ".json", ".jsonl", ".parquet")
_PACKERS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": lambda data: gzip.compress(data, mtime=0),
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
}
_BLANK = re.compile(r"[ \t\r\n\v\f]")


def write_run(run: Run, path: str | os.PathLike[str]) -> None:
    """Write a run in the format that the file's name says.

    Parameters
    ----------
    run : Run
        What to write. Without scores, TREC files get descending whole numbers as scores.
    path : path-like
        A name that ends in .trec, .txt, .csv, .tsv, .json, .jsonl or .parquet, and for text
        formats perhaps in .gz, .bz2 or .xz besides.

    Raises
    ------
    OptionError
        If the suffix is unknown, or the format cannot hold an id.
    """
    queries, docs = run.query.ids().tolist(), run.doc.ids().tolist()
    places: Counter[str] = Counter()
    ranks = []
    for query in queries:
        places[query] += 1
        ranks.append(places[query])
    scores = [-float(r) for r in ranks] if run.score is None else run.score.tolist()
    if _suffix(path) in {".trec", ".txt"}:
        columns = zip(queries, docs, ranks, scores, strict=True)
        name = run.name or "run"
        _write(path, _trec([(q, "Q0", d, r, s, name) for q, d, r, s in columns], "run"))
        return
    values, value_name = (ranks, "rank") if run.score is None else (scores, "score")
    rows = list(zip(queries, docs, values, strict=True))
    _write_table(path, ("query_id", "doc_id", value_name), rows, run.to_dict())


def write_qrels(qrels: Qrels, path: str | os.PathLike[str]) -> None:
    """Write qrels in the format that the file's name says.

    Parameters
    ----------
    qrels : Qrels
        What to write.
    path : path-like
        As for `write_run`.

    Raises
    ------
    OptionError
        If the suffix is unknown, or the format cannot hold an id.
    """
    ids = zip(qrels.query.ids().tolist(), qrels.doc.ids().tolist(), strict=True)
    rows = [(q, d, g) for (q, d), g in zip(ids, qrels.grade.tolist(), strict=True)]
    if _suffix(path) in {".trec", ".txt"}:
        _write(path, _trec([(q, "0", d, g) for q, d, g in rows], "qrels"))
    else:
        _write_table(path, ("query_id", "doc_id", "relevance"), rows, qrels.to_dict())


def _suffix(path: str | os.PathLike[str]) -> str:
    plain = Path(path)
    if plain.suffix.lower() in _PACKERS:
        plain = plain.with_suffix("")
    suffix = plain.suffix.lower()
    if suffix not in WRITTEN_SUFFIXES:
        raise OptionError(
            f"{Path(path).name!r} names no known format",
            remedy=f"End it in {', '.join(WRITTEN_SUFFIXES)}.",
        )
    return suffix


def _write(path: str | os.PathLike[str], text: str) -> None:
    data = text.encode("utf-8")
    packer = _PACKERS.get(Path(path).suffix.lower())
    Path(path).write_bytes(packer(data) if packer else data)


def _trec(rows: Iterable[Sequence[Any]], what: str) -> str:
    lines = []
    for row in rows:
        fields = [repr(f) if isinstance(f, float) else str(f) for f in row]
        odd = next((f for f in fields if _BLANK.search(f)), None)
        if odd is not None or fields[0].startswith("#"):
            raise OptionError(
                f"A TREC {what} cannot hold the id {odd or fields[0]!r}",
                remedy="Write .jsonl or .parquet, which hold any id.",
            )
        lines.append(" ".join(fields))
    return "\n".join(lines) + "\n"


def _write_table(
    path: str | os.PathLike[str],
    names: tuple[str, ...],
    rows: Sequence[tuple[str, str, float]],
    nested: dict[str, Any],
) -> None:
    suffix = _suffix(path)
    if suffix == ".json":
        _write(path, json.dumps(nested, ensure_ascii=False))
    elif suffix == ".jsonl":
        records = (dict(zip(names, row, strict=True)) for row in rows)
        _write(path, "".join(json.dumps(r, ensure_ascii=False) + "\n" for r in records))
    elif suffix == ".parquet":
        import pandas as pd

        pd.DataFrame(rows, columns=list(names)).to_parquet(path, index=False)
    else:
        _write(path, _csv(names, rows, "\t" if suffix == ".tsv" else ","))


def _csv(names: Sequence[str], rows: Iterable[Sequence[Any]], separator: str) -> str:
    out = io.StringIO(newline="")
    if separator == "\t":
        for row in (names, *rows):
            fields = [repr(f) if isinstance(f, float) else str(f) for f in row]
            if any(c in f for f in fields for c in "\t\r\n"):
                raise OptionError(
                    f"A TSV cannot hold the row {fields!r}", remedy="Write .csv, which quotes."
                )
            out.write("\t".join(fields) + "\n")
    else:
        writer = csv.writer(out, lineterminator="\r\n")
        writer.writerows([names, *rows])
    return out.getvalue()
