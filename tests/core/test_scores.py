"""Per-query scores against trec_eval's own code, and against plain loops where it has none."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
import pytrec_eval
from plain import MEASURES, Measure, World, in_order, random_world

from falsify_nb import falsify
from falsify_nb.core.benchmark import Benchmark, Gold
from falsify_nb.core.metrics import parse_metric
from falsify_nb.core.pairs import Hits
from falsify_nb.core.rankings import Rankings
from falsify_nb.io.adapt import to_qrels, to_run

COLLECTIONS = ("adi", "bright-pony", "cranfield", "dl19-passage", "med", "scifact")
# Our name -> pytrec_eval's name of the measure.
THEIRS = {
    "nDCG@10": "ndcg_cut_10",
    "nDCG@5": "ndcg_cut_5",
    "nDCG@1000": "ndcg_cut_1000",
    "nDCG": "ndcg",
    "R@10": "recall_10",
    "R@100": "recall_100",
    "P@5": "P_5",
    "P@1000": "P_1000",
    "RR": "recip_rank",
    "AP": "map",
    "AP@100": "map_cut_100",
    "Success@1": "success_1",
    "Success@10": "success_10",
}
REL2 = {
    "P(rel=2)@10": "P_10",
    "R(rel=2)@10": "recall_10",
    "AP(rel=2)@100": "map_cut_100",
    "RR(rel=2)": "recip_rank",
    "Success(rel=2)@5": "success_5",
}
BY_LOOP = (
    Measure("nDCG", 10, exponential=True),
    Measure("nDCG", exponential=True),
    Measure("R", 10, top1=True),
    Measure("RR", 10, top1=True),
    Measure("nDCG", 10, top1=True),
)


def rows_of(path: Path) -> list[list[str]]:
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as lines:
        return [line.split() for line in lines]


def read_qrels(path: Path) -> dict[str, dict[str, int]]:
    qrels: dict[str, dict[str, int]] = {}
    for query, _, doc, grade in rows_of(path):
        qrels.setdefault(query, {})[doc] = int(grade)
    return qrels


def read_run(path: Path) -> dict[str, dict[str, float]]:
    run: dict[str, dict[str, float]] = {}
    for query, _, doc, _, score, _ in rows_of(path):
        run.setdefault(query, {})[doc] = float(score)
    return run


class Scorer:
    """Our scores per query, many metrics on one run."""

    def __init__(self, qrels: object, run: object) -> None:
        self.qrels, self.run = to_qrels(qrels), to_run(run)

    def __call__(self, name: str) -> dict[str, float]:
        metric = parse_metric(name)
        benchmark = Benchmark.build(self.qrels, metric.rel)
        rankings = Rankings.build(self.run, benchmark, metric.k)
        gold = Gold.of(benchmark, metric)
        scores = Hits(*rankings.hits(rankings.depth)).own_scores(gold, metric)
        return dict(zip(benchmark.query_ids, scores, strict=True))


def same_order_in_float32(ranked: dict[str, float]) -> bool:
    """Whether trec_eval, which compares in float32, reads the same ranking."""
    narrow = {doc: float(np.float32(score)) for doc, score in ranked.items()}
    if len(set(narrow.values())) == len(set(ranked.values())):
        return True
    return in_order(narrow) == in_order(ranked)


def compare(ours: dict[str, float], theirs: dict[str, dict[str, float]], name: str) -> None:
    for query, score in ours.items():
        expected = theirs.get(query, {}).get(name, 0.0)
        assert score == pytest.approx(expected, abs=1e-9), (query, name)


def cases(data_dir: Path) -> list[tuple[Path, Path]]:
    return [
        (data_dir / folder / "qrels.txt", run)
        for folder in COLLECTIONS
        for run in sorted((data_dir / folder / "runs").iterdir())
    ]


def test_every_run_of_the_data_scores_per_query_as_trec_eval(data_dir):
    compared = 0
    for qrels_path, run_path in cases(data_dir):
        qrels, run = read_qrels(qrels_path), read_run(run_path)
        exact = {q: r for q, r in run.items() if same_order_in_float32(r)}
        theirs = pytrec_eval.RelevanceEvaluator(qrels, set(THEIRS.values())).evaluate(exact)
        shallow = {q: {d: r[d] for d in in_order(r)[:10]} for q, r in exact.items()}
        cut = pytrec_eval.RelevanceEvaluator(qrels, {"recip_rank"}).evaluate(shallow)
        score = Scorer(str(qrels_path), str(run_path))
        checks = [*((ours, theirs, name) for ours, name in THEIRS.items())]
        for ours, reference, name in [*checks, ("RR@10", cut, "recip_rank")]:
            kept = {q: s for q, s in score(ours).items() if q in exact or q not in run}
            compare(kept, reference, name)
            compared += len(kept)
    assert compared > 50_000


def test_trec_evals_own_expected_output_is_met(data_dir):
    folder = data_dir / "fixtures" / "trec_eval_tests"
    printed = {tuple(row[:2]): row[2] for row in rows_of(folder / "out.test.aq") if len(row) == 3}
    score = Scorer(str(folder / "qrels.test"), str(folder / "results.test"))
    for ours, name in THEIRS.items():
        for query, found in score(ours).items():
            assert f"{found:.4f}" == printed[name, query], (ours, query)


def test_a_relevance_level_scores_as_trec_eval_with_that_level(data_dir):
    for folder in ("cranfield", "dl19-passage"):
        qrels_path = data_dir / folder / "qrels.txt"
        run_path = data_dir / folder / "runs" / "bm25.trec.gz"
        qrels, run = read_qrels(qrels_path), read_run(run_path)
        evaluator = pytrec_eval.RelevanceEvaluator(qrels, set(REL2.values()), relevance_level=2)
        theirs = evaluator.evaluate(run)
        for ours, name in REL2.items():
            found = Scorer(str(qrels_path), str(run_path))(ours)
            evaluated = {q for q, judged in qrels.items() if max(judged.values()) >= 2}
            assert set(found) == evaluated
            compare(found, theirs, name)


@pytest.mark.parametrize("measure", BY_LOOP, ids=lambda m: m.name)
def test_forms_without_a_trec_eval_name_score_as_plain_loops(data_dir, measure):
    for folder in ("cranfield", "dl19-passage"):
        qrels_path = data_dir / folder / "qrels.txt"
        run_path = data_dir / folder / "runs" / "bm25.trec.gz"
        qrels, run = read_qrels(qrels_path), read_run(run_path)
        found = Scorer(str(qrels_path), str(run_path))(measure.name)
        for query, score in found.items():
            expected = measure.score(in_order(run[query]), measure.gold(qrels[query]))
            assert score == pytest.approx(expected, abs=1e-12)


def tie_heavy(seed: int) -> World:
    """Few distinct scores, ids that sort unlike numbers and beyond ASCII, grades down to −2."""
    rng = np.random.default_rng(seed)
    docs = [*(str(i) for i in range(1, 25)), "B", "a", "é", "z", "語", "\U0001f600", "\uffee"]
    qrels, run = {}, {}
    for i in range(20):
        judged = rng.choice(docs, 8, replace=False)
        qrels[f"q{i}"] = {
            str(d): int(g) for d, g in zip(judged, rng.integers(-2, 4, 8), strict=True)
        }
        qrels[f"q{i}"][str(judged[0])] = 1
        got = rng.choice(docs, int(rng.integers(1, 25)), replace=False)
        scores = rng.integers(0, 3, len(got))
        run[f"q{i}"] = {str(d): float(s) for d, s in zip(got, scores, strict=True)}
    return World(qrels, run, docs)


@pytest.mark.parametrize("seed", range(5))
def test_ties_negative_grades_and_any_alphabet_score_as_trec_eval(seed):
    world = tie_heavy(seed)
    theirs = pytrec_eval.RelevanceEvaluator(world.qrels, set(THEIRS.values())).evaluate(world.run)
    score = Scorer(world.qrels, world.run)
    for ours, name in THEIRS.items():
        compare(score(ours), theirs, name)


@pytest.mark.parametrize("measure", MEASURES, ids=lambda m: m.name)
def test_the_gate_reports_those_scores_and_their_mean(measure):
    world = random_world(3, n_queries=12)
    result = falsify(world.run, qrels=world.qrels, metric=measure.name, n_boot=1, decision="point")
    expected = [
        measure.score(r, g)
        for r, g in zip(world.rankings(measure), world.golds(measure), strict=True)
    ]
    assert result.query_ids == tuple(world.evaluated(measure))
    np.testing.assert_allclose(result.scores, expected, atol=1e-12)
    assert result.score == pytest.approx(np.mean(expected), abs=1e-12)


LONG = [f"d{i:02d}" for i in range(30)]


@pytest.mark.parametrize(
    ("qrels", "run", "expected"),
    [
        pytest.param(
            {"t": {"m05": 1}},
            {"t": {"m05": 2.0, "m09": 2.0, "m01": 2.0}},
            {"RR": 1 / 2, "nDCG@3": 1 / np.log2(3), "P@1": 0},
            id="tied scores go by id, descending",
        ),
        pytest.param(
            {"t1": {"aa": 1}, "t2": {"yy": 1}},
            {"t1": {"aa": 0.5, "xx": 0.5, "yy": 0.5, "zz": 1.0}, "t2": {"xx": 1, "yy": 1, "zz": 2}},
            {"R@2": 1 / 2, "nDCG@2": 1 / np.log2(3) / 2, "Success@2": 1 / 2},
            id="a tie across the cutoff",
        ),
        pytest.param(
            {"t": {"b": 1}},
            {"t": ["b", "z", "a"]},
            {"RR": 1, "nDCG@3": 1},
            id="a list is already the ranking",
        ),
        pytest.param(
            {"t": {"a": 1}},
            {"t": {"z": 16777216.0, "a": 16777217.0}},
            {"RR": 1},
            id="scores are compared in float64",
        ),
        pytest.param(
            {"t": {"a": 1}},
            {"t": {"z": np.float16(0.70001), "a": np.float16(0.70004)}},
            {"RR": 1 / 2},
            id="scores that a narrow type made equal are tied",
        ),
        pytest.param(
            {"q1": {"a": 1}, "q2": {"b": 1}, "q3": {"c": 1}, "q4": {"d": 1}},
            {"q1": {"a": 1.0}, "q3": {"x": 2.0, "c": 1.0}},
            {"RR": 1.5 / 4, "nDCG@5": (1 + 1 / np.log2(3)) / 4},
            id="queries missing from the run score 0",
        ),
        pytest.param(
            {"q1": {"a": 1}},
            {"q1": {"x": 2.0, "a": 1.0}, "q9": {"z": 1.0}},
            {"RR": 1 / 2},
            id="queries without judgments are ignored",
        ),
        pytest.param(
            {"q1": {"a": 1}, "q2": {"b": 0}},
            {"q1": {"a": 1.0}, "q2": {"b": 1.0}},
            {"nDCG@5": 1, "R@5": 1, "RR": 1, "AP": 1},
            id="queries without a relevant document are left out",
        ),
        pytest.param(
            {"q1": {"a": 1}, "q2": {}, "q3": {"c": 1}},
            {"q1": {"a": 1.0}, "q2": {"b": 1.0}, "q3": {"c": 2.0, "d": 1.0}},
            {"nDCG@5": 1},
            id="queries with no judgment at all are left out",
        ),
        pytest.param(
            {"q": {"a": 2, "b": -1, "c": 1, "d": -2}},
            {"q": {"b": 4.0, "a": 3.0, "d": 2.0, "c": 1.0}},
            {
                "nDCG@4": (2 / np.log2(3) + 1 / np.log2(5)) / (2 + 1 / np.log2(3)),
                "AP": 1 / 2,
                "RR": 1 / 2,
                "P@2": 1 / 2,
                "R@4": 1,
            },
            id="negative grades gain nothing",
        ),
        pytest.param(
            {"q": {"a": 0.9, "b": 2.7}},
            {"q": ["a", "b"]},
            {"nDCG@2": (0.9 + 2.7 / np.log2(3)) / (2.7 + 0.9 / np.log2(3))},
            id="fractional grades are gains",
        ),
        pytest.param(
            {"q": {"a": np.int64(1), "b": np.int32(2), "c": True}},
            {"q": ["a", "b", "c"]},
            {"nDCG@3": (1 + 2 / np.log2(3) + 1 / 2) / (2 + 1 / np.log2(3) + 1 / 2)},
            id="grades of any number type",
        ),
        pytest.param(
            {"q": {"a": 1_000_000, "b": 1, "c": 2000}},
            {"q": ["b", "c", "a"]},
            {"nDCG@3": (1 + 2000 / np.log2(3) + 500_000) / (1_000_000 + 2000 / np.log2(3) + 1 / 2)},
            id="huge grades",
        ),
        pytest.param(
            {"q": {"a": 1, "b": 2, "c": 3}},
            {"q": ["a", "x", "b"]},
            {
                "RR": 1,
                "RR(rel=2)": 1 / 3,
                "R@3": 2 / 3,
                "R(rel=2)@3": 1 / 2,
                "nDCG@3": (1 + 2 / 2) / (3 + 2 / np.log2(3) + 1 / 2),
            },
            id="a threshold on grades",
        ),
        pytest.param(
            {"q": {"b": 1}},
            {"q": {"a": 3, "b": 2, "c": 1}},
            {"RR": 1 / 2},
            id="integer scores are scores, not ranks",
        ),
        pytest.param(
            {"q": {"a": 1}},
            {"q": {"a": np.float32(2), "b": np.float64(1), "c": np.array(0.5)}},
            {"RR": 1},
            id="scores of any number type",
        ),
        pytest.param(
            {"q": dict.fromkeys(LONG[:20], 1)},
            {"q": LONG[:5]},
            {
                "R@5": 5 / 20,
                "P@5": 1,
                "P@10": 5 / 10,
                "AP": 5 / 20,
                "nDCG@5": 1,
                "nDCG": sum(1 / np.log2(np.arange(2, 7))) / sum(1 / np.log2(np.arange(2, 22))),
                "Success@5": 1,
            },
            id="more gold than the ranking can hold",
        ),
        pytest.param(
            {"q": dict.fromkeys(LONG, 1)},
            {"q": LONG[:20]},
            {
                "nDCG@20": 1,
                "nDCG": sum(1 / np.log2(np.arange(2, 22))) / sum(1 / np.log2(np.arange(2, 32))),
            },
            id="the ideal is cut at k, and only there",
        ),
        pytest.param(
            {"q": {"g": 1}},
            {"q": [*LONG[:14], "g"]},
            {"RR": 1 / 15, "RR@10": 0, "Success@10": 0},
            id="the cutoff of RR",
        ),
        pytest.param(
            {"q": {"a": 1, "b": 1, "z": 1}},
            {"q": ["a", "n", "b"]},
            {
                "P@10": 2 / 10,
                "R@10": 2 / 3,
                "AP": (1 + 2 / 3) / 3,
                "nDCG@10": (1 + 1 / 2) / (1 + 1 / np.log2(3) + 1 / 2),
            },
            id="short lists are divided by k, R and R",
        ),
        pytest.param(
            {"q": {"a": 1, "b": 1}},
            {"q": ["a", "c", "b"]},
            {"R@1000": 1, "P@1000": 2 / 1000, "nDCG@1000": (1 + 1 / 2) / (1 + 1 / np.log2(3))},
            id="a cutoff beyond the list",
        ),
        pytest.param(
            {"q1": {"a": 1}, "q2": {"b": 1}},
            {"q1": [], "q2": ["x"]},
            {"nDCG@10": 0, "R@10": 0, "RR": 0, "AP": 0},
            id="an empty ranking and one without a hit",
        ),
    ],
)
def test_small_cases_by_hand(qrels, run, expected):
    for metric, score in expected.items():
        result = falsify(run, qrels=qrels, metric=metric, n_boot=1, decision="point")
        assert result.score == pytest.approx(score, abs=1e-9), metric


def test_float32_twins_are_noticed_where_trec_eval_would_order_otherwise():
    qrels, run = {"t": {"a": 1}}, {"t": {"z": 16777216.0, "a": 16777217.0}}
    theirs = pytrec_eval.RelevanceEvaluator(qrels, {"recip_rank"}).evaluate(run)
    assert theirs["t"]["recip_rank"] == 0.5
    result = falsify(run, qrels=qrels, metric="RR", n_boot=1, decision="point")
    assert [n.count for n in result.notices if n.code == "float32-order"] == [1]
    same_order = {"t": {"z": 16777217.0, "a": 16777216.0}}
    result = falsify(same_order, qrels=qrels, metric="RR", n_boot=1, decision="point")
    assert "float32-order" not in [n.code for n in result.notices]


@pytest.mark.parametrize("top_k", [1, 3, 7])
def test_top_k_reads_no_deeper_but_leaves_the_ideal_alone(top_k):
    world = random_world(5, n_queries=10, n_docs=9, depth=9)
    measure = Measure("nDCG", 5)
    result = falsify(
        world.run, qrels=world.qrels, metric="nDCG@5", top_k=top_k, n_boot=1, decision="point"
    )
    expected = [
        measure.score(r[:top_k], g)
        for r, g in zip(world.rankings(measure), world.golds(measure), strict=True)
    ]
    np.testing.assert_allclose(result.scores, expected, atol=1e-12)
    assert result.depth == top_k
