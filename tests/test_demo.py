from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections import Counter

import pytest
import pytrec_eval

from falsify_nb import load_demo
from falsify_nb.demo import BM25

FINGERPRINT = (
    "import json, sys; from falsify_nb import load_demo; d = load_demo();"
    "sys.stdout.write(json.dumps([d.queries, d.documents, d.qrels, d.runs]))"
)


@pytest.fixture(scope="module")
def demo():
    return load_demo()


def ndcg(demo, run):
    scored = {
        q: docs if isinstance(docs, dict) else {d: -float(i) for i, d in enumerate(docs)}
        for q, docs in run.items()
    }
    per_query = pytrec_eval.RelevanceEvaluator(demo.qrels, {"ndcg_cut.10"}).evaluate(scored)
    return sum(v["ndcg_cut_10"] for v in per_query.values()) / len(per_query)


def test_one_answer_is_relevant_to_two_queries_in_five(demo):
    counts = Counter(d for gold in demo.qrels.values() for d in gold)
    assert counts.most_common(1) == [("hypertension", 48)]
    assert len(demo.queries) == 120


def test_no_question_is_asked_twice_and_none_names_its_answer(demo):
    assert len(set(demo.queries.values())) == len(demo.queries)
    for query, text in demo.queries.items():
        assert not any(doc in text.lower() for doc in demo.qrels[query])


def test_everything_judged_or_retrieved_is_in_the_corpus(demo):
    corpus = set(demo.corpus)
    assert len(corpus) == len(demo.documents) == len(demo.corpus)
    for table in (demo.qrels, *demo.runs.values()):
        assert table.keys() == demo.queries.keys()
        assert all(corpus.issuperset(docs) for docs in table.values())


def test_the_retriever_is_good_but_not_perfect(demo):
    assert 0.7 < ndcg(demo, demo.runs["bm25"]) < 0.85


def test_the_cheat_looks_respectable_though_it_never_reads(demo):
    lists = demo.runs["popular"].values()
    assert len({tuple(docs) for docs in lists}) == 1
    assert 0.4 < ndcg(demo, demo.runs["popular"]) < 0.6


def test_the_run_is_what_search_returns(demo):
    for query, text in demo.queries.items():
        assert demo.search(text) == demo.runs["bm25"][query]


def test_bm25_is_its_formula():
    # "gout" stands twice among the 4 words of one document of ten; the others have 2 words, so
    # the mean length is 2.2. idf = ln(1 + 9.5/1.5), weight 2·2.2 / (2 + 1.2·(¼ + ¾·4/2.2)).
    documents = {f"d{i}": f"{'abcdefghi'[i] * 3} {'jklmnopqr'[i] * 3}" for i in range(9)}
    found = BM25({**documents, "a": "gout gout hurts feet"}).search("What is gout?")
    assert found == pytest.approx({"a": 1.9924301 * 4.4 / 3.9363636}, abs=2e-6)


def test_bm25_leaves_out_words_that_are_everywhere():
    found = BM25({f"d{i}": "common words" for i in range(5)}).search("common words")
    assert found == {}


def test_a_text_without_known_words_finds_nothing(demo):
    assert demo.search("xylophone") == {}


def test_the_benchmark_does_not_depend_on_the_hash_seed():
    texts = [
        subprocess.run(
            [sys.executable, "-c", FINGERPRINT],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert texts[0] == texts[1]
    assert json.loads(texts[0])[0].keys() == load_demo().queries.keys()


def test_the_benchmark_is_the_same_on_every_machine(demo):
    # Not a check of what is right, but that no Python or numpy changes what tutorials print.
    data = json.dumps([demo.queries, demo.documents, demo.qrels], sort_keys=True)
    assert hashlib.sha256(data.encode()).hexdigest()[:16] == "5c24b9d8d2accf60"


def test_two_loads_share_nothing(demo):
    other = load_demo()
    other.qrels["q001"].clear()
    assert demo.qrels["q001"]
