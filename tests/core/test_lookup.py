"""Lookups of dealt gold, and what works ahead: the same whatever the memory or the processors."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from plain import random_world

from falsify_nb import falsify
from falsify_nb.core import ahead as ahead_module
from falsify_nb.core import lookup as lookup_module
from falsify_nb.core.ahead import ahead
from falsify_nb.core.draw_cache import DRAWS
from falsify_nb.core.lookup import Lookup, set_dtype


@pytest.fixture
def matrix():
    rng = np.random.default_rng(8)
    table = np.where(rng.random((9, 14)) < 0.35, rng.integers(1, 6, (9, 14)) / 7, 0.0)
    slots = rng.integers(0, 9, 40)
    draws = rng.integers(0, 14, (25, 40), dtype=set_dtype(14))
    return table, slots, draws


@pytest.fixture(params=["values", "codes", "layers", "sparse layers"])
def storage(request, monkeypatch):
    if request.param != "values":
        monkeypatch.setattr(lookup_module, "_FLOAT_TABLE_BYTES", 0)
    if "layers" in request.param:
        monkeypatch.setattr(lookup_module, "DENSE_BUDGET_BYTES", 0)
        monkeypatch.setattr(lookup_module, "_BYTES_PER_PAIR", 0)
        share = 2.0 if request.param == "sparse layers" else 0.0
        monkeypatch.setattr(lookup_module, "_SPARSE", share)
    return request.param


def build(table, slots):
    row, column = np.nonzero(table)
    return Lookup.build(slots, table.shape, row, column, table[row, column])


@pytest.mark.parametrize("chunk", [7, 64, 8192])
def test_totals_are_plain_sums(matrix, storage, chunk, monkeypatch):
    monkeypatch.setattr(lookup_module, "_CHUNK_SLOTS", chunk)
    table, slots, draws = matrix
    lookup = build(table, slots)
    assert (lookup.dense is None) is ("layers" in storage)
    assert (lookup.palette is None) is (storage != "codes")
    plain = table[slots, draws].sum(axis=1)
    # Once more with fewer draws: memory is used again.
    for few in (len(draws), 3, 1):
        np.testing.assert_allclose(lookup.totals(draws[:few]), plain[:few], rtol=1e-12)


@pytest.mark.parametrize("metric", ["nDCG@3", "RR@3", "AP@4", "R@2_top1"])
def test_neither_memory_nor_processors_change_a_draw(metric, monkeypatch):
    world = random_world(np.random.default_rng(11), n_queries=25)

    def gate():
        DRAWS.clear()
        options = {"metric": metric, "corpus": world.corpus, "n_boot": 300, "strict": False}
        return falsify(world.run, qrels=world.qrels, **options)

    monkeypatch.setattr(ahead_module, "_WORTH_A_THREAD", 0.0)
    usual = gate()
    monkeypatch.setattr(ahead_module, "_WORTH_A_THREAD", np.inf)
    monkeypatch.setattr(lookup_module, "_FLOAT_TABLE_BYTES", 0)
    monkeypatch.setattr(lookup_module, "DENSE_BUDGET_BYTES", 0)
    monkeypatch.setattr(lookup_module, "_BYTES_PER_PAIR", 0)
    monkeypatch.setattr("falsify_nb.core.pairs._CHUNK_TRIPLES", 7)
    monkeypatch.setattr(ahead_module, "_MOST_WORKERS", 1)
    monkeypatch.setattr(DRAWS, "budget", 0)
    other = gate()
    for name in "ABCD":
        np.testing.assert_allclose(
            usual.nulls[name].draws, other.nulls[name].draws, rtol=1e-12, atol=1e-15
        )
        assert usual.nulls[name].mean == pytest.approx(other.nulls[name].mean, abs=1e-14)
        assert usual.nulls[name].verdict == other.nulls[name].verdict


@pytest.mark.parametrize("worth", [0.0, np.inf])
def test_working_ahead_keeps_the_order_and_starts_no_thread_for_little(worth, monkeypatch):
    monkeypatch.setattr(ahead_module, "_WORTH_A_THREAD", worth)
    here, names = threading.current_thread().name, []

    def make(item):
        names.append(threading.current_thread().name)
        return item * item

    assert list(ahead(make, [3])) == [9]
    assert names == [here]
    assert list(ahead(make, range(50))) == [i * i for i in range(50)]
    assert (set(names) == {here}) is (worth > 0)


@pytest.mark.parametrize("worth", [0.0, np.inf])
def test_an_error_ahead_is_raised_in_its_turn(worth, monkeypatch):
    monkeypatch.setattr(ahead_module, "_WORTH_A_THREAD", worth)

    def make(item):
        if item == 7:
            raise ZeroDivisionError
        return item

    source = ahead(make, range(20))
    assert [next(source) for _ in range(7)] == list(range(7))
    with pytest.raises(ZeroDivisionError):
        next(source)


def test_without_threads_to_be_had_all_is_made_on_the_spot(monkeypatch):
    monkeypatch.setattr(ahead_module, "_WORTH_A_THREAD", 0.0)

    def start(_thread):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", start)
    assert list(ahead(lambda i: i * i, range(20))) == [i * i for i in range(20)]
