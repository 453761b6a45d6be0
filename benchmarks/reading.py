"""Time to read a TREC run, with all checks, beside pandas.read_csv of the same file.

    python -m benchmarks.reading                  # seven million rows
    python -m benchmarks.reading --rows 1000000

Times are of the processor, the best of a few rounds in turn: other programs then matter less.
By default read_csv turns ids into numbers, and 007 into 7; the second column keeps them as text,
as `read_run` does.
"""

from __future__ import annotations

import argparse
import gc
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

DEPTH = 1000
KINDS = {
    "decimal ids, six decimals": (8_841_823, "{}", "{:.6f}"),
    "text ids, six decimals": (1_000_000, "doc-{}", "{:.6f}"),
    "long text ids, full precision": (8_841_823, "msmarco_passage_{}", "{!r}"),
}


def main() -> None:
    """Print a table of times and ratios."""
    parser = argparse.ArgumentParser(description="Time the reading of TREC runs.")
    parser.add_argument("--rows", type=int, default=7_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    chosen = parser.parse_args()
    print(f"{'file':<30}{'MB':>5}{'read_csv':>10}{'ids as text':>13}{'read_run':>10}{'ratio':>7}")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "big.trec"
        for name, (pool, doc, score) in KINDS.items():
            with path.open("w", encoding="utf-8") as out:
                out.writelines(_lines(chosen.rows, pool, doc, score))
            plain, text, ours = _compare(path, chosen.rounds)
            size = path.stat().st_size >> 20
            print(
                f"{name:<30}{size:>5}{plain:>9.2f}s{text:>12.2f}s{ours:>9.2f}s{ours / plain:>7.2f}",
                flush=True,
            )


def _lines(n_rows: int, pool: int, doc: str, score: str) -> Iterator[str]:
    rng = np.random.default_rng(2026)
    for query in range(n_rows // DEPTH):
        docs = rng.choice(pool, DEPTH, replace=False, shuffle=False).tolist()
        scores = np.sort(rng.gamma(9.0, 1.5, DEPTH))[::-1].tolist()
        for rank, (d, s) in enumerate(zip(docs, scores, strict=True), start=1):
            yield f"{1048585 + query} Q0 {doc.format(d)} {rank} {score.format(s)} bm25\n"


def _compare(path: Path, rounds: int) -> tuple[float, ...]:
    import pandas as pd

    from falsify_nb import read_run

    def plain() -> object:
        return pd.read_csv(path, sep=r"\s+", header=None)

    def text() -> object:
        return pd.read_csv(path, sep=r"\s+", header=None, dtype={0: str, 2: str})

    def ours() -> object:
        return read_run(path)

    ours()  # the first call also loads what it needs
    times = [[_time(read) for read in (plain, text, ours)] for _ in range(rounds)]
    return tuple(map(min, zip(*times, strict=True)))


def _time(read: Callable[[], object]) -> float:
    gc.collect()
    start = time.process_time()
    table = read()
    used = time.process_time() - start
    del table
    return used


if __name__ == "__main__":
    main()
