"""Files that list a collection: one id a line, or a TSV that begins with the id."""

from __future__ import annotations

from falsify_nb.core.tables import Corpus, IdColumn, Origin
from falsify_nb.errors import InputError
from falsify_nb.io.assemble import build_corpus
from falsify_nb.io.ids import id_text
from falsify_nb.io.problems import Problems
from falsify_nb.io.text import Source

__all__ = ["corpus_of_lines"]


def corpus_of_lines(source: Source, problems: Problems) -> Corpus:
    """Read what stands before the first tab of each line; blanks around it are dropped.

    Raises
    ------
    ReadError
        If a line has no id before its tab.
    """
    lines = source.data.decode("utf-8").split("\n")
    ids = [line.partition("\t")[0].strip(" \r\v\f") for line in lines]
    if not all(ids):
        for number, (line, id_) in enumerate(zip(lines, ids, strict=True), start=1):
            if not id_ and line.strip():
                with problems.noting():
                    id_text(id_, f"{source.name}, line {number}", "document id")
            if problems.is_full:
                break
        ids = [i for i in ids if i]
    problems.finish(source.name)
    column = IdColumn.from_ids(ids)
    for label in column.labels.tolist():
        if not label.isascii():
            try:
                id_text(label, source.name, "document id")
            except InputError as error:
                problems.add(error)
    problems.finish(source.name)
    return build_corpus(column, origin=Origin(source.name, "line", first=1))
