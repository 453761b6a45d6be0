"""Distribution of a Dirichlet-weighted mean: tail probabilities and quantiles without resampling.

With independent standard exponentials E_g, the weighted mean Σ E_g·S_g / Σ E_g·n_g is at most c
exactly when X = Σ E_g·u_g ≤ 0, u_g = S_g − c·n_g. X has the moment generating function
Π 1/(1 − s·u_g), so its tails are contour integrals of that function over s (Imhof 1961,
Biometrika 48, treats the real-line form). Here the contour runs through the saddle point and bends
along the path of steepest descent: the integrand is then a single bump without cancellation, a
short trapezoidal sum has the accuracy of the arithmetic, and small probabilities keep their
*relative* accuracy, which the real-line form loses below about 1e-12.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq
from scipy.special import ndtri

__all__ = ["SMALLEST_P", "WeightedMean", "probability_not_above_zero"]

FloatArray = npt.NDArray[np.float64]
ComplexArray = npt.NDArray[np.complex128]

# Reported as "< 1e-10" below this.
SMALLEST_P = 1e-10

# Trapezoid on the bent contour: the step and the size below which terms are dropped. A probability
# is off by less than 1e-6 of itself, and below .05, where verdicts are taken, by less than 1e-7
# (tests/core/test_dirichlet.py).
_STEP = 0.2
_BLOCK = 16
_NEGLIGIBLE = 1e-16
_ROUNDING = 1e-13
_MAX_BEND = 1.1
# A quantile is found when its normal quantile is this close, and one more step was taken.
_NEAR = 1e-5
_OFF_CENTRE = -0.1
# Above this many distinct values they are compressed, see `_compress`.
_MAX_ATOMS = 200
_BINS = 48


def probability_not_above_zero(u: FloatArray, counts: FloatArray) -> float:
    """Return P(Σ E_g·u_g ≤ 0) for independent standard exponentials E_g.

    Parameters
    ----------
    u : numpy.ndarray of float, shape (n_atoms,)
        Coefficients.
    counts : numpy.ndarray of float, shape (n_atoms,)
        How often each coefficient occurs, > 0.

    Returns
    -------
    float
        The probability, with relative accuracy in the lower tail.

    Examples
    --------
    >>> import numpy as np
    >>> round(probability_not_above_zero(np.array([1.0, -1.0]), np.array([1.0, 1.0])), 12)
    0.5
    """
    live = u != 0
    u, counts = u[live], counts[live]
    if not len(u):
        return 1.0
    if u.min() > 0:
        return 0.0
    if u.max() < 0:
        return 1.0
    if float(counts @ u) > 0:
        return _upper_tail(-u, counts)
    return 1.0 - _upper_tail(u, counts)


def _upper_tail(v: FloatArray, counts: FloatArray) -> float:
    """P(Σ E·v > 0), Σ counts·v ≤ 0 < max v: (1/2πi) ∫ exp(ψ(s)) ds, ψ = K(s) − log s."""
    s0 = _saddle(v, counts)
    q = v / (1.0 - s0 * v)
    second = float(counts @ q**2) + 1.0 / s0**2
    third = 2.0 * (float(counts @ q**3) - 1.0 / s0**3)
    sigma = second**-0.5
    # Steepest descent near the saddle: Re(s − s0) = ψ'''/(6ψ'') · Im(s)²; matched by a hyperbola.
    bend = np.clip(np.arctan(third * sigma**3 / 3.0), -_MAX_BEND, _MAX_BEND)
    total, start = 0.0, 0
    while True:
        tau = _STEP * np.arange(start, start + _BLOCK)
        step = sigma * (np.sin(bend) * (np.cosh(tau) - 1) + 1j * np.cos(bend) * np.sinh(tau))
        slope = sigma * (np.sin(bend) * np.sinh(tau) + 1j * np.cos(bend) * np.cosh(tau))
        # ψ(s) − ψ(s0), written in q so that nothing cancels near the saddle.
        log_ratio = -_log_product(step, q, counts) - np.log1p(step / s0)
        terms = (np.exp(log_ratio) * slope).imag
        if start == 0:
            terms[0] *= 0.5
        total += float(terms.sum())
        # So written that it ends for no number, too.
        if not abs(terms[-1]) >= _NEGLIGIBLE * abs(total):
            break
        start += _BLOCK
    log_peak = -float(counts @ np.log1p(-s0 * v)) - np.log(s0)
    return float(np.exp(log_peak) * _STEP * total / np.pi)


def _log_product(s: ComplexArray, q: FloatArray, counts: FloatArray) -> ComplexArray:
    """Return Σ counts·log(1 − s·q) for each s; real arithmetic takes a quarter of the time."""
    real = 1.0 - np.multiply.outer(s.real, q)
    imaginary = np.multiply.outer(-s.imag, q)
    angle = np.arctan2(imaginary, real) @ counts
    return 0.5 * (np.log(real**2 + imaginary**2) @ counts) + 1j * angle


def _saddle(v: FloatArray, counts: FloatArray) -> float:
    """Root of ψ'(s) = Σ counts·v/(1 − s·v) − 1/s in (0, 1/max v), where ψ is convex."""
    low, high = 0.0, 1.0 / float(v.max())
    m1, m2 = float(counts @ v), float(counts @ v**2)
    s = min((-m1 + np.sqrt(m1 * m1 + 4 * m2)) / (2 * m2), 0.9 * high)
    for _ in range(100):
        q = v / (1.0 - s * v)
        slope = float(counts @ q) - 1.0 / s
        if slope > 0:
            high = s
        else:
            low = s
        new = s - slope / (float(counts @ q**2) + 1.0 / s**2)
        if not low < new < high:
            new = 0.5 * (low + high)
        # The contour may pass anywhere near the saddle; a rough root costs no accuracy.
        if abs(new - s) <= 1e-6 * s:
            return float(new)
        s = new
    return float(s)


