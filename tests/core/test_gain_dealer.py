"""Gains dealt out: every order equally likely, every query for itself."""

from collections import Counter
from itertools import permutations

import numpy as np
import pytest
from scipy.stats import chisquare

from falsify_nb.core.gain_dealer import GainDealer
from falsify_nb.core.streams import Block

GAINS = [[1, 0, 0, 2], [3], [0, 0, 0], [1, 1, 2], [2, 0, 1, 3], [1, 0]]


def dealt(gains, n, seed=0):
    sizes = np.array([len(g) for g in gains])
    first = np.repeat(np.cumsum(sizes) - sizes, sizes)
    dealer = GainDealer(first, np.concatenate(gains), np.repeat(sizes, sizes))
    out = dealer.deal(Block(seed, "marginal", 0, 0, n, n))
    return dealer, np.split(out, np.cumsum(sizes)[:-1], axis=1)


@pytest.mark.parametrize("query", range(len(GAINS)))
def test_every_order_of_a_querys_gains_is_equally_likely(query):
    n = 24_000
    _, parts = dealt(GAINS, n)
    seen = Counter(map(tuple, parts[query].tolist()))
    orders = set(permutations(GAINS[query]))
    assert set(seen) == orders
    if len(orders) > 1:
        # One test in ten thousand may fail by chance; the seed is fixed.
        assert chisquare([seen[o] for o in orders]).pvalue > 1e-4


def test_queries_are_dealt_independently():
    _, parts = dealt([[0, 1], [0, 1], [0, 0, 1]], 20_000)
    places = [part.argmax(axis=1) for part in parts]
    counts = np.zeros((2, 2, 3))
    np.add.at(counts, tuple(places), 1)
    assert chisquare(counts.ravel()).pvalue > 1e-4


def test_nothing_is_placed_where_gains_are_alike():
    dealer, parts = dealt([[1, 1], [0], [2, 2, 2]], 3)
    assert len(dealer) == 0
    assert [part.tolist() for part in parts] == [[[1, 1]] * 3, [[0]] * 3, [[2, 2, 2]] * 3]


def test_only_gains_unlike_the_most_frequent_are_placed():
    dealer, _ = dealt([[5, 5, 5, 0], [0, 0, 1, 2, 0]], 1)
    assert len(dealer) == 3
