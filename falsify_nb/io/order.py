"""Rankings that are given by a rank column alone."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from falsify_nb.core.tables import IdColumn, Origin
from falsify_nb.errors import ScoreError

__all__ = ["by_rank", "whole_ranks"]


def by_rank(
    query: IdColumn, doc: IdColumn, ranks: npt.NDArray[np.float64], origin: Origin
) -> tuple[IdColumn, IdColumn, Origin]:
    """Return the rows in ranking order within each query.

    Raises
    ------
    ScoreError
        If a rank is missing, or two documents of one query share it.
    """
    bad = np.flatnonzero(~np.isfinite(ranks))
    if len(bad):
        raise ScoreError(
            "A rank is missing", where=origin.at(int(bad[0])), remedy="Give every row a rank."
        )
    order = np.lexsort((ranks, query.codes))
    same = (np.diff(ranks[order]) == 0) & (np.diff(query.codes[order]) == 0)
    if same.any():
        row = int(order[1:][same][0])
        raise ScoreError(
            f"Two documents of query {query.labels[query.codes[row]]!r} have rank {ranks[row]:g}",
            where=origin.at(row),
            remedy="Without scores, ranks must differ within a query.",
        )
    numbers = order + origin.first if origin.numbers is None else origin.numbers[order]
    moved = Origin(origin.name, origin.unit, numbers.astype(np.int64), origin.first)
    return IdColumn(query.codes[order], query.labels), IdColumn(doc.codes[order], doc.labels), moved


def whole_ranks(ranks: npt.NDArray[np.float64] | None) -> npt.NDArray[np.int64] | None:
    """Return ranks as integers, or None where one of them is no whole number."""
    if ranks is None or not len(ranks) or not np.isfinite(ranks).all():
        return None
    if (ranks != np.floor(ranks)).any() or np.abs(ranks).max() > 2**53:
        return None
    return ranks.astype(np.int64)
