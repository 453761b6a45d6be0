"""The definitions once more, as plain loops: slow, obvious, and independent of the package."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np
from scipy import optimize, stats

Judged = dict[str, float]


@dataclass(frozen=True)
class Measure:
    """A metric by definition; `name` is what a user would type."""

    family: str
    k: int | None = None
    rel: float | None = None
    exponential: bool = False
    top1: bool = False

    @property
    def name(self) -> str:
        options = f"(rel={self.rel:g})" if self.rel is not None else ""
        options = "(dcg='exp-log2')" if self.exponential else options
        cutoff = "" if self.k is None else f"@{self.k}"
        return self.family + options + cutoff + ("_top1" if self.top1 else "")

    @property
    def is_linear(self) -> bool:
        return self.top1 or self.family in {"nDCG", "R", "P"}

    @property
    def reads_gains(self) -> bool:
        return self.family == "nDCG" and not self.top1

    def gold(self, judged: Judged) -> Judged:
        """What the nulls move: relevant documents with the gains that the metric reads."""
        relevant = {
            d: g for d, g in judged.items() if (g > 0 if self.rel is None else g >= self.rel)
        }
        if self.top1 and relevant:
            best = max(relevant.values())
            return {d: 1.0 for d, g in relevant.items() if g == best}
        if not self.reads_gains:
            return dict.fromkeys(relevant, 1.0)
        return {d: 2.0**g - 1.0 if self.exponential else float(g) for d, g in relevant.items()}

    def score(self, ranking: list[str], gold: Judged) -> float:
        """Score one ranking against one (effective, non-empty) gold set."""
        if self.top1:
            alone = Measure(self.family, self.k)
            return sum(alone.score(ranking, {d: 1.0}) for d in gold) / len(gold)
        read = ranking if self.k is None else ranking[: self.k]
        hits = [rank for rank, doc in enumerate(read, 1) if doc in gold]
        simple = {
            "R": len(hits) / len(gold),
            "P": len(hits) / (self.k or 1),
            "Success": float(bool(hits)),
            "RR": 1.0 / hits[0] if hits else 0.0,
            "AP": sum((i + 1) / rank for i, rank in enumerate(hits)) / len(gold),
        }
        if self.family in simple:
            return simple[self.family]
        dcg = sum(gold[read[rank - 1]] / math.log2(rank + 1) for rank in hits)
        ideal = sorted(gold.values(), reverse=True)[: self.k]
        return dcg / sum(gain / math.log2(rank + 1) for rank, gain in enumerate(ideal, 1))


MEASURES = (
    Measure("nDCG", 3),
    Measure("nDCG", 3, exponential=True),
    Measure("nDCG"),
    Measure("R", 3),
    Measure("P", 3),
    Measure("RR", 3),
    Measure("RR"),
    Measure("AP", 3),
    Measure("AP"),
    Measure("Success", 2),
    Measure("P", 3, rel=2),
    Measure("R", 3, top1=True),
    Measure("RR", 3, top1=True),
)


def in_order(scored: dict[str, float]) -> list[str]:
    """Score descending, ties by id descending, by two stable sorts."""
    by_id = sorted(scored, reverse=True)
    return sorted(by_id, key=lambda doc: scored[doc], reverse=True)


@dataclass(frozen=True)
class World:
    """A benchmark with one system, as a user would hold it."""

    qrels: dict[str, Judged]
    run: dict[str, dict[str, float]]
    corpus: list[str]

    def evaluated(self, measure: Measure) -> list[str]:
        return sorted(q for q, judged in self.qrels.items() if measure.gold(judged))

    def golds(self, measure: Measure) -> list[Judged]:
        return [measure.gold(self.qrels[q]) for q in self.evaluated(measure)]

    def rankings(self, measure: Measure) -> list[list[str]]:
        return [in_order(self.run.get(q, {})) for q in self.evaluated(measure)]

    def matrix(self, measure: Measure) -> np.ndarray:
        """M_ij, ranking i against gold j, over all pairs."""
        golds = self.golds(measure)
        return np.array([[measure.score(r, g) for g in golds] for r in self.rankings(measure)])

    def without(self, query: str) -> World:
        return World({q: j for q, j in self.qrels.items() if q != query}, self.run, self.corpus)


def random_world(
    seed: int,
    n_queries: int = 6,
    n_docs: int = 8,
    *,
    most_gold: int = 3,
    grades: tuple[float, ...] = (1, 2, 3),
    depth: int = 5,
    skew: float = 1.0,
    same_gold: int = 0,
) -> World:
    """A benchmark with skewed gold and a system that finds some of it.

    Single gold comes with `most_gold=1`. The first `same_gold` queries share one gold set.
    """
    rng = np.random.default_rng(seed)
    corpus = [f"d{i:02d}" for i in range(n_docs)]
    weight = 1.0 / np.arange(1, n_docs + 1) ** skew
    qrels, run = {}, {}
    for i in range(n_queries):
        query = f"q{i:02d}"
        size = int(rng.integers(1, most_gold + 1))
        docs = rng.choice(corpus, size, replace=False, p=weight / weight.sum())
        qrels[query] = {str(d): float(rng.choice(grades)) for d in docs}
        if 0 < i < same_gold:
            qrels[query] = dict(qrels["q00"])
        judged_bad = str(rng.choice([d for d in corpus if d not in qrels[query]]))
        qrels[query][judged_bad] = 0.0
        score = {d: rng.random() + 0.5 * (qrels[query].get(d, 0) > 0) for d in corpus}
        run[query] = {d: score[d] for d in in_order(score)[:depth]}
    return World(qrels, run, corpus)


def permutation_means(matrix: np.ndarray) -> np.ndarray:
    """The mean score of every permutation of the gold sets, one by one."""
    n = len(matrix)
    return np.array(
        [
            sum(matrix[i, p] for i, p in enumerate(order)) / n
            for order in itertools.permutations(range(n))
        ]
    )


def distinct(golds: list[Judged]) -> list[int]:
    """The first query with each distinct gold set."""
    seen: list[Judged] = []
    first = []
    for i, gold in enumerate(golds):
        if gold not in seen:
            seen.append(gold)
            first.append(i)
    return first


def inclusion_probabilities(golds: list[Judged]) -> dict[tuple[int, str], float]:
    """Fit π_id = x_i·y_d/(1 + x_i·y_d) to the margins by a general solver, query by query.

    A document that is gold for every query is certain, and taken out beforehand.
    """
    n = len(golds)
    frequency = {d: sum(d in g for g in golds) for g in golds for d in g}
    certain = [d for d, f in frequency.items() if f == n]
    docs = sorted(d for d in frequency if d not in certain)
    size = np.array([len(g) - len(certain) for g in golds], dtype=float)
    count = np.array([frequency[d] for d in docs], dtype=float)
    found = {(i, d): 1.0 for i in range(n) for d in certain}
    rows = np.flatnonzero(size)

    def table(theta: np.ndarray) -> np.ndarray:
        return 1 / (1 + np.exp(-(theta[: len(rows), None] + theta[None, len(rows) :])))

    def residual(theta: np.ndarray) -> np.ndarray:
        pi = table(theta)
        return np.concatenate([pi.sum(axis=1) - size[rows], pi.sum(axis=0) - count])

    def slopes(theta: np.ndarray) -> np.ndarray:
        spread = table(theta) * (1 - table(theta))
        return np.block(
            [[np.diag(spread.sum(axis=1)), spread], [spread.T, np.diag(spread.sum(axis=0))]]
        )

    start = np.concatenate([np.log(size[rows]), np.log(count)]) - 0.5 * np.log(count.sum() or 1)
    solution = optimize.root(residual, start, method="lm", jac=slopes, tol=1e-14)
    assert np.abs(residual(solution.x)).max() < 1e-9
    pi = np.zeros((n, len(docs)))
    pi[rows] = table(solution.x)
    found |= {(i, d): pi[i, j] for i in range(n) for j, d in enumerate(docs)}
    return found


def systematic_expectation(
    measure: Measure, ranking: list[str], gold: Judged, probability: dict[str, float]
) -> float:
    """Exact mean over systematic samples: every order of the labels, every stretch of u.

    Gains are dealt in every order.
    """
    docs = [d for d, p in probability.items() if p > 0]
    deals = list(itertools.permutations(gold.values()))
    memo: dict[frozenset[str], float] = {}
    total = n_orders = 0.0
    for order in itertools.permutations(docs):
        edges = np.concatenate([[0.0], np.cumsum([probability[d] for d in order])])
        edges *= len(gold) / edges[-1]
        cuts = np.unique(np.concatenate([[0.0, 1.0], np.mod(edges[1:-1], 1.0)]))
        for low, high in itertools.pairwise(cuts):
            if high - low < 1e-13:
                continue
            points = (low + high) / 2 + np.arange(len(gold))
            taken = [order[i] for i in np.searchsorted(edges, points, side="right") - 1]
            key = frozenset(taken)
            if key not in memo:
                scores = [
                    measure.score(ranking, dict(zip(sorted(key), deal, strict=True)))
                    for deal in deals
                ]
                memo[key] = sum(scores) / len(scores)
            total += (high - low) * memo[key]
        n_orders += 1
    return total / n_orders


def clopper_pearson(hits: int, n: int, alpha: float) -> tuple[float, float]:
    """The exact interval of a proportion, by quantiles of the Beta distribution."""
    low = stats.beta.ppf(alpha / 2, hits, n - hits + 1) if hits else 0.0
    high = stats.beta.ppf(1 - alpha / 2, hits + 1, n - hits) if hits < n else 1.0
    return float(low), float(high)
