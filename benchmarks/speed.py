"""How fast the gate is, beside the earlier tool and beside the floor, in one run.

    python -m pip install -e ".[bench]"
    python -m benchmarks.speed

The peer is falsify-eval 0.2.0. The floor is the time that numpy needs to draw the same random
integers once and to gather as many numbers once.
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


def best_of(call: Callable[[], object], repeats: int = 3) -> float:
    """Return the shortest time of some calls, seconds."""
    times = []
    for _ in range(repeats):
        DRAWS.clear()
        started = time.perf_counter()
        call()
        times.append(time.perf_counter() - started)
    return min(times)


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
    rng = np.random.default_rng(0)
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
    made = single_gold(2_000, 20, 200)
    ours = best_of(gate(made)) / N_BOOT
    n_trials = 10
    theirs = best_of(peer(made, n_trials), 1) / n_trials
    print("2,000 queries, K 20, pool 200, Zipf gold, per trial:")
    print(f"  ours {ours * 1e3:.3f} ms, falsify-eval {theirs * 1e3:.1f} ms: {theirs / ours:,.0f} x")
    made = single_gold(10_000, 20, 200)
    ours, bare = best_of(gate(made)), best_of(floor(10_000))
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
