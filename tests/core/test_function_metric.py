"""A metric that is a function: called once per pair, checked, interrupted, resumed."""

from __future__ import annotations

import numpy as np
import pytest
from plain import random_world

from falsify_nb import falsify, plan
from falsify_nb.core import function_calls, function_task
from falsify_nb.errors import FunctionError, MemoryNeededError

DOCS = [f"d{i}" for i in range(12)]


def reciprocal_rank(ranking, gold):
    for rank, doc in enumerate(ranking[:5], 1):
        if doc in gold:
            return 1 / rank
    return 0


class Counting:
    """Reciprocal rank that remembers what it was asked."""

    def __init__(self):
        self.asked = []

    def __call__(self, ranking, gold):
        self.asked.append((tuple(ranking), tuple(sorted(gold.items()))))
        return reciprocal_rank(ranking, gold)


def small_world(*, n=12, single=True, seed=3):
    rng = np.random.default_rng(seed)
    weights = 1 / np.arange(1, 13)
    sizes = np.ones(n, dtype=int) if single else rng.integers(1, 4, n)
    qrels = {
        f"q{i:02d}": {
            str(d): 1.0
            for d in rng.choice(DOCS, sizes[i], replace=False, p=weights / weights.sum())
        }
        for i in range(n)
    }
    run = {q: [str(d) for d in rng.permutation(DOCS)[:6]] for q in qrels}
    return run, qrels


@pytest.mark.parametrize("single", [True, False])
def test_a_function_gives_what_the_built_in_metric_gives(single):
    run, qrels = small_world(single=single)
    options = {"qrels": qrels, "corpus": DOCS, "top_k": 5, "strict": False}
    mine = falsify(run, metric=reciprocal_rank, **options)
    built_in = falsify(run, metric="RR@5", **options)
    assert mine.score == pytest.approx(built_in.score, abs=1e-12)
    for name in "AB":
        assert mine.nulls[name].mean == pytest.approx(built_in.nulls[name].mean, abs=1e-12)
        np.testing.assert_allclose(
            mine.nulls[name].contributions, built_in.nulls[name].contributions, atol=1e-12
        )
        np.testing.assert_allclose(mine.nulls[name].draws, built_in.nulls[name].draws, atol=1e-12)
    drawn = mine.nulls["C"]
    assert abs(drawn.mean - built_in.nulls["C"].mean) <= 4 * drawn.mean_error
    assert not drawn.mean_is_exact
    other = mine.nulls["D"]
    if single:
        assert other.mean == pytest.approx(built_in.nulls["D"].mean, abs=1e-12)
    else:
        error = np.hypot(other.mean_error, built_in.nulls["D"].mean_error)
        assert abs(other.mean - built_in.nulls["D"].mean) <= 4 * error


def test_each_distinct_pair_is_called_once():
    run, qrels = small_world()
    metric = Counting()
    falsify(run, qrels=qrels, corpus=DOCS, metric=metric, top_k=5)
    assert len(metric.asked) == len(set(metric.asked))


@pytest.mark.parametrize("single", [True, False])
def test_the_plan_is_never_exceeded(single):
    run, qrels = small_world(single=single)
    metric = Counting()
    told = plan(run, qrels=qrels, corpus=DOCS, metric=metric, n_boot=150, top_k=5)
    assert not metric.asked
    falsify(run, qrels=qrels, corpus=DOCS, metric=metric, n_boot=150, top_k=5)
    assert 0 < len(metric.asked) <= told.calls
    assert told.hours(3600.0) == told.calls


def test_fewer_draws_are_made_and_said():
    run, qrels = small_world(single=False)
    result = falsify(run, qrels=qrels, corpus=DOCS, metric=reciprocal_rank, n_boot=1000)
    assert result.nulls["A"].n_draws == 1000
    assert result.nulls["C"].n_draws == result.nulls["D"].n_draws == function_task.FEWER_DRAWS
    assert any(n.code == "fewer-draws" and "200" in n.text for n in result.notices)
    assert "1,000 draws per null, 200 of C and D" in " ".join(result.to_text().split())


