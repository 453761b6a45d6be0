"""What must not change a result: order, hashing, names, scale, chunks, other queries' absence."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plain import World, random_world

from falsify_nb import falsify

METRICS = ["nDCG@3", "RR@3", "R@3_top1", "AP@4"]
every_metric = pytest.mark.parametrize("metric", METRICS)


FULL = {"decision": "interval", "n_boot": 100}


def gate(world, **options):
    # Deciding by the point leaves all figures as they are, and spares how many queries it takes.
    cheap = {"decision": "point", "n_boot": 64, "strict": False}
    options = {"metric": "nDCG@3", "corpus": world.corpus} | cheap | options
    return falsify(world.run, qrels=world.qrels, **options)


def shuffled(mapping, rng):
    keys = list(mapping)
    return {keys[i]: mapping[keys[i]] for i in rng.permutation(len(keys))}


def reordered(world, seed):
    rng = np.random.default_rng(seed)
    return World(
        {q: shuffled(j, rng) for q, j in shuffled(world.qrels, rng).items()},
        {q: shuffled(r, rng) for q, r in shuffled(world.run, rng).items()},
        [world.corpus[i] for i in rng.permutation(len(world.corpus))],
    )


@every_metric
@pytest.mark.parametrize("seed", [1, 2])
def test_the_order_of_dicts_and_of_the_corpus_changes_nothing(metric, seed):
    world = random_world(seed, 14, 10)
    options = FULL | {"metric": metric, "strict": True}
    assert gate(world, **options).same_as(gate(reordered(world, seed), **options))


def test_the_order_of_rows_changes_nothing():
    world = random_world(3, 14, 10)
    rows = [(q, d, s) for q, r in world.run.items() for d, s in r.items()]
    judged = [(q, d, g) for q, j in world.qrels.items() for d, g in j.items()]
    results = []
    for seed in (1, 2, 3):
        rng = np.random.default_rng(seed)
        run = [rows[i] for i in rng.permutation(len(rows))]
        qrels = [judged[i] for i in rng.permutation(len(judged))]
        results.append(gate(World(qrels, run, world.corpus)))
    assert results[0].same_as(results[1])
    assert results[0].same_as(results[2])


SCRIPT = """
import json, sys
sys.path.insert(0, sys.argv[1])
from plain import random_world
from falsify_nb import falsify
world = random_world(4, 14, 10)
turned = sys.argv[2] == "reversed"
def order(mapping):
    return dict(list(mapping.items())[::-1]) if turned else mapping
qrels = order({q: order(j) for q, j in world.qrels.items()})
run = order({q: order(r) for q, r in world.run.items()})
for metric in ("nDCG@3", "RR@3"):
    result = falsify(run, qrels=qrels, metric=metric, seed=7, n_boot=100)
    print(result.to_json())
