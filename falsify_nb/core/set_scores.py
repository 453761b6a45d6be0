"""Scoring dealt gold sets: what the system's rankings earn with each draw of them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from falsify_nb.core.draw_cache import DRAWS
from falsify_nb.core.label_draws import DrawArray, Kind, draws_of_sets
from falsify_nb.core.streams import Block
from falsify_nb.core.task import Task

__all__ = ["score_sets"]

FloatArray = npt.NDArray[np.float64]


def score_sets(task: Task, kind: Kind, stage: str) -> FloatArray:
    """Return the mean score of each draw, looked up among the overlapping pairs.

    Parameters
    ----------
    task : Task
        The system's task.
    kind : {"permuted", "uniform", "frequent"}
        How the sets are dealt, see `falsify_nb.core.label_draws.draw_sets`.
    stage : str
        What the progress hook is told.

    Returns
    -------
    numpy.ndarray of float, shape (task.n_draws,)
    """
    lookup = task.lookup

    def totals(block: Block, sets: DrawArray) -> FloatArray:
        return lookup.totals(sets[: block.wanted])

    parts = []
    source = draws_of_sets(task.gold, kind, task.units, task.seed)
    for block, found in DRAWS.blocks(source, task.n_draws, totals):
        task.tell(stage, block.first, task.n_draws)
        parts.append(found)
    return np.concatenate(parts) / task.n_queries