@dataclass(frozen=True, slots=True, eq=False)
class WeightedMean:
    """The mean of contributions under Dirichlet(1, …, 1) weights with one pseudo-unit.

    Parameters
    ----------
    sums : numpy.ndarray of float, shape (n_atoms,)
        Summed contribution of each unit; the pseudo-unit is not among them.
    sizes : numpy.ndarray of float, shape (n_atoms,)
        Number of queries of each unit.
    counts : numpy.ndarray of float, shape (n_atoms,)
        How many units are alike.
    """

    sums: FloatArray
    sizes: FloatArray
    counts: FloatArray

    @classmethod
    def of(cls, sums: FloatArray, sizes: FloatArray | None = None) -> WeightedMean:
        """Group equal units.

        Parameters
        ----------
        sums : numpy.ndarray of float, shape (n_units,)
            Contributions, summed over each unit.
        sizes : numpy.ndarray of float, shape (n_units,), optional
            Queries per unit; default 1 each.
        """
        if sizes is None:
            values, counts = np.unique(sums, return_counts=True)
            weights = counts.astype(float)
            if len(values) > _MAX_ATOMS:
                values, weights = _compress(values, weights)
            return cls(values, np.ones(len(values)), weights)
        pairs, counts = np.unique(np.column_stack([sums, sizes]), axis=0, return_counts=True)
        return cls(pairs[:, 0].copy(), pairs[:, 1].copy(), counts.astype(float))

    @property
    def mean(self) -> float:
        """The unweighted mean per query."""
        return float(self.counts @ self.sums) / float(self.counts @ self.sizes)

    def cdf(self, c: float, pseudo: float) -> float:
        """Return P(weighted mean ≤ c) with one pseudo-unit of mean size at value `pseudo`."""
        size = float(self.counts @ self.sizes) / float(self.counts.sum())
        u = np.append(self.sums - c * self.sizes, size * (pseudo - c))
        return probability_not_above_zero(u, np.append(self.counts, 1.0))

    def quantile(self, p: float, pseudo: float) -> float:
        """Return the c at which `cdf` is p, for 0 < p < 1/2 and `pseudo` at or below all values.

        The saddle-point approximation gives the first guess and the slope there; secant steps on
        the exact distribution, taken in normal quantiles where it is nearly a straight line, do the
        rest.
        """
        values = self.sums / self.sizes
        low, high = min(pseudo, float(values.min())), float(values.max())
        # Equal up to rounding: sums over groups differ in the last digit.
        if high - low <= _ROUNDING * max(1.0, abs(high)):
            return low
        target = float(ndtri(p))

        def excess(c: float) -> float:
            return float(ndtri(min(max(self.cdf(c, pseudo), 1e-300), 1 - 1e-16))) - target

        approximate = _SaddleQuantile(np.append(values, pseudo), np.append(self.counts, 1.0))
        c, slope = approximate(target)
        z = excess(c)
        # Near the centre the approximation divides nothing by nothing.
        for _ in range(8 if target < _OFF_CENTRE else 0):
            new = c - z * slope
            if not low < new < high:
                break
            if abs(z) < _NEAR:
                return new
            z_new = excess(new)
            if z_new == z:
                break
            slope = (new - c) / (z_new - z)
            c, z = new, z_new
        return float(brentq(excess, low, high, xtol=1e-10 * (high - low), rtol=1e-12))

    def mirrored(self) -> WeightedMean:
        """Return the distribution of the negated values."""
        return WeightedMean(-self.sums, self.sizes, self.counts)


