"""The protocol: every parameter that changes a number, in one frozen value."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Any, Literal, get_args

from falsify_nb.errors import OptionError, near_names, shorten

__all__ = [
    "Decision",
    "IntervalMethod",
    "Protocol",
    "Strict",
    "check_integer",
    "check_number",
]

IntervalMethod = Literal["dirichlet", "percentile"]
Decision = Literal["interval", "point"]
Strict = Literal["auto"] | bool

# With B draws the smallest p-value is 1/(B + 1), and p_null must be able to reach 0.0125.
MIN_DRAWS = 100


@dataclass(frozen=True, slots=True)
class Protocol:
    """All that changes a number. To be fixed before looking at a result.

    Parameters
    ----------
    metric : str
        The metric as it prints, such as ``"nDCG@10"``, or ``"function NAME"``.
    tau : float
        Smallest gap that counts, in units of the metric, 0 to 1.
    top_k : int or None
        How deep rankings are read, at least 1. None: the metric's cutoff, else the
        longest ranking.
    n_boot : int
        Draws per null, and resamples of the percentile interval; at least 100 unless
        ``decision="point"``.
    seed : int
        Root of all random streams, at least 0.
    interval : {"dirichlet", "percentile"}
        How the intervals of the gaps are made.
    decision : {"interval", "point"}
        Whether a null is judged by its interval or by the bare gap.
    strict : "auto", True or False
        Whether the strict single-gold form is judged beside the metric.
    bounds : tuple of float
        Smallest and largest value that the metric can take.
    drop_self : bool
        Whether a document whose id is the query's own id is left out of its ranking.
    groups : str or None
        Fingerprint of the grouping of queries, None when every query stands alone.
    corpus : str or None
        Fingerprint of the corpus, None when it was not given.

    Raises
    ------
    OptionError
        If a value is outside its range; the message names the parameter.

    Examples
    --------
    >>> Protocol(tau=0.1).tau
    0.1
    """

    metric: str = "nDCG@10"
    tau: float = 0.05
    top_k: int | None = None
    n_boot: int = 1000
    seed: int = 2026
    interval: IntervalMethod = "dirichlet"
    decision: Decision = "interval"
    strict: Strict = "auto"
    bounds: tuple[float, float] = (0.0, 1.0)
    drop_self: bool = False
    groups: str | None = None
    corpus: str | None = None

    def __post_init__(self) -> None:
        check_number("tau", self.tau, 0.0, 1.0)
        _check_choice("interval", self.interval, get_args(IntervalMethod))
        _check_choice("decision", self.decision, get_args(Decision))
        _check_choice("strict", self.strict, ("auto", True, False))
        if self.top_k is not None:
            check_integer("top_k", self.top_k, 1)
        check_integer("seed", self.seed, 0)
        self._check_draws()
        self._check_bounds()

    def _check_draws(self) -> None:
        if self.decision == "point":
            check_integer("n_boot", self.n_boot, 1)
            return
        is_whole = hasattr(self.n_boot, "__index__") and not isinstance(self.n_boot, bool)
        if is_whole and 0 <= self.n_boot < MIN_DRAWS:
            raise OptionError(
                f"n_boot={self.n_boot} is too few: {self.n_boot} draws cannot reach "
                f"the level of 0.0125",
                remedy=f'Use at least {MIN_DRAWS}, or decision="point", which makes no such claim.',
            )
        check_integer("n_boot", self.n_boot, MIN_DRAWS)

    def _check_bounds(self) -> None:
        try:
            low, high = (float(b) for b in self.bounds)
        except (TypeError, ValueError):
            low, high = math.nan, math.nan
        if not (math.isfinite(low) and math.isfinite(high) and low < high):
            raise OptionError(
                f"bounds={shorten(self.bounds)} are not two finite numbers, low before high",
                remedy="Give the smallest and the largest value of the metric, such as (0, 1).",
            )
        object.__setattr__(self, "bounds", (low, high))

    def with_tau(self, tau: float) -> Protocol:
        """Return the same protocol with another threshold."""
        return dataclasses.replace(self, tau=tau)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain JSON types."""
        data = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        data["bounds"] = list(self.bounds)
        return data

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Protocol:
        """Rebuild a protocol from `to_dict`; an unknown key is an `OptionError`."""
        known = {f.name for f in dataclasses.fields(cls)}
        for key in data:
            if key not in known:
                near = near_names(key, known)
                raise OptionError(
                    f"{key!r} is no field of a protocol",
                    remedy=f"Did you mean {' or '.join(near)}?" if near else "",
                )
        fields = dict(data)
        if "bounds" in fields:
            fields["bounds"] = tuple(fields["bounds"])
        return cls(**fields)


def check_number(name: str, value: object, low: float, high: float) -> None:
    """Refuse what is no number of a range."""
    is_number = isinstance(value, int | float) or hasattr(value, "__float__")
    if isinstance(value, bool) or not is_number or not low <= float(value) <= high:  # type: ignore[arg-type]
        raise OptionError(
            f"{name}={shorten(value)} is not a number from {low:g} to {high:g}",
            remedy=f"Give {name} a value in that range.",
        )


def check_integer(name: str, value: object, low: int) -> None:
    """Refuse what is no whole number of at least `low`."""
    is_integer = isinstance(value, int) or hasattr(value, "__index__")
    if isinstance(value, bool) or not is_integer or int(value) < low:  # type: ignore[call-overload]
        raise OptionError(
            f"{name}={shorten(value)} is not a whole number of at least {low}",
            remedy=f"Give {name} such a number.",
        )


def _check_choice(name: str, value: object, choices: tuple[object, ...]) -> None:
    if not any(type(value) is type(c) and value == c for c in choices):
        listed = ", ".join(repr(c) for c in choices)
        raise OptionError(f"{name}={shorten(value)} is not known", remedy=f"Use one of {listed}.")
