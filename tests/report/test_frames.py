from __future__ import annotations

import numpy as np
import pytest

from falsify_nb.core.result import GateResult
from falsify_nb.errors import InputError


def test_null_frame_holds_the_figures_of_each_null(result):
    frame = result.to_frame()
    assert list(frame.index) == list("ABCD")
    assert list(frame.columns) == [
        "null_mean", "delta", "ci_low", "ci_high", "ci_low_adj", "ci_high_adj",
        "p_value", "p_adj", "verdict",
    ]  # fmt: skip
    null = result.nulls["C"]
    row = frame.loc["C"]
    assert row["null_mean"] == null.mean
    assert row["delta"] == null.delta
    assert (row["ci_low"], row["ci_high_adj"]) == (null.interval.low, null.interval_adjusted.high)
    assert row["verdict"] == "PASS"


def test_a_missing_interval_is_nan(make):
    frame = make(verdicts="UUUU", n=2).to_frame()
    assert frame[["ci_low", "ci_high_adj"]].isna().all(axis=None)


def test_per_query_frame_pairs_scores_with_ids(result):
    frame = result.per_query
    assert frame.index.name == "query_id"
    assert list(frame.columns) == ["score", "null_A", "null_B", "null_C", "null_D", "text"]
    assert frame.loc["q0003", "score"] == result.scores[3]
    assert frame.loc["q0003", "null_D"] == result.null_scores[3, 3]
    assert frame.loc["q0003", "text"] == result.texts[3]


def test_writing_to_a_frame_leaves_the_result_as_it_was(result):
    before = result.scores.copy()
    frame = result.per_query
    frame["score"] = 0.0
    np.testing.assert_array_equal(result.scores, before)


def test_per_query_frame_of_a_result_without_arrays_says_so(make):
    slim = GateResult.from_dict(make(n=30).to_dict(arrays=False))
    with pytest.raises(InputError, match=r"30 queries were left out.*arrays=True"):
        slim.per_query  # noqa: B018 - the property computes