def test_pairs_that_are_not_drawn_are_not_called(monkeypatch):
    run, qrels = small_world(n=12)
    monkeypatch.setattr(function_task.FunctionTask, "is_full", False)
    drawn = falsify(run, qrels=qrels, corpus=DOCS, metric=reciprocal_rank, n_boot=2000, top_k=5)
    exact = falsify(run, qrels=qrels, corpus=DOCS, metric="RR@5", n_boot=2000)
    for name in "ABD":
        found = drawn.nulls[name]
        assert not found.mean_is_exact
        assert abs(found.mean - exact.nulls[name].mean) <= 4 * found.mean_error
        assert found.headroom is None
    assert any(n.code == "drawn-pairs" for n in drawn.notices)


@pytest.mark.parametrize("sizes", [(10, 10, 10, 10), (4, 8, 12, 16)])
def test_with_groups_every_pair_is_asked_for(sizes):
    run, qrels = small_world(n=40)  # 40 rankings × 12 gold sets are more than 10 draws ask for
    group = {q: f"g{i}" for q, i in zip(qrels, np.repeat(range(4), sizes), strict=True)}
    options = {"qrels": qrels, "corpus": DOCS, "groups": group, "n_boot": 10, "decision": "point"}
    found = falsify(run, metric=reciprocal_rank, top_k=5, **options)
    exact = falsify(run, metric="RR@5", **options)
    for name in "AB":
        assert found.nulls[name].mean == pytest.approx(exact.nulls[name].mean, abs=1e-12)
        np.testing.assert_allclose(
            found.nulls[name].contributions, exact.nulls[name].contributions, atol=1e-12
        )


def test_memory_that_would_not_do_is_told_before_the_first_call(monkeypatch):
    run, qrels = small_world(n=12)
    monkeypatch.setattr(function_task, "PAIR_BUDGET_BYTES", 20_000)
    asked = []

    def metric(ranking, gold):
        asked.append(ranking)
        return 0.5

    with pytest.raises(MemoryNeededError, match=r"pairs of a ranking .* 0\.0 GB"):
        falsify(run, qrels=qrels, corpus=DOCS, metric=metric, top_k=5)
    assert not asked


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "returned None"),
        (float("nan"), "returned nan"),
        ("0.5", "returned '0.5'"),
        (1.5, "outside its bounds 0 to 1"),
        (-0.1, "outside its bounds 0 to 1"),
        (0.5j, "no number"),
        ([0.5], "no number"),
    ],
)
def test_an_unusable_value_is_refused_and_counted(value, words):
    run, qrels = small_world()
    bad = sorted(qrels)[2]
    gold = qrels[bad]

    def metric(ranking, given):
        return value if (ranking, given) == (run[bad][:5], gold) else 0.5

    with pytest.raises(FunctionError, match="1 of 12 queries could not be measured") as caught:
        falsify(run, qrels=qrels, corpus=DOCS, metric=metric, top_k=5)
    assert words in str(caught.value)
    assert bad in caught.value.where


@pytest.mark.parametrize("value", [True, 1, np.float32(1), np.int64(1), np.array(1.0), np.bool_(1)])
def test_any_real_number_is_taken(value):
    run, qrels = small_world()
    result = falsify(run, qrels=qrels, corpus=DOCS, metric=lambda *_: value)
    assert result.score == 1.0


def test_an_exception_names_the_query_and_its_kind():
    run, qrels = small_world()

    def metric(ranking, gold):
        if gold == qrels["q07"] and ranking == run["q07"]:
            raise KeyError("x")
        return 0.5

    with pytest.raises(FunctionError) as caught:
        falsify(run, qrels=qrels, corpus=DOCS, metric=metric)
    assert "KeyError" in str(caught.value)
    assert "q07" in str(caught.value)
    assert isinstance(caught.value.__cause__, KeyError)


