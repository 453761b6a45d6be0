"""Time and peak memory of the gate against N, K, R and n_boot, with fitted exponents.

    python -m benchmarks.scale            # a few minutes
    python -m benchmarks.scale --large    # one million queries too
    python -m benchmarks.scale --real FOLDER   # NFCorpus's judgments from a folder of qrels

Every row runs in a fresh process, so that its peak memory is its own.
"""

from __future__ import annotations

import argparse
import gc
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.tasks import single_gold

ROW = "{:<58} {:>9.3f} s {:>9.0f} MB"


def measure_single(n: int, depth: int, pool: int, n_boot: int, metric: str) -> dict[str, float]:
    """Gate one synthetic single-gold system."""
    from falsify_nb import falsify

    made = single_gold(n, depth, pool)
    return _timed(
        lambda: falsify(
            made.run, qrels=made.qrels, corpus=made.corpus.size, metric=metric, n_boot=n_boot
        )
    )


def measure_deep(n: int, depth: int, corpus: int) -> dict[str, float]:
    """Make the table of a deep run from a frame, sort the frame, and gate under two metrics."""
    import pandas as pd

    from falsify_nb import falsify, read_qrels, read_run
    from falsify_nb.core.benchmark import Benchmark
    from falsify_nb.core.rankings import Rankings

    made = single_gold(n, depth, 2_000_000)
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {
            "query_id": made.run.query.ids().astype(str),
            "doc_id": made.run.doc.ids().astype(str),
            "score": rng.random(n * depth),
        }
    )
    # Of what this was made from, only the judgments stay.
    qrels = read_qrels(made.qrels.to_dict())
    del made
    sort = _timed(lambda: frame.sort_values(["query_id", "score"]))["seconds"]
    benchmark = Benchmark.build(qrels)
    kept: dict[str, Any] = {}

    def table() -> None:
        kept["run"] = read_run(frame)
        Rankings.build(kept["run"], benchmark)

    build = _timed(table)
    gate = _timed(
        lambda: [
            falsify(kept["run"], qrels=qrels, corpus=corpus, metric=m) for m in ("RR@10", "nDCG@10")
        ]
    )
    peak = max(build["megabytes"], gate["megabytes"])
    return {**gate, "megabytes": peak, "table": build["seconds"], "sort_values": sort}


def measure_real(folder: str) -> dict[str, float]:
    """Gate a first and a further system on NFCorpus's judgments under nDCG@10."""
    from falsify_nb import falsify, read_qrels, read_run

    qrels = read_qrels(str(Path(folder) / "qrels.beir-v1.0.0-nfcorpus.test.txt"))
    judged = qrels.to_dict()
    docs = sorted({d for graded in judged.values() for d in graded})
    rng = np.random.default_rng(0)

    def system() -> dict[str, dict[str, float]]:
        return {
            q: {
                d: g.get(d, 0) + 3 * rng.random()
                for d in [*list(g)[:30], *(docs[i] for i in rng.integers(0, len(docs), 20))]
            }
            for q, g in judged.items()
        }

    first, second = read_run(system()), read_run(system())
    falsify(first, qrels={q: judged[q] for q in list(judged)[:9]}, corpus=3633)
    start = _timed(lambda: falsify(first, qrels=qrels, corpus=3633))
    again = _timed(lambda: falsify(second, qrels=qrels, corpus=3633))
    return {**start, "further": again["seconds"]}


def _timed(call: Callable[[], object]) -> dict[str, float]:
    gc.collect()
    before = _peak_megabytes(anew=True)
    started = time.perf_counter()
    call()
    seconds = time.perf_counter() - started
    peak = _peak_megabytes()
    return {"seconds": seconds, "megabytes": peak, "beyond": peak - before}


def _peak_megabytes(*, anew: bool = False) -> float:
    """Return the most memory held so far, or what is held now and counted from here on."""
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    if anew:
        Path("/proc/self/clear_refs").write_text("5")
    line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1024


def in_process(function: str, *arguments: object) -> dict[str, float]:
    """Run one measurement in a fresh interpreter."""
    command = [sys.executable, "-m", "benchmarks.scale", "--row", function, json.dumps(arguments)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def exponent(sizes: list[int], seconds: list[float]) -> float:
    """Return the slope of log time on log size."""
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def sweep(title: str, sizes: list[int], arguments: Callable[[int], tuple[object, ...]]) -> None:
    """Print a row per size, and the exponent."""
    seconds = []
    for size in sizes:
        found = in_process("measure_single", *arguments(size))
        seconds.append(found["seconds"])
        print(ROW.format(title.format(f"{size:,}"), found["seconds"], found["megabytes"]))
    print(f"  exponent {exponent(sizes, seconds):.2f}")


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--real", metavar="FOLDER")
    parser.add_argument("--row", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.row:
        name, arguments = options.row
        print(json.dumps(globals()[name](*json.loads(arguments))))
        return
    sweep(
        "N {}, K 10, pool 20,000, RR@10",
        [1_000, 3_000, 10_000, 30_000, 100_000],
        lambda n: (n, 10, 20_000, 1000, "RR@10"),
    )
    sweep(
        "N 2,000, K {}, pool 20,000, nDCG",
        [10, 100, 1_000],
        lambda k: (2_000, k, 20_000, 1000, "nDCG"),
    )
    sweep(
        "N 2,000, K 10, n_boot {}, RR@10",
        [1_000, 10_000],
        lambda b: (2_000, 10, 20_000, b, "RR@10"),
    )
    deep = in_process("measure_deep", 6_980, 1_000, 8_841_823)
    title = "6,980 queries, depth 1,000, RR@10 and nDCG@10, table given"
    print(ROW.format(title, deep["seconds"], deep["megabytes"]))
    print(
        f"  table from a frame {deep['table']:.2f} s, sort_values {deep['sort_values']:.2f} s: "
        f"{deep['table'] / deep['sort_values']:.2f} x"
    )
    if options.real:
        real = in_process("measure_real", options.real)
        title = "NFCorpus's judgments, K 10, nDCG@10, first system"
        print(ROW.format(title, real["seconds"], real["megabytes"]))
        print(f"  a further system {real['further']:.3f} s")
    if options.large:
        large = in_process("measure_single", 1_000_000, 10, 2_000_000, 1000, "RR@10")
        print(ROW.format("1,000,000 queries, K 10", large["seconds"], large["beyond"]))


if __name__ == "__main__":
    main()
