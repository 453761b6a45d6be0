"""Intervals and p-values as a user gets them, against closed forms and plain resampling."""

from __future__ import annotations

import math
import tracemalloc

import numpy as np
import pytest
from plain import clopper_pearson, random_world
from scipy import stats

from falsify_nb import falsify
from falsify_nb.core.contributions import Contributions
from falsify_nb.core.intervals import gap_interval, p_null

HUGE = 10**12


def system_of(ranks, corpus=HUGE, metric="RR@2", **options):
    """A system that puts each query's one gold document at the given rank (0: not found)."""
    qrels = {f"q{i:05d}": {f"g{i:05d}": 1} for i in range(len(ranks))}
    run = {}
    for i, rank in enumerate(ranks):
        above = [f"x{i:05d}-{j}" for j in range(1, rank or 2)]
        run[f"q{i:05d}"] = [*above, f"g{i:05d}"] if rank else above
    options = {"strict": False, "n_boot": 100} | options
    return falsify(run, qrels=qrels, corpus=corpus, metric=metric, **options)


# RR@2 is 1, ½ or 0 as the gold document stands first, second or nowhere.
FIRST, SECOND, NOWHERE = 1, 2, 0


@pytest.mark.parametrize(
    ("ranks", "low", "high"),
    [
        pytest.param([FIRST] * 5, 0.3624, 1, id="5 of 5"),
        pytest.param([NOWHERE] * 5, 0, 0.6376, id="0 of 5"),
        pytest.param([FIRST] * 20, 0.7759, 1, id="20 of 20"),
        pytest.param([FIRST, NOWHERE] * 10, 0.2243, 0.7757, id="10 of 20"),
        pytest.param([NOWHERE] * 323, 0, 0.0156, id="0 of 323"),
        pytest.param([NOWHERE, NOWHERE, SECOND, FIRST, FIRST], 0.0713, 0.9287, id="graded"),
        pytest.param([SECOND] * 10, 0.3010, 0.6990, id="ten halves"),
        pytest.param([NOWHERE] * 9 + [FIRST], 0.0006, 0.5319, id="one of ten"),
        pytest.param([FIRST] * 18 + [SECOND, NOWHERE], 0.6682, 0.9958, id="nearly all"),
    ],
)
def test_the_documented_intervals(ranks, low, high):
    null = system_of(ranks).nulls["C"]
    assert null.interval_adjusted.low == pytest.approx(low, abs=1e-4)
    assert null.interval_adjusted.high == pytest.approx(high, abs=1e-4)


@pytest.mark.parametrize(("n", "verdict"), [(98, "UNDER-NS"), (99, "FAIL")])
def test_how_many_failures_show_that_a_system_fails(n, verdict):
    null = system_of([NOWHERE] * n).nulls["C"]
    assert null.verdict == verdict
    assert (null.interval_adjusted.high < 0.05) == (verdict == "FAIL")


def test_five_successes_against_a_null_of_two_percent():
    """The weighted mean is .98 − w₀ with w₀ ~ Beta(1, 5): at most .05 with probability .07⁵."""
    null = system_of([FIRST] * 5, corpus=50, metric="Success@1").nulls["C"]
    assert null.mean == pytest.approx(0.02)
    assert null.p_pass == pytest.approx(0.07**5, rel=1e-6)
    assert null.p_pass == pytest.approx(1.7e-6, abs=5e-8)


@pytest.mark.parametrize(("hits", "n"), [(0, 7), (3, 7), (19, 20), (41, 80), (300, 323)])
def test_binary_scores_have_the_clopper_pearson_interval_at_both_levels(hits, n):
    null = system_of([FIRST] * hits + [NOWHERE] * (n - hits), metric="Success@1").nulls["C"]
    for interval, alpha in ((null.interval, 0.05), (null.interval_adjusted, 0.0125)):
        low, high = clopper_pearson(hits, n, alpha)
        assert interval.low == pytest.approx(low, abs=1e-9)
        assert interval.high == pytest.approx(high, abs=1e-9)
    if hits:
        expected = stats.beta.cdf(0.05, hits, n - hits + 1)
        assert null.p_pass == pytest.approx(expected, rel=1e-6, abs=1e-300)
    expected = stats.beta.sf(0.05, hits + 1, n - hits) if hits < n else 1.0
    assert null.p_fail == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("metric", ["nDCG@3", "AP@5"])
