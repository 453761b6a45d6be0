"""What a result says beside its verdict: the labels, the strict form, and the query-blind list."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from falsify_nb.core.frozen import freeze, rebuilt
from falsify_nb.core.null_result import Verdict

__all__ = ["BlindList", "Labels", "StrictPair"]

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False, slots=True)
class Labels:
    """How often each document is relevant.

    Parameters
    ----------
    counts : numpy.ndarray of int, shape (n_labels,)
        Number of queries that each document is relevant to, most frequent first.
    top : tuple of str
        Ids of the (up to 20) most frequent documents, in that order.
    n_queries : int
        Number of evaluated queries.
    n_gold_sets : int
        Number of distinct gold sets.
    """

    counts: npt.NDArray[np.int64]
    top: tuple[str, ...]
    n_queries: int
    n_gold_sets: int

    def __post_init__(self) -> None:
        freeze(self.counts)

    def __reduce__(self) -> tuple[object, ...]:
        return rebuilt(self)

    @property
    def modal_share(self) -> float:
        """Share of the queries that the most frequent document is relevant to."""
        return float(self.counts[0]) / self.n_queries if len(self.counts) else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain JSON types; counts as pairs of (count, how many labels)."""
        counts, repeats = np.unique(self.counts, return_counts=True)
        pairs = [[int(c), int(r)] for c, r in zip(counts[::-1], repeats[::-1], strict=True)]
        return {
            "counts": pairs,
            "top": list(self.top),
            "n_queries": self.n_queries,
            "n_gold_sets": self.n_gold_sets,
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Labels:
        """Rebuild label counts from `to_dict`."""
        pairs = np.array(data["counts"], dtype=np.int64).reshape(-1, 2)
        counts = np.repeat(pairs[:, 0], pairs[:, 1])
        return cls(counts, tuple(data["top"]), data["n_queries"], data["n_gold_sets"])


@dataclass(frozen=True, slots=True)
class StrictPair:
    """The strict single-gold form judged beside the metric.

    Parameters
    ----------
    metric : str
        The strict metric, such as ``"R@10_top1"``.
    verdict : {"PASS", "FAIL", "UNDER-NS"}, or None
        The gate's verdict under it; None where the benchmark offers no strict second opinion.
    score : float
        The system's strict score.
    oracle : float
        A perfect system's strict score.
    deltas : dict of str to float
        The gap to each null under the strict metric.
    disagrees : bool
        True when both verdicts exist and differ.
    text : str
        What that means, in one sentence.
    """

    metric: str
    verdict: Verdict | None
    score: float
    oracle: float
    deltas: dict[str, float]
    disagrees: bool
    text: str


@dataclass(frozen=True, slots=True)
class BlindList:
    """What a list that never reads the query would score on the same benchmark.

    Parameters
    ----------
    score : float
        Cross-fitted: the list is made from other queries than it is scored on.
    spread : float
        Standard deviation of that score over the random halves.
    in_sample : float
        The upper bracket: the list made from all queries.
    alarm : bool
        True when the list scores within τ of the system, or above it.
    text : str
        What that means, in one sentence.
    """

    score: float
    spread: float
    in_sample: float
    alarm: bool
    text: str
