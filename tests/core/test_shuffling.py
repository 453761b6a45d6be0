"""Shuffled rows: every order equally likely, ties of the keys included."""

from collections import Counter
from itertools import permutations

import numpy as np
import pytest
from scipy.stats import chisquare

from falsify_nb.core import shuffling
from falsify_nb.core.shuffling import releases_interpreter, shuffled

ROWS = [[0, 1, 2, 3], [0, 0, 1, 2], [0, 0, 0, 0, 1], [1, 0]]


def check_orders(row, n=24_000):
    found = shuffled(np.random.default_rng(3), np.array(row), 4, n)
    assert found.shape == (n, len(row))
    seen = Counter(map(tuple, found.tolist()))
    orders = set(permutations(row))
    assert set(seen) == orders
    assert chisquare([seen[order] for order in orders]).pvalue > 1e-4


@pytest.mark.parametrize("row", ROWS)
def test_every_order_is_equally_likely(row):
    assert releases_interpreter(len(row), 4)
    check_orders(row)


@pytest.mark.parametrize("row", ROWS)
def test_keys_that_are_alike_do_not_favour_an_order(row, monkeypatch):
    """With keys of three bits most rows have two alike; sorted as they are, low entries lead."""
    words = shuffling._random_words
    monkeypatch.setattr(shuffling, "_random_words", lambda rng, n: words(rng, n) & 0b11111)
    check_orders(row)


@pytest.mark.parametrize("row", ROWS[:3])
def test_rows_too_long_for_such_keys_are_shuffled_by_numpy(row, monkeypatch):
    monkeypatch.setattr(shuffling, "_BITS", 4)
    assert not releases_interpreter(len(row), 4)
    check_orders(row)


@pytest.mark.parametrize(("n", "n_kinds"), [(2_000, 200), (1_000, 1_000), (323, 323), (1, 1)])
def test_keys_are_long_enough_where_they_are_used(n, n_kinds):
    """At most one row in four is drawn again: n²/2 pairs, each alike with chance 2^−bits."""
    assert releases_interpreter(n, n_kinds)
    bits = 32 - (n_kinds - 1).bit_length()
    assert 1 - np.exp(-n * (n - 1) / 2 / 2**bits) <= 0.25


def test_longer_rows_are_not():
    assert not releases_interpreter(10_000, 200)
    assert not releases_interpreter(3_000, 3_000)


def test_only_two_kinds_or_one():
    rng = np.random.default_rng(1)
    assert not shuffled(rng, np.zeros(7, dtype=np.int64), 1, 3).any()
    assert shuffled(rng, np.array([1] * 300), 2, 2).all()
