"""Every option, declared once: the magic's parser, its completion and the panel derive from it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

__all__ = ["GATE_OPTIONS", "MAGIC_OPTIONS", "METRICS", "OPTIONS", "Option", "option_help"]

Kind = Literal["data", "metric", "number", "integer", "choice", "flag", "pair", "name"]

# Suggestions only: any metric that falsify() reads may be typed.
METRICS = (
    "nDCG@10",
    "nDCG@5",
    "nDCG@20",
    "nDCG",
    "nDCG(dcg='exp-log2')@10",
    "R@10",
    "R@100",
    "R@10_top1",
    "RR@10",
    "RR",
    "AP@100",
    "AP",
    "P@5",
    "P@10",
    "Success@1",
    "Success@5",
    "Success@10",
)


@dataclass(frozen=True, slots=True)
class Option:
    """One option, as a cell's first line, the completion and the panel know it.

    Parameters
    ----------
    name : str
        As `falsify()` calls it; on a cell's line with two dashes and ``-`` for ``_``.
    kind : str
        What a value is: ``data`` (a variable or a path), ``metric``, ``number``, ``integer``,
        ``choice``, ``flag``, ``pair`` (two numbers) or ``name`` (a variable to bind).
    help : str
        One sentence for people.
    default : object
        The value when the option is absent.
    choices : tuple
        The accepted values of a choice, each the value itself.
    low, high : float or None
        The range of a number, None where it is open.

    Examples
    --------
    >>> Option("n_boot", "integer", "Draws.", 1000).flag
    '--n-boot'
    """

    name: str
    kind: Kind
    help: str
    default: object = None
    choices: tuple[object, ...] = ()
    low: float | None = None
    high: float | None = None

    @property
    def flag(self) -> str:
        """The option as it is typed."""
        return "--" + self.name.replace("_", "-")

    @property
    def takes_value(self) -> bool:
        """False for a flag, which stands alone."""
        return self.kind != "flag"

    def accepts(self, number: float) -> bool:
        """Return whether a number lies in the option's range."""
        above = self.low is None or number >= self.low
        return above and (self.high is None or number <= self.high)

    def choice_words(self) -> dict[str, object]:
        """Return the accepted words of a choice and the value that each stands for."""
        return {str(choice): choice for choice in self.choices}


# What falsify() takes, in the order in which help and panel show it.
GATE_OPTIONS = (
    Option("run", "data", "The system's rankings: a variable, or the path of a run file."),
    Option("qrels", "data", "The relevance judgments: a variable, or the path of a qrels file."),
    Option("corpus", "data", "All document ids: a variable, a file of ids, or only their number."),
    Option("metric", "metric", "The metric, such as nDCG@10, or a function's name.", "nDCG@10"),
    Option("tau", "number", "The smallest gap to a null that counts.", 0.05, low=0.0, high=1.0),
    Option("top_k", "integer", "How deep rankings are read; default the metric's cutoff.", low=1),
    Option("n_boot", "integer", "Random draws per null.", 1000, low=100, high=100_000),
    Option("seed", "integer", "The root of all random draws.", 2026, low=0),
    Option("queries", "data", "The queries' texts by query id: a variable or a file."),
    Option("groups", "data", "Each query's group (paraphrases of one question): variable or file."),
    Option(
        "interval",
        "choice",
        "How the gaps' intervals are made.",
        "dirichlet",
        choices=("dirichlet", "percentile"),
    ),
    Option(
        "decision",
        "choice",
        "Whether a null is judged by its interval or by the bare gap.",
        "interval",
        choices=("interval", "point"),
    ),
    Option(
        "strict",
        "choice",
        "Whether the strict single-answer form is judged beside the metric.",
        "auto",
        choices=("auto", True, False),
    ),
    Option("bounds", "pair", "Smallest and largest value of the metric, as LOW,HIGH.", (0.0, 1.0)),
    Option("drop_self", "flag", "Leave a document out of the ranking of its own query.", False),
    Option("protocol", "data", "A whole protocol fixed beforehand: a variable or a file."),
    Option("n_jobs", "integer", "Worker processes for a metric that is a Python function."),
)

# What only the magic knows.
MAGIC_OPTIONS = (
    Option("out", "name", "Bind the result to this name, once it is complete."),
    Option("quiet", "flag", "Show nothing and return nothing: take the result by --out.", False),
    Option("raise", "flag", "Raise GateFailed on FAIL, and GateUndecided on UNDER-NS.", False),
    Option("compare", "flag", "Read the run as a mapping of system names to runs.", False),
)

OPTIONS = {option.name: option for option in (*GATE_OPTIONS, *MAGIC_OPTIONS)}


def option_help() -> str:
    """Return the table of all options as plain text."""
    return "\n".join(_help_lines())


def _help_lines() -> Iterator[str]:
    placeholders = {"data": "VAR|PATH", "choice": "", "name": "NAME", "pair": "LOW,HIGH"}
    for option in OPTIONS.values():
        value = placeholders.get(option.kind, option.kind.upper()) if option.takes_value else ""
        if option.kind == "choice":
            value = "|".join(option.choice_words())
        default = "" if option.default in (None, False) else f" [{_default_words(option)}]"
        yield f"  {f'{option.flag} {value}':<30} {option.help}{default}"


def _default_words(option: Option) -> str:
    if isinstance(option.default, tuple):
        return ",".join(f"{part:g}" for part in option.default)
    return str(option.default)
