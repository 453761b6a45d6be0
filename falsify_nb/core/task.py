"""One system on one benchmark under one metric: all that the nulls read."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

import numpy as np
import numpy.typing as npt

from falsify_nb.core.benchmark import Gold
from falsify_nb.core.contributions import Contributions, Units
from falsify_nb.core.grouping import sums_by
from falsify_nb.core.lookup import Lookup
from falsify_nb.core.marginals import Marginals
from falsify_nb.core.metrics import Metric
from falsify_nb.core.notices import Notice
from falsify_nb.core.pairs import Hits, Pairs, pair_scores

__all__ = ["Expected", "Null", "Progress", "Task"]

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True, eq=False)
class Expected:
    """What a null expects.

    Parameters
    ----------
    per_query : numpy.ndarray of float, shape (n_queries,)
        Expected score of each query.
    mean : float
        E[null].
    is_exact : bool
        Whether it comes from a formula.
    error : float
        Standard error of `mean`; 0 when exact.
    """

    per_query: FloatArray
    mean: float
    is_exact: bool = True
    error: float = 0.0


@dataclass(frozen=True, eq=False)
class Task:
    """One system on one benchmark under one built-in metric.

    Parameters
    ----------
    metric : Metric
        The metric.
    gold : Gold
        The effective gold.
    hits : Hits
        The gold documents that the rankings meet within the cutoff.
    corpus_size : int
        M.
    depth : int
        The ranks that count, at most M.
    units : Units
        Queries, or groups of queries.
    bounds : tuple of float
        Range of the metric.
    seed, n_draws : int
        Root of the streams; draws per null. 0 draws: expectations from formulas only.
    progress : callable or None
        ``progress(stage, done, total)``, called between blocks; raising in it stops the work.
    """

    metric: Metric
    gold: Gold
    hits: Hits
    corpus_size: int
    depth: int
    units: Units
    bounds: tuple[float, float] = (0.0, 1.0)
    seed: int = 2026
    n_draws: int = 1000
    progress: Progress | None = field(default=None, repr=False)

    @cached_property
    def scores(self) -> FloatArray:
        """The system's score per query, shape (n_queries,)."""
        return self.hits.own_scores(self.gold, self.metric)

    @cached_property
    def pairs(self) -> Pairs:
        """M wherever a ranking and a gold set share a document."""
        return pair_scores(self.hits, self.gold, self.metric)

    @cached_property
    def marginals(self) -> Marginals:
        """Null D's inclusion probabilities."""
        return Marginals.fit(self.gold)

    @cached_property
    def lookup(self) -> Lookup:
        """M as the draws of gold sets are looked up in it."""
        pairs = self.pairs
        shape = (pairs.n_rankings, pairs.n_sets)
        return Lookup.build(pairs.ranking, shape, pairs.row, pairs.column, pairs.value)

    @property
    def n_queries(self) -> int:
        """Number of evaluated queries."""
        return len(self.gold.norm)

    @property
    def is_single(self) -> bool:
        """Whether Null D deals single gold documents, like Null A."""
        return self.gold.is_single

    def list_scores(self, documents: IntArray, queries: BoolArray) -> FloatArray:
        """Return what one fixed list scores for some of the queries.

        Parameters
        ----------
        documents : numpy.ndarray of int, shape (n_documents,)
            Positions among the gold documents, best first, no more than `depth`.
        queries : numpy.ndarray of bool, shape (n_queries,)
            The queries to score it for.
        """
        gold = self.gold
        rank = np.zeros(gold.n_docs, dtype=np.int64)
        rank[documents] = np.arange(1, len(documents) + 1)
        if self.metric.is_linear:
            weights = np.append(0.0, self.metric.rank_weights(len(documents)))
            earned = weights.take(rank).take(gold.doc) * gold.worth
            return sums_by(gold.owner, earned, self.n_queries)[queries]
        found = np.flatnonzero((rank[gold.doc] > 0) & queries[gold.owner])
        found = found[np.lexsort((rank[gold.doc[found]], gold.owner[found]))]
        owner = gold.owner[found]
        starts = np.flatnonzero(np.diff(owner, prepend=-1))
        scores, who = np.zeros(self.n_queries), owner[starts]
        scores[who] = self.metric.combine(
            rank[gold.doc[found]], gold.worth[found], starts, gold.sizes[who]
        )
        return scores[queries]

    @property
    def nulls(self) -> dict[str, Null]:
        """The four nulls by letter."""
        from falsify_nb.core.nulls import NULLS

        return NULLS

    def tell(self, stage: str, done: int, total: int) -> None:
        """Call the progress hook, if there is one."""
        if self.progress is not None:
            self.progress(stage, done, total)

    def notices(self) -> list[Notice]:
        """Return what a reader should know of how the nulls were computed."""
        return []

    def finish(self) -> None:
        """Let go of what was kept in case of an interruption."""

    def for_oracle(self) -> Task | None:
        """Return the same task for a perfect system; None where that would cost too much."""
        oracle = Hits.of_oracle(self.gold, self.depth)
        twin = dataclasses.replace(self, hits=oracle)
        if not self.is_single:
            twin.__dict__["marginals"] = self.marginals
        return twin


class Null(Protocol):
    """What each null offers."""

    def expect(self, task: Task) -> Expected:
        """Return the expected score."""

    def draw(self, task: Task) -> FloatArray:
        """Return draws of the mean score, shape (task.n_draws,); empty where none can be made."""

    def contribute(self, task: Task, expected: Expected) -> Contributions:
        """Return what each query adds to the gap."""
