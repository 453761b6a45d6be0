"""A strong list that never reads the query: what an answer key's skew alone would earn."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from falsify_nb.core.beside import BlindList
from falsify_nb.core.grouping import sums_by
from falsify_nb.core.streams import stream
from falsify_nb.core.task import Task

__all__ = ["against", "blind_list"]

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

# Each repetition halves the units anew and scores every query once.
REPETITIONS = 10


def blind_list(task: Task, tau: float) -> BlindList | None:
    """Return what one fixed list, made from other queries' judgments, scores.

    The list holds the documents of the largest gain summed over the queries that it is made from.
    Made from all queries it has seen the answers it is scored on (the upper bracket); made from
    half of them and scored on the other half it has not. Groups are never split. Equal sums are put
    in random order, since an id's place in the alphabet may say something about its document.

    Parameters
    ----------
    task : Task
        The system's task; of its rankings only the scores are read.
    tau : float
        The list raises the alarm when it scores above the system's score − τ.

    Returns
    -------
    BlindList or None
        None where there are not two units to halve.
    """
    n_units = len(task.units)
    if n_units < 2:
        return None
    documents = np.arange(task.gold.n_docs)
    everybody = np.ones(task.n_queries, dtype=bool)
    in_sample = float(task.list_scores(_top(task, everybody, documents), everybody).mean())
    halves, whole = [], np.empty(REPETITIONS)
    for number in range(REPETITIONS):
        rng = stream(task.seed, "halves", number)
        in_first = rng.permutation(n_units) < n_units // 2
        first = in_first[task.units.of]
        total = 0.0
        for made_from in (first, ~first):
            top = _top(task, made_from, rng.permutation(documents))
            scores = task.list_scores(top, ~made_from)
            halves.append(float(scores.mean()))
            total += float(scores.sum())
        whole[number] = total / task.n_queries
    score, spread = float(whole.mean()), float(np.std(halves, ddof=1))
    return against(float(task.scores.mean()), tau, score, spread, in_sample)


def against(system: float, tau: float, score: float, spread: float, in_sample: float) -> BlindList:
    """Compare the list's score with a system's.

    Parameters
    ----------
    system : float
        The system's score.
    tau : float
        The threshold.
    score, spread, in_sample : float
        As in `BlindList`.
    """
    alarm = score >= system - tau
    text = _sentence(score, spread, in_sample, system, alarm=alarm)
    return BlindList(score, spread, in_sample, alarm, text)


def _top(task: Task, queries: BoolArray, documents: IntArray) -> IntArray:
    """Return the documents of largest summed gain, best first; ties in the order of `documents`."""
    gold = task.gold
    gain = sums_by(gold.doc, gold.gain * queries.take(gold.owner), gold.n_docs).take(documents)
    size = min(task.depth, int(np.count_nonzero(gain)))
    if size == 0:
        return np.empty(0, dtype=np.int64)
    least = np.partition(gain, -size)[-size]
    above = np.flatnonzero(gain > least)
    above = above[np.argsort(-gain[above], kind="stable")]
    tied = np.flatnonzero(gain == least)[: size - len(above)]
    top: IntArray = documents[np.concatenate([above, tied])]
    return top


def _sentence(score: float, spread: float, in_sample: float, system: float, *, alarm: bool) -> str:
    figures = f"{score:.3f} ± {spread:.3f} ({in_sample:.3f} on the queries it was made from)"
    if not alarm:
        return (
            f"One fixed list for every query, made from other queries' judgments, scores "
            f"{figures}; the system {system:.3f}."
        )
    relation = "more than" if score > system else "as much as, to within τ,"
    return (
        f"One fixed list that never reads the query scores {figures}: {relation} the system's "
        f"{system:.3f}. On this benchmark such a score takes no understanding of any query."
    )
