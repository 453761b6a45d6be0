"""On public collections: no system that never reads the query passes, and real ones do."""

from __future__ import annotations

import pytest

from falsify_nb import falsify

CHEATS = [
    "bm25-permuted",
    "const-first",
    "const-hub",
    "pop-gold",
    "pop-gold-loo",
    "rand-marginal",
    "rand-uniform",
]


def gate(data_dir, collection, run, metric, corpus):
    folder = data_dir / collection
    path = folder / "runs" / f"{run}.trec.gz"
    if not path.exists():
        pytest.skip(f"{collection} has no run {run}")
    return falsify(path, qrels=folder / "qrels.txt", corpus=corpus(folder), metric=metric)


def ids(folder):
    return folder / "corpus_ids.txt"


@pytest.mark.parametrize("metric", ["nDCG@10", "R@10"])
@pytest.mark.parametrize("collection", ["adi", "med", "cranfield", "scifact"])
@pytest.mark.parametrize("cheat", CHEATS)
def test_no_cheat_passes(data_dir, collection, cheat, metric):
    assert gate(data_dir, collection, cheat, metric, ids).verdict != "PASS"


@pytest.mark.parametrize("metric", ["nDCG@10", "R@10"])
@pytest.mark.parametrize(
    ("collection", "corpus"),
    [("dl19-passage", lambda _: 8_841_823), ("bright-pony", lambda _: None)],
)
@pytest.mark.parametrize("cheat", ["pop-gold", "pop-gold-loo"])
def test_no_popularity_list_passes(data_dir, collection, corpus, cheat, metric):
    assert gate(data_dir, collection, cheat, metric, corpus).verdict != "PASS"


@pytest.mark.parametrize("metric", ["nDCG@10", "R@10"])
@pytest.mark.parametrize(
    ("collection", "system"),
    [
        ("cranfield", "bm25"),
        ("cranfield", "minilm"),
        ("cranfield", "lsa"),
        ("cranfield", "tfidf"),
        ("scifact", "bm25"),
        ("scifact", "tfidf"),
        ("scifact", "lsa"),
    ],
)
def test_real_systems_pass_where_there_are_queries_enough(data_dir, collection, system, metric):
    result = gate(data_dir, collection, system, metric, ids)
    assert result.verdict == "PASS"
    assert result.point_verdict == "PASS"
