"""Draws made ahead of need: the same draws, made once, and no thread left behind."""

import os
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from falsify_nb import falsify
from falsify_nb.core import draw_cache
from falsify_nb.core.draw_cache import DRAWS, DrawCache, Source, unchanged

N_DRAWS, ENTRIES = 2560, 1000


@pytest.fixture(autouse=True)
def two_processors(monkeypatch):
    monkeypatch.setattr(draw_cache.os, "cpu_count", lambda: 2)


def source(made=None, delay=0.0, fails_at=None, **options):
    def make(block):
        if made is not None:
            made.append((block.number, threading.current_thread().name))
        if block.number == fails_at:
            raise ZeroDivisionError
        time.sleep(delay)
        return block.rng.integers(0, 9, (block.length, ENTRIES))

    options = {"alongside": True, **options}
    return Source((b"gold", b""), "uniform", 5, ENTRIES, make, **options)


def taken(cache, origin):
    return np.concatenate([drawn for _, drawn in cache.blocks(origin, N_DRAWS, unchanged)])


def test_draws_made_ahead_are_the_same_and_made_once():
    expected = taken(DrawCache(), source())
    made, cache = [], DrawCache()
    origin = source(made)
    with cache.making([origin], N_DRAWS):
        time.sleep(0.05)
        np.testing.assert_array_equal(taken(cache, origin), expected)
    assert [number for number, _ in sorted(made)] == list(range(10))
    assert threading.current_thread().name not in {name for _, name in made}
    np.testing.assert_array_equal(taken(cache, source(fails_at=0)), expected)


def test_who_needs_a_block_that_is_not_begun_makes_it_himself():
    made, cache = [], DrawCache()
    origin = source(made, delay=0.01)
    expected = taken(DrawCache(), source())
    with cache.making([origin], N_DRAWS):
        backwards = [(b, cache._taken(origin, b, N_DRAWS)) for b in [*origin.blocks(N_DRAWS)][::-1]]
    found = np.concatenate([drawn for _, drawn in backwards[::-1]])
    np.testing.assert_array_equal(found, expected)
    assert [number for number, _ in sorted(made)] == list(range(10))
    assert len({name for _, name in made}) == 2


def test_leaving_early_stops_the_thread():
    made, cache = [], DrawCache()
    before = threading.active_count()
    with pytest.raises(KeyboardInterrupt), cache.making([source(made, delay=0.02)], N_DRAWS):
        raise KeyboardInterrupt
    assert threading.active_count() == before
    assert len(made) < 10
    assert not cache._coming


def test_an_error_is_raised_where_the_block_is_needed():
    cache = DrawCache()
    origin = source(fails_at=3)
    with cache.making([origin], N_DRAWS):
        blocks = cache.blocks(origin, N_DRAWS, unchanged)
        assert [next(blocks)[0].number for _ in range(3)] == [0, 1, 2]
        with pytest.raises(ZeroDivisionError):
            next(blocks)


@pytest.mark.parametrize(
    ("origin", "budget"),
    [
        (source(alongside=False), draw_cache.CACHE_BUDGET_BYTES),
        (source(), 1000),  # would not be kept, and must not pile up
    ],
)
def test_no_thread_where_it_would_not_help(origin, budget):
    cache = DrawCache(budget)
    before = threading.active_count()
    with cache.making([origin], N_DRAWS):
        assert threading.active_count() == before
    with DrawCache().making([origin], 10):
        assert threading.active_count() == before


def test_no_thread_for_what_is_held():
    cache = DrawCache()
    taken(cache, source())
    before = threading.active_count()
    with cache.making([source()], N_DRAWS):
        assert threading.active_count() == before


@pytest.mark.parametrize("metric", ["nDCG@3", "RR@3"])
def test_a_gate_is_the_same_with_and_without(metric, monkeypatch):
    rng = np.random.default_rng(4)
    docs = [f"d{i}" for i in range(30)]
    qrels = {f"q{i:04d}": {docs[int(rng.integers(30) ** 2 / 30)]: 1} for i in range(400)}
    run = {q: rng.permutation(docs)[:5].tolist() for q in qrels}

    def gate():
        DRAWS.clear()
        return falsify(run, qrels=qrels, corpus=docs, metric=metric, n_boot=2000)

    with_thread = gate()
    monkeypatch.setattr(draw_cache, "_WORTH_A_THREAD", 1 << 60)
    assert with_thread.same_as(gate())


def test_cancelling_a_gate_leaves_no_thread(monkeypatch):
    monkeypatch.setattr(draw_cache, "_WORTH_A_THREAD", 0)
    qrels = {f"q{i:03d}": {f"d{i % 7}": 1} for i in range(300)}
    run = {q: ["d1", "d2", "d3"] for q in qrels}
    DRAWS.clear()
    before = threading.active_count()

    def progress(stage, done, total):
        raise InterruptedError

    with pytest.raises(InterruptedError):
        falsify(run, qrels=qrels, metric="nDCG@3", progress=progress)
    assert threading.active_count() == before
    assert not DRAWS._coming


def no_threads(_thread):
    raise RuntimeError("can't start new thread")


def test_without_a_thread_to_be_had_all_goes_on_alone(monkeypatch):
    expected = taken(DrawCache(), source())
    monkeypatch.setattr(threading.Thread, "start", no_threads)
    cache, made = DrawCache(), []
    origin = source(made)
    with cache.making([origin], N_DRAWS):
        np.testing.assert_array_equal(taken(cache, origin), expected)
    assert {name for _, name in made} == {threading.current_thread().name}


def test_a_gate_runs_while_the_interpreter_ends():
    """A thread that outlives the main one may gate, though none can be started any more."""
    code = """
import threading, time
from falsify_nb import falsify
from falsify_nb.core import ahead, draw_cache
draw_cache._WORTH_A_THREAD, ahead._WORTH_A_THREAD = 0, 0.0
qrels = {f"q{i}": {f"d{i % 7}": 1} for i in range(300)}
run = {q: [*docs, f"x{q}"] for q, docs in qrels.items()}
def work():
    time.sleep(0.5)
    for metric in ("nDCG@3", "RR@3"):
        print(falsify(run, qrels=qrels, metric=metric, progress=lambda *_: None).verdict)
threading.Thread(target=work).start()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert not done.stderr
    assert done.stdout.split() == ["PASS", "PASS"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks here")
def test_a_forked_process_waits_for_no_thread_of_its_parent():
    code = """
import os, threading
from falsify_nb.core.draw_cache import DRAWS, Source, unchanged
begun, go_on = threading.Event(), threading.Event()
def make(block):
    begun.set()
    go_on.wait(20)
    return block.rng.integers(0, 9, (block.length, 1000))
slow = Source((b"g", b""), "uniform", 5, 1000, make, alongside=True)
with DRAWS.making([slow], 1024):
    begun.wait()
    child = os.fork()
    if not child:
        go_on.set()
        found = [drawn for _, drawn in DRAWS.blocks(slow, 1024, unchanged)]
        os._exit(0 if len(found) == 4 else 1)
    go_on.set()
    raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    warned = "-Wignore::DeprecationWarning"  # that it forks with threads is the point
    done = subprocess.run([sys.executable, warned, "-c", code], timeout=60, check=False)
    assert done.returncode == 0


def test_a_gate_within_a_gate_gives_the_thread_back():
    cache = DrawCache()
    with cache.making([source()], N_DRAWS):
        outer = cache._mine.pool
        with cache.making([source(delay=0.001)], N_DRAWS):
            assert cache._mine.pool is not outer
        assert cache._mine.pool is outer
    assert cache._mine.pool is None
