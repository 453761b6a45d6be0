"""Power against the binomial distribution, and against simulation where it approximates."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from falsify_nb import OptionError, power
from falsify_nb.core.contributions import Contributions
from falsify_nb.core.intervals import ALPHA_ADJUSTED, one_sided

HALF = ALPHA_ADJUSTED / 2


@pytest.mark.parametrize(
    ("delta", "n", "null", "tau"),
    [
        (0.3, 30, 0.0, 0.05),
        (0.2, 100, 0.1, 0.05),
        (0.06, 1000, 0.02, 0.05),
        (0.0, 300, 0.1, 0.05),
        (0.1, 20, 0.0, 0.0),
        (-0.1, 50, 0.4, 0.05),
        (0.5, 7, 0.5, 0.05),
    ],
)
def test_for_hits_it_is_the_binomials(delta, n, null, tau):
    # Clopper–Pearson: k hits pass when so many or more are rare at null + τ, and fail when so
    # many or fewer are.
    k = np.arange(n + 1)
    chance = stats.binom.pmf(k, n, null + delta)
    passes = stats.binom.sf(k - 1, n, null + tau) <= HALF
    fails = stats.binom.cdf(k, n, null + tau) < HALF
    found = power(delta, n, tau=tau, null=null)
    assert found.passes == pytest.approx(chance[passes].sum(), abs=1e-9)
    assert found.fails == pytest.approx(chance[fails].sum(), abs=1e-9)
    assert found.passes + found.undecided + found.fails == pytest.approx(1)


@pytest.mark.parametrize(
    ("delta", "n", "null", "sd"),
    [(0.1, 100, 0.0, 0.2), (0.2, 30, 0.0, 0.35), (0.02, 200, 0.05, 0.1), (0.3, 12, 0.1, 0.3)],
)
def test_for_graded_scores_it_is_what_simulation_shows(delta, n, null, sd):
    rng = np.random.default_rng(3)
    mean = delta + null
    both = mean * (1 - mean) / sd**2 - 1
    samples = 300
    seen = np.array(
        [
            one_sided(
                Contributions(rng.beta(mean * both, (1 - mean) * both, n) - null, -null, 1 - null),
                0.05,
                "dirichlet",
                seed=0,
                n_boot=0,
            )
            for _ in range(samples)
        ]
    )
    found = power(delta, n, null=null, sd=sd)
    for told, simulated in ((found.passes, seen[:, 0] <= HALF), (found.fails, seen[:, 1] < HALF)):
        error = max(np.sqrt(told * (1 - told) / samples), 1 / samples)
        assert abs(told - np.mean(simulated)) < 0.02 + 3 * error


def test_the_edges_that_the_method_names():
    assert power(1.0, 5).passes == 1
    assert power(1.0, 4).undecided == 1
    assert power(0.0, 98).fails == 0
    assert power(0.0, 99).fails == 1
    assert power(0.3, 100, sd=0.0).passes == 1


def test_it_says_so_in_words_and_as_data():
    found = power(0.3, 30)
    assert str(found).startswith("a true gap of 0.3 over 30 queries: PASS 92.3%")
    assert found.to_dict()["undecided"] == found.undecided
    assert found.to_dict()["n"] == 30


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ({"delta": 1.5, "n": 10}, "delta=1.5"),
        ({"delta": 0.5, "n": 10, "null": 0.7}, "score"),
        ({"delta": 0.1, "n": 0}, "n=0"),
        ({"delta": 0.1, "n": 2.5}, "n=2.5"),
        ({"delta": 0.1, "n": True}, "n=True"),
        ({"delta": 0.1, "n": 9, "tau": 2}, "tau=2"),
        ({"delta": 0.1, "n": 9, "sd": 0.4}, "at most 0.3"),
        ({"delta": float("nan"), "n": 9}, "delta=nan"),
        ({"delta": "a", "n": 9}, "delta='a'"),
        ({"delta": 0.1, "n": "9"}, "n='9'"),
    ],
)
def test_what_cannot_be_is_refused(call, words):
    with pytest.raises(OptionError, match=words):
        power(**call)
