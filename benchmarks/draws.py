"""What one draw of Null D costs, part by part: ``python -m benchmarks.draws``.

The benchmark is made up in the shape of NFCorpus's judgments: 323 queries, 3,100 documents, some
12,000 judgments, a few frequencies. Times are of the processor, the least of many calls.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from falsify_nb.core.benchmark import Benchmark, Gold
from falsify_nb.core.contributions import Units
from falsify_nb.core.marginal_draws import MarginalDraws, Meetings
from falsify_nb.core.marginals import Marginals
from falsify_nb.core.metrics import parse_metric
from falsify_nb.core.streams import blocks
from falsify_nb.io.adapt import to_qrels

N_QUERIES, N_DOCS, N_PAIRS = 323, 3100, 3230


def least(call: Callable[[], object], repeats: int = 200) -> float:
    """Return the shortest processor time of some calls, milliseconds."""
    times = []
    for _ in range(repeats):
        started = time.process_time_ns()
        call()
        times.append(time.process_time_ns() - started)
    return min(times) / 1e6


def main() -> None:
    """Print the parts."""
    rng = np.random.default_rng(2026)
    weights = rng.zipf(2.0, N_DOCS).clip(1, 30).astype(float)
    qrels = {
        f"q{i:03d}": {
            f"d{d:04d}": int(rng.integers(1, 3))
            for d in rng.choice(N_DOCS, size, replace=False, p=weights / weights.sum())
        }
        for i, size in enumerate(rng.geometric(1 / 38, N_QUERIES).clip(1, 300).tolist())
    }
    metric = parse_metric("nDCG@10")
    gold = Gold.of(Benchmark.build(to_qrels(qrels), metric.rel), metric)
    source = MarginalDraws(gold, Marginals.fit(gold), Units.single(N_QUERIES))
    query = np.sort(rng.integers(0, N_QUERIES, N_PAIRS))
    meetings = Meetings(source, query, rng.choice(source.live, N_PAIRS))
    block = next(blocks(2026, "marginal", 64, len(source.owner)))
    started = time.process_time_ns()
    dealt = source.draw(block)
    drawn = (time.process_time_ns() - started) / 1e6 / block.length
    assert dealt.gains is not None
    n_at_once = meetings.line(1).draws_at_once
    line = meetings.line(n_at_once)
    doc_class = source.marginals.freq_class[dealt.docs[:n_at_once]]
    lines = meetings.line(1).cumulate(doc_class[:1]).copy()
    print(
        f"{len(source.owner):,} judgments, {len(source.live):,} documents, milliseconds per draw:"
    )
    print(f"  order, points and gains        {drawn:6.3f}")
    print(
        f"  the pairs that it joins        "
        f"{least(lambda: meetings.of_draws(dealt, block.length), 20) / block.length:6.3f}"
    )
    runs = least(lambda: line.cumulate(doc_class)) / n_at_once
    print(f"    cumulated in runs            {runs:6.3f}")
    whole = lines.dtype
    by_numpy = least(lambda: np.cumsum(lines, axis=0, dtype=whole))
    print(f"    cumulated by numpy.cumsum    {by_numpy:6.3f}")
    first = type(dealt)(dealt.docs[:1], dealt.start[:1])
    print(f"  every document that it deals   {least(lambda: source.documents(first), 50):6.3f}")


if __name__ == "__main__":
    main()
