"""The query-blind list against a plain loop, a function, and published benchmarks."""

from __future__ import annotations

import numpy as np
import pytest
from plain import MEASURES, random_world

from falsify_nb import falsify
from falsify_nb.core.streams import stream


def gate(run, qrels, metric, **options):
    options = {"n_boot": 100, "corpus": 1000, "strict": False} | options
    return falsify(run, qrels=qrels, metric=metric, **options)


def plain_top(measure, qrels, queries, documents, depth):
    gain = dict.fromkeys(documents, 0.0)
    for q in queries:
        for d, g in measure.gold(qrels[q]).items():
            gain[d] += g
    place = {d: i for i, d in enumerate(documents)}
    ranked = sorted((d for d in documents if gain[d] > 0), key=lambda d: (-gain[d], place[d]))
    return ranked[:depth]


@pytest.mark.parametrize("measure", MEASURES, ids=lambda m: m.name)
def test_it_is_the_plain_loop(measure):
    world = random_world(5, 13, 9, most_gold=4)
    result = gate(world.run, world.qrels, measure.name, seed=7)
    qrels = {q: world.qrels[q] for q in result.query_ids}
    gold = {q: measure.gold(judged) for q, judged in qrels.items()}
    # Every relevant document has a place, also those that the strict form does not read.
    threshold = measure.rel or 1e-9
    documents = sorted({d for j in qrels.values() for d, g in j.items() if g >= threshold})

    def scores(queries, order, judged):
        top = plain_top(measure, qrels, queries, order, result.depth)
        return [measure.score(top, gold[q]) for q in judged]

    ids = list(result.query_ids)
    n = len(ids)
    assert result.blind.in_sample == pytest.approx(np.mean(scores(ids, documents, ids)))
    halves, whole = [], []
    for number in range(10):
        rng = stream(7, "halves", number)
        first = rng.permutation(n) < n // 2
        both = []
        for made_from in (first, ~first):
            order = [documents[i] for i in rng.permutation(len(documents))]
            made = [q for q, m in zip(ids, made_from, strict=True) if m]
            judged = [q for q, m in zip(ids, made_from, strict=True) if not m]
            found = scores(made, order, judged)
            halves.append(np.mean(found))
            both += found
        whole.append(np.mean(both))
    assert result.blind.score == pytest.approx(np.mean(whole))
    assert result.blind.spread == pytest.approx(np.std(halves, ddof=1))


def test_a_function_gives_the_same_list_the_same_score():
    world = random_world(6, 14, 9, most_gold=3)

    def precision(ranking, gold):
        return sum(d in gold for d in ranking[:3]) / 3

    qrels = {q: {d: float(g > 0) for d, g in docs.items()} for q, docs in world.qrels.items()}
    named = gate(world.run, qrels, "P@3")
    asked = gate(world.run, qrels, precision, top_k=3)
    assert asked.blind.score == pytest.approx(named.blind.score)
    assert asked.blind.in_sample == pytest.approx(named.blind.in_sample)


def test_groups_are_never_split():
    # Two paraphrases per question, each question with a document of its own: a list made from
    # other questions finds nothing, one made from the other paraphrase finds it.
    qrels = {f"q{i}{s}": {f"d{i}": 1} for i in range(6) for s in "ab"}
    run = {q: list(docs) for q, docs in qrels.items()}
    groups = {q: q[:2] for q in qrels}
    assert gate(run, qrels, "R@6", groups=groups).blind.score == 0
    assert gate(run, qrels, "R@6").blind.score > 0.2


def test_the_alarm_goes_by_tau_and_moves_with_it():
    qrels = {f"q{i:02}": {"hub": 1} if i % 5 else {f"d{i}": 1} for i in range(50)}
    run = {q: list(docs) if i % 10 else ["x"] for i, (q, docs) in enumerate(qrels.items())}
    result = gate(run, qrels, "Success@1", tau=0.2)
    # The hub answers 40 of 50; the system 45.
    assert result.score == 0.9
    assert result.blind.score == pytest.approx(0.8)
    assert result.blind.alarm
    assert "never reads the query" in result.blind.text
    assert not result.at(tau=0.05).blind.alarm
    assert result.at(tau=0.2).blind == result.blind


@pytest.mark.parametrize("n", [1, 2, 3])
def test_the_fewest_queries(n):
    qrels = {f"q{i}": {"d": 1} for i in range(n)}
    blind = gate({q: ["d"] for q in qrels}, qrels, "P@1").blind
    assert blind is None if n == 1 else blind.score == 1.0


def test_bright_pony_has_an_answer_key_that_one_list_knows(data_dir):
    folder = data_dir / "bright-pony"
    result = falsify(
        folder / "runs" / "pop-gold-loo.trec.gz", qrels=folder / "qrels.txt", n_boot=100
    )
    assert result.blind.in_sample == pytest.approx(0.938, abs=5e-4)
    assert result.blind.score == pytest.approx(0.91, abs=0.02)
    assert result.blind.alarm


@pytest.mark.parametrize(
    ("folder", "system"),
    [(f, s) for f in ("cranfield", "scifact") for s in ("bm25", "tfidf", "lsa")],
)
def test_no_false_alarm_on_real_systems(data_dir, folder, system):
    where = data_dir / folder
    result = falsify(where / "runs" / f"{system}.trec.gz", qrels=where / "qrels.txt", n_boot=100)
    assert not result.blind.alarm
    assert not result.strict.disagrees
    assert result.strict.verdict == result.verdict == "PASS"
