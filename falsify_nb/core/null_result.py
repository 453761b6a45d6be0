"""What the gate found for one null: frozen, pure data."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from falsify_nb.core.frozen import array_out, freeze, rebuilt

__all__ = ["NULL_NAMES", "Interval", "NullResult", "QueriesNeeded", "Verdict"]

FloatArray = npt.NDArray[np.float64]
Verdict = Literal["PASS", "FAIL", "UNDER-NS"]

NULL_NAMES: Mapping[str, str] = MappingProxyType(
    {
        "A": "permuted gold",
        "B": "uniform gold",
        "C": "random retrieval",
        "D": "marginal-matched gold",
    }
)


@dataclass(frozen=True, slots=True)
class Interval:
    """An interval, both ends included."""

    low: float
    high: float

    def scaled(self, factor: float) -> Interval:
        """Return the interval multiplied by a positive factor."""
        return Interval(self.low * factor, self.high * factor)


@dataclass(frozen=True, slots=True)
class QueriesNeeded:
    """About how many queries would give a PASS with 80 % chance.

    Parameters
    ----------
    n : int or None
        The number; None where the gap does not exceed tau, so that no number would do.
    low, high : int or None
        An 80 % range of `n`; `high` is None where the range has no upper end.
    """

    n: int | None
    low: int | None = None
    high: int | None = None


@dataclass(frozen=True, eq=False, slots=True)
class NullResult:
    """One null and the gap to it.

    Parameters
    ----------
    name : str
        The letter, ``"A"`` to ``"D"``.
    mean : float
        Expected score of the null, E[null].
    mean_is_exact : bool
        True when `mean` comes from a formula, False when from draws.
    mean_error : float
        Standard error of `mean`; 0 when exact.
    delta : float
        The gap, score − mean.
    interval, interval_adjusted : Interval or None
        The gap's 95 % and 98.75 % intervals; None below three queries.
    p_value : float or None
        p_null: how often a draw of the null scores as high as the system. None: no draws.
    p_adjusted : float or None
        `p_value` times four, at most 1.
    p_pass, p_fail : float or None
        One-sided p-values of Δ ≤ τ and of Δ ≥ τ.
    verdict : {"PASS", "FAIL", "UNDER-NS"}
        This null's verdict.
    reason : str
        In one sentence, why.
    draws : numpy.ndarray of float, shape (n_draws,)
        The null's draws of the mean score; empty when they were left out.
    n_draws : int
        How many draws were made.
    headroom : float or None
        The gap that a perfect system would have.
    queries_needed : QueriesNeeded or None
        About how many queries would settle it.
    contributions : numpy.ndarray of float, shape (n_units,)
        What each query (or group) adds to the gap; empty when left out.
    weights : numpy.ndarray of float, shape (n_units,), or None
        Size of each group; None when the units are single queries.
    bounds : tuple of float
        Smallest and largest possible contribution.
    scale : float
        The gap is the mean contribution times this.
    """

    name: str
    mean: float
    mean_is_exact: bool
    mean_error: float
    delta: float
    interval: Interval | None
    interval_adjusted: Interval | None
    p_value: float | None
    p_adjusted: float | None
    p_pass: float | None
    p_fail: float | None
    verdict: Verdict
    reason: str = ""
    draws: FloatArray = field(default_factory=lambda: np.empty(0), repr=False)
    n_draws: int = 0
    headroom: float | None = None
    queries_needed: QueriesNeeded | None = None
    contributions: FloatArray = field(default_factory=lambda: np.empty(0), repr=False)
    weights: FloatArray | None = field(default=None, repr=False)
    bounds: tuple[float, float] = (-1.0, 1.0)
    scale: float = 1.0

    def __post_init__(self) -> None:
        freeze(self.draws, self.contributions, self.weights)

    def __reduce__(self) -> tuple[object, ...]:
        return rebuilt(self)

    @property
    def title(self) -> str:
        """The null's name in words, such as ``permuted gold``."""
        return NULL_NAMES[self.name]

    @property
    def share_of_headroom(self) -> float | None:
        """The gap as a share of what a perfect system would have; None where that is not > 0."""
        if self.headroom is None or self.headroom <= 0:
            return None
        return self.delta / self.headroom

    def to_dict(self, *, arrays: bool = True) -> dict[str, Any]:
        """Return the fields as plain JSON types; without arrays, those are left empty."""
        data = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        for key in ("interval", "interval_adjusted", "queries_needed"):
            data[key] = None if data[key] is None else dataclasses.asdict(data[key])
        data["bounds"] = list(self.bounds)
        for key in ("draws", "contributions", "weights"):
            data[key] = array_out(data[key], keep=arrays)
        return data

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> NullResult:
        """Rebuild a null's result from `to_dict`."""
        fields = dict(data)
        for key in ("interval", "interval_adjusted"):
            fields[key] = None if fields[key] is None else Interval(**fields[key])
        if fields["queries_needed"] is not None:
            fields["queries_needed"] = QueriesNeeded(**fields["queries_needed"])
        fields["bounds"] = tuple(fields["bounds"])
        for key in ("draws", "contributions", "weights"):
            fields[key] = None if fields[key] is None else np.array(fields[key], dtype=float)
        return cls(**fields)
