"""How often a metric function would be called, told before any call."""

from __future__ import annotations

from dataclasses import dataclass

from falsify_nb.core.collection import collection_size
from falsify_nb.core.inputs import Bench, Inputs
from falsify_nb.core.protocol import Protocol
from falsify_nb.core.rankings import Rankings

__all__ = ["Plan", "plan_calls"]


@dataclass(frozen=True, slots=True)
class Plan:
    """How often a metric function would be called at most, each distinct pair once.

    Parameters
    ----------
    parts : dict of str to int
        Calls by part: the system, nulls A and B together, C, D, the query-blind list, and the
        headroom.

    Examples
    --------
    >>> Plan({"system": 10, "null C": 90}).calls
    100
    """

    parts: dict[str, int]

    @property
    def calls(self) -> int:
        """All calls."""
        return sum(self.parts.values())

    def hours(self, seconds_per_call: float) -> float:
        """Return how long that takes, one call after the other."""
        return self.calls * seconds_per_call / 3600

    def __str__(self) -> str:
        listed = ", ".join(f"{name} {n:,}" for name, n in self.parts.items())
        return f"at most {self.calls:,} calls: {listed}"


def plan_calls(inputs: Inputs, protocol: Protocol) -> Plan:
    """Return the plan of calls for a function; a built-in metric needs none."""
    from falsify_nb.core.function_task import FunctionTask, planned_calls

    bench = Bench.of(inputs)
    depth = protocol.top_k or inputs.metric.k
    rankings = Rankings.build(inputs.run, bench.benchmark, depth, drop_self=protocol.drop_self)
    corpus_size, _ = collection_size(inputs.corpus, bench.benchmark, rankings)
    task = bench.task(inputs, protocol, rankings, corpus_size)
    return Plan(planned_calls(task) if isinstance(task, FunctionTask) else {})
