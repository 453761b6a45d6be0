"""How samples from a known population of contributions would be judged, without drawing any.

A sample of n units passes when p_pass = P(Σ E_i·v_i + E_0·v_0 ≤ 0) is small, v_i = S_i − τ·n_i.
Two saddle-point approximations (r* of Barndorff-Nielsen 1986, Biometrika 73) give the chance of
that. The first is for the sample: among the samples whose mean lies at a given quantile of its
distribution, the likeliest has the population's weights tilted by exp(θ·v). The second is for
p_pass of such a sample, each value counted n × weight times. Tilting moves the sample's spread
together with its mean, which a normal approximation of the mean alone would not.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from falsify_nb.core.intervals import ALPHA_ADJUSTED

__all__ = ["LEAST_UNITS", "Outlook"]

FloatArray = npt.NDArray[np.float64]

# No verdict is given on fewer (`falsify_nb.core.verdict.TOO_FEW` + 1).
LEAST_UNITS = 5
_Z_LEVEL = float(ndtri(ALPHA_ADJUSTED / 2))
_NEARLY_ZERO = 1e-9
# More queries than this are as good as no number.
MOST_UNITS = 1e12
# Chances beyond so many standard deviations are 0 or 1.
_REACH = 6.0


@dataclass(frozen=True, slots=True, eq=False)
class Outlook:
    """A population of units, and the threshold that samples of it are to clear.

    Parameters
    ----------
    sums, sizes : numpy.ndarray of float, shape (n_atoms,)
        Summed contribution and number of queries of each kind of unit.
    weights : numpy.ndarray of float, shape (n_atoms,)
        How common each kind is; they sum to 1.
    low : float
        Smallest possible contribution per query: where the pseudo-unit stands.
    tau : float
        The threshold.
    shrinks : bool
        Whether the gap is (1 − 1/n) times the mean contribution, as in Null A.
    """

    sums: FloatArray
    sizes: FloatArray
    weights: FloatArray
    low: float
    tau: float
    shrinks: bool = False

    def excess(self, n: float) -> tuple[FloatArray, float]:
        """Return v of each kind of unit and of the pseudo-unit, in samples of n units."""
        threshold = self.tau / (1.0 - 1.0 / n) if self.shrinks else self.tau
        size = float(self.weights @ self.sizes)
        return self.sums - threshold * self.sizes, size * (self.low - threshold)

    def needed(self, power: float) -> float | None:
        """Return the n at which samples pass with chance `power`; None where no n does."""
        z = -float(ndtri(power))

        def lacking(root: float) -> float:
            n = max(root, LEAST_UNITS**0.5) ** 2
            return self._judged(n, self.tilt(n, z)) - _Z_LEVEL

        v, _ = self.excess(MOST_UNITS)
        mean = float(self.weights @ v)
        if mean <= 0:
            return None
        if lacking(0.0) <= 0:
            return LEAST_UNITS
        deviation = float(np.sqrt(self.weights @ (v - mean) ** 2))
        # Both chances normal: √n·mean = (z of the power + z of the level)·deviation.
        guess = max((-_Z_LEVEL - z) * deviation / mean, LEAST_UNITS**0.5)
        root = _falling_root(lacking, guess, 1.1 * guess, 1e-3)
        return None if root**2 > MOST_UNITS else max(root**2, LEAST_UNITS)

    def z_power(self, n: float) -> float:
        """Return the normal quantile of the chance that samples of n units pass."""
        v, _ = self.excess(n)
        if np.ptp(v) == 0:
            return np.inf if self._judged(n, 0.0) <= _Z_LEVEL else -np.inf

        def lacking(z: float) -> float:
            return self._judged(n, self.tilt(n, z)) - _Z_LEVEL

        if lacking(-_REACH) <= 0:
            return np.inf
        if lacking(_REACH) >= 0:
            return -np.inf
        at_median = lacking(0.0)
        # The level is missed by about as much as the sample's mean is moved.
        step = at_median if abs(at_median) > 1e-3 else 0.1
        return -_falling_root(lacking, 0.0, float(np.clip(step, -_REACH, _REACH)), 1e-4)

    def tilted(self, theta: float, v: FloatArray) -> FloatArray:
        """Return the weights tilted by exp(θ·v)."""
        exponent = theta * v
        weights = self.weights * np.exp(exponent - exponent.max())
        tilted: FloatArray = weights / weights.sum()
        return tilted

    def tilt(self, n: float, z: float) -> float:
        """Return the θ at which the mean of n units lies at its normal quantile z."""
        v, _ = self.excess(n)
        mean = float(self.weights @ v)
        deviation = float(np.sqrt(self.weights @ (v - mean) ** 2))
        if deviation == 0 or z == 0:
            return 0.0
        y = v - mean
        # Secant steps in z, from the normal approximation.
        theta = z / (deviation * n**0.5)
        before, z_before = 0.0, self._z_at(n, 1e-4 * theta, y)
        for _ in range(12):
            z_now = self._z_at(n, theta, y)
            if abs(z_now - z) < 1e-6 or z_now == z_before:
                break
            step = (z - z_now) * (theta - before) / (z_now - z_before)
            before, z_before = theta, z_now
            # A lattice ends: beyond its last point no tilt leads any further.
            theta = float(np.clip(theta + step, -4 * abs(theta), 4 * abs(theta)))
        return theta

    def _z_at(self, n: float, theta: float, y: FloatArray) -> float:
        weights = self.tilted(theta, y)
        mean = float(weights @ y)
        variance = float(weights @ (y - mean) ** 2)
        exponent = theta * y
        top = float(exponent.max())
        log_m = top + float(np.log(self.weights @ np.exp(exponent - top)))
        return _r_star(2.0 * n * (theta * mean - log_m), theta * (n * variance) ** 0.5)

    def _judged(self, n: float, theta: float) -> float:
        """Return the normal quantile of p_pass in the likeliest sample at a tilt."""
        v, pseudo = self.excess(n)
        counts = np.append(n * self.tilted(theta, v), 1.0)
        values = np.append(v, pseudo)
        if values.min() >= 0:
            return -np.inf
        if values.max() <= 0:
            return np.inf
        s = _saddle(values, counts)
        q = values / (1.0 - s * values)
        log_m = -float(counts @ np.log1p(-s * values))
        return _r_star(-2.0 * log_m, s * float(counts @ q**2) ** 0.5)


def _falling_root(f: Callable[[float], float], x: float, y: float, tolerance: float) -> float:
    """Return the root of a falling function that is nearly a straight line, from two guesses."""
    low, high = -np.inf, np.inf
    fx, fy = f(x), f(y)
    for _ in range(60):
        for place, value in ((x, fx), (y, fy)):
            low, high = (max(low, place), high) if value > 0 else (low, min(high, place))
        new = y - fy * (y - x) / (fy - fx) if fy != fx else np.nan
        if not low < new < high:
            new = 0.5 * (low + high) if np.isfinite(low + high) else 2.0 * max(x, y)
        x, fx, y, fy = y, fy, float(new), f(float(new))
        if abs(y - x) <= tolerance or fy == 0:
            break
    return y


def _r_star(twice_log: float, u: float) -> float:
    """Return r* from 2(s·x − K(s)) and s·√K''(s)."""
    w = float(np.copysign(np.sqrt(max(twice_log, 0.0)), u))
    if abs(w) < _NEARLY_ZERO or abs(u) < _NEARLY_ZERO:
        return w
    return w + float(np.log(u / w)) / w


def _saddle(values: FloatArray, counts: FloatArray) -> float:
    """Return the root of Σ counts·v/(1 − s·v) between the poles, where it increases."""
    low, high = 1.0 / float(values.min()), 1.0 / float(values.max())
    s = float(np.clip(-(counts @ values) / (counts @ values**2), 0.9 * low, 0.9 * high))
    for _ in range(60):
        q = values / (1.0 - s * values)
        slope = float(counts @ q)
        low, high = (low, s) if slope > 0 else (s, high)
        new = s - slope / float(counts @ q**2)
        if not low < new < high:
            new = 0.5 * (low + high)
        if abs(new - s) <= 1e-9 * (high - low) or abs(new - s) <= 1e-10 * abs(s):
            return new
        s = new
    return s
