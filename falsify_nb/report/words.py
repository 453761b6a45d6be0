"""The sentences that every view shares: what a null asks, what was found, under which protocol."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from falsify_nb.core.null_result import NullResult, QueriesNeeded, Verdict
from falsify_nb.core.result import GateResult
from falsify_nb.report.style import SIGNS, count, number, percent, signed

__all__ = [
    "ASKS",
    "NICKNAMES",
    "draws_made",
    "finding",
    "limits",
    "needed",
    "null_label",
    "opinions",
    "plain",
    "protocol_line",
    "protocol_rows",
    "score_line",
    "short",
]

NICKNAMES: Mapping[str, str] = MappingProxyType(
    {
        "A": "permutation null",
        "B": "uniform null",
        "C": "random-retrieval null",
        "D": "frequency null",
    }
)

ASKS: Mapping[str, str] = MappingProxyType(
    {
        "A": "Would the same rankings score as well on another query's answers?",
        "B": "Would they score as well on answers drawn by lot from the answer key?",
        "C": "Would documents drawn at random from the corpus score as well?",
        "D": "Would they score as well on answers that are only as popular as the real ones?",
    }
)

_ORDER: tuple[Verdict, ...] = ("FAIL", "UNDER-NS", "PASS")


def null_label(null: NullResult) -> str:
    """Return a null's letter and name, such as ``A permuted gold``."""
    return f"{null.name} {null.title}"


def finding(result: GateResult) -> str:
    """Say in one line what the gate found, null by null."""
    if result.verdict == "PASS":
        return f"Passes all four nulls by at least τ = {result.tau:g}"
    letters = {v: [k for k, n in result.nulls.items() if n.verdict == v] for v in _ORDER}
    holders = letters["FAIL"] or letters["UNDER-NS"]
    head = f"Passes {_listed(letters['PASS'])}; " if letters["PASS"] else ""
    if len(holders) == len(result.nulls):
        verb = "Fails" if result.verdict == "FAIL" else "Undecided on"
        return f"{verb} all four nulls" + _too_few(result)
    verb = "fails" if result.verdict == "FAIL" else "undecided on"
    named = NICKNAMES[holders[0]] if len(holders) == 1 else _listed(holders)
    if len(holders) == 1:
        named = f"the {named} ({holders[0]})"
    tail = ""
    if result.verdict == "FAIL" and letters["UNDER-NS"]:
        tail = f"; {_listed(letters['UNDER-NS'])} undecided"
    text = f"{head}{verb} {named}{tail}" + _too_few(result)
    return text[0].upper() + text[1:]


def _too_few(result: GateResult) -> str:
    return "" if result.verdict != "UNDER-NS" else f": {_few(result.n_queries)} too few to say"


def _few(n: int) -> str:
    return "1 query is" if n == 1 else f"{n:,} queries are"


def _listed(words: list[str]) -> str:
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + f" and {words[-1]}"


def score_line(result: GateResult, *, width: int = 10_000) -> str:
    """Return the score with its metric and N, and the system's name where there is one.

    Parameters
    ----------
    result : GateResult
        What to describe.
    width : int
        Characters after which the system's and the metric's names are cut.
    """
    name = f"{short(result.system, width)}: " if result.system else ""
    queries = count(result.n_queries, "query", "queries")
    return f"{name}{short(result.metric, width)} = {number(result.score)} over {queries}"


def protocol_line(result: GateResult) -> str:
    """Return the protocol in one line."""
    p = result.protocol
    parts = [f"τ = {p.tau:g}", f"{p.interval} intervals", f"depth {result.depth}"]
    parts += [draws_made(result), f"seed {p.seed}"]
    parts.append(f"corpus of {result.corpus_size:,}" + ("" if p.corpus else " (documents seen)"))
    if p.groups:
        parts.append("grouped queries")
    if p.decision == "point":
        parts.append("decided by the bare gap")
    if p.drop_self:
        parts.append("own documents dropped")
    parts.append("sealed beforehand" if result.sealed else "exploratory")
    return " · ".join(parts)


