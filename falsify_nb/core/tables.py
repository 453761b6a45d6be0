"""What a user hands over, after reading and before any rule is applied: coded columns."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from falsify_nb.core.labels import Labels, NumberedLabels
from falsify_nb.core.notices import Notice

__all__ = ["Corpus", "IdColumn", "Origin", "Qrels", "Run"]


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a table came from, so that an error can name the place.

    Parameters
    ----------
    name : str
        A file's name, or words such as ``"the run"``.
    unit : {"row", "line", "item"}
        What one entry of the table is called there.
    numbers : numpy.ndarray of int, shape (n_rows,), optional
        The line or row number of each entry; without it entry i is number i + first.
    first : int
        Number of the first entry: 1 for lines, 0 for the rows of a frame.
    """

    name: str = "the input"
    unit: str = "row"
    numbers: npt.NDArray[np.int64] | None = None
    first: int = 0

    def at(self, row: int) -> str:
        """Return the place of one entry in words, such as ``run.trec, line 17``."""
        number = int(row) + self.first if self.numbers is None else int(self.numbers[row])
        return f"{self.name}, {self.unit} {number}"


@dataclass(frozen=True, slots=True, eq=False)
class IdColumn:
    """A column of ids as integer codes into its distinct labels.

    Parameters
    ----------
    codes : numpy.ndarray of int, shape (n_rows,)
        Position of each row's id in `labels`.
    labels : numpy.ndarray of object (str), shape (n_labels,), or NumberedLabels
        The distinct ids, in any order, each used or not.
    """

    codes: npt.NDArray[np.int64]
    labels: Labels

    @classmethod
    def from_ids(cls, ids: Iterable[str]) -> IdColumn:
        """Code a sequence of strings in order of first appearance."""
        listed = list(ids)
        position = {label: code for code, label in enumerate(dict.fromkeys(listed))}
        codes = np.fromiter(map(position.__getitem__, listed), np.int64, count=len(listed))
        labels = np.empty(len(position), dtype=object)
        labels[:] = list(position)
        return cls(codes, labels)

    def __len__(self) -> int:
        return len(self.codes)

    def ids(self) -> npt.NDArray[np.object_]:
        """Return the ids row by row, shape (n_rows,)."""
        return self.labels[:][self.codes]

    def freeze(self) -> None:
        """Make the arrays read-only."""
        self.codes.flags.writeable = False
        if not isinstance(self.labels, NumberedLabels):
            self.labels.flags.writeable = False


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Qrels:
    """Relevance judgments as three columns.

    Parameters
    ----------
    query, doc : IdColumn
        Query and document id of each judgment.
    grade : numpy.ndarray of float, shape (n_rows,)
        The judged grade; greater than 0 is relevant.
    origin : Origin
        Where the rows came from.
    notices : tuple of Notice
        What was decided while reading.
    empty_queries : tuple of str
        Queries that were named with no judgment at all.
    """

    query: IdColumn
    doc: IdColumn
    grade: npt.NDArray[np.float64]
    origin: Origin = field(default_factory=lambda: Origin("the qrels"))
    notices: tuple[Notice, ...] = ()
    empty_queries: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.query)

    def __repr__(self) -> str:
        return f"Qrels({_counted(len(self), 'judgment')} of {_queries(self.query)})"

    def to_dict(self) -> dict[str, dict[str, float]]:
        """Return ``{query_id: {doc_id: grade}}``."""
        out: dict[str, dict[str, float]] = {q: {} for q in self.empty_queries}
        rows = zip(self.query.ids(), self.doc.ids(), self.grade.tolist(), strict=True)
        for query, doc, grade in rows:
            out.setdefault(query, {})[doc] = grade
        return out


# Weakly referable, so that its order can be kept beside it (falsify_nb.core.ordering).
@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Run:
    """A system's rankings as columns.

    Parameters
    ----------
    query, doc : IdColumn
        Query and document id of each retrieved document.
    score : numpy.ndarray of float, shape (n_rows,), or None
        Scores, higher is better. None: the rows of a query stand in ranking order.
    rank : numpy.ndarray of int, shape (n_rows,), or None
        A rank column that was given. It never decides the order; it is compared with it.
    origin : Origin
        Where the rows came from.
    notices : tuple of Notice
        What was decided while reading.
    empty_queries : tuple of str
        Queries that were named with an empty ranking.
    name : str
        The system's name or run tag, empty when unknown.
    """

    query: IdColumn
    doc: IdColumn
    score: npt.NDArray[np.float64] | None
    rank: npt.NDArray[np.int64] | None = None
    origin: Origin = field(default_factory=lambda: Origin("the run"))
    notices: tuple[Notice, ...] = ()
    empty_queries: tuple[str, ...] = ()
    name: str = ""

    def __len__(self) -> int:
        return len(self.query)

    def __repr__(self) -> str:
        kind = "scored" if self.score is not None else "ranked"
        return f"Run({_counted(len(self), f'{kind} document')} for {_queries(self.query)})"

    def to_dict(self) -> dict[str, Any]:
        """Return ``{query_id: {doc_id: score}}``, or ``{query_id: [doc_id, …]}`` without scores."""
        out: dict[str, Any] = {q: [] if self.score is None else {} for q in self.empty_queries}
        if self.score is None:
            for query, doc in zip(self.query.ids(), self.doc.ids(), strict=True):
                out.setdefault(query, []).append(doc)
            return out
        rows = zip(self.query.ids(), self.doc.ids(), self.score.tolist(), strict=True)
        for query, doc, score in rows:
            out.setdefault(query, {})[doc] = score
        return out


@dataclass(frozen=True, slots=True, eq=False)
class Corpus:
    """The collection: its distinct document ids, or only its size.

    Parameters
    ----------
    size : int
        Number of distinct documents.
    ids : numpy.ndarray of object (str), shape (size,), or None
        The distinct ids, when they are known.
    notices : tuple of Notice
        What was decided while reading, such as repeated ids.
    """

    size: int
    ids: npt.NDArray[np.object_] | None = None
    notices: tuple[Notice, ...] = ()

    def __len__(self) -> int:
        return self.size

    def __repr__(self) -> str:
        return f"Corpus({self.size:,} documents{'' if self.ids is not None else ', by size only'})"


def _counted(n: int, thing: str) -> str:
    return f"{n:,} {thing}{'' if n == 1 else 's'}"


def _queries(column: IdColumn) -> str:
    n = len(column.labels)
    return f"{n:,} {'query' if n == 1 else 'queries'}"