"""


def test_another_process_with_other_hashing_and_order_finds_the_same(root):
    outputs = set()
    for hash_seed, order in (("0", "as inserted"), ("1", "reversed"), ("random", "reversed")):
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT, str(root / "tests" / "support"), order],
            env=os.environ | {"PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=True,
            cwd=root,
        )
        outputs.add(done.stdout)
    assert len(outputs) == 1
    assert [json.loads(line)["n_queries"] for line in outputs.pop().splitlines()] == [14, 14]


def renamed(world, docs=lambda d: d, queries=lambda q: q):
    return World(
        {queries(q): {docs(d): g for d, g in j.items()} for q, j in world.qrels.items()},
        {queries(q): {docs(d): s for d, s in r.items()} for q, r in world.run.items()},
        [docs(d) for d in world.corpus],
    )


def figures(result):
    """Everything but names."""
    data = result.to_dict() | {"query_ids": None, "texts": None}
    data["labels"] = data["labels"] | {"top": None}
    data["notices"] = [n | {"examples": None} for n in data["notices"]]
    data["protocol"] = data["protocol"] | {"corpus": None}
    return data


PREFIXES = {"longer": "prefix/", "numbers": "0", "beyond ASCII": "über-文書-\U0001f600"}


@every_metric
@pytest.mark.parametrize("prefix", PREFIXES.values(), ids=PREFIXES)
def test_new_names_in_the_same_order_change_no_figure(metric, prefix):
    world = random_world(5, 14, 10)
    again = renamed(world, lambda d: prefix + d, lambda q: prefix + q)
    assert figures(gate(world, metric=metric)) == figures(gate(again, metric=metric))


@settings(max_examples=12, deadline=None)
@given(st.sets(st.text("abXYZ019é語", min_size=1, max_size=6), min_size=24, max_size=24))
def test_any_names_in_the_same_order_change_no_figure(names):
    world = random_world(6, 14, 10)
    names = sorted(names)
    doc_of = dict(zip(sorted(world.corpus), names[:10], strict=True))
    query_of = dict(zip(sorted(world.qrels), names[10:], strict=True))
    again = renamed(world, doc_of.get, query_of.get)
    assert figures(gate(world)) == figures(gate(again))


@settings(max_examples=12, deadline=None)
@given(st.permutations(range(12)), st.sampled_from(METRICS))
def test_naming_queries_otherwise_moves_their_scores_and_no_exact_figure(order, metric):
    world = random_world(7, 12, 10)
    names = sorted(world.qrels)
    again = renamed(world, queries=lambda q: names[order[names.index(q)]])
    one = gate(world, metric=metric)
    other = gate(again, metric=metric)
    place = [other.query_ids.index(names[order[i]]) for i in range(12)]
    np.testing.assert_allclose(other.scores[place], one.scores, atol=1e-12)
    for name, null in one.nulls.items():
        if not null.mean_is_exact:
            continue
        twin = other.nulls[name]
        assert twin.mean == pytest.approx(null.mean, abs=1e-9)
        np.testing.assert_allclose(twin.contributions[place], null.contributions, atol=1e-9)
        assert twin.interval_adjusted.low == pytest.approx(null.interval_adjusted.low, abs=1e-7)
        assert twin.interval_adjusted.high == pytest.approx(null.interval_adjusted.high, abs=1e-7)
        assert twin.headroom == pytest.approx(null.headroom, abs=1e-9)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.integers(-20, 20), st.integers(-(10**6), 10**6))
def test_scores_may_be_stretched_and_moved(seed, exponent, shift):
    """Whole scores times a power of two, plus a whole number: exact, so ties stay ties."""
    rng = np.random.default_rng(seed)
    world = random_world(8, 12, 10)
    run = {q: {d: int(rng.integers(0, 6)) for d in r} for q, r in world.run.items()}
    factor = 2.0**exponent
    moved = {q: {d: factor * (s + shift) for d, s in r.items()} for q, r in run.items()}
    one, other = gate(replace(world, run=run)), gate(replace(world, run=moved))
    assert one.to_dict() | {"notices": 0} == other.to_dict() | {"notices": 0}


@settings(max_examples=12, deadline=None)
@given(st.integers(1, 5), st.booleans(), st.sampled_from(METRICS))
def test_queries_without_relevant_documents_change_nothing_but_notices(n, in_run, metric):
    world = random_world(9, 12, 10)
    extra = {f"{'az'[i % 2]}{i}": {"d01": 0.0, "d02": -1.0} for i in range(n)}
    run = world.run | ({q: {"d01": 1.0, "d03": 0.5} for q in extra} if in_run else {})
    more = World(world.qrels | extra, run, world.corpus)
    one, other = gate(world, metric=metric), gate(more, metric=metric)
    assert one.to_dict() | {"notices": 0} == other.to_dict() | {"notices": 0}
    said = {notice.code for notice in other.notices} - {notice.code for notice in one.notices}
    assert said == {"no-relevant", "extra-queries"} if in_run else {"no-relevant"}


@pytest.mark.parametrize("metric", ["R@3", "RR@3", "AP@4"])
def test_judged_but_irrelevant_documents_matter_to_no_null(metric):
    world = random_world(10, 12, 10)
    only_gold = {q: {d: g for d, g in j.items() if g > 0} for q, j in world.qrels.items()}
    one, other = gate(world, metric=metric), gate(replace(world, qrels=only_gold), metric=metric)
    drop = {"notices": 0, "judged": 0}
    assert one.to_dict() | drop == other.to_dict() | drop


def test_repeating_the_gate_in_any_company_gives_the_same():
    worlds = [random_world(s, 12, 10) for s in (11, 12)]
    first = [gate(w, metric=m, **FULL) for w in worlds for m in METRICS]
    second = [gate(w, metric=m, **FULL) for w in worlds[::-1] for m in METRICS[::-1]][::-1]
    for one, other in zip(first, second, strict=True):
        assert one.same_as(other)


def test_the_users_objects_are_left_as_they_were():
    world = random_world(15, 12, 10)
    copy = World(
        {q: dict(j) for q, j in world.qrels.items()},
        {q: dict(r) for q, r in world.run.items()},
        list(world.corpus),
    )
    gate(world)
    assert [list(r.items()) for r in world.run.values()] == [
        list(r.items()) for r in copy.run.values()
    ]
    assert world == copy


def test_a_run_given_once_as_a_table_can_be_gated_under_every_metric():
    """What is kept beside a run for the next metric must not depend on the first."""
    from falsify_nb import read_run

    world = random_world(16, 12, 10)
    table = read_run(world.run)
    for metric in [*METRICS, *METRICS[::-1], "nDCG", "P@1", "nDCG"]:
        kept = gate(World(world.qrels, table, world.corpus), metric=metric)
        fresh = gate(world, metric=metric)
        assert kept.to_dict() | {"system": 0} == fresh.to_dict() | {"system": 0}
    options = {"metric": "RR", "top_k": 2, "drop_self": True}
    kept = gate(World(world.qrels, table, world.corpus), **options)
    fresh = gate(world, **options)
    assert kept.to_dict() | {"system": 0} == fresh.to_dict() | {"system": 0}
