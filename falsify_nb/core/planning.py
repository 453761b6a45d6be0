"""How many more queries would settle an undecided gate."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from falsify_nb.core.contributions import FEW_UNITS
from falsify_nb.core.dirichlet import WeightedMean
from falsify_nb.core.intervals import ALPHA_ADJUSTED
from falsify_nb.core.null_result import NullResult, QueriesNeeded
from falsify_nb.core.outlook import LEAST_UNITS, Outlook
from falsify_nb.core.protocol import Protocol
from falsify_nb.core.streams import stream

__all__ = ["with_needs"]

FloatArray = npt.NDArray[np.float64]

POWER = 0.8
# The range of a number holds with about this chance (measured in benchmarks/calibration).
RANGE = 0.8
# A share of a pseudo-unit at the far bound, so that a sample without spread has a range too.
# Without it the range holds in 40 % of cases for rare hits; with a half, in nearly all.
_PSEUDO = 0.25
_JOINT_DRAWS = 4096
# A range that reaches further has no upper end worth a number.
_ENDLESS = 100_000


def with_needs(
    nulls: Mapping[str, NullResult],
    expected: FloatArray,
    protocol: Protocol,
    *,
    is_query_blind: bool,
) -> tuple[dict[str, NullResult], QueriesNeeded | None]:
    """Return the nulls with `queries_needed` filled in, and that of the gate.

    The observed contributions are taken for the population that further queries come from: the
    number is that at which samples of it PASS with 80 % chance. Its range takes their own
    uncertainty in: the number is worked out again for the observed population tilted until its mean
    is its own upper, and lower, 10 % limit. A null that passes needs none; one whose gap does not
    exceed τ has a number of None.

    Parameters
    ----------
    nulls : mapping of str to NullResult
        The judged nulls.
    expected : numpy.ndarray of float, shape (4, n_queries)
        What each null expects per query.
    protocol : Protocol
        τ, bounds, seed, and the rule of decision; under ``decision="point"`` nothing is ever open.
    is_query_blind : bool
        Whether Null A fails whatever the number.

    Returns
    -------
    nulls : dict of str to NullResult
        The same, completed.
    gate : QueriesNeeded or None
        For all four nulls together.
    """
    if all(null.verdict == "PASS" for null in nulls.values()):
        return {k: dataclasses.replace(n, queries_needed=None) for k, n in nulls.items()}, None
    rows = zip(nulls.values(), expected, strict=True)
    views = {null.name: _View.of(null, e, protocol) for null, e in rows}
    if protocol.decision == "point":
        needs: dict[str, QueriesNeeded | None] = dict.fromkeys(nulls)
    else:
        needs = {k: None if view is None else view.needed() for k, view in views.items()}
        if is_query_blind:
            needs["A"] = QueriesNeeded(None)
    filled = {k: dataclasses.replace(n, queries_needed=needs[k]) for k, n in nulls.items()}
    return filled, _by_gate(list(views.values()), list(needs.values()), protocol.seed)


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class _View:
    """One null as a population of units to draw further samples from."""

    null: NullResult
    outlook: Outlook
    high: float
    # Queries per unit, and the fewest units for which `outlook` holds.
    size: float
    least: float

    @classmethod
    def of(cls, null: NullResult, expected: FloatArray, protocol: Protocol) -> _View | None:
        if not len(null.contributions):
            return None
        n_units = len(null.contributions)
        part = WeightedMean.of(null.contributions, null.weights)
        low, high = null.bounds
        least = float(LEAST_UNITS)
        if n_units < FEW_UNITS:
            # The bounds of so few are wider than those that a larger benchmark would have.
            values = part.sums / part.sizes
            low = min(protocol.bounds[0] - float(expected.max()), float(values.min()))
            high = max(protocol.bounds[1] - float(expected.min()), float(values.max()))
            least = least if (low, high) == null.bounds else float(FEW_UNITS)
        shrinks = null.scale != 1.0
        weights = part.counts / part.counts.sum()
        outlook = Outlook(part.sums, part.sizes, weights, low, protocol.tau, shrinks)
        return cls(null, outlook, high, len(expected) / n_units, least)

    @property
    def n_units(self) -> int:
        return len(self.null.contributions)

    def needed(self) -> QueriesNeeded | None:
        if self.null.verdict == "PASS":
            return None
        units = self.outlook.needed(POWER)
        if units is None or self.null.delta <= self.outlook.tau:
            return QueriesNeeded(None)
        n = self.queries(max(units, self.least, self._for_the_draws()))
        best = self._shifted(self.high, 1.0).needed(POWER)
        worst = self._shifted(self.outlook.low, -1.0).needed(POWER)
        low = n if best is None else min(n, self.queries(max(best, self.least)))
        endless = worst is None or worst > _ENDLESS
        return QueriesNeeded(n, low, None if endless else max(n, self.queries(worst or n)))

    def queries(self, units: float) -> int:
        return math.ceil(round(units * self.size, 6))

    def excess(self) -> FloatArray:
        """Return v of each observed unit, shape (n_units,)."""
        tau = self.outlook.tau / self.null.scale
        sizes = 1.0 if self.null.weights is None else self.null.weights
        return self.null.contributions - tau * sizes

    def _shifted(self, bound: float, sign: float) -> Outlook:
        """Return the population whose mean is a one-sided 90 % limit of the observed one's."""
        seen = self.outlook
        size = float(seen.weights @ seen.sizes)
        weights = np.append(seen.weights * self.n_units, _PSEUDO) / (self.n_units + _PSEUDO)
        wider = dataclasses.replace(
            seen,
            sums=np.append(seen.sums, bound * size),
            sizes=np.append(seen.sizes, size),
            weights=weights,
        )
        v, _ = wider.excess(self.n_units)
        theta = wider.tilt(self.n_units, sign * float(ndtri(0.5 + RANGE / 2)))
        return dataclasses.replace(wider, weights=wider.tilted(theta, v))

    def _for_the_draws(self) -> float:
        """Return the units at which p_null is small with 80 % chance: a normal approximation."""
        if len(self.null.draws) < 2:
            return 0.0
        spread = float(np.std(self.null.draws)) * self.n_units**0.5
        own = float(np.std(self.excess())) / self.size
        reach = -float(ndtri(ALPHA_ADJUSTED)) * spread + float(ndtri(POWER)) * own
        return (reach / self.null.delta) ** 2


