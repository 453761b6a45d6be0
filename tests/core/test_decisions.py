"""What is decided about the data is decided as documented, counted, and said in a notice."""

from __future__ import annotations

import numpy as np
import pytest
import pytrec_eval
from plain import random_world

from falsify_nb import falsify

MANY = {f"q{i:02d}": {f"d{i:02d}": 1} for i in range(40)}


def gate(run, qrels, **options):
    options = {"metric": "RR", "n_boot": 1, "decision": "point"} | options
    return falsify(run, qrels=qrels, **options)


def notices(run, qrels, **options):
    return {n.code: n for n in gate(run, qrels, **options).notices}


def ranked(order):
    """Scores that put ids into the given order."""
    return {doc: float(len(order) - i) for i, doc in enumerate(order)}


def test_dict_order_decides_nothing():
    qrels = {"t": {"m05": 1}}
    docs = ["m05", "m09", "m01"]
    scores = {
        gate({"t": dict.fromkeys(order, 2.0)}, qrels).score
        for order in (
            [docs[i] for i in p] for p in np.random.default_rng(1).permuted([[0, 1, 2]] * 9, axis=1)
        )
    }
    assert scores == {0.5}


def test_missing_queries_are_counted_and_named():
    run = {q: ranked(list(g)) for q, g in MANY.items() if q not in ("q03", "q17")}
    found = notices(run, MANY)["missing-queries"]
    assert found.count == 2
    assert found.examples == ("q03", "q17")
    assert "2 evaluated queries" in found.text
    assert gate(run, MANY).n_queries == 40
    assert "missing-queries" not in notices({q: ranked(list(g)) for q, g in MANY.items()}, MANY)


def test_rankings_shorter_than_the_cutoff_are_counted():
    docs = [f"d{i:02d}" for i in range(40)]
    run = {q: ranked([*g, *docs[-4:]][:5]) for q, g in MANY.items()}
    run["q07"] = ranked(docs[:3])
    run["q08"] = {}
    del run["q09"]
    said = notices(run, MANY, corpus=docs, metric="RR@4")["short-lists"]
    assert (said.count, said.examples) == (1, ("q07",))
    assert said.text.startswith("1 ranking holds fewer than 4 documents")
    assert notices(run, MANY, corpus=docs, metric="RR", top_k=5)["short-lists"].count >= 1
    # What nobody asked for is not missed, and no ranking can hold more than the corpus.
    assert "short-lists" not in notices(run, MANY, corpus=docs, metric="RR")
    assert "short-lists" not in notices(run, MANY, corpus=docs, metric="RR@3")
    three = {f"q{i}": {f"d{i % 3}": 1} for i in range(9)}
    whole = {q: ranked(["d0", "d1", "d2"]) for q in three}
    assert "short-lists" not in notices(whole, three, corpus=3, metric="RR@10")


def test_a_query_with_an_empty_ranking_is_told_from_a_missing_one():
    run = {q: list(g) for q, g in MANY.items() if q != "q09"} | {"q05": []}
    said = notices(run, MANY)
    assert (said["missing-queries"].count, said["missing-queries"].examples) == (1, ("q09",))
    assert (said["empty-rankings"].count, said["empty-rankings"].examples) == (1, ("q05",))
    assert "scored 0" in said["empty-rankings"].text
    run["q09"] = ["d09"]
    assert "missing-queries" not in notices(run, MANY)
    assert gate(run, MANY).score == pytest.approx(39 / 40)


def test_queries_without_judgments_are_counted_and_ignored():
    run = {q: ranked(list(g)) for q, g in MANY.items()}
    more = run | {"x1": {"d00": 1.0}, "x2": {"d01": 1.0}}
    found = notices(more, MANY)["extra-queries"]
    assert (found.count, found.examples) == (2, ("x1", "x2"))
    np.testing.assert_array_equal(gate(more, MANY).scores, gate(run, MANY).scores)


