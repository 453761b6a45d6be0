"""The columns of a regular TREC file, read by whole arrays; anything odd is left to others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from falsify_nb.core.notices import Notice
from falsify_nb.core.tables import IdColumn

__all__ = ["Columns", "read_columns"]


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


def read_columns(data: bytes, kind: Literal["run", "qrels"]) -> Columns | None:
    """Read a regular file, or return None for one that has to be read line by line."""
    del data, kind
    return None
