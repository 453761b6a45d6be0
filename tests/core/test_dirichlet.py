"""The Dirichlet-weighted mean's distribution, against closed forms, exact sums and quadrature."""

from __future__ import annotations

from decimal import Decimal, localcontext
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plain import clopper_pearson
from scipy import integrate, optimize, stats

from falsify_nb.core import dirichlet
from falsify_nb.core.dirichlet import WeightedMean, probability_not_above_zero

ALPHAS = (0.05, 0.0125)


def rng(seed):
    return np.random.default_rng(seed)


def exact_not_above_zero(u):
    """P(Σ E_g·u_g ≤ 0), exactly: the residues of Π 1/(1 − s·u_g)/s, in many digits.

    Equal coefficients are set a relative 1e-14 apart, which changes the sum by as little; the
    digits that cancel for it are paid for by the precision.
    """
    most = int(np.unique(u, return_counts=True)[1].max())
    with localcontext() as context:
        context.prec = 60 + 16 * most + 2 * len(u)
        apart = [Decimal(float(x)) * (1 + i * Decimal("1e-14") / len(u)) for i, x in enumerate(u)]
        apart = [x for x in apart if x]
        total = Decimal(0)
        for i, x in enumerate(apart):
            if x < 0:
                term = Decimal(1)
                for j, y in enumerate(apart):
                    if j != i:
                        term *= x / (x - y)
                total += term
        return float(total)


def close(expected):
    """What the package states for its quadrature: 1e-6, and 1e-7 where verdicts are taken."""
    return pytest.approx(expected, rel=1e-7 if expected < 0.05 else 1e-6)


def exact_cdf(values, c, pseudo):
    return exact_not_above_zero(np.append(values, pseudo) - c)


SMALL = {
    "uniform": rng(1).random(12),
    "nearly all alike": np.append(0.5 + 1e-3 * rng(2).random(15), 0.9),
    "zeros and a few others": np.append(np.zeros(14), [0.3, 0.63, 1.0]),
    "three values": np.repeat([0.0, 0.5, 1.0], [3, 4, 6]),
    "below and above zero": rng(3).normal(0.2, 0.4, 14),
    "skewed": rng(4).exponential(0.1, 16),
    "discounts": 1 / np.log2(1 + rng(5).integers(1, 12, 14)),
    "three queries": np.array([0.2, 0.2, 0.9]),
}


@pytest.mark.parametrize("name", SMALL)
def test_probabilities_are_the_exact_ones_in_both_tails(name):
    values = SMALL[name]
    pseudo = values.min() - 0.3
    mean = WeightedMean.of(values)
    for c in np.linspace(pseudo + 0.01, values.max() - 1e-3, 30):
        expected = exact_cdf(values, c, pseudo)
        if expected > 1e-10:
            assert mean.cdf(c, pseudo) == close(expected)
        assert 1 - mean.cdf(c, pseudo) == pytest.approx(1 - expected, abs=1e-9)


@pytest.mark.parametrize("name", SMALL)
def test_interval_ends_are_the_exact_quantiles(name):
    values = SMALL[name]
    pseudo = values.min() - 0.3
    low, high = pseudo + 1e-9, values.max() - 1e-9
    for alpha in ALPHAS:
        exact = optimize.brentq(
            lambda c, p=alpha / 2: exact_cdf(values, c, pseudo) - p, low, high, xtol=1e-13
        )
        found = WeightedMean.of(values).quantile(alpha / 2, pseudo)
        assert found == pytest.approx(exact, abs=1e-6 * (high - low))