def test_queries_without_a_relevant_document_are_left_out_and_named():
    qrels = MANY | {"z1": {"d00": 0}, "z2": {"d00": -1, "d01": 0}, "z3": {}}
    run = {q: ranked(list(g)) for q, g in MANY.items()} | {"z1": {"d00": 1.0}}
    found = notices(run, qrels)["no-relevant"]
    assert (found.count, found.examples) == (3, ("z1", "z2", "z3"))
    assert gate(run, qrels).n_queries == 40
    assert "no-relevant" not in notices(run, MANY)


def test_where_trec_evals_mean_differs_it_stands_beside_ours():
    qrels = MANY | {f"z{i}": {"d00": 0} for i in range(10)}
    run = {q: ranked(["x", *g]) for q, g in MANY.items()} | {
        f"z{i}": {"d00": 1.0} for i in range(10)
    }
    theirs = pytrec_eval.RelevanceEvaluator(qrels, {"recip_rank"}).evaluate(run)
    mean = np.mean([q["recip_rank"] for q in theirs.values()])
    assert mean == pytest.approx(0.4)
    assert gate(run, qrels).score == pytest.approx(0.5)
    assert f"{mean:.4f}" in notices(run, qrels)["no-relevant"].text
    useless = {q: ["x"] for q in MANY}
    assert "trec_eval" not in notices(useless, qrels)["no-relevant"].text


def test_ties_across_the_cutoff_are_counted():
    qrels = {"t1": {"aa": 1}, "t2": {"yy": 1}, "t3": {"yy": 1}}
    tied = {"aa": 0.5, "xx": 0.5, "yy": 0.5, "zz": 1.0}
    run = {"t1": tied, "t2": {"xx": 0.5, "yy": 0.5, "zz": 1.0}, "t3": ranked(["a", "b", "c"])}
    assert notices(run, qrels, metric="R@2")["ties-at-cutoff"].count == 2
    assert "ties-at-cutoff" not in notices(run, qrels, metric="R@1")
    assert notices(run, qrels, metric="R@3")["ties-at-cutoff"].count == 1
    assert "ties-at-cutoff" not in notices(run, qrels, metric="R@4")


def test_constant_scores_are_counted_as_what_they_are():
    qrels = {q: {"a": 1} for q in "uvw"}
    run = {"u": dict.fromkeys("abc", 1.0), "v": dict.fromkeys("ab", 0.0), "w": ranked("abc")}
    assert notices(run, qrels)["constant-scores"].count == 2
    single = {q: {"a": 1.0} for q in "uvw"}
    assert "constant-scores" not in notices(single, qrels)
    assert "constant-scores" not in notices({q: ["a", "b"] for q in "uvw"}, qrels)


def test_scores_that_a_narrow_type_made_equal_raise_the_question_of_rounding():
    fine = {f"d{i:02d}": 0.7 + i * 1e-5 for i in range(20)}
    coarse = {doc: np.float16(score) for doc, score in fine.items()} | {"top": np.float16(1)}
    assert "rounded" in notices({"t": coarse}, {"t": {"d00": 1}})["many-ties"].text
    assert "many-ties" not in notices({"t": fine}, {"t": {"d00": 1}})


@pytest.mark.parametrize(
    ("scores", "ranks", "wrong"),
    [
        ([3.0, 2.0, 1.0], [1, 2, 3], None),
        ([3.0, 2.0, 1.0], [0, 5, 9], None),
        ([3.0, 2.0, 2.0], [1, 3, 2], None),
        ([1.0, 2.0, 3.0], [1, 2, 3], 1),
        ([3.0, 2.0, 1.0], [1, 3, 2], 1),
    ],
)
def test_a_rank_column_never_decides_but_a_contradiction_is_noticed(scores, ranks, wrong):
    docs = ["c", "b", "a"]
    rows = [
        {"query_id": "t", "doc_id": d, "score": s, "rank": r}
        for d, s, r in zip(docs, scores, ranks, strict=True)
    ]
    best = docs[int(np.argmax(scores))]
    found = gate(rows, {"t": {best: 1}})
    assert found.score == 1.0
    said = {n.code: n for n in found.notices}
    assert (said["rank-column"].count if "rank-column" in said else None) == wrong


