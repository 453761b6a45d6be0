"""Random samples without replacement, each from a number of its own."""

from collections import Counter
from itertools import permutations

import numpy as np
import pytest
from scipy.stats import chisquare

from falsify_nb.core import random_retrieval
from falsify_nb.core.random_retrieval import _subsets_of_each


@pytest.mark.parametrize("most_steps", [16, 0], ids=["step by step", "class by class"])
@pytest.mark.parametrize("size", [1, 2, 3])
def test_every_ordered_sample_is_equally_likely(size, most_steps, monkeypatch):
    monkeypatch.setattr(random_retrieval, "_MOST_STEPS", most_steps)
    of = np.tile([3, 5, 4], 20_000)
    drawn = _subsets_of_each(np.random.default_rng(4), size, of)
    for n in (3, 4, 5):
        seen = Counter(map(tuple, drawn[of == n].tolist()))
        orders = set(permutations(range(n), size))
        assert set(seen) == orders
        # Eighteen such tests in all, with a fixed seed.
        assert chisquare([seen[o] for o in orders]).pvalue > 1e-4


def test_a_sample_of_all_is_an_order_of_all():
    drawn = _subsets_of_each(np.random.default_rng(1), 12, np.full(50, 12))
    assert (np.sort(drawn, axis=1) == np.arange(12)).all()
