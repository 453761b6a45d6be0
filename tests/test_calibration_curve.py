"""Intervals and verdicts over growing subsets: by hand, by the gate itself, and on real data."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from plain import clopper_pearson, random_world

from falsify_nb import CalibrationCurve, InputError, OptionError, calibration_curve, falsify


def hits(rate, n, **options):
    """A benchmark of documents of their own, found at rank 1 at a rate."""
    qrels = {f"q{i:03}": {f"d{i}": 1} for i in range(n)}
    run = {q: list(docs) if i < rate * n else ["x"] for i, (q, docs) in enumerate(qrels.items())}
    options = {"metric": "Success@1", "corpus": 10**9, "n_boot": 100} | options
    return falsify(run, qrels=qrels, **options)


def test_the_last_point_is_the_result_itself():
    world = random_world(4, 30, 12)
    result = falsify(world.run, qrels=world.qrels, corpus=900, n_boot=100)
    curve = calibration_curve(result, n_subsets=3)
    for name, null in result.nulls.items():
        last = curve.of(name)[-1]
        ends = null.interval_adjusted
        assert last.width == pytest.approx(ends.high - ends.low, rel=1e-6)
        assert last.width_low == last.width == last.width_high
        assert last.delta == pytest.approx(null.delta)
        shares = {"PASS": last.passes, "UNDER-NS": last.undecided, "FAIL": last.fails}
        assert shares[null.verdict] == 1
    assert curve.of("gate")[-1].n_queries == 30


def test_a_subset_of_hits_has_the_interval_of_clopper_and_pearson():
    result = hits(1.0, 40)
    point = calibration_curve(result, n_subsets=4, sizes=[12]).of("C")[0]
    low, high = clopper_pearson(12, 12, 0.0125)
    assert point.width == pytest.approx(high - low, abs=1e-4)
    assert point.passes == 1


def test_shares_follow_the_subsets():
    # At Δ = 0.2 and τ = 0.05: 5 queries decide nothing, and all 300 do.
    curve = calibration_curve(hits(0.2, 300), n_subsets=8)
    gate = curve.of("gate")
    assert curve.sizes == (5, 10, 20, 40, 80, 160, 300)
    assert gate[0].undecided == 1
    assert gate[-1].passes == 1
    assert all(p.passes + p.undecided + p.fails == pytest.approx(1) for p in curve.points)
    run = {f"q{i:03}": [f"x{i}"] for i in range(120)}
    qrels = {q: {f"d{q}": 1} for q in run}
    options = {"metric": "Success@1", "corpus": 10**9, "n_boot": 100}
    failing = calibration_curve(falsify(run, qrels=qrels, **options), n_subsets=2).of("gate")
    assert failing[-1].fails == 1
    assert failing[0].undecided == 1


def test_subsets_of_a_query_blind_system_fail_as_the_whole_does():
    """By Null A, at any number of queries; the gate itself says the same of each subset."""
    world = random_world(9, 40, 12, skew=1.5)
    run = dict.fromkeys(world.qrels, world.corpus[:5])
    options = {"qrels": world.qrels, "corpus": 900, "n_boot": 100}
    whole = falsify(run, **options)
    assert whole.is_query_blind
    curve = calibration_curve(whole, n_subsets=3, sizes=[3, 5, 20])
    for size, point in zip((3, 5, 20), curve.of("A"), strict=True):
        few = dict(list(world.qrels.items())[:size])
        assert falsify({q: run[q] for q in few}, **{**options, "qrels": few}).verdict == "FAIL"
        assert point.fails == 1
        assert point.passes == point.undecided == 0
    assert all(point.fails == 1 for point in curve.of("gate"))
    assert any(point.fails < 1 for point in curve.of("C"))


@pytest.mark.parametrize("given", [{"q1": ["d1"]}, None, "result"])
def test_only_a_result_has_a_curve(given):
    with pytest.raises(OptionError, match="takes the result of a gate, not"):
        calibration_curve(given)


@pytest.mark.parametrize("sizes", [10, [2.5, 10], "abc", []])
def test_sizes_are_whole_numbers(sizes):
    with pytest.raises(OptionError, match="are not whole numbers from 3 to 40"):
        calibration_curve(hits(0.5, 40), sizes=sizes)


@pytest.mark.parametrize(("folder", "system"), [("scifact", "lsa"), ("adi", "tfidf")])
def test_intervals_tighten_with_every_step_on_real_data(data_dir, folder, system):
    where = data_dir / folder
    result = falsify(
        where / "runs" / f"{system}.trec.gz", qrels=where / "qrels.txt", n_boot=100, strict=False
    )
    curve = calibration_curve(result, n_subsets=5)
    for null in ("A", "B", "C", "D", "gate"):
        widths = [point.width for point in curve.of(null)]
        assert all(wide > narrow for wide, narrow in itertools.pairwise(widths)), null
        # With four times the queries about half the width, once the bounds no longer matter.
        assert widths[-1] < 0.75 * widths[-3]


def test_groups_are_the_units():
    world = random_world(4, 40, 12)
    groups = {q: f"g{i // 4}" for i, q in enumerate(sorted(world.qrels))}
    result = falsify(world.run, qrels=world.qrels, corpus=900, n_boot=100, groups=groups)
    curve = calibration_curve(result, n_subsets=3)
    assert curve.sizes == (5, 10)
    assert [p.n_queries for p in curve.of("gate")] == [20, 40]


def test_the_percentile_interval_is_kept():
    result = hits(0.5, 40, interval="percentile")
    point = calibration_curve(result, n_subsets=1, sizes=[40]).of("C")[0]
    ends = result.nulls["C"].interval_adjusted
    assert point.width == pytest.approx(ends.high - ends.low)


def test_it_is_the_same_each_time_and_comes_back_from_json():
    result = hits(0.3, 30)
    curve = calibration_curve(result, n_subsets=3)
    assert calibration_curve(result, n_subsets=3).to_dict() == curve.to_dict()
    assert CalibrationCurve.from_json(curve.to_json()).to_dict() == curve.to_dict()
    assert repr(curve).startswith("<CalibrationCurve: Success@1, 5 to 30 units")


def test_as_a_frame_and_in_words():
    curve = calibration_curve(hits(0.3, 30), n_subsets=3)
    frame = curve.to_frame()
    assert list(frame["null"].unique()) == ["A", "B", "C", "D", "gate"]
    assert len(frame) == 5 * len(curve.sizes)
    assert {"n_queries", "width", "passes", "fails"} <= set(frame.columns)
    assert "30 queries: widest 98.75 % interval" in curve.to_text()


def test_progress_is_told_and_can_cancel():
    seen = []
    calibration_curve(hits(0.3, 30), n_subsets=1, progress=lambda *step: seen.append(step))
    assert seen == [("subsets", i, 4) for i in range(4)]

    def stop(*_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        calibration_curve(hits(0.3, 30), progress=stop)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ({"n_subsets": 0}, "n_subsets=0"),
        ({"n_subsets": 1.5}, "n_subsets=1.5"),
        ({"sizes": [2, 10]}, "from 3 to 30"),
        ({"sizes": [31]}, "from 3 to 30"),
        ({"sizes": []}, "from 3 to 30"),
    ],
)
def test_what_cannot_be_is_refused(call, words):
    with pytest.raises(OptionError, match=words):
        calibration_curve(hits(0.3, 30), **call)


def test_without_contributions_there_is_nothing_to_draw_from():
    with pytest.raises(InputError, match="no contributions"):
        calibration_curve(hits(1.0, 2))
    result = hits(0.3, 30)
    bare = type(result).from_dict(result.to_dict(arrays=False))
    with pytest.raises(InputError, match="arrays=True"):
        calibration_curve(bare)


def test_another_files_data_is_refused():
    with pytest.raises(InputError, match="no calibration curve"):
        CalibrationCurve.from_dict({"schema": 1, "kind": "gate"})


def test_small_subsets_have_the_wide_bounds_of_few_queries():
    # Below ten queries with expectations that differ, the method takes the whole range.
    world = random_world(4, 30, 12)
    result = falsify(world.run, qrels=world.qrels, corpus=900, n_boot=100)
    assert np.ptp(result.null_scores[0]) > 0
    curve = calibration_curve(result, n_subsets=3, sizes=[9, 10])
    nine, ten = curve.of("A")
    assert nine.width > 1.15 * ten.width