@pytest.mark.parametrize("n", [3, 5, 20, 80, 323])
def test_binary_scores_give_the_beta_distribution(n):
    for hits in sorted({0, 1, n // 2, n - 1, n}):
        mean = WeightedMean.of(np.repeat([0.0, 1.0], [n - hits, hits]))
        for c in (1e-4, 0.01, 0.05, 0.3, 0.5, 0.7, 0.98):
            if hits:
                expected = stats.beta.cdf(c, hits, n - hits + 1)
                if expected > 1e-200:
                    assert mean.cdf(c, 0.0) == close(expected)
            if hits < n:
                expected = stats.beta.sf(c, hits + 1, n - hits)
                if expected > 1e-200:
                    assert mean.mirrored().cdf(-c, -1.0) == close(expected)


@pytest.mark.parametrize("n", [3, 5, 20, 80, 323])
@pytest.mark.parametrize("alpha", ALPHAS)
def test_binary_scores_give_the_clopper_pearson_interval(n, alpha):
    for hits in sorted({0, 1, n // 2, n - 1, n}):
        mean = WeightedMean.of(np.repeat([0.0, 1.0], [n - hits, hits]))
        low, high = clopper_pearson(hits, n, alpha)
        assert mean.quantile(alpha / 2, 0.0) == pytest.approx(low, rel=1e-7, abs=1e-12)
        assert -mean.mirrored().quantile(alpha / 2, -1.0) == pytest.approx(high, rel=1e-7)


@pytest.mark.parametrize("name", SMALL)
def test_probabilities_are_imhofs_integral(name):
    """F(c) = ½ − (1/π) ∫ sin(Σ atan(t·u)) / (t·Π √(1 + t²u²)) dt, by general quadrature."""
    values = SMALL[name]
    pseudo = values.min() - 0.3
    for c in np.quantile(values, [0.2, 0.5, 0.8]):
        u = np.append(values, pseudo) - c
        u = u[u != 0]

        def integrand(x, u=u):
            t = np.exp(x)
            return np.sin(np.arctan(t * u).sum()) * np.exp(-0.5 * np.log1p((t * u) ** 2).sum())

        area = integrate.quad(integrand, -40, 60, limit=2000, epsabs=1e-11)[0]
        assert WeightedMean.of(values).cdf(c, pseudo) == pytest.approx(0.5 - area / np.pi, abs=1e-8)


LARGE = {
    "uniform": rng(11).random(500),
    "skewed": np.minimum(rng(12).exponential(0.05, 500), 1),
    "at both ends": rng(13).beta(0.1, 0.1, 500),
    "zeros and a tail": np.where(rng(14).random(2000) < 0.8, 0, rng(15).beta(0.5, 2, 2000)),
    "one far out": np.append(rng(16).random(500) * 0.01, 1.0),
    "discounts less an expectation": 1 / np.log2(1 + rng(17).integers(1, 40, 700))
    - 0.01 * rng(18).random(700),
    "normal": rng(19).normal(0.1, 0.2, 700),
}
TAILS = (0.5, 1e-1, 0.025, 0.00625, 1e-3, 1e-4, 1e-6, 1e-8, 1e-10)


@pytest.mark.parametrize("name", [*SMALL, *LARGE])
def test_halving_the_step_changes_nothing_that_is_shown(monkeypatch, name):
    values = (SMALL | LARGE)[name]
    pseudo = values.min() - 0.2
    monkeypatch.setattr(dirichlet, "_MAX_ATOMS", 10**9)
    mean = WeightedMean.of(values)
    points = [mean.quantile(p, pseudo) for p in TAILS[1:]]
    coarse = np.array([mean.cdf(c, pseudo) for c in points])
    monkeypatch.setattr(dirichlet, "_STEP", dirichlet._STEP / 2)
    fine = np.array([mean.cdf(c, pseudo) for c in points])
    for before, after in zip(coarse, fine, strict=True):
        assert before == close(after)


@pytest.mark.parametrize("side", ["lower", "upper"])
@pytest.mark.parametrize("name", LARGE)
def test_compressing_many_values_keeps_ends_and_small_probabilities(monkeypatch, name, side):
    values = LARGE[name] if side == "lower" else -LARGE[name]
    pseudo = values.min() - 0.05
    assert len(np.unique(values)) > dirichlet._MAX_ATOMS
    compressed = WeightedMean.of(values)
    monkeypatch.setattr(dirichlet, "_MAX_ATOMS", 10**9)
    whole = WeightedMean.of(values)
    assert len(whole.sums) == len(np.unique(values))
    assert compressed.mean == pytest.approx(values.mean(), abs=1e-12)
    ends = {p: whole.quantile(p, pseudo) for p in TAILS[1:]}
    for alpha in ALPHAS:
        width = 2 * abs(values.mean() - ends[0.025])
        assert abs(compressed.quantile(alpha / 2, pseudo) - whole.quantile(alpha / 2, pseudo)) <= (
            1e-4 * width
        )
    for c in ends.values():
        assert compressed.cdf(c, pseudo) == pytest.approx(whole.cdf(c, pseudo), rel=0.01)


def test_three_ones_among_ten_thousand_zeros_keep_their_exact_probability():
    """Where the saddlepoint formula is 1.7 % off."""
    mean = WeightedMean.of(np.repeat([0.0, 1.0], [9997, 3]))
    for c in (1e-4, 3e-4, 1e-3):
        expected = stats.beta.cdf(c, 3, 9998)
        assert mean.cdf(c, 0.0) == close(expected)


@pytest.mark.parametrize(
    ("u", "expected"),
    [
        ([0.0, 0.0], 1.0),
        ([1.0, 2.0, 0.0], 0.0),
        ([-1.0, 0.0], 1.0),
        ([1.0, -1.0], 0.5),
        # P(E₁ ≤ 2·E₂) for independent standard exponentials.
        ([1.0, -2.0], 2 / 3),
        ([2.0, -1.0], 1 / 3),
    ],
)
def test_the_edges_of_the_distribution(u, expected):
    found = probability_not_above_zero(np.array(u), np.ones(len(u)))
    assert found == pytest.approx(expected, abs=1e-12)


def test_values_that_are_all_alike_reach_only_towards_the_pseudo_unit():
    """The weighted mean is 0.5·(1 − w₀) with w₀ ~ Beta(1, 10)."""
    mean = WeightedMean.of(np.full(10, 0.5))
    assert mean.quantile(0.00625, 0.0) == pytest.approx(0.5 * 0.00625 ** (1 / 10), rel=1e-9)
    assert mean.cdf(0.5, 0.0) == 1.0
    assert mean.cdf(0.3, 0.0) == pytest.approx((0.3 / 0.5) ** 10, rel=1e-9)
    assert mean.quantile(0.00625, 0.5) == 0.5


def test_units_of_several_queries_weigh_as_many():
    """Two groups and the pseudo-group: the exact sum over three exponentials."""
    sums, sizes = np.array([3.0, 1.0, 0.5]), np.array([4.0, 2.0, 3.0])
    mean = WeightedMean.of(sums, sizes)
    assert mean.mean == pytest.approx(4.5 / 9)
    for c in (0.1, 0.3, 0.5, 0.7):
        u = np.append(sums - c * sizes, 3.0 * (0.0 - c))
        assert mean.cdf(c, 0.0) == close(exact_not_above_zero(u))


finite = st.floats(-1, 1, allow_subnormal=False).map(lambda x: round(x, 6))


@settings(max_examples=150, deadline=None)
@given(
    st.lists(finite, min_size=3, max_size=60), st.sampled_from([0, 1e-17, 1e-12, 1e-6, 0.01, 0.5])
)
def test_any_contributions_give_an_interval_around_the_mean_and_rising_probabilities(values, gap):
    values = np.array(values)
    pseudo = values.min() - gap
    mean = WeightedMean.of(values)
    ends = [mean.quantile(p, pseudo) for p in (1e-6, 0.00625, 0.025, 0.3)]
    slack = 1e-9
    assert pseudo - slack <= ends[0]
    assert all(a <= b + slack for a, b in pairwise(ends))
    assert ends[2] <= values.mean() + slack
    grid = [mean.cdf(c, pseudo) for c in np.linspace(pseudo - 0.1, values.max() + 0.1, 15)]
    assert grid[0] == 0.0
    assert grid[-1] == 1.0
    assert all(0 <= a <= b + 1e-9 <= 1 + 1e-9 for a, b in pairwise(grid))


@settings(max_examples=100, deadline=None)
@given(st.lists(finite, min_size=3, max_size=30), st.floats(0.01, 100), st.floats(-5, 5))
def test_intervals_move_and_stretch_with_the_values(values, factor, shift):
    values = np.array(values)
    pseudo = values.min() - 0.1
    here = WeightedMean.of(values).quantile(0.00625, pseudo)
    there = WeightedMean.of(values * factor + shift).quantile(0.00625, pseudo * factor + shift)
    spread = factor * (values.max() - pseudo)
    assert there == pytest.approx(here * factor + shift, abs=1e-7 * spread + 1e-12)


@pytest.mark.parametrize("p", [0.4, 0.46, 0.49, 0.499, 0.49999])
@pytest.mark.parametrize("hits", [0, 1, 2, 3])
def test_quantiles_near_the_middle_are_those_of_the_distribution(p, hits):
    mean = WeightedMean.of(np.array([1.0] * hits + [0.0] * (3 - hits)))
    exact = stats.beta.ppf(p, hits, 4 - hits) if hits else 0.0
    assert mean.quantile(p, 0.0) == pytest.approx(exact, abs=1e-9)
