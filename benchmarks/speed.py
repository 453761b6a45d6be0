"""How fast the gate is, beside the earlier tool and beside the floor, in one run.

    python -m pip install -e ".[bench]"
    python -m benchmarks.speed

The peer is falsify-eval 0.2.0. The floor is the time that numpy needs to draw the same random
integers once and to gather as many numbers once, on one processor. What is compared takes turns, so
that a machine whose speed varies treats all alike.
"""

from __future__ import annotations

import platform
import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np

from benchmarks.tasks import Made, single_gold
from falsify_nb import falsify
from falsify_nb.core.draw_cache import DRAWS

N_BOOT = 1000


def seconds_of(call: Callable[[], object]) -> float:
    """Return the time of one call, nothing being held."""
    DRAWS.clear()
    started = time.perf_counter()
    call()
    return time.perf_counter() - started


def in_turns(
    ours: Callable[[], object], other: Callable[[], object], rounds: int, each: int = 1
) -> tuple[float, float, list[float]]:
    """Return the shortest time of each of two calls, and the ratio in each round.

    Ours is called `each` times a round.
    """
    ours_least, other_least, ratios = np.inf, np.inf, []
    for _ in range(rounds):
        mine = min(seconds_of(ours) for _ in range(each))
        others = seconds_of(other)
        ours_least, other_least = min(ours_least, mine), min(other_least, others)
        ratios.append(others / mine)
    return float(ours_least), float(other_least), ratios


def best_of(call: Callable[[], object], repeats: int = 3) -> float:
    """Return the shortest time of some calls, seconds."""
    return min(seconds_of(call) for _ in range(repeats))


def gate(made: Made, metric: str = "nDCG@20") -> Callable[[], object]:
    """Return a call of the gate with all that it returns."""
    return lambda: falsify(
        made.run, qrels=made.qrels, corpus=made.corpus, metric=metric, n_boot=N_BOOT
    )


def peer(made: Made, n_trials: int) -> Callable[[], object]:
    """Return a call of falsify-eval on the same data, with its own nDCG."""
    from falsify_eval import four_null_gate
    from falsify_eval.cli import METRICS

    lists = [row.tolist() for row in made.lists]
    gold = made.gold.tolist()
    depth = made.lists.shape[1]

    def ndcg(retrieved: list[int], wanted: int, gain: int) -> float:
        return float(METRICS["ndcg"](retrieved, wanted, gain, depth))

    return lambda: four_null_gate(
        lists,
        gold,
        [1] * len(gold),
        ndcg,
        item_pool=list(range(made.corpus.size)),
        k=depth,
        n_trials=n_trials,
    )


def floor(n_queries: int) -> Callable[[], object]:
    """Return the bare drawing and gathering of four nulls."""
    rng = np.random.Generator(np.random.SFC64(0))
    table = rng.random(n_queries)

    def work() -> float:
        total = 0.0
        for _ in range(4):
            for _ in range(N_BOOT // 50):
                drawn = rng.integers(0, n_queries, (50, n_queries), dtype=np.int32)
                total += float(table.take(drawn).sum())
        return total

    return work


def import_seconds(code: str) -> float:
    """Return the shortest time of a fresh interpreter that runs a line, seconds."""

    def work() -> None:
        subprocess.run([sys.executable, "-c", code], check=True)

    return best_of(work, 7)


def main() -> None:
    """Print the table."""
    print(f"Python {platform.python_version()}, numpy {np.__version__}, {platform.machine()}")
    made, n_trials = single_gold(2_000, 20, 200), 10
    ours, theirs, ratios = in_turns(gate(made), peer(made, n_trials), 15, 3)
    times = np.array(ratios) / n_trials * N_BOOT
    print("2,000 queries, K 20, pool 200, Zipf gold, per trial; 15 rounds in turns:")
    print(f"  ours {ours / N_BOOT * 1e3:.4f} ms, falsify-eval {theirs / n_trials * 1e3:.1f} ms")
    print(f"  {theirs / n_trials / ours * N_BOOT:,.0f} x by the shortest times,", end=" ")
    print(
        f"{np.median(times):,.0f} x in the median round ({times.min():,.0f} to {times.max():,.0f})"
    )
    made = single_gold(10_000, 20, 200)
    ours, bare, _ = in_turns(gate(made), floor(10_000), 3)
    print("10,000 queries, the same, everything that falsify() returns:")
    print(f"  ours {ours:.2f} s, floor {bare:.2f} s: {ours / bare:.1f} x")
    small = single_gold(10, 5, 30)
    started = time.perf_counter()
    for _ in range(100):
        falsify(small.run, qrels=small.qrels, metric="R@5", n_boot=10, decision="point")
    print(f"1,000 gates of 10 queries, 10 draws: {10 * (time.perf_counter() - started):.0f} s")
    bare = import_seconds("pass")
    package = import_seconds("import falsify_nb") - bare
    loaded = import_seconds(
        "import falsify_nb; from IPython.core.interactiveshell import InteractiveShell as S;"
        "import time; s = S(); t = time.perf_counter(); s.run_line_magic('load_ext', 'falsify_nb');"
        "print(f'  %load_ext {time.perf_counter() - t:.3f} s')"
    )
    del loaded
    print(f"import falsify_nb: {package:.3f} s over a bare interpreter")


if __name__ == "__main__":
    main()