def test_own_ids_are_noticed_and_left_out_on_request():
    qrels = {"a": {"x": 1}, "b": {"y": 1}, "c": {"z": 1}}
    run = {"a": ["a", "x"], "b": ["y", "b"], "c": ["w", "z"]}
    kept = gate(run, qrels)
    assert {n.code: n.count for n in kept.notices}["own-id"] == 2
    np.testing.assert_allclose(kept.scores, [1 / 2, 1, 1 / 2])
    dropped = gate(run, qrels, drop_self=True)
    np.testing.assert_allclose(dropped.scores, [1, 1, 1 / 2])
    assert dropped.protocol.drop_self
    assert "left out" in {n.code: n.text for n in dropped.notices}["own-id"]


def test_dropping_own_ids_happens_before_the_cut():
    qrels = {"a": {"x": 1}}
    assert gate({"a": ["a", "x"]}, qrels, metric="R@1", drop_self=True).score == 1.0


def test_a_corpus_left_out_is_the_union_of_judged_and_retrieved():
    qrels = {"q1": {"a": 1, "b": 0}, "q2": {"c": 1}, "q3": {"d": 0}}
    run = {"q1": ["a", "e"], "q2": ["f"], "other": ["g"]}
    found = gate(run, qrels, metric="P@2")
    assert found.corpus_size == len("abcdefg")
    assert "stronger" in {n.code: n.text for n in found.notices}["no-corpus"]
    assert "no-corpus" not in notices(run, qrels, corpus=7)


def test_repeated_corpus_ids_count_once_with_a_notice():
    gold = "ABCDEFGH"
    qrels = {f"q{g}": {g: 1} for g in gold}
    run = {f"q{g}": [g] for g in gold}
    found = gate(run, qrels, metric="Success@1", corpus=["A"] * 993 + list("BCDEFGH"))
    assert found.corpus_size == 8
    assert found.nulls["C"].mean == pytest.approx(1 / 8)
    assert any(n.count == 992 for n in found.notices if "corpus" in n.code)


@pytest.mark.parametrize("n", [39, 40])
def test_fewer_than_forty_queries_carry_a_notice(n):
    qrels = dict(list(MANY.items())[:n])
    said = notices({q: list(g) for q, g in qrels.items()}, qrels)
    assert ("few-queries" in said) == (n < 40)


def test_a_perfect_score_everywhere_raises_a_question():
    run = {q: list(g) for q, g in MANY.items()}
    assert notices(run, MANY)["perfect-scores"].count == 40
    assert "perfect-scores" not in notices(run | {"q00": ["x", "d00"]}, MANY)


def test_ids_that_never_meet_a_judgment_are_explained():
    run = {q: [f"{next(iter(g))}.txt"] for q, g in MANY.items()}
    found = notices(run, MANY)["no-judged-documents"]
    assert "suffix" in found.text
    assert "'d00.txt'" in found.text


def test_judged_is_the_share_of_retrieved_documents_with_a_judgment():
    world = random_world(8, n_queries=15)
    found = falsify(world.run, qrels=world.qrels, metric="P@3", n_boot=1, decision="point")
    top = [(q, d) for q, r in world.run.items() for d in list(r)[:3]]
    assert found.judged == pytest.approx(sum(d in world.qrels[q] for q, d in top) / len(top))


def test_labels_count_how_often_each_document_is_gold():
    world = random_world(9, n_queries=15)
    labels = gate(world.run, world.qrels).labels
    often: dict[str, int] = {}
    for judged in world.qrels.values():
        for doc, grade in judged.items():
            often[doc] = often.get(doc, 0) + (grade > 0)
    often = {d: n for d, n in often.items() if n}
    assert sorted(labels.counts.tolist(), reverse=True) == labels.counts.tolist()
    assert labels.counts.tolist() == sorted(often.values(), reverse=True)
    assert [often[d] for d in labels.top] == labels.counts[: len(labels.top)].tolist()
    assert labels.modal_share == pytest.approx(max(often.values()) / 15)
