"""Why two sets of ids hardly meet: counts, examples from each side, and the likely cause."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable

__all__ = ["diagnose_overlap", "hidden_matches"]

_TRAILING_ZERO = re.compile(r"\.0+$")
_DIGITS = re.compile(r"\d+")

# Name of the cause -> how ids look once it is taken away. Tried in this order: the mildest first.
_CAUSES: tuple[tuple[str, Callable[[str], str]], ...] = (
    (
        "Unicode forms: they match after NFC normalisation",
        lambda s: unicodedata.normalize("NFC", s),
    ),
    ("blanks: they match after str.strip()", lambda s: s.strip()),
    ("upper and lower case: they match after str.casefold()", lambda s: s.casefold()),
    (
        "numbers with fractions: one side has 5.0 where the other has 5",
        lambda s: _TRAILING_ZERO.sub("", s),
    ),
    (
        "zero padding: they match once leading zeros of the numbers are dropped",
        lambda s: _DIGITS.sub(lambda m: m.group().lstrip("0") or "0", s),
    ),
    ("quotes: one side has them around its ids", lambda s: s.strip("\"'")),
    ("a byte-order mark or no-break space", lambda s: s.replace("\ufeff", "").replace("\xa0", "")),
    ("a folder or namespace before the id on one side", lambda s: re.split(r"[/:\\]", s)[-1]),
    ("a file suffix on one side", lambda s: re.sub(r"\.[A-Za-z]{2,5}$", "", s)),
    ("a chunk number after the id on one side", lambda s: re.sub(r"[#_:-]+(chunk)?\d+$", "", s)),
    ("a word before the number on one side", lambda s: re.sub(r"^\D+", "", s) or s),
)
_MIN_PREFIX = 6


def hidden_matches(left: Iterable[str], right: Iterable[str]) -> list[tuple[str, int, str, str]]:
    """Find what would make more ids of two sets meet.

    Parameters
    ----------
    left, right : iterable of str
        Distinct ids of each side.

    Returns
    -------
    list of (cause, count, left_example, right_example)
        Causes in words, with how many ids of the left side (of up to 2,000 looked at) would match
        besides those that do already; the strongest first, only causes that explain one at least.

    Examples
    --------
    >>> hidden_matches(["CACM-115"], ["CACM-0115"])[0][1:]
    (1, 'CACM-115', 'CACM-0115')
    """
    here, there = set(left), set(right)
    only_here, only_there = _sample(here - there, 2_000), _sample(there - here, 500_000)
    found = []
    for cause, simplify in _CAUSES:
        changed = {simplify(s): s for s in reversed(only_there)}
        pairs = [(s, changed[simplify(s)]) for s in only_here if simplify(s) in changed]
        if pairs:
            found.append((cause, len(pairs), *pairs[0]))
    found.extend(_truncated(only_here, only_there))
    return sorted(found, key=lambda f: -f[1])


def _sample(ids: set[str], most: int) -> list[str]:
    """Return sorted ids, thinned out evenly above a number: a hint must not take minutes."""
    in_order = sorted(ids)
    return in_order[:: -(-len(in_order) // most)] if in_order else []


def _truncated(left: Collection[str], right: Collection[str]) -> list[tuple[str, int, str, str]]:
    """Compare ids with the other side's cut to the same length, where one length stands out."""
    out = []
    for cut, full, is_left in ((left, right, True), (right, left, False)):
        longest = max(map(len, cut), default=0)
        if longest < _MIN_PREFIX:
            continue
        prefixes = {s[:longest]: s for s in full if len(s) > longest}
        pairs = [(s, prefixes[s]) for s in cut if s in prefixes]
        if pairs:
            short, long = pairs[0]
            first = (short, long) if is_left else (long, short)
            cause = f"ids cut off at {longest} characters on one side"
            out.append((cause, len(pairs), *first))
    return out


def diagnose_overlap(run_ids: Iterable[str], qrels_ids: Iterable[str], what: str = "query") -> str:
    """Say in words how two sets of ids differ, and why they probably do.

    Parameters
    ----------
    run_ids, qrels_ids : iterable of str
        Distinct ids of the run and of the qrels.
    what : str
        What they identify: ``"query"`` or ``"document"``.

    Returns
    -------
    str
        One or two sentences without a final full stop.

    Examples
    --------
    >>> print(diagnose_overlap(["Q1", "Q2"], ["q1", "q2", "q3"]))
    run and qrels share 0 query ids: the run has 2 ('Q1', 'Q2'), the qrels have 3 ('q1', 'q2',
    'q3'). Likely cause: upper and lower case: they match after str.casefold() ('Q1' against 'q1')
    """
    run, qrels = set(run_ids), set(qrels_ids)
    text = (
        f"run and qrels share {len(run & qrels):,} {what} ids: the run has {_listed(run)}, "
        f"the qrels have {_listed(qrels)}"
    )
    causes = hidden_matches(run, qrels)
    if causes:
        cause, _, one, other = causes[0]
        return f"{text}. Likely cause: {cause} ({one!r} against {other!r})"
    return f"{text}. The ids look unrelated, as from two different benchmarks"


def _listed(ids: set[str]) -> str:
    examples = ", ".join(repr(s) for s in sorted(ids)[:3])
    return f"{len(ids):,} ({examples})" if ids else "none"
