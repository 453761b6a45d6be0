"""Which worlds are studied, and what each table is to show."""

from __future__ import annotations

from benchmarks.calibration.study import Cell
from benchmarks.calibration.worlds import Plain, Skewed, World

__all__ = ["FAST_SIZES", "SIZES", "cells"]

SIZES = (5, 20, 80, 323)
FAST_SIZES = (5, 20, 80)
RATES = (0.02, 0.1, 0.5, 0.9, 0.98)
CLUSTERS = {
    "8 of 5": (5,) * 8,
    "30 of 5": (5,) * 30,
    "12, uneven": (1, 1, 2, 2, 3, 3, 4, 5, 6, 7, 8, 10),
}

# Ranks at which a graded metric finds the one relevant document.
_GRADED: tuple[World, ...] = (
    Plain("mixed", metric="nDCG@10", places=(0.25, 0.1, 0.05, 0.05, 0.05, 0.05, 0.05)),
    Plain("mostly right", metric="nDCG@10", places=(0.8, 0.08, 0.04, 0.02, 0.01)),
    Plain("mostly wrong", metric="RR@10", places=(0.02, 0.02, 0.02, 0.02, 0.02, 0.02, 0.02)),
    Plain("low ranks", metric="RR@10", places=(0.0, 0.0, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1)),
)
_SHARED: tuple[World, ...] = (
    Skewed("single, Zipf 0", zipf=0.0),
    Skewed("single, Zipf 1", zipf=1.0),
    Skewed("single, Zipf 1.5, popular", zipf=1.5, skill=2.0, bias=2.0),
    Skewed("single, weak, popular", zipf=1.0, skill=1.0, bias=1.5),
    Skewed("several, Zipf 1", most=8, skill=2.0, grades=3),
    Skewed("several, Zipf 1.5, popular", most=8, zipf=1.5, skill=2.0, bias=1.5),
    Skewed("several, weak, popular", most=8, skill=1.0, bias=1.5, grades=3),
    Skewed("several, few labels", n_labels=15, most=6, skill=2.0),
    Skewed("several, shared sets", topics=12, most=6, skill=2.0),
    Skewed("several, R@10", most=8, skill=2.0, metric="R@10"),
)
# Beyond the linear metrics Null D draws, so that these cost more and are run at fewer sizes.
_DRAWN: tuple[World, ...] = (
    Skewed("several, RR@10", most=4, skill=1.0, bias=1.0, metric="RR@10"),
    Skewed("several, AP@10", most=4, skill=2.0, bias=1.0, metric="AP@10"),
    Skewed("several, Success@3", most=4, skill=1.0, bias=1.0, metric="Success@3"),
)
_CLUSTERED: tuple[World, ...] = (
    Plain("right or wrong, clustered", metric="Success@1", places=(0.5,), alike=0.5),
    Plain("mostly right, clustered", metric="Success@1", places=(0.9,), alike=0.5),
    Skewed("single, Zipf 1, clustered", alike=0.5),
    Skewed("several, Zipf 1, clustered", most=8, skill=2.0, grades=3, alike=0.5),
)


def cells(*, fast: bool = False) -> list[Cell]:
    """Return all cells of the study, or a tenth of them that covers every kind."""
    sizes = FAST_SIZES if fast else SIZES
    binary = [Plain(f"hit rate {p:g}", metric="Success@1", places=(p,)) for p in RATES]
    found = [Cell("binary", world, n) for world in binary for n in sizes]
    found += [Cell("percentile", binary[-1], n, method="percentile") for n in sizes]
    if not fast:
        found += [Cell("percentile", world, 80, method="percentile") for world in _GRADED]
    found += [Cell("graded", world, n) for world in _graded(fast=fast) for n in sizes]
    shared = (_SHARED[2], _SHARED[5], _SHARED[8]) if fast else _SHARED
    found += [Cell("shared", world, n) for world in shared for n in (sizes[1:2] if fast else sizes)]
    drawn, drawn_sizes = (_DRAWN[:1], (20,)) if fast else (_DRAWN, (20, 80))
    found += [
        Cell("drawn", world, n, draws=100, share=0.25) for world in drawn for n in drawn_sizes
    ]
    names = ("8 of 5",) if fast else tuple(CLUSTERS)
    found += [
        Cell("clusters", world, sum(CLUSTERS[name]), CLUSTERS[name])
        for world in (_CLUSTERED[:1] + _CLUSTERED[3:] if fast else _CLUSTERED)
        for name in names
    ]
    return found


def _graded(*, fast: bool) -> tuple[World, ...]:
    return _GRADED[:2] if fast else _GRADED