@pytest.mark.parametrize("n", [9, 25])
def test_a_decision_at_tau_agrees_with_the_interval(metric, n):
    world = random_world(n, n, 15)
    options = {"qrels": world.qrels, "metric": metric, "corpus": world.corpus, "n_boot": 100}
    result = falsify(world.run, **options)
    for null in result.nulls.values():
        for end, p in (
            (null.interval_adjusted.low, "p_pass"),
            (null.interval_adjusted.high, "p_fail"),
        ):
            if 0.002 < end < 0.998:
                inside = result.at(tau=end - 1e-3 if p == "p_fail" else end + 1e-3)
                outside = result.at(tau=end + 1e-3 if p == "p_fail" else end - 1e-3)
                assert getattr(inside.nulls[null.name], p) > 0.00625
                assert getattr(outside.nulls[null.name], p) < 0.00625


@pytest.mark.parametrize("method", ["dirichlet", "percentile"])
@pytest.mark.parametrize("n", [5, 12, 40])
def test_the_wider_level_holds_the_narrower_and_both_hold_the_gap(method, n):
    world = random_world(n + 1, n, 15)
    result = falsify(
        world.run, qrels=world.qrels, corpus=world.corpus, interval=method, n_boot=1000
    )
    for null in result.nulls.values():
        wide, narrow = null.interval_adjusted, null.interval
        assert wide.low <= narrow.low <= null.delta <= narrow.high <= wide.high


@pytest.mark.parametrize("n", [1, 2])
def test_below_three_queries_there_is_no_interval_and_no_pass(n):
    for decision in ("interval", "point"):
        result = system_of([FIRST] * n, decision=decision)
        for null in result.nulls.values():
            assert null.interval is None
            assert null.interval_adjusted is None
            assert null.p_pass is None
        assert (result.verdict == "UNDER-NS") == (decision == "interval")


@pytest.mark.parametrize("n", [3, 4])
def test_with_three_or_four_queries_the_interval_is_shown_and_nothing_decided(n):
    for null in system_of([NOWHERE] * n).nulls.values():
        assert null.interval is not None
        assert null.verdict == "UNDER-NS"


class TestPercentile:
    """The classic bootstrap, for comparison with older figures."""

    N_BOOT = 5000

    @pytest.fixture(scope="class")
    @classmethod
    def result(cls):
        world = random_world(31, 30, 15)
        return falsify(
            world.run,
            qrels=world.qrels,
            corpus=world.corpus,
            interval="percentile",
            n_boot=cls.N_BOOT,
            strict=False,
        )

    @staticmethod
    def end_error(means, p):
        """Standard error of a quantile: √(p(1 − p)/n) over the density there."""
        width = 0.2 * means.std()
        q = np.quantile(means, p)
        density = (np.abs(means - q) <= width / 2).mean() / width
        return math.sqrt(p * (1 - p) / len(means)) / density

    @pytest.mark.parametrize("name", "ABCD")
    def test_ends_are_those_of_a_plain_resampling_loop(self, result, name):
        null = result.nulls[name]
        d = null.contributions * null.scale
        rng = np.random.default_rng(5)
        means = np.array([d[rng.integers(0, len(d), len(d))].mean() for _ in range(self.N_BOOT)])
        for interval, alpha in ((null.interval, 0.05), (null.interval_adjusted, 0.0125)):
            for end, p in ((interval.low, alpha / 2), (interval.high, 1 - alpha / 2)):
                error = math.sqrt(2) * self.end_error(means, p)
                assert abs(end - np.quantile(means, p)) <= 4 * error

    @pytest.mark.parametrize("name", "AC")
    def test_ends_are_scipys(self, result, name):
        null = result.nulls[name]
        found = (
            stats.bootstrap(
                (null.contributions * null.scale,),
                np.mean,
                method="percentile",
                n_resamples=self.N_BOOT,
                confidence_level=0.95,
                rng=np.random.default_rng(6),
            )
            if _takes_rng()
            else stats.bootstrap(
                (null.contributions * null.scale,),
                np.mean,
                method="percentile",
                n_resamples=self.N_BOOT,
                confidence_level=0.95,
                random_state=np.random.default_rng(6),
            )
        )
        means = found.bootstrap_distribution
        ours, theirs = null.interval, found.confidence_interval
        error = math.sqrt(2) * self.end_error(means, 0.025)
        assert abs(ours.low - theirs.low) <= 4 * error
        assert abs(ours.high - theirs.high) <= 4 * math.sqrt(2) * self.end_error(means, 0.975)

    @pytest.mark.parametrize("name", "ABCD")
    def test_its_monte_carlo_error_is_reported(self, result, name):
        null = result.nulls[name]
        part = Contributions(null.contributions, *null.bounds, null.scale)
        ends = []
        for seed in range(25):
            found = gap_interval(part, 0.05, "percentile", seed=seed, n_boot=1000)
            ends.append([found.interval_adjusted.low, found.interval_adjusted.high])
        reported = gap_interval(part, 0.05, "percentile", seed=99, n_boot=1000).error
        observed = np.std(ends, axis=0).max()
        # Both are estimates: the spread of 25 ends, and of a few order statistics.
        assert observed / 3 <= reported <= 3 * observed

    def test_p_values_are_shares_of_the_resamples(self):
        values = np.array([0.0, 0.1, 0.3, 0.4, 0.2, 0.05])
        part = Contributions(values, -1.0, 1.0)
        tau = 0.154  # between two of the values that a mean of six can take
        found = gap_interval(part, tau, "percentile", seed=1, n_boot=4000)
        every = np.array(np.meshgrid(*[values] * 6)).reshape(6, -1).mean(axis=0)
        for share, p in (
            ((every <= tau).mean(), found.p_pass),
            ((every >= tau).mean(), found.p_fail),
        ):
            assert abs(p - share) <= 4 * math.sqrt(share * (1 - share) / 4000) + 1 / 4001

    def test_equal_scores_have_no_width(self):
        """The known collapse, which the default interval does not share."""
        percentile = system_of([FIRST] * 10, interval="percentile").nulls["C"]
        assert percentile.interval.low == pytest.approx(1, abs=1e-9)
        assert percentile.interval.high == pytest.approx(1, abs=1e-9)
        default = system_of([FIRST] * 10).nulls["C"]
        assert default.interval.low == pytest.approx(0.025 ** (1 / 10), abs=1e-7)

    def test_nineteen_of_twenty(self):
        null = system_of([FIRST] * 19 + [NOWHERE], interval="percentile", n_boot=2000).nulls["C"]
        # The number of hits in a resample is binomial(20, .95).
        assert null.interval.low == pytest.approx(stats.binom.ppf(0.025, 20, 0.95) / 20, abs=1e-9)
        assert null.interval.high == pytest.approx(1.0, abs=1e-9)

    def test_a_million_queries_are_resampled_in_little_memory(self):
        part = Contributions(np.random.default_rng(1).random(1_000_000), -1.0, 1.0)
        tracemalloc.start()
        found = gap_interval(part, 0.05, "percentile", seed=1, n_boot=30)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 100_000_000
        error = part.values.std() / 1000
        assert 0 < found.interval.high - found.interval.low < 8 * error


