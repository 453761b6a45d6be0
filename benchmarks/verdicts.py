"""Gate every run of a folder of collections, honest systems and cheats, and print the verdicts.

    python -m benchmarks.verdicts FOLDER

Each collection is a folder with ``qrels.txt``, ``runs/*.trec.gz`` and, where there is one,
``corpus_ids.txt``.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from falsify_nb import GateResult, falsify

METRICS = ("nDCG@10", "R@10")
# Collections whose documents are known only by number.
SIZES = {"dl19-passage": 8_841_823}
# Systems that never read the query.
CHEATS = ("const-", "pop-gold", "rand-", "bm25-permuted")


def is_cheat(name: str) -> bool:
    """Return whether a run's name is that of a system that never reads the query."""
    return name.startswith(CHEATS)


def verdicts(folder: Path, metric: str) -> dict[str, GateResult]:
    """Gate all runs of one collection, by name."""
    ids = folder / "corpus_ids.txt"
    corpus = ids if ids.exists() else SIZES.get(folder.name)
    found = {}
    for path in sorted((folder / "runs").glob("*.trec.gz")):
        name = path.name.removesuffix(".trec.gz")
        found[name] = falsify(path, qrels=folder / "qrels.txt", corpus=corpus, metric=metric)
    return found


def main() -> None:
    """Print a row per run and metric."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folders = sorted(p.parent for p in parser.parse_args().folder.glob("*/runs"))
    for folder in folders:
        for metric in METRICS:
            print(f"\n{folder.name}, {metric}")
            for name, result in verdicts(folder, metric).items():
                kind = "cheat " if is_cheat(name) else "system"
                gaps = "  ".join(
                    f"{k} {n.delta:+.3f} [{n.interval_adjusted.low:+.3f}, "
                    f"{n.interval_adjusted.high:+.3f}]"
                    for k, n in result.nulls.items()
                    if n.interval_adjusted is not None
                )
                score = f"{result.score:.4f}"
                print(f"  {kind} {name:<26} {score}  {result.verdict:<8}  {gaps}")


if __name__ == "__main__":
    main()
