"""The public functions: take what a user hands over, call the core, return a result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from falsify_nb.core.protocol import Decision, IntervalMethod, Protocol, Strict
from falsify_nb.core.result import GateResult

__all__ = ["falsify"]


def falsify(
    run: Any,  # noqa: ANN401 - whatever falsify_nb.io.adapt reads
    *,
    qrels: Any,  # noqa: ANN401
    corpus: Any = None,  # noqa: ANN401
    metric: str | Callable[[list[str], dict[str, float]], float] = "nDCG@10",
    tau: float = 0.05,
    n_boot: int = 1000,
    top_k: int | None = None,
    seed: int = 2026,
    queries: Mapping[str, str] | None = None,
    groups: Mapping[str, str] | None = None,
    interval: IntervalMethod = "dirichlet",
    decision: Decision = "interval",
    strict: Strict = "auto",
    bounds: tuple[float, float] = (0.0, 1.0),
    drop_self: bool = False,
    protocol: Protocol | None = None,
    n_jobs: int | None = None,
    progress: Callable[[str, int, int], None] | None = None,
) -> GateResult:
    """Gate one system against the four nulls."""
    raise NotImplementedError
