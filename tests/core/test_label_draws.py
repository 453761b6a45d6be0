"""Null D's probabilities and draws keep the margins; draws of gold belong to the benchmark."""

from __future__ import annotations

import math

import numpy as np
import pytest
from plain import Measure, inclusion_probabilities, random_world

from falsify_nb import falsify
from falsify_nb.core.benchmark import Benchmark, Gold
from falsify_nb.core.contributions import Units
from falsify_nb.core.draw_cache import DRAWS, DrawCache, unchanged
from falsify_nb.core.label_draws import draw_sets, draws_of_sets
from falsify_nb.core.marginal_draws import MarginalDraws, Meetings
from falsify_nb.core.marginals import Marginals
from falsify_nb.core.metrics import parse_metric
from falsify_nb.core.streams import blocks
from falsify_nb.io.adapt import to_qrels

REAL = [
    "adi/qrels.txt",
    "bright-pony/qrels.txt",
    "cranfield/qrels.txt",
    "dl19-passage/qrels.txt",
    "med/qrels.txt",
    "scifact/qrels.txt",
    "qrels/qrels.backgroundlinking18.txt.gz",
    "qrels/qrels.beir-v1.0.0-nfcorpus.test.txt",
    "qrels/qrels.bright-leetcode.txt",
]


def gold_of(qrels, metric="nDCG@10"):
    measure = parse_metric(metric)
    benchmark = Benchmark.build(to_qrels(qrels), measure.rel)
    return benchmark, Gold.of(benchmark, measure)


def drawn(gold, n, seed=2026):
    """The documents and gains of n draws of Null D, with the query of each slot."""
    units = Units.single(len(gold.norm))
    source = MarginalDraws(gold, Marginals.fit(gold), units)
    parts = [source.draw(b) for b in blocks(seed, "marginal", n, len(source.owner))]
    docs = np.concatenate([source.documents(p) for p in parts])[:n]
    gains = None if parts[0].gains is None else np.concatenate([source.gains(p) for p in parts])[:n]
    return source.owner, docs, gains


class TestProbabilities:
    @pytest.mark.parametrize("seed", range(6))
    @pytest.mark.parametrize("same_gold", [0, 4])
    def test_they_are_those_of_an_independent_solver(self, seed, same_gold):
        world = random_world(seed, 14, 10, most_gold=4, skew=1.5, same_gold=same_gold)
        expected = inclusion_probabilities(world.golds(Measure("R", 3)))
        benchmark, gold = gold_of(world.qrels, "R@3")
        model = Marginals.fit(gold)
        for (i, doc), pi in expected.items():
            place = np.array([np.flatnonzero(benchmark.gold_ids == doc)[0]])
            assert model.of(np.array([i]), place)[0] == pytest.approx(pi, abs=1e-7)

    @pytest.mark.parametrize("path", REAL)
    def test_on_real_judgments_both_margins_hold_and_the_odds_are_a_product(self, data_dir, path):
        """Those two properties have one solution, that of greatest entropy."""
        _, gold = gold_of(str(data_dir / path), "R@10")
        model = Marginals.fit(gold)
        n_of, m_of = np.bincount(model.size_class), np.bincount(model.freq_class)
        size = np.array([gold.sizes[model.size_class == a][0] for a in range(len(n_of))])
        freq = np.array([gold.frequency[model.freq_class == b][0] for b in range(len(m_of))])
        np.testing.assert_allclose(model.pi @ m_of, size, atol=1e-8)
        np.testing.assert_allclose(n_of @ model.pi, freq, atol=1e-8)
        inner = model.pi[:, (model.pi > 0).all(axis=0) & (model.pi < 1).all(axis=0)]
        log_odds = np.log(inner) - np.log1p(-inner)
        product = log_odds[:, :1] + log_odds[:1] - log_odds[0, 0]
        np.testing.assert_allclose(log_odds, product, atol=1e-6)

    def test_with_single_gold_they_are_frequencies(self):
        world = random_world(3, 20, 6, most_gold=1)
        _, gold = gold_of(world.qrels)
        everyone, everything = np.arange(20), np.arange(gold.n_docs)
        pi = Marginals.fit(gold).of(everyone[:, None], everything[None, :])
        np.testing.assert_allclose(pi, np.tile(gold.frequency / 20, (20, 1)), atol=1e-9)

    def test_a_document_relevant_to_all_queries_is_always_drawn(self):
        qrels = {f"q{i}": {"all": 1, f"d{i}": 1, f"d{i + 1}": 1} for i in range(6)}
        benchmark, gold = gold_of(qrels, "R@3")
        place = np.flatnonzero(benchmark.gold_ids == "all")
        np.testing.assert_array_equal(
            Marginals.fit(gold).of(np.arange(6), np.repeat(place, 6)), np.ones(6)
        )
        owner, docs, _ = drawn(gold, 200)
        for query in range(6):
            assert (docs[:, owner == query] == place[0]).any(axis=1).all()

    def test_queries_that_take_everything_left_are_settled_too(self):
        docs = [f"d{i}" for i in range(5)]
        qrels = {"q0": dict.fromkeys(docs, 1), "q1": {"d0": 1}, "q2": {"d1": 1, "d2": 1}}
        _, gold = gold_of(qrels, "R@3")
        pi = Marginals.fit(gold).of(np.arange(3)[:, None], np.arange(5)[None, :])
        np.testing.assert_allclose(pi[0], np.ones(5), atol=1e-12)
        np.testing.assert_allclose(pi.sum(axis=1), [5, 1, 2], atol=1e-8)
        np.testing.assert_allclose(pi.sum(axis=0), gold.frequency, atol=1e-8)


