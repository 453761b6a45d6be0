"""Systems of known kind on a user's benchmark: right verdicts, and wrong ones said loudly."""

from __future__ import annotations

import dataclasses

import pytest

from falsify_nb import InputError, OptionError, SelfTest, self_test
from falsify_nb.controls import Control
from falsify_nb.systems import SYSTEMS

QRELS = {f"q{i:03}": {f"d{i}": 2, f"d{(i * i) % 40}": 1} for i in range(120)}
CORPUS = [f"d{i}" for i in range(400)]


@pytest.fixture(scope="module")
def found() -> SelfTest:
    return self_test(QRELS, CORPUS, n_boot=100)


def test_all_systems_are_gated_and_judged_right(found):
    assert [c.system for c in found.controls] == list(SYSTEMS)
    assert found.passed
    verdicts = {c.system: c.verdict for c in found.controls}
    assert verdicts.pop("oracle") == verdicts.pop("failing-oracle") == "PASS"
    assert "PASS" not in verdicts.values()
    assert (found.n_queries, found.corpus_size, found.metric) == (120, 400, "nDCG@10")
    assert repr(found) == "<SelfTest: 10 of 10 verdicts right>"


def test_it_shows_which_null_caught_which(found):
    by_name = {c.system: c for c in found.controls}
    assert "A" in by_name["constant"].caught_by
    assert by_name["oracle"].caught_by == ()
    frame = found.to_frame()
    assert list(frame.index) == list(SYSTEMS)
    assert frame.loc["popularity", "verdict_A"] == "FAIL"
    assert frame.loc["popularity", "delta_A"] == pytest.approx(0, abs=1e-12)
    assert frame["right"].all()


def test_a_wrong_verdict_is_said_first_and_loudly(found):
    liar = dataclasses.replace(found.controls[4], verdict="PASS")
    wrong = dataclasses.replace(found, controls=(found.controls[0], liar))
    assert not wrong.passed
    assert wrong.wrong == (liar,)
    first = wrong.to_text().splitlines()[0]
    assert first.startswith("WRONG: popularity (")
    assert "right would be FAIL or UNDER-NS" in first
    assert "<- WRONG" in wrong.to_text()


@pytest.mark.parametrize("verdict", ["FAIL", "UNDER-NS"])
def test_an_oracle_that_does_not_pass_is_wrong_where_it_could(found, verdict):
    oracle = dataclasses.replace(found.controls[0], verdict=verdict)
    assert oracle.expected == ("PASS",)
    assert not oracle.is_right


def test_with_few_queries_an_undecided_oracle_is_right():
    few = {q: QRELS[q] for q in list(QRELS)[:4]}
    found = self_test(few, CORPUS, n_boot=100, systems=["oracle"])
    assert found.controls[0].verdict == "UNDER-NS"
    assert found.controls[0].expected == ("PASS", "UNDER-NS")
    assert found.passed
    assert "too few even for a perfect system" in found.finding


def test_without_headroom_an_oracle_is_not_to_pass():
    same = {f"q{i:03}": {"d1": 1} for i in range(120)}
    found = self_test(same, CORPUS, n_boot=100, systems=["oracle", "other-query"])
    assert found.controls[0].expected == ("FAIL", "UNDER-NS")
    assert found.passed
    assert "none can pass here: a perfect system FAILs" in found.finding
    assert "none can pass" not in self_test(QRELS, CORPUS, systems=["oracle"], n_boot=100).finding


def test_systems_that_would_return_nothing_are_named():
    found = self_test({"q": {"d": 1}}, n_boot=100)
    assert set(found.skipped) == {"anti-oracle", "popularity-loo"}
    assert "Not possible on this benchmark: anti-oracle, popularity-loo." in found.to_text()


def test_a_corpus_given_by_its_size_is_enough():
    found = self_test(QRELS, 10**6, n_boot=100, systems=["oracle", "uniform-random"])
    assert found.corpus_size == 10**6
    assert found.passed


def test_metric_tau_and_the_rest_are_the_gates():
    found = self_test(
        QRELS, CORPUS, "R@5", tau=0.2, n_boot=100, seed=4, systems=["oracle"], top_k=5
    )
    assert (found.metric, found.tau, found.seed, found.n_boot) == ("R@5", 0.2, 4, 100)
    grouped = self_test(
        QRELS,
        CORPUS,
        n_boot=100,
        systems=["oracle"],
        groups={q: f"g{i // 4}" for i, q in enumerate(QRELS)},
    )
    assert grouped.passed


def test_a_function_can_be_the_metric():
    qrels = {q: QRELS[q] for q in list(QRELS)[:12]}

    def first_is_relevant(ranking, gold):
        return float(bool(ranking) and ranking[0] in gold)

    found = self_test(qrels, CORPUS, first_is_relevant, n_boot=100, systems=["oracle", "constant"])
    assert found.controls[0].score == 1.0
    assert found.passed


def test_it_comes_back_from_json(found):
    again = SelfTest.from_json(found.to_json())
    assert again.to_dict() == found.to_dict()
    assert again.controls == found.controls
    with pytest.raises(InputError, match="no self-test"):
        SelfTest.from_dict({"schema": 1, "kind": "gate"})


def test_its_truth_value_is_refused(found):
    with pytest.raises(TypeError, match="passed"):
        bool(found)


def test_progress_names_the_systems():
    seen = []
    self_test(
        QRELS,
        CORPUS,
        n_boot=100,
        systems=["oracle", "tied"],
        progress=lambda *step: seen.append(step),
    )
    assert seen == [("oracle", 0, 2), ("tied", 1, 2)]


@pytest.mark.parametrize(
    ("systems", "words"),
    [(["oracel"], "Did you mean oracle"), (["zzz"], "Use oracle"), ([], "systems is empty")],
)
def test_unknown_systems_are_refused(systems, words):
    with pytest.raises(OptionError, match=words):
        self_test(QRELS, CORPUS, systems=systems)


@pytest.mark.parametrize("folder", ["adi", "cranfield"])
def test_all_is_right_on_published_benchmarks(data_dir, folder):
    where = data_dir / folder
    found = self_test(where / "qrels.txt", where / "corpus_ids.txt", n_boot=100)
    assert found.passed, found.finding
    assert isinstance(found.controls[0], Control)
