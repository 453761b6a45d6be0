"""The zoo: systems of known kind, gated on many random benchmarks through `self_test`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing import get_context

import numpy as np

from benchmarks.calibration.worlds import Skewed
from falsify_nb import self_test
from falsify_nb.systems import SYSTEMS

__all__ = ["Keeper", "visit"]

METRICS = ("nDCG@10", "R@10", "P@5", "RR@10", "AP@10", "Success@1")
# What must never pass: all that does not read the query, and what reads it to avoid the answer.
CHEATERS = (*(name for name, s in SYSTEMS.items() if not s.reads_query), "anti-oracle")
ENOUGH_QUERIES = 100
CLEARLY = 0.1


@dataclass(frozen=True, slots=True)
class Keeper:
    """One random benchmark and what the gate made of its systems.

    Parameters
    ----------
    what : str
        The benchmark in words.
    n : int
        Number of queries.
    passed : tuple of str
        Cheaters that passed.
    n_cheaters : int
        Cheaters that were gated.
    oracle : str
        The perfect system's verdict.
    headroom : float
        Its smallest gap.
    caught : dict of str to tuple of str
        System to the nulls that failed it.
    """

    what: str
    n: int
    passed: tuple[str, ...]
    n_cheaters: int
    oracle: str
    headroom: float
    caught: dict[str, tuple[str, ...]]

    @property
    def oracle_must_pass(self) -> bool:
        """Whether there are queries and headroom enough."""
        return self.n >= ENOUGH_QUERIES and self.headroom >= 0.05 + CLEARLY


def visit(benchmarks: int, seed: int, jobs: int = 1, n_boot: int = 200) -> Iterator[Keeper]:
    """Gate the zoo on random benchmarks: N 10 to 500, Zipf 0 to 1.5, 1 to 40 relevant documents."""
    tasks = [(seed, place, n_boot) for place in range(benchmarks)]
    if jobs == 1:
        yield from map(_one, tasks)
        return
    with get_context("spawn").Pool(jobs) as pool:
        yield from pool.imap(_one, tasks, chunksize=1)


def _one(task: tuple[int, int, int]) -> Keeper:
    seed, place, n_boot = task
    rng = np.random.default_rng((seed, 4, place))
    n = int(np.exp(rng.uniform(np.log(10), np.log(500))))
    most = int(np.exp(rng.uniform(0, np.log(40))))
    labels = int(np.exp(rng.uniform(np.log(max(20, 2 * most)), np.log(2000))))
    zipf = float(rng.uniform(0, 1.5))
    metric = str(rng.choice(METRICS))
    topics = int(rng.integers(3, 30)) if rng.random() < 0.3 else 0
    world = Skewed(
        "zoo", n_labels=labels, zipf=zipf, most=most, grades=int(rng.integers(1, 4)), topics=topics
    )
    _, qrels = world.tables(rng, n)
    extra = int(np.exp(rng.uniform(0, np.log(3000))))
    corpus = [*qrels.doc.labels, *(f"x{i}" for i in range(extra))]
    found = self_test(qrels, corpus, metric, seed=place, n_boot=n_boot)
    by_name = {control.system: control for control in found.controls}
    cheaters = [by_name[name] for name in CHEATERS if name in by_name]
    oracle = by_name["oracle"]
    what = f"{metric}, {n} queries, {labels} labels, Zipf {zipf:.2f}, up to {most} relevant"
    return Keeper(
        what=what + (f", {topics} shared sets" if topics else ""),
        n=n,
        passed=tuple(c.system for c in cheaters if c.verdict == "PASS"),
        n_cheaters=len(cheaters),
        oracle=oracle.verdict,
        headroom=min(oracle.deltas.values()),
        caught={c.system: c.caught_by for c in found.controls},
    )
