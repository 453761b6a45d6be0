"""Worlds to draw benchmarks from: how labels, gold and rankings come about.

A world is a distribution over (ranking, gold) pairs. Queries are drawn from it independently, or
in clusters; what comes out is the table that the nulls read, built as `falsify` builds it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache

import numpy as np
import numpy.typing as npt

from falsify_nb.core.benchmark import Benchmark, Gold
from falsify_nb.core.contributions import Units
from falsify_nb.core.metrics import parse_metric
from falsify_nb.core.pairs import Hits
from falsify_nb.core.rankings import Rankings
from falsify_nb.core.tables import IdColumn, Qrels, Run
from falsify_nb.core.task import Task

__all__ = ["Plain", "Skewed", "World"]

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
# Relevant documents, their grades, and the ranking of each query.
Lists = tuple[list[IntArray], list[FloatArray], list[IntArray]]


@dataclass(frozen=True, slots=True)
class World:
    """What all worlds share.

    Parameters
    ----------
    name : str
        How tables call it.
    metric : str
        The metric.
    corpus_size : int
        Documents in the collection.
    """

    name: str
    metric: str = "nDCG@10"
    corpus_size: int = 100_000

    def lists(self, rng: np.random.Generator, n: int, group: IntArray | None) -> Lists:
        """Return n queries' relevant documents, grades and rankings, as numbers."""
        raise NotImplementedError

    def tables(
        self, rng: np.random.Generator, n: int, group: IntArray | None = None
    ) -> tuple[Run, Qrels]:
        """Return a benchmark of n queries with a system's rankings.

        Parameters
        ----------
        rng : numpy.random.Generator
            Where chance comes from.
        n : int
            Number of queries.
        group : numpy.ndarray of int, shape (n,), optional
            The cluster of each query: those of one cluster are alike.
        """
        relevant, grades, rankings = self.lists(rng, n, group)
        query, doc = _columns(relevant)
        return Run(*_columns(rankings), score=None), Qrels(query, doc, np.concatenate(grades))

    def draw(
        self, rng: np.random.Generator, n: int, group: IntArray | None = None, draws: int = 0
    ) -> Task:
        """Return the same as the task that the nulls read, with so many draws per null."""
        run, qrels = self.tables(rng, n, group)
        metric = parse_metric(self.metric)
        benchmark = Benchmark.build(qrels, metric.rel)
        ordered = Rankings.build(run, benchmark, metric.k)
        return Task(
            metric,
            Gold.of(benchmark, metric),
            Hits(*ordered.hits(ordered.depth)),
            self.corpus_size,
            ordered.depth,
            Units.single(n) if group is None else Units.of_groups(group),
            n_draws=draws,
        )


def _columns(lists: list[IntArray]) -> tuple[IdColumn, IdColumn]:
    flat = np.concatenate(lists)
    owner = np.repeat(np.arange(len(lists)), [len(r) for r in lists])
    return IdColumn(owner, _names(len(lists), "q")), IdColumn(flat, _names(flat.max() + 1, "d"))


@cache
def _names(n: int, letter: str) -> npt.NDArray[np.object_]:
    return np.array([f"{letter}{i:07}" for i in range(n)], dtype=object)


@dataclass(frozen=True, slots=True)
class Plain(World):
    """Every query has one document of its own, found at a random rank or not at all.

    Parameters
    ----------
    places : tuple of float
        Probability of finding it at rank 1, 2, …; the rest is not finding it.
    alike : float
        In clusters: the chance that a query copies its cluster's rank, which is the
        intra-cluster correlation of the scores.
    """

    places: tuple[float, ...] = (0.5,)
    alike: float = 0.0

    def lists(self, rng: np.random.Generator, n: int, group: IntArray | None) -> Lists:
        """Return n queries."""
        chances = np.array([1.0 - sum(self.places), *self.places])
        place = rng.choice(len(chances), size=n, p=chances)
        if group is not None:
            copies = rng.random(n) < np.sqrt(self.alike)
            shared = rng.choice(len(chances), size=int(group.max()) + 1, p=chances)
            place = np.where(copies, shared[group], place)
        relevant = [np.array([i]) for i in range(n)]
        # Documents from n on are relevant to nobody: they fill the ranks above.
        rankings = [
            np.append(np.arange(n, n + p - 1), i) if p else np.array([n])
            for i, p in enumerate(place)
        ]
        return relevant, [np.ones(1)] * n, rankings


@dataclass(frozen=True, slots=True)
class Skewed(World):
    """Queries share documents, popular ones often; the system knows some of both.

    A query's documents are drawn without replacement by Zipf weights. The system orders the labels
    by skill × (relevant) + bias × log(weight) + Gumbel noise, and returns the first ten.

    Parameters
    ----------
    n_labels : int
        Documents that can be relevant.
    zipf : float
        Exponent of their weights; 0 is uniform.
    most : int
        A query has 1 to `most` relevant documents, uniformly.
    skill, bias : float
        How much the system knows of the query, and of popularity.
    grades : int
        Grades are 1 to `grades`, uniformly.
    topics : int
        With topics, queries share whole gold sets: each takes one of so many sets, by Zipf weights,
        and loses each document but the first with probability 0.1.
    alike : float
        In clusters: the chance that a query takes its cluster's gold.
    """

    n_labels: int = 60
    zipf: float = 1.0
    most: int = 1
    skill: float = 4.0
    bias: float = 1.0
    grades: int = 1
    topics: int = 0
    alike: float = 0.0
    weights: FloatArray = field(init=False, repr=False)

    def __post_init__(self) -> None:
        weights = np.arange(1, self.n_labels + 1, dtype=float) ** -self.zipf
        object.__setattr__(self, "weights", weights / weights.sum())

    def lists(self, rng: np.random.Generator, n: int, group: IntArray | None) -> Lists:
        """Return n queries."""
        relevant = self._gold(rng, n)
        if group is not None:
            shared = self._gold(rng, int(group.max()) + 1)
            copies = rng.random(n) < np.sqrt(self.alike)
            relevant = [
                shared[g] if c else r for r, g, c in zip(relevant, group, copies, strict=True)
            ]
        is_gold = np.zeros((n, self.n_labels))
        for row, docs in zip(is_gold, relevant, strict=True):
            row[docs] = 1.0
        liking = (
            self.skill * is_gold + self.bias * np.log(self.weights) + rng.gumbel(size=is_gold.shape)
        )
        rankings = list(np.argsort(-liking, axis=1)[:, :10])
        grades = [rng.integers(1, self.grades + 1, len(r)).astype(float) for r in relevant]
        return relevant, grades, rankings

    def _gold(self, rng: np.random.Generator, n: int) -> list[IntArray]:
        if self.topics:
            fixed = np.random.default_rng(self.topics)
            sets = self._sets(fixed, self.topics)
            weights = np.arange(1, self.topics + 1, dtype=float) ** -self.zipf
            chosen = rng.choice(self.topics, size=n, p=weights / weights.sum())
            return [self._thinned(rng, sets[c]) for c in chosen]
        return self._sets(rng, n)

    def _sets(self, rng: np.random.Generator, n: int) -> list[IntArray]:
        sizes = rng.integers(1, self.most + 1, n)
        keys = np.log(self.weights) + rng.gumbel(size=(n, self.n_labels))
        best = np.argsort(-keys, axis=1)
        return [row[:size] for row, size in zip(best, sizes, strict=True)]

    @staticmethod
    def _thinned(rng: np.random.Generator, docs: IntArray) -> IntArray:
        keep = rng.random(len(docs)) >= 0.1
        keep[0] = True
        return docs[keep]