def draws_made(result: GateResult) -> str:
    """Say how many draws were made; a function's nulls make fewer of those that call it."""
    fewer = {n.n_draws for n in result.nulls.values()} - {result.protocol.n_boot, 0}
    per_null = f"{result.protocol.n_boot:,} draws per null"
    if not fewer:
        return per_null
    names = [k for k, n in result.nulls.items() if n.n_draws in fewer]
    return f"{per_null}, {min(fewer):,} of {_listed(names)}"


def protocol_rows(result: GateResult) -> list[tuple[str, str]]:
    """Return every field of the protocol with its value, as words."""
    rows = [(k, _plain(v)) for k, v in result.protocol.to_dict().items()]
    return [*rows, ("sealed", "yes" if result.sealed else "no: exploratory")]


def _plain(value: object) -> str:
    if value is None:
        return "not given"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return " to ".join(f"{v:g}" for v in value)
    return f"{value:g}" if isinstance(value, float) else str(value)


def needed(queries: QueriesNeeded | None, tau: float) -> str:
    """Say about how many queries would settle an undecided null."""
    if queries is None:
        return ""
    if queries.n is None:
        return f"No number of queries would make it pass: the gap is not above τ = {tau:g}."
    reach = ""
    if queries.low is not None:
        to = "or many more" if queries.high is None else f"to {queries.high:,}"
        reach = f" ({queries.low:,} {to})"
    return f"About {queries.n:,} queries{reach} would settle it."


def opinions(result: GateResult) -> list[tuple[str, str, bool]]:
    """Return the second opinions as (name, sentence, whether it is an alarm)."""
    rows = []
    if result.blind is not None:
        rows.append(("Query-blind list", result.blind.text, result.blind.alarm))
    if result.strict is not None:
        rows.append(("Strict pair", result.strict.text, result.strict.disagrees))
    if result.verdict == "UNDER-NS" and result.queries_needed is not None:
        text = needed(result.queries_needed, result.tau)
        rows.append(("For all four together", text, False))
    if result.point_verdict != result.verdict:
        sign = SIGNS[result.point_verdict]
        text = f"{sign} {result.point_verdict}: the bare gaps against τ, without intervals."
        rows.append(("Definition 1", text, False))
    if result.judged is not None:
        text = f"{percent(result.judged)} of the retrieved documents were judged at all."
        if result.judged == 0:
            text = (
                "None of the retrieved documents was judged. Are the document ids written alike "
                "in the run and the qrels? The notices compare them."
            )
        rows.append((f"Judged@{result.depth}", text, result.judged == 0))
    heads = [n.headroom for n in result.nulls.values() if n.headroom is not None]
    if heads and min(heads) < result.tau:
        text = (
            f"A perfect system would gain only {signed(min(heads))}, less than τ: "
            "on this benchmark and metric no system can pass."
        )
        rows.append(("Headroom", text, True))
    return rows


def limits(result: GateResult) -> list[str]:
    """Return what the verdict does not prove, for a report."""
    lines = [
        "It says nothing about other benchmarks, other metrics or other users' queries.",
        "It does not say that the judgments are right: whoever has seen the answers passes.",
        "It does not compare systems. Clearing four nulls is the least that a score must do.",
        "It judges retrieval and ranking, not generated text.",
    ]
    if not result.sealed:
        lines.insert(
            0,
            "The protocol was not sealed beforehand: choosing metric or τ after a look at the "
            "figures makes any verdict easier to get.",
        )
    if result.verdict == "UNDER-NS":
        lines.insert(0, "Undecided is no soft pass: these queries cannot tell either way.")
    if result.verdict == "FAIL":
        lines.insert(
            0,
            "A failure does not prove that the system is bad: it shows that this "
            "score, on this benchmark, does not tell it from a null.",
        )
    return lines


def plain(text: str) -> str:
    r"""Return a user's string on one line, without control or direction-changing characters.

    >>> plain("a\n b\x1b[31m\u202ec")
    'a b[31mc'
    """
    kept = (c if c.isprintable() or c in _JOINERS else " " if c.isspace() else "" for c in text)
    return " ".join("".join(kept).split())


def short(text: str, width: int) -> str:
    """Return a user's string on one line, cut to a width.

    >>> short("a long name", 6)
    'a lon…'
    """
    text = plain(text)
    return text if len(text) <= width else text[: width - 1] + "…"


# Emoji and Persian need these two, though Python calls them unprintable.
_JOINERS = "\u200c\u200d"
