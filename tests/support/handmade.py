"""A result made by hand, for tests of what only shows or handles one."""

from __future__ import annotations

import numpy as np

from falsify_nb.core.beside import Labels
from falsify_nb.core.null_result import Interval, NullResult
from falsify_nb.core.protocol import Protocol
from falsify_nb.core.result import GateResult

N = 60


def make_result(delta: float = 0.4, tau: float = 0.05, **fields: object) -> GateResult:
    """Return a result made by hand: equal gaps, intervals of ± 0.1."""
    verdict = "PASS" if delta - 0.1 >= tau else "FAIL" if delta + 0.1 < tau else "UNDER-NS"
    nulls = {
        name: NullResult(
            name=name,
            mean=0.3,
            mean_is_exact=True,
            mean_error=0.0,
            delta=delta,
            interval=Interval(delta - 0.08, delta + 0.08),
            interval_adjusted=Interval(delta - 0.1, delta + 0.1),
            p_value=0.001,
            p_adjusted=0.004,
            p_pass=0.001,
            p_fail=0.99,
            verdict=verdict,
            reason=f"The gap is {delta}.",
            draws=np.linspace(0.2, 0.4, 101),
            n_draws=101,
            contributions=np.full(N, delta),
        )
        for name in "ABCD"
    }
    values = {
        "verdict": verdict,
        "score": 0.3 + delta,
        "metric": "nDCG@10",
        "n_queries": N,
        "nulls": nulls,
        "query_ids": tuple(f"q{i}" for i in range(N)),
        "scores": np.full(N, 0.3 + delta),
        "null_scores": np.full((4, N), 0.3),
        "protocol": Protocol(tau=tau),
        "labels": Labels(np.array([40, 20]), ("d1", "d2"), N, 2),
        "point_verdict": "PASS" if delta >= tau else "FAIL",
        "corpus_size": 10,
        "depth": 10,
    }
    return GateResult(**{**values, **fields})