@pytest.mark.parametrize(
    ("path", "metric", "n"),
    [
        ("bright-pony/qrels.txt", "nDCG@10", 500),
        ("adi/qrels.txt", "nDCG@10", 500),
        ("cranfield/qrels.txt", "nDCG@10", 300),
        ("scifact/qrels.txt", "nDCG@10", 300),
    ],
)
def test_draws_on_real_judgments_keep_both_margins(data_dir, path, metric, n):
    _, gold = gold_of(str(data_dir / path), metric)
    model = Marginals.fit(gold)
    owner, docs, gains = drawn(gold, n)
    np.testing.assert_array_equal(np.sort(owner), np.sort(gold.owner))
    for query in range(len(gold.sizes)):
        mine = np.sort(docs[:, owner == query], axis=1)
        assert mine.shape[1] == gold.sizes[query]
        assert (np.diff(mine, axis=1) > 0).all(), "a document came twice"
    per_draw = np.array([np.bincount(row, minlength=gold.n_docs) for row in docs])
    pi = model.pi[model.size_class][:, model.freq_class]
    # Queries draw independently, so the variance of a document's count is Σ π(1 − π); drawn in
    # a shared order they are at most a little off it.
    error = np.sqrt((pi * (1 - pi)).sum(axis=0) / n)
    off = np.abs(per_draw.mean(axis=0) - gold.frequency)
    # 4 s.e. for all documents at once, among thousands: Bonferroni makes it 5.
    assert (off <= 5 * error + 1e-9).all()
    if gains is not None:
        for query in range(len(gold.sizes)):
            dealt = np.sort(gains[:, owner == query], axis=1)
            own = np.sort(gold.gain[gold.indptr[query] : gold.indptr[query + 1]])
            np.testing.assert_array_equal(dealt, np.tile(own, (n, 1)))


def test_each_query_meets_each_document_as_often_as_its_probability_says():
    world = random_world(4, 8, 7, most_gold=4, skew=1.5)
    _, gold = gold_of(world.qrels, "R@3")
    n = 4000
    owner, docs, _ = drawn(gold, n)
    pi = Marginals.fit(gold).of(np.arange(8)[:, None], np.arange(gold.n_docs)[None, :])
    for query in range(8):
        mine = docs[:, owner == query]
        share = np.array([(mine == d).any(axis=1).mean() for d in range(gold.n_docs)])
        error = np.sqrt(pi[query] * (1 - pi[query]) / n)
        assert (np.abs(share - pi[query]) <= 4 * error + 1e-9).all()


