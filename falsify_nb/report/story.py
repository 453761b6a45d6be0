"""The report in plain language: what was found, how to read each figure, how to repeat it."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from types import MappingProxyType

from falsify_nb.core.null_result import NullResult
from falsify_nb.core.result import GateResult
from falsify_nb.report.style import count, number, percent, signed
from falsify_nb.report.words import NICKNAMES, needed, plain

__all__ = [
    "MEANINGS",
    "captions",
    "code",
    "custom_metric",
    "environment",
    "paragraphs",
    "worst_and_best",
]

# What it means when a system does not get clear of a null.
MEANINGS: Mapping[str, str] = MappingProxyType(
    {
        "A": "the same rankings do about as well when every query is given another query's "
        "answers, so the score does not come from matching answers to questions",
        "B": "answers drawn by lot from the answer key do about as well, so the score says more "
        "about the key than about the system",
        "C": "documents drawn at random from the corpus do about as well, so there is little "
        "sign of a search",
        "D": "answers drawn only by how often they are right do about as well, so the score can "
        "be had from base rates alone",
    }
)

_CAPTIONS: Mapping[str, str] = MappingProxyType(
    {
        "gate": "First: the bar reaches to the system's score, the red tick stands at what the "
        "null is expected to score, and the solid part between them is the gap. The grey tick "
        "is where the score would have to be to clear τ. Second: the gap with its 95 % interval "
        "(thick) and its 98.75 % interval (thin). ",
        "draws": "Each null was played many times; every hill shows how its scores fell. The "
        "upright line is the system's score. Where a hill reaches it, the null alone can explain "
        "the score.",
        "queries": "Every query in the order of its gap to the hardest null: a dot for the "
        "score, a red tick for what the null expects. Beside or below it the ten worst "
        "and the ten best; drag over the curve to list those of a part of it.",
        "labels": "How many queries each document answers, most frequent first. A steep start "
        "means that a system can earn much by giving popular answers.",
    }
)


# What the eye should compare with τ depends on the rule of decision.
_DECIDES = {
    "interval": "The thin one decides: a null is passed when it lies right of the dashed line.",
    "point": "The bare gap decides: a null is passed when the dot is not left of the dashed line.",
}


def captions(result: GateResult) -> dict[str, str]:
    """Return how to read each figure, by its kind."""
    return {**_CAPTIONS, "gate": _CAPTIONS["gate"] + _DECIDES[result.protocol.decision]}


def paragraphs(result: GateResult) -> list[str]:
    """Return the verdict in a few plain sentences."""
    queries = count(result.n_queries, "query", "queries")
    name = f"“{plain(result.system)}”" if result.system else "The system"
    opening = (
        f"{name} scores {plain(result.metric)} = {number(result.score)} over {queries}. "
        "The question is whether a system that does not do the work could have got this score, "
        "and four such systems, the nulls, were tried on the same queries."
    )
    return [opening, _verdict(result), *_closing(result)]


def _verdict(result: GateResult) -> str:
    nulls = list(result.nulls.values())
    hardest = min(nulls, key=lambda n: n.delta)
    if result.verdict == "PASS":
        wide = hardest.interval_adjusted
        least = ", taken as it stands, without an interval"
        if wide is not None and result.protocol.decision == "interval":
            least = (
                f", and at least {signed(wide.low)} at a level at which all four intervals hold "
                "together with 95 % confidence"
            )
        return (
            f"The score clears all of them. The hardest, the {NICKNAMES[hardest.name]} "
            f"({hardest.name}), is expected to score {number(hardest.mean)}. The gap is "
            f"{signed(hardest.delta)}{least}. That is more than the margin asked for, "
            f"τ\u00a0=\u00a0{result.tau:g}, so the gate passes."
        )
    holders = [n for n in nulls if n.verdict == result.verdict]
    if result.verdict == "FAIL":
        return "The score does not stand. " + " ".join(_failed(n) for n in holders)
    return "These queries cannot tell. " + " ".join(_undecided(n, result.tau) for n in holders)


def _failed(null: NullResult) -> str:
    return (
        f"Null {null.name} ({null.title}) is expected to score {number(null.mean)}, a gap of "
        f"{signed(null.delta)}: {MEANINGS[null.name]}."
    )


def _undecided(null: NullResult, tau: float) -> str:
    wide = null.interval_adjusted
    reach = "" if wide is None else f" may lie from {signed(wide.low)} to {signed(wide.high)}"
    text = f"Against null {null.name} ({null.title}) the gap{reach or ' has no interval'}."
    return f"{text} {needed(null.queries_needed, tau)}".strip()


def _closing(result: GateResult) -> list[str]:
    lines = []
    shares = [n.share_of_headroom for n in result.nulls.values()]
    known = [s for s in shares if s is not None]
    if known:
        lines.append(
            f"A perfect system on this benchmark would have a gap of its own; this one reaches "
            f"{percent(min(known))} of it against the null where it reaches least."
        )
    if result.nulls["A"].mean_is_exact and _same_test(result):
        lines.append(
            "On this benchmark nulls A and D expect the same score: they are one test, not two."
        )
    return lines


def _same_test(result: GateResult) -> bool:
    return abs(result.nulls["A"].mean - result.nulls["D"].mean) < 1e-12


def worst_and_best(result: GateResult, most: int) -> tuple[str, list[tuple[int, float, float]]]:
    """Return the hardest null, and of its lowest and highest gaps (query, expected, gap).

    Parameters
    ----------
    result : GateResult
        With its per-query figures.
    most : int
        Queries from either end; all of them where there are no more than twice as many.
    """
    hardest = min(result.nulls.values(), key=lambda n: n.delta).name
    expected = result.null_scores["ABCD".index(hardest)]
    gaps = result.scores - expected
    order = gaps.argsort(kind="stable").tolist()
    some = order if len(order) <= 2 * most else order[:most] + order[-most:]
    return hardest, [(i, float(expected[i]), float(gaps[i])) for i in some]


def custom_metric(result: GateResult) -> str:
    """Return what to write for a metric that is a function, or ""; it travels by name only."""
    kind, _, name = result.metric.partition(" ")
    if kind != "function":
        return ""
    return name if name.isidentifier() else "METRIC"


def code(result: GateResult) -> str:
    """Return the Python code that repeats the result from the same inputs."""
    fields = result.protocol.to_dict()
    fields["bounds"] = tuple(fields["bounds"])
    rows = "".join(f"    {name}={value!r},\n" for name, value in fields.items())
    corpus = ', corpus="CORPUS"' if result.protocol.corpus else ""
    groups = ", groups=GROUPS" if result.protocol.groups else ""
    custom = custom_metric(result)
    metric = f", metric={custom}" if custom else ""
    return (
        f"# pip install falsify_nb=={_version('falsify_nb')}\n"
        "from falsify_nb import Protocol, falsify\n\n"
        f"protocol = Protocol(\n{rows})\n"
        f'result = falsify("RUN", qrels="QRELS"{corpus}{groups}{metric}, protocol=protocol)\n'
        f'assert result.verdict == "{result.verdict}"\n'
        f"assert abs(result.score - {result.score!r}) < 1e-9\n"
    )


def environment() -> list[tuple[str, str]]:
    """Return the versions of what made the report."""
    names = ("falsify_nb", "numpy", "scipy", "pandas", "vl-convert-python")
    found = [(name, _version(name)) for name in names]
    return [("python", platform.python_version()), *found]


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
