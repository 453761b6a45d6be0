"""Which kind of file it is, told from its content, and who reads it."""

from __future__ import annotations

from typing import IO, Any, Literal, overload

from falsify_nb.core.tables import Corpus, Origin, Qrels, Run
from falsify_nb.errors import ReadError
from falsify_nb.io import records
from falsify_nb.io.problems import Problems
from falsify_nb.io.text import open_source
from falsify_nb.io.trec import read_trec_qrels, read_trec_run

__all__ = ["read_file"]


@overload
def read_file(source: str | IO[Any], kind: Literal["run"], problems: Problems) -> Run: ...
@overload
def read_file(source: str | IO[Any], kind: Literal["qrels"], problems: Problems) -> Qrels: ...
@overload
def read_file(source: str | IO[Any], kind: Literal["corpus"], problems: Problems) -> Corpus: ...
def read_file(
    source: str | IO[Any], kind: Literal["run", "qrels", "corpus"], problems: Problems
) -> Run | Qrels | Corpus:
    """Read a file as what it is to hold."""
    got = open_source(source, kind)
    if not got.data or got.data.isspace():
        raise ReadError(f"The {kind} file is empty", where=got.name, remedy="Give another file.")
    if kind == "run":
        return read_trec_run(got, problems)
    if kind == "qrels":
        return read_trec_qrels(got, problems)
    ids = [line.strip(" \t\r") for line in got.data.decode().split("\n")]
    return records.corpus_of_ids([i for i in ids if i], Origin(got.name, "line", first=1))