# The shares of the largest tilt within which quantiles are looked for, and how closely.
_NEAREST, _FARTHEST = 1e-3, 1.0 - 1e-9
_NEAR_ENOUGH = 1e-6
_BESIDE = 1e-5


class _SaddleQuantile:
    """Quantiles by the saddle point (r* of Barndorff-Nielsen 1991, Biometrika 78).

    Tilting by h puts weights counts/(1 − h·y) on the values; their mean is the c whose saddle
    point is s = h/(1 − h·c), so that c and its normal quantile are explicit in h.
    """

    def __init__(self, values: FloatArray, counts: FloatArray) -> None:
        self.centre = float(counts @ values) / float(counts.sum())
        self.y = values - self.centre
        self.counts = counts
        self.h_end = 1.0 / float(self.y.min())

    def _at(self, share: float) -> tuple[float, float]:
        h = share * self.h_end
        tilted = 1.0 - h * self.y
        weights = self.counts / tilted
        c = float(weights @ self.y) / float(weights.sum())
        s = h / (1.0 - h * c)
        q = (self.y - c) / (tilted * (1.0 + s * c))
        log_m = -float(self.counts @ np.log(tilted * (1.0 + s * c)))
        w = -np.sqrt(max(-2.0 * log_m, 1e-300))
        u = s * np.sqrt(float(self.counts @ q**2))
        return c, float(w + np.log(u / w) / w)

    def __call__(self, target: float) -> tuple[float, float]:
        """Return c at a normal quantile below 0, and how fast c rises with it there."""
        share, other = self._guess(target), 0.0
        z, z_other = self._at(share)[1], 0.0
        for _ in range(8):
            # Through the centre, where both vanish, then through the last two points.
            new = share - (z - target) * (share - other) / (z - z_other)
            if not _NEAREST < new < _FARTHEST:
                break
            share, other, z_other = new, share, z
            z = self._at(share)[1]
            if abs(z - target) < _NEAR_ENOUGH:
                return self._with_slope(share)
            if z == z_other:
                break
        return self._with_slope(self._bracketed(target))

    def _guess(self, target: float) -> float:
        """Return the share for a normal distribution of the same variance."""
        spread = np.sqrt(float(self.counts @ self.y**2))
        return float(min(max(target / (spread * self.h_end), 2 * _NEAREST), 0.5))

    def _bracketed(self, target: float) -> float:
        def excess(share: float) -> float:
            return self._at(share)[1] - target

        if not excess(_FARTHEST) < 0 < excess(_NEAREST):
            return _NEAREST if excess(_FARTHEST) < 0 else _FARTHEST
        return float(brentq(excess, _NEAREST, _FARTHEST, xtol=1e-6, rtol=1e-6))

    def _with_slope(self, share: float) -> tuple[float, float]:
        (c, z), (c_beside, z_beside) = self._at(share), self._at((1.0 - _BESIDE) * share)
        return self.centre + c, (c - c_beside) / (z - z_beside)


def _compress(values: FloatArray, counts: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Replace the values of each narrow bin by two that have the same first three moments.

    Bins are narrow in value and in rank. log(1 − s·u) is smooth on the scale of a bin, so that the
    two-point Gauss rule leaves an error of the fourth order in its width, far below the endpoints'
    tolerance (measured in tests/core/test_dirichlet.py).
    """
    by_value = ((values - values[0]) / (values[-1] - values[0]) * _BINS).astype(np.int64)
    by_rank = (np.cumsum(counts) / counts.sum() * _BINS).astype(np.int64)
    edges = (np.diff(by_value, prepend=-1) > 0) | (np.diff(by_rank, prepend=-1) > 0)
    bins = np.cumsum(edges) - 1
    total = np.bincount(bins, counts)
    mean = np.bincount(bins, counts * values) / total
    dev = values - mean[bins]
    sd = np.sqrt(np.bincount(bins, counts * dev**2) / total)
    third = np.bincount(bins, counts * dev**3) / total
    skew = np.divide(third, sd**3, out=np.zeros_like(sd), where=sd > 1e-12 * np.abs(mean).max())
    root = np.sqrt(1 + skew**2 / 4)
    nodes = np.concatenate([mean + sd * (skew / 2 - root), mean + sd * (skew / 2 + root)])
    share = 0.5 * (1 + skew / 2 / root)
    return nodes, np.concatenate([total * share, total * (1 - share)])
