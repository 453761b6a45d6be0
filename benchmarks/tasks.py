"""Synthetic benchmarks of any size, drawn from a seed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from falsify_nb.core.tables import Corpus, IdColumn, Qrels, Run

__all__ = ["Made", "single_gold"]

IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Made:
    """A benchmark and a system.

    Parameters
    ----------
    run, qrels, corpus
        As `falsify` takes them.
    lists : numpy.ndarray of int, shape (n_queries, depth)
        The retrieved documents.
    gold : numpy.ndarray of int, shape (n_queries,)
        The one relevant document of each query.
    """

    run: Run
    qrels: Qrels
    corpus: Corpus
    lists: IntArray
    gold: IntArray


def single_gold(n_queries: int, depth: int, pool: int, *, hit_rate: float = 0.7) -> Made:
    """Make single-gold judgments, Zipf-distributed over a pool, and a system that often hits.

    Parameters
    ----------
    n_queries, depth, pool : int
        Size of the benchmark, of the rankings, and of the set of documents.
    hit_rate : float
        Share of queries whose gold document is put at a random rank.
    """
    rng = np.random.default_rng(2026)
    weights = 1.0 / np.arange(1, pool + 1)
    gold = rng.choice(pool, n_queries, p=weights / weights.sum())
    start, step = rng.integers(0, pool, n_queries), _coprime_steps(rng, n_queries, pool)
    lists = (start[:, None] + step[:, None] * np.arange(depth)) % pool
    hit = np.flatnonzero(rng.random(n_queries) < hit_rate)
    rank = rng.integers(0, depth, len(hit))
    # Where the gold document stands elsewhere in the list, it changes places.
    at = lists[hit] == gold[hit, None]
    elsewhere = at.any(axis=1)
    lists[hit[elsewhere], at[elsewhere].argmax(axis=1)] = lists[hit[elsewhere], rank[elsewhere]]
    lists[hit, rank] = gold[hit]
    labels = np.array([f"d{i:07d}" for i in range(pool)], dtype=object)
    queries = np.array([f"q{i:07d}" for i in range(n_queries)], dtype=object)
    rows = np.repeat(np.arange(n_queries), depth)
    return Made(
        Run(IdColumn(rows, queries), IdColumn(lists.ravel(), labels), None),
        Qrels(
            IdColumn(np.arange(n_queries), queries),
            IdColumn(gold.astype(np.int64), labels),
            np.ones(n_queries),
        ),
        Corpus(pool, labels),
        lists,
        gold,
    )


def _coprime_steps(rng: np.random.Generator, n: int, pool: int) -> IntArray:
    """Draw strides that visit every document once, so that no list repeats one."""
    candidates = np.arange(1, min(pool, 10_000))
    candidates = candidates[np.gcd(candidates, pool) == 1]
    return rng.choice(candidates, n)
