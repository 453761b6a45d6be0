"""Rankings of known kind: what an oracle returns, what a cheat does, what chance does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

__all__ = [
    "AnyRun",
    "Bench",
    "Gold",
    "Rankings",
    "anti_oracle",
    "constant",
    "failing_oracle",
    "marginal_random",
    "oracle",
    "other_query",
    "popularity",
    "popularity_loo",
    "tied",
    "uniform_random",
]

Gold = Mapping[str, Mapping[str, float]]
Rankings = dict[str, list[str]]
AnyRun = dict[str, list[str]] | dict[str, dict[str, float]]


@dataclass(frozen=True, slots=True)
class Bench:
    """What a builder may look at.

    Parameters
    ----------
    gold : mapping
        The relevant documents of every query that has any, with their grades.
    corpus : tuple of str
        The collection's ids, sorted.
    depth : int
        Documents per ranking.
    seed : int
        Root of the random streams.
    share : float
        Share of the queries at which the failing oracle fails.
    run : mapping or None
        Rankings to deal out again, for ``"other-query"``.
    """

    gold: Gold
    corpus: tuple[str, ...]
    depth: int
    seed: int
    share: float
    run: Mapping[str, list[str]] | None

    def stream(self, key: int) -> np.random.Generator:
        """Return a random stream of its own, so that no system disturbs another."""
        return np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(key,)))


def oracle(bench: Bench) -> Rankings:
    """Return the relevant documents, best first."""
    # Best grade first; among equals the id decides, so that the list is always the same.
    return {
        q: sorted(docs, key=lambda d: (-docs[d], d))[: bench.depth]
        for q, docs in bench.gold.items()
    }


def anti_oracle(bench: Bench) -> Rankings:
    """Return documents that are not relevant."""
    return {
        q: _first((d for d in bench.corpus if d not in docs), bench.depth)
        for q, docs in bench.gold.items()
    }


def failing_oracle(bench: Bench) -> Rankings:
    """Return what the oracle does, but at a share of the queries."""
    fails = bench.stream(1).permutation(len(bench.gold)) < round(bench.share * len(bench.gold))
    good, bad = oracle(bench), anti_oracle(bench)
    return {q: (bad if failed else good)[q] for q, failed in zip(bench.gold, fails, strict=True)}


def constant(bench: Bench) -> Rankings:
    """Return the most popular document, always."""
    top = _by_count(_counts(bench.gold))[:1]
    return {q: list(top) for q in bench.gold}


def popularity(bench: Bench) -> Rankings:
    """Return the popular documents, always in that order."""
    top = _by_count(_counts(bench.gold))[: bench.depth]
    return {q: list(top) for q in bench.gold}


def popularity_loo(bench: Bench) -> Rankings:
    """Return the popular documents, counted without the query itself."""
    counts = _counts(bench.gold)
    # Leaving a query out can only move its own documents down; the others keep their order, so
    # a list longer by the number of its documents holds all that can come up.
    out = {}
    for q, docs in bench.gold.items():
        near = _by_count(counts)[: bench.depth + len(docs)]
        left = {d: counts[d] - (d in docs) for d in near}
        out[q] = [d for d in _by_count(left) if left[d] > 0][: bench.depth]
    return out


def marginal_random(bench: Bench) -> Rankings:
    """Return documents drawn by their popularity."""
    counts = _counts(bench.gold)
    docs = sorted(counts)
    log_weight = np.log([counts[d] for d in docs])
    random, out = bench.stream(2), {}
    for q in bench.gold:
        # Adding Gumbel noise to log-weights and sorting draws without replacement by weight.
        order = np.argsort(-(log_weight + random.gumbel(size=len(docs))))
        out[q] = [docs[i] for i in order[: bench.depth]]
    return out


def uniform_random(bench: Bench) -> Rankings:
    """Return documents drawn blindly."""
    random, n = bench.stream(3), len(bench.corpus)
    size = min(bench.depth, n)
    return {
        q: [bench.corpus[i] for i in random.choice(n, size=size, replace=False)] for q in bench.gold
    }


def other_query(bench: Bench) -> Rankings:
    """Return the ranking of another query."""
    given = oracle(bench) if bench.run is None else bench.run
    queries = list(bench.gold)
    order = [queries[i] for i in bench.stream(4).permutation(len(queries))]
    # Each gets the next one's list in a random round: nobody keeps its own.
    rounds = zip(order, order[1:] + order[:1], strict=True)
    return {q: list(given.get(other, ())) for q, other in sorted(rounds)}


def tied(bench: Bench) -> dict[str, dict[str, float]]:
    """Return the same candidates for everybody, all with the same score."""
    # The same candidates for everybody, all scored alike. A query's relevant documents stand
    # first in its dict: a tool that sorts by score and leaves ties as they came makes a perfect
    # ranking of that.
    candidates = _by_count(_counts(bench.gold))[: bench.depth]
    out = {}
    for q, docs in bench.gold.items():
        hits = [d for d in candidates if d in docs]
        out[q] = dict.fromkeys([*hits, *candidates], 1.0)
    return out


def _counts(gold: Gold) -> Counter[str]:
    return Counter(d for docs in gold.values() for d in docs)


def _by_count(counts: Mapping[str, int]) -> list[str]:
    return sorted(counts, key=lambda d: (-counts[d], d))


def _first(docs: Iterable[str], n: int) -> list[str]:
    return [d for d, _ in zip(docs, range(n), strict=False)]