def _by_gate(
    views: list[_View | None], needs: list[QueriesNeeded | None], seed: int
) -> QueriesNeeded | None:
    """Return the number at which all nulls pass together with 80 % chance.

    Each null's chance comes from its own contributions; how they go together, from the
    correlations of the contributions (a normal copula).
    """
    open_ones = [need for need in needs if need is not None]
    known = [view for view in views if view is not None]
    if not open_ones or len(known) < len(views):
        return None
    if any(need.n is None for need in open_ones):
        return QueriesNeeded(None)
    size = known[0].size
    least = max(need.n for need in open_ones if need.n is not None)
    total = max(least, known[0].queries(_together(known, least / size, seed)))
    highs = [need.high for need in open_ones]
    return QueriesNeeded(
        total,
        max(need.low for need in open_ones if need.low is not None),
        None if None in highs else max(total, *(high for high in highs if high is not None)),
    )


def _together(views: list[_View], least: float, seed: int) -> float:
    """Return the units, at least `least`, at which all pass together with 80 % chance."""
    normals = _correlated(views, seed)
    roots = np.sqrt([least, 1.5 * least])
    # The normal quantile of each chance is nearly a straight line in the root of the number.
    at_first, at_second = (
        np.array([view.outlook.z_power(root**2) for view in views]) for root in roots
    )
    certain = np.isinf(at_first) | np.isinf(at_second)
    rise = np.zeros(len(views))
    np.subtract(at_second, at_first, out=rise, where=~certain)
    rise /= roots[1] - roots[0]

    def chance(root: float) -> float:
        return float((normals <= at_first + rise * (root - roots[0])).all(axis=1).mean())

    low = high = roots[0]
    while chance(high) < POWER and high < 100 * roots[0]:
        low, high = high, 1.1 * high
    for _ in range(12):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if chance(middle) >= POWER else (middle, high)
    return float(high) ** 2


def _correlated(views: list[_View], seed: int) -> FloatArray:
    """Return normal draws with the correlations of the contributions, shape (n, n_nulls)."""
    v = np.stack([view.excess() for view in views])
    centred = v - v.mean(axis=1, keepdims=True)
    scale = np.sqrt((centred**2).sum(axis=1, keepdims=True))
    unit = np.divide(centred, scale, out=np.zeros_like(centred), where=scale > 0)
    correlation = unit @ unit.T
    np.fill_diagonal(correlation, 1.0)
    values, vectors = np.linalg.eigh(correlation)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    normals = stream(seed, "planning").standard_normal((_JOINT_DRAWS, len(views)))
    draws: FloatArray = normals @ root.T
    return draws
