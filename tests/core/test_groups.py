"""Queries that belong together: estimate, interval and draws go by group."""

from __future__ import annotations

import numpy as np
import pytest

from falsify_nb import falsify
from falsify_nb.core.contributions import Units
from falsify_nb.core.within import pairs_within
from falsify_nb.errors import InputError

DOCS = [f"d{i:02d}" for i in range(12)]


def reciprocal_rank(ranking, gold):
    return next((1 / rank for rank, doc in enumerate(ranking, 1) if doc in gold), 0.0)


def paraphrases(sizes, *, multi, seed=0):
    """Groups of queries that share their gold, but for one stray query per group."""
    rng = np.random.default_rng(seed)
    weights = 1 / np.arange(1, 13)
    weights /= weights.sum()
    run, qrels, groups = {}, {}, {}
    for g, size in enumerate(sizes):
        shared = rng.choice(DOCS, 3 if multi else 1, replace=False, p=weights)
        for k in range(size):
            query = f"q{g}-{k}"
            gold = rng.choice(DOCS, 2, replace=False) if multi and k == 1 else shared
            qrels[query] = {str(d): 1.0 for d in gold}
            run[query] = [str(d) for d in rng.permutation(DOCS)[:6]]
            groups[query] = f"group {g}"
    return run, qrels, groups


def plain_gaps(run, qrels, groups, kept):
    """Gaps to A, B and (single gold) D by loops over all pairs of the kept groups' queries."""
    ids = [q for q in sorted(qrels) if groups[q] in kept]
    table = np.array([[reciprocal_rank(run[a], qrels[b]) for b in ids] for a in ids])
    score = np.diag(table).mean()
    foreign = np.array([[groups[a] != groups[b] for b in ids] for a in ids])
    distinct = {tuple(sorted(qrels[q].items())): j for j, q in enumerate(ids)}
    pool = table[:, list(distinct.values())]
    return np.array([score - table[foreign].mean(), score - pool.mean(), score - table.mean()])


@pytest.mark.parametrize("sizes", [[3] * 7, [1, 2, 3, 4, 2, 3, 1]])
@pytest.mark.parametrize("multi", [False, True])
def test_gaps_and_contributions_are_those_of_leaving_groups_out(sizes, multi):
    run, qrels, groups = paraphrases(sizes, multi=multi)
    names = sorted(set(groups.values()))
    whole = plain_gaps(run, qrels, groups, names)
    without = np.array(
        [plain_gaps(run, qrels, groups, [n for n in names if n != left]) for left in names]
    )
    n, size = len(qrels), np.array(sizes, dtype=float)
    result = falsify(run, qrels=qrels, metric="RR@6", groups=groups, strict=False)
    for column, name in enumerate("ABD"):
        if name == "D" and multi:
            continue
        null = result.nulls[name]
        assert null.delta == pytest.approx(whole[column], abs=1e-12)
        sums = size * whole[column] + (n - size) * (whole[column] - without[:, column])
        sums += size * (whole[column] - sums.sum() / n)
        np.testing.assert_allclose(null.contributions, sums, atol=1e-12)
        np.testing.assert_array_equal(null.weights, size)


def test_draws_by_group_have_the_expected_mean():
    run, qrels, groups = paraphrases([3] * 7, multi=False)
    result = falsify(run, qrels=qrels, metric="RR@6", groups=groups, n_boot=4000, strict=False)
    for null in result.nulls.values():
        error = null.draws.std() / np.sqrt(len(null.draws))
        assert abs(null.draws.mean() - null.mean) <= 4 * error


def test_groups_of_different_sizes_have_no_p_value_for_null_a():
    run, qrels, groups = paraphrases([1, 2, 3, 4, 2], multi=False)
    result = falsify(run, qrels=qrels, metric="RR@6", groups=groups, strict=False)
    assert result.nulls["A"].p_value is None
    assert result.nulls["A"].n_draws == 0
    assert result.nulls["B"].p_value is not None
    assert any(n.code == "groups-differ" for n in result.notices)


def test_a_group_of_identical_queries_counts_once():
    """Ten copies of each of six queries say no more than the six: the interval must not shrink."""
    run, qrels, _ = paraphrases([1] * 6, multi=False, seed=4)
    copied = {f"{q}#{i}": q for q in qrels for i in range(10)}
    options = {"metric": "RR@6", "corpus": DOCS, "strict": False}
    grouped = falsify(
        {c: run[q] for c, q in copied.items()},
        qrels={c: qrels[q] for c, q in copied.items()},
        groups=copied,
        **options,
    )
    alone = falsify(run, qrels=qrels, **options)
    one, other = grouped.nulls["C"], alone.nulls["C"]
    assert one.delta == pytest.approx(other.delta, abs=1e-12)
    assert one.interval_adjusted.low == pytest.approx(other.interval_adjusted.low, abs=1e-7)
    assert one.interval_adjusted.high == pytest.approx(other.interval_adjusted.high, abs=1e-7)


def test_pairs_within_are_all_ordered_pairs_of_each_group(monkeypatch):
    units = Units.of_groups(np.array([2, 0, 1, 0, 2, 2, 3]))
    wanted = {(i, j) for i in range(7) for j in range(7) if units.of[i] == units.of[j]}
    for chunk in (1, 5, 1000):
        monkeypatch.setattr("falsify_nb.core.within._CHUNK_PAIRS", chunk)
        found = [
            pair
            for i, j in pairs_within(units)
            for pair in zip(i.tolist(), j.tolist(), strict=True)
        ]
        assert len(found) == len(wanted)
        assert set(found) == wanted


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda groups: groups.pop("q0-0"), "'q0-0'"),
        (lambda groups: groups.update(q99="group 1"), "'q99'"),
        (lambda groups: groups.update(dict.fromkeys(groups, "one")), "one group"),
    ],
)
def test_groups_that_do_not_fit_are_refused(change, words):
    run, qrels, groups = paraphrases([2] * 5, multi=False)
    change(groups)
    with pytest.raises(InputError, match=words):
        falsify(run, qrels=qrels, groups=groups)
