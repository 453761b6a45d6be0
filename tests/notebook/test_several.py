"""A mapping of several runs is told apart from one run, by the queries of the qrels."""

from __future__ import annotations

import pandas as pd
import pytest

from falsify_nb.errors import InputError, OptionError
from falsify_nb.io.adapt import to_qrels
from falsify_nb.notebook.several import SeveralResults, as_several

JUDGED = to_qrels({"q1": {"d1": 1}, "q2": {"d2": 1}, "3": {"d2": 1}})
RANKED = {"q1": ["d1"], "q2": ["d1"]}
SCORED = {"q1": {"d1": 1.0}, "q2": {"d2": 0.5}}
FRAME = pd.DataFrame({"query_id": ["q1"], "doc_id": ["d1"], "score": [1.0]})


@pytest.mark.parametrize(
    "run",
    [
        RANKED,
        SCORED,
        {"q1": ["d1"], "unjudged": ["d2"]},
        {3: {"d1": 1.0}},
        # No query in common, and nothing that could be a run: falsify() says so better.
        {"x1": ["d1"], "x2": ["d2"]},
        {"x1": {"d1": 1.0}},
        {},
        FRAME,
        "run.trec",
    ],
)
def test_one_run_is_left_to_the_gate(run):
    assert as_several(run, JUDGED) is None


def test_every_value_a_run_means_several():
    several = as_several({"bm25": RANKED, "dense": SCORED, "frame": FRAME}, JUDGED)
    assert list(several) == ["bm25", "dense", "frame"]
    assert several["dense"].to_dict() == SCORED
    assert [run.name for run in several.values()] == ["bm25", "dense", "frame"]


def test_neither_reading_shows_both():
    with pytest.raises(InputError) as caught:
        as_several({"bm25": RANKED, "other": {"x1": ["d1"]}}, JUDGED)
    text = str(caught.value)
    for words in (
        "'bm25', 'other'",
        "as one run",
        "'3', 'q1', 'q2'",
        "as several",
        "'other'",
        "1 q",
    ):
        assert words in text


def test_a_system_named_like_a_query_is_one_run_unless_forced():
    runs = {"q1": RANKED, "q2": SCORED}
    assert as_several(runs, JUDGED) is None
    assert list(as_several(runs, JUDGED, forced=True)) == ["q1", "q2"]


def test_forcing_names_the_run_that_is_none():
    with pytest.raises(InputError, match="'other'"):
        as_several({"bm25": RANKED, "other": {"x1": ["d1"]}}, JUDGED, forced=True)
    with pytest.raises(OptionError, match="--compare needs a mapping"):
        as_several(FRAME, JUDGED, forced=True)


def test_the_magic_gates_each_and_names_it(cell, gate, shell):
    shell.user_ns.update(runs={"bm25": RANKED, "dense": SCORED})
    assert cell("%%falsify --qrels qrels --tau 0.1 --out results --quiet\nruns").success
    results = shell.user_ns["results"]
    assert isinstance(results, SeveralResults)
    assert {name: r.system for name, r in results.items()} == {"bm25": "bm25", "dense": "dense"}
    assert [run.name for run, _ in gate.calls] == ["bm25", "dense"]
    assert {a["tau"] for _, a in gate.calls} == {0.1}
    assert repr(results) == "<SeveralResults: bm25 PASS, dense PASS>"
    assert len(results) == 2


def test_compare_is_refused_for_what_is_no_mapping(cell, gate):
    outcome = cell("%falsify a.trec --qrels qrels --compare")
    assert isinstance(outcome.error_in_exec, OptionError)


def test_raise_names_the_system_that_fails(cell, gate, shell):
    gate.delta = -0.2
    shell.user_ns.update(runs={"bm25": RANKED, "dense": SCORED})
    outcome = cell("%%falsify --qrels qrels --raise --quiet\nruns")
    assert "bm25" in str(outcome.error_in_exec)