@pytest.mark.parametrize("stop", [KeyboardInterrupt, RuntimeError])
def test_what_was_scored_before_a_stop_is_kept_for_the_next_call(stop):
    run, qrels = small_world()

    class Stopping(Counting):
        limit = 100

        def __call__(self, ranking, gold):
            if len(self.asked) == self.limit:
                raise stop
            return super().__call__(ranking, gold)

    metric = Stopping()
    with pytest.raises((KeyboardInterrupt, FunctionError)):
        falsify(run, qrels=qrels, corpus=DOCS, metric=metric)
    metric.limit = None
    result = falsify(run, qrels=qrels, corpus=DOCS, metric=metric)
    assert len(metric.asked) == len(set(metric.asked))
    fresh = falsify(run, qrels=qrels, corpus=DOCS, metric=Counting())
    assert [n.to_dict() for n in result.nulls.values()] == [
        n.to_dict() for n in fresh.nulls.values()
    ]


def test_a_finished_run_keeps_nothing():
    run, qrels = small_world()
    metric = Counting()
    first = falsify(run, qrels=qrels, corpus=DOCS, metric=metric)
    asked = len(metric.asked)
    second = falsify(run, qrels=qrels, corpus=DOCS, metric=metric)
    assert len(metric.asked) == 2 * asked
    assert id(metric) not in function_calls._kept
    assert first.same_as(second)


def test_a_function_that_changes_its_arguments_changes_nothing_else():
    run, qrels = small_world()

    def spoiling(ranking, gold):
        value = reciprocal_rank(ranking, gold)
        ranking.reverse()
        gold.clear()
        return value

    options = {"qrels": qrels, "corpus": DOCS, "top_k": 5}
    spoilt = falsify(run, metric=spoiling, **options)
    clean = falsify(run, metric=reciprocal_rank, **options)
    assert [n.mean for n in spoilt.nulls.values()] == [n.mean for n in clean.nulls.values()]
    assert all(len(ranking) == 6 for ranking in run.values())
    assert all(qrels.values())


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_workers_change_nothing(n_jobs):
    joblib = pytest.importorskip("joblib")
    run, qrels = small_world()
    options = {"qrels": qrels, "corpus": DOCS, "metric": reciprocal_rank}
    with joblib.parallel_config(backend="threading"):
        parallel = falsify(run, n_jobs=n_jobs, **options)
    assert parallel.same_as(falsify(run, **options))


def test_raising_in_the_progress_hook_stops_the_work():
    run, qrels = small_world()
    seen = []

    def hook(stage, done, total):
        seen.append((stage, done, total))
        if len(seen) == 20:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        falsify(run, qrels=qrels, corpus=DOCS, metric=reciprocal_rank, progress=hook)
    assert len(seen) == 20
    assert all(0 <= done <= total for _, done, total in seen)


def test_a_corpus_by_size_is_filled_with_unseen_documents():
    run, qrels = small_world()
    names = set()

    def metric(ranking, gold):
        names.update(ranking)
        return reciprocal_rank(ranking, gold)

    falsify(run, qrels=qrels, corpus=500, metric=metric, top_k=5, n_boot=100)
    assert names > set(DOCS)
    assert all(n in DOCS or n.startswith("unseen-document-") for n in names)


def test_a_bounded_metric_of_another_range_is_judged_in_its_bounds():
    world = random_world(np.random.default_rng(5), n_queries=20)
    result = falsify(
        world.run,
        qrels=world.qrels,
        corpus=world.corpus,
        metric=lambda ranking, gold: 5.0 * reciprocal_rank(ranking, gold),
        bounds=(0, 5),
        n_boot=100,
    )
    low, high = result.nulls["C"].bounds
    assert low >= -5
    assert high <= 5
    assert high > 1
