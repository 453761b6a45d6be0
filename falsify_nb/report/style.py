"""The look: colours, signs and the way numbers are written, the same in chart, card and panel."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType

from falsify_nb.core.null_result import Interval, Verdict

__all__ = [
    "HUES",
    "INK",
    "NULL_RED",
    "SIGNS",
    "VERDICT_HUES",
    "VERDICT_WORDS",
    "count",
    "interval",
    "number",
    "p_value",
    "percent",
    "rounded",
    "signed",
]

# Each has a contrast of at least 3:1 on white and on JupyterLab's dark chart ground (#333), and
# the four stay apart under simulated protan, deutan and tritan vision (tests hold both).
HUES: Mapping[str, str] = MappingProxyType(
    {"A": "#2b7de0", "B": "#c77c02", "C": "#2a9d5c", "D": "#c264a5"}
)
# The null's tick. It is told from the hues by its shape, never by colour alone.
NULL_RED = "#e5484d"
# Text marks: one grey that reads on white and on #333. Axis labels and titles carry what
# matters, because front ends colour those by their theme.
INK = "#8a8a8a"

SIGNS: Mapping[Verdict, str] = MappingProxyType({"PASS": "✓", "FAIL": "✗", "UNDER-NS": "?"})
VERDICT_WORDS: Mapping[Verdict, str] = MappingProxyType(
    {"PASS": "passes", "FAIL": "fails", "UNDER-NS": "undecided"}
)
VERDICT_HUES: Mapping[Verdict, str] = MappingProxyType(
    {"PASS": "#2a9d5c", "FAIL": "#e5484d", "UNDER-NS": "#c77c02"}
)

DIGITS = 4


def rounded(value: float | None) -> float | None:
    """Return a value rounded to four decimals for a chart, with no negative zero."""
    if value is None or not math.isfinite(value):
        return None
    return round(float(value), DIGITS) + 0.0


def number(value: float | None) -> str:
    """Write a value with four decimals.

    Examples
    --------
    >>> number(0.25), number(-0.00001), number(None)
    ('0.2500', '0.0000', '–')
    """
    value = rounded(value)
    return "–" if value is None else f"{value:.{DIGITS}f}".replace("-", "−")


def signed(value: float | None) -> str:
    """Write a difference with its sign.

    Examples
    --------
    >>> signed(0.25), signed(-0.5), signed(0.0)
    ('+0.2500', '−0.5000', '0.0000')
    """
    text = number(value)
    return f"+{text}" if value is not None and (rounded(value) or 0) > 0 else text


def interval(value: Interval | None) -> str:
    """Write an interval, or say that there is none.

    Examples
    --------
    >>> interval(Interval(-0.1, 0.2)), interval(None)
    ('[−0.1000, +0.2000]', 'none')
    """
    return "none" if value is None else f"[{signed(value.low)}, {signed(value.high)}]"


def p_value(value: float | None) -> str:
    """Write a p-value, never as zero.

    Examples
    --------
    >>> p_value(0.0123), p_value(0.00099), p_value(1e-12)
    ('0.012', '0.00099', '< 1e-10')
    """
    if value is None:
        return "–"
    return "< 1e-10" if value < 1e-10 else f"{value:.2g}"


def percent(share: float) -> str:
    """Write a share as a percentage with at most one decimal.

    Examples
    --------
    >>> percent(0.4), percent(0.1234), percent(-0.0001)
    ('40 %', '12.3 %', '0 %')
    """
    figure = f"{round(100 * share, 1) + 0.0:.1f}".removesuffix(".0")
    return figure.replace("-", "−") + " %"


def count(n: int, noun: str, plural: str = "") -> str:
    """Write a number with its noun.

    Examples
    --------
    >>> count(1, "query", "queries"), count(10_000, "notice")
    ('1 query', '10,000 notices')
    """
    return f"{n:,} {noun if n == 1 else plural or noun + 's'}"
