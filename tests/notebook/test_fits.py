"""Which variables fit which option, with their shape in words."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

from falsify_nb.core.protocol import Protocol
from falsify_nb.core.tables import Corpus, IdColumn, Qrels, Run
from falsify_nb.notebook.fits import candidates, shape_hint
from falsify_nb.notebook.options import OPTIONS

SCORED = {"q1": {"d1": 1.5}, "q2": {}}
RANKED = {"q1": ["d1", "d2"], "q2": []}
COLUMN = IdColumn.from_ids(["q1", "q1", "q2"])
SCORES = pd.DataFrame({"query_id": ["q1", "q2"], "doc_id": ["d1", "d2"], "score": [1.0, 2.0]})
GRADES = SCORES.rename(columns={"score": "relevance"})


@pytest.mark.parametrize(
    ("value", "fits"),
    [
        (SCORED, {"run": "2 queries", "qrels": "2 queries"}),
        (RANKED, {"run": "2 queries"}),
        ({"q1": np.array(["d1"])}, {"run": "1 query"}),
        ({"q1": "what?"}, {"queries": "1 query", "groups": "1 query", "corpus": "1 id"}),
        ({}, {}),
        (SCORES, {"run": "2 rows"}),
        (pl.DataFrame(SCORES.to_dict("list")), {"run": "2 rows"}),
        (GRADES, {"qrels": "2 rows"}),
        (Run(COLUMN, COLUMN, np.ones(3)), {"run": "2 queries"}),
        (Qrels(COLUMN, COLUMN, np.ones(3)), {"qrels": "2 queries"}),
        (Corpus(3), {"corpus": "3 documents"}),
        (["d1", "d2"], {"corpus": "2 ids"}),
        ({"d1"}, {"corpus": "1 id"}),
        (8_841_823, {"corpus": "8,841,823 documents", "top_k": "8841823", "seed": "8841823",
                     "n_jobs": "8841823"}),
        (0.05, {"tau": "0.05"}),
        (Protocol(), {"protocol": "protocol"}),
        (candidates, {"metric": "function"}),
        (True, {}),
        ("no such file", {}),
        (pd.DataFrame, {}),
        (print, {}),
        (None, {}),
    ],
)  # fmt: skip
def test_a_value_fits_these_options(value, fits):
    hints = {name: shape_hint(option, value) for name, option in OPTIONS.items()}
    assert {name: hint for name, hint in hints.items() if hint} == fits


def test_a_path_fits_where_a_file_is(tmp_path):
    (tmp_path / "bm25.trec").touch()
    assert shape_hint(OPTIONS["run"], tmp_path / "bm25.trec") == "file bm25.trec"
    assert shape_hint(OPTIONS["run"], str(tmp_path)) is None


def test_hidden_names_are_not_offered():
    assert candidates("run", {"_1": SCORED, "_": SCORED, "best": SCORED}) == {"best": "2 queries"}


def test_looking_calls_nothing_of_the_users():
    class Lazy:
        def __getattr__(self, name):
            raise RuntimeError("looked into")

    assert candidates("run", {"lazy": Lazy(), "best": SCORED}) == {"best": "2 queries"}