def _takes_rng() -> bool:
    import scipy

    return tuple(map(int, scipy.__version__.split(".")[:2])) >= (1, 15)


class TestPNull:
    @pytest.mark.parametrize(
        ("score", "draws", "expected"),
        [
            (0.6, [0.6] * 99, 1.0),
            (0.1 + 0.2, [0.3] * 99, 1.0),
            (0.3, [0.1 + 0.2] * 99, 1.0),
            (0.6, [0.5] * 99, 1 / 100),
            (0.0, [0.0] * 99, 1.0),
            (1.0, [1.0 - 1e-6] * 99, 1 / 100),
            (0.5, [0.5, 0.4, 0.6, 0.7], 4 / 5),
        ],
    )
    def test_ties_count_rounding_does_not_and_zero_is_never_reached(self, score, draws, expected):
        assert p_null(score, np.array(draws)) == pytest.approx(expected)

    def test_it_counts_the_reported_draws(self):
        result = system_of([FIRST, NOWHERE, SECOND, NOWHERE, FIRST], corpus=8, n_boot=500)
        for null in result.nulls.values():
            reached = sum(d >= result.score * (1 - 1e-9) for d in null.draws)
            assert null.p_value == (1 + reached) / 501
            assert null.p_adjusted == min(1.0, 4 * null.p_value)

    def test_a_perfect_system_on_five_queries_of_skewed_gold_does_not_pass(self):
        """A permutation restores two queries of one label for free: 2 of 120 score the same."""
        gold = ["a", "a", "b", "c", "d"]
        qrels = {f"q{i}": {g: 1} for i, g in enumerate(gold)}
        result = falsify(
            {q: list(g) for q, g in qrels.items()},
            qrels=qrels,
            corpus=10**6,
            metric="Success@1",
            n_boot=4000,
        )
        null = result.nulls["A"]
        exact = 2 / 120
        assert abs(null.p_value - exact) <= 4 * math.sqrt(exact / 4000)
        assert null.p_value > 0.0125
        assert null.verdict != "PASS"
        assert result.verdict != "PASS"


def test_gaps_of_a_system_worse_than_chance_are_negative_and_fail():
    world = random_world(41, 150, 12)
    gold = {q: set(j) for q, j in world.qrels.items()}
    worst = {q: [d for d in world.corpus if d not in gold[q]] for q in gold}
    result = falsify(worst, qrels=world.qrels, corpus=world.corpus, metric="R@5")
    assert result.score == 0
    assert all(null.delta < 0 for null in result.nulls.values())
    assert result.verdict == "FAIL"
    assert all(null.p_value == 1 for null in result.nulls.values())