@pytest.mark.parametrize("sizes", ["many", "few"])
@pytest.mark.parametrize("grouped", [False, True])
def test_what_a_ranking_meets_is_what_all_documents_dealt_would_show(sizes, grouped):
    n, most, n_pairs = 60, *{"many": (30, 8), "few": (2, 300)}[sizes]
    qrels = {
        f"q{i:02d}": {f"d{(7 * i + k) % 40:02d}": 1.0 for k in range(1 + i % most)}
        for i in range(n)
    }
    _, gold = gold_of(qrels, "R@3")
    units = Units.of_groups(np.arange(n) // 3) if grouped else Units.single(n)
    source = MarginalDraws(gold, Marginals.fit(gold), units)
    query, doc = (a.ravel() for a in np.meshgrid(range(n), source.live, indexing="ij"))
    some = np.sort(np.random.default_rng(12).choice(len(query), n_pairs, replace=False))
    query, doc = query[some], doc[some]
    meetings = Meetings(source, query, doc)
    assert meetings.by_size is (sizes == "few")
    for block in blocks(7, "marginal", 200, len(source.owner)):
        dealt = source.draw(block)
        draws, pairs, slots = meetings.of_draws(dealt, block.length - 1)
        assert draws.max() == block.length - 2
        for row, docs in enumerate(source.documents(dealt)):
            table = {}
            for slot, (q, d) in enumerate(zip(source.owner, docs, strict=True)):
                table[q, d] = slot - source.first_slot[q]
            expected = {
                (p, table[pair])
                for p, pair in enumerate(zip(query, doc, strict=True))
                if pair in table
            }
            if row < block.length - 1:
                mine = draws == row
                assert (np.diff(pairs[mine]) > 0).all()
                assert set(zip(pairs[mine], slots[mine], strict=True)) == expected


def test_gains_are_dealt_to_a_querys_documents_evenly():
    qrels = {f"q{i}": {f"d{j}": float(1 + (i + j) % 4) for j in range(i % 3, 4)} for i in range(9)}
    _, gold = gold_of(qrels, "nDCG@10")
    n = 4000
    owner, _, gains = drawn(gold, n)
    for slot in range(len(owner)):
        own = gold.gain[gold.indptr[owner[slot]] : gold.indptr[owner[slot] + 1]]
        error = own.std() / math.sqrt(n)
        assert abs(gains[:, slot].mean() - own.mean()) <= 4.5 * error + 1e-12


@pytest.mark.parametrize("kind", ["permuted", "uniform"])
def test_whole_sets_are_dealt_with_the_right_frequencies(kind):
    world = random_world(5, 10, 8, same_gold=4)
    _, gold = gold_of(world.qrels)
    n = 3000
    dealt = np.concatenate(
        [draw_sets(gold, kind, b, Units.single(10)) for b in blocks(1, kind, n, 10)]
    )[:n]
    n_sets = len(gold.set_query)
    if kind == "permuted":
        for row in dealt:
            assert sorted(row) == sorted(gold.gold_set)
        share = np.bincount(gold.gold_set, minlength=n_sets) / 10
    else:
        share = np.full(n_sets, 1 / n_sets)
    for query in range(10):
        seen = np.bincount(dealt[:, query], minlength=n_sets) / n
        assert (np.abs(seen - share) <= 4.5 * np.sqrt(share * (1 - share) / n)).all()


class Spy:
    """Watches what the nulls are dealt."""

    def __init__(self, monkeypatch):
        self.dealt = []
        original = DrawCache.blocks

        def blocks(cache, source, n_draws, use, **options):
            def watched(block, drawn):
                docs = getattr(drawn, "docs", drawn)
                # What is drawn of the corpus each metric reads otherwise.
                if source.component != "retrieval":
                    self.dealt.append((source.component, block.first, docs.tobytes()))
                return use(block, drawn)

            return original(cache, source, n_draws, watched, **options)

        monkeypatch.setattr(DrawCache, "blocks", blocks)

    def take(self):
        found = sorted(set(self.dealt))
        self.dealt = []
        return found


OTHER_SYSTEM = random_world(99, 12, 10, most_gold=3).run


@pytest.mark.parametrize(
    ("metric", "other"),
    [
        ("R@3", "R@3"),
        ("R@3", "P@5"),
        ("R@3", "RR@10"),
        ("RR", "Success@2"),
        ("nDCG@3", "nDCG@10"),
        ("R@3_top1", "RR@5_top1"),
    ],
)
def test_every_system_and_metric_on_one_gold_is_dealt_the_same(monkeypatch, metric, other):
    world = random_world(6, 12, 10)
    spy = Spy(monkeypatch)
    options = {"qrels": world.qrels, "corpus": world.corpus, "n_boot": 150, "strict": False}
    falsify(world.run, metric=metric, **options)
    first = {row[:2]: row[2] for row in spy.take()}
    DRAWS.clear()
    falsify(OTHER_SYSTEM, metric=other, **options)
    second = {row[:2]: row[2] for row in spy.take()}
    shared = first.keys() & second.keys()
    assert {component for component, _ in shared} == {"permuted", "uniform", "marginal"}
    assert all(first[place] == second[place] for place in shared)


def test_another_seed_deals_otherwise(monkeypatch):
    world = random_world(6, 12, 10)
    spy = Spy(monkeypatch)
    options = {"qrels": world.qrels, "corpus": world.corpus, "n_boot": 100, "metric": "R@3"}
    falsify(world.run, seed=1, **options)
    first = {row[:2]: row[2] for row in spy.take()}
    falsify(world.run, seed=2, **options)
    second = {row[:2]: row[2] for row in spy.take()}
    assert all(first[place] != second[place] for place in first)


@pytest.mark.parametrize("metric", ["nDCG@3", "RR@3"])
def test_fewer_draws_are_the_first_of_more(metric):
    world = random_world(7, 12, 10)
    options = {"qrels": world.qrels, "corpus": world.corpus, "metric": metric}
    few = falsify(world.run, n_boot=200, **options)
    many = falsify(world.run, n_boot=1000, **options)
    for name, null in few.nulls.items():
        np.testing.assert_array_equal(null.draws, many.nulls[name].draws[:200])


@pytest.mark.parametrize("metric", ["nDCG@3", "RR@3"])
def test_what_is_held_in_memory_changes_nothing(monkeypatch, metric):
    world = random_world(8, 12, 10)
    options = {"qrels": world.qrels, "corpus": world.corpus, "metric": metric, "n_boot": 300}
    DRAWS.clear()
    cold = falsify(world.run, **options)
    warm = falsify(world.run, **options)
    monkeypatch.setattr(DRAWS, "budget", 0)
    DRAWS.clear()
    without = falsify(world.run, **options)
    assert cold.same_as(warm)
    assert cold.same_as(without)


def test_memory_is_kept_within_its_budget_and_given_back():
    _, gold = gold_of(random_world(9, 12, 10).qrels)
    cache = DrawCache(budget=100_000)
    for seed in range(20):
        source = draws_of_sets(gold, "permuted", Units.single(12), seed)
        for _ in cache.blocks(source, 300, unchanged):
            pass
        assert sum(d.nbytes for d in cache._held.values()) <= 100_000
    assert cache._held
    cache.clear()
    assert not cache._held


def test_random_lists_drawn_for_one_metric_or_corpus_are_not_taken_for_another():
    world = random_world(8, 12, 10)
    every = [(m, c) for m in ("nDCG@3", "nDCG@2", "RR@3", "R@3") for c in (12, 40)]

    def draws(metric, corpus):
        options = {"qrels": world.qrels, "corpus": corpus, "n_boot": 100, "strict": False}
        return falsify(world.run, metric=metric, **options).nulls["C"].draws

    cold = []
    for metric, corpus in every:
        DRAWS.clear()
        cold.append(draws(metric, corpus))
    for (metric, corpus), expected in zip(every, cold, strict=True):
        np.testing.assert_array_equal(draws(metric, corpus), expected)
        np.testing.assert_array_equal(draws(metric, corpus), expected)
