"""A result is data: it goes to JSON and back, is copied and pickled, and cannot be changed."""

from __future__ import annotations

import copy
import dataclasses
import json
import pickle

import numpy as np
import pytest
from plain import random_world

from falsify_nb import GateResult, NullResult, Protocol, falsify
from falsify_nb.errors import InputError, OptionError

WORLD = random_world(1, 12, 10)


def gate(**options):
    options = {"metric": "nDCG@3", "n_boot": 100, "corpus": WORLD.corpus} | options
    return falsify(WORLD.run, qrels=WORLD.qrels, **options)


RESULTS = {
    "plain": gate(),
    "percentile": gate(interval="percentile", tau=0.1),
    "drawn mean": gate(metric="RR@3"),
    "point": gate(decision="point", n_boot=1),
    "with texts": gate(queries={q: f"text of {q} — “ü”" for q in WORLD.qrels}),
    "no corpus": gate(corpus=None),
    "sealed": falsify(WORLD.run, qrels=WORLD.qrels, protocol=Protocol(metric="R@3", n_boot=100)),
    "two queries": falsify({"a": ["x"], "b": ["y"]}, qrels={"a": {"x": 1}, "b": {"z": 1}}),
    "grouped": gate(groups={q: f"g{int(q[1:]) // 2}" for q in WORLD.qrels}),
}
every_result = pytest.mark.parametrize("result", RESULTS.values(), ids=RESULTS)


def arrays_of(result):
    found = {"scores": result.scores, "null_scores": result.null_scores}
    found["counts"] = result.labels.counts
    for name, null in result.nulls.items():
        found[f"{name} draws"] = null.draws
        found[f"{name} contributions"] = null.contributions
        if null.weights is not None:
            found[f"{name} weights"] = null.weights
    return found


def assert_same(one, other):
    """Equal in every field, arrays bit by bit."""
    assert one.same_as(other)
    for name, array in arrays_of(one).items():
        np.testing.assert_array_equal(array, arrays_of(other)[name])
        assert array.dtype == arrays_of(other)[name].dtype
    for field in dataclasses.fields(GateResult):
        if field.name not in ("scores", "null_scores", "nulls", "labels"):
            assert getattr(one, field.name) == getattr(other, field.name), field.name


COPIES = {
    "dict": lambda r: GateResult.from_dict(r.to_dict()),
    "json": lambda r: GateResult.from_json(r.to_json()),
    "pickle": lambda r: pickle.loads(pickle.dumps(r)),
    "deepcopy": copy.deepcopy,
    "copy": copy.copy,
}
every_copy = pytest.mark.parametrize("again", COPIES.values(), ids=COPIES)


@every_result
@every_copy
def test_every_way_of_copying_keeps_every_number(result, again):
    assert_same(again(result), result)


@every_result
@every_copy
def test_arrays_stay_read_only_in_every_copy(result, again):
    for name, array in {**arrays_of(result), **arrays_of(again(result))}.items():
        with pytest.raises(ValueError, match="read-only"):
            array[:] = 0
        assert not array.flags.writeable, name


@every_copy
def test_a_copy_judges_and_draws_as_the_original(again):
    result = RESULTS["plain"]
    assert again(result).at(tau=0.4).same_as(result.at(tau=0.4))


def plain_types(value):
    """Whether a value is made of JSON's own types, and nothing that only resembles them."""
    if type(value) is dict:
        return all(type(k) is str and plain_types(v) for k, v in value.items())
    if type(value) is list:
        return all(map(plain_types, value))
    return value is None or type(value) in (str, int, float, bool)


@every_result
def test_a_dict_holds_plain_types_only(result):
    for key, value in result.to_dict().items():
        assert plain_types(value), key
    for null in result.nulls.values():
        assert type(null.p_value) in (float, type(None))
        assert type(null.mean) is float
        assert type(null.mean_error) is float


@every_result
def test_json_is_strict_and_keeps_floats_exactly(result):
    def refuse(constant):
        raise AssertionError(constant)

    data = json.loads(result.to_json(), parse_constant=refuse)
    assert data == result.to_dict()
    assert data["score"] == result.score


def test_without_arrays_the_figures_stay_and_only_another_threshold_is_refused():
    result = RESULTS["plain"]
    small = GateResult.from_dict(result.to_dict(arrays=False))
    assert small.score == result.score
    assert small.verdict == result.verdict
    for name, null in small.nulls.items():
        assert null.interval == result.nulls[name].interval
        assert null.p_value == result.nulls[name].p_value
        assert null.n_draws == 100
        assert len(null.draws) == len(null.contributions) == 0
    assert small.query_ids == ()
    with pytest.raises(InputError, match="without its contributions") as caught:
        small.at(tau=0.2)
    assert "arrays=True" in caught.value.remedy


@pytest.mark.parametrize(
    "change", [{"schema": 99}, {"kind": "comparison"}, {"schema": None}, {"kind": None}]
)
def test_what_is_no_result_is_refused_with_what_it_says_it_is(change):
    with pytest.raises(InputError, match="no gate result") as caught:
        GateResult.from_dict(RESULTS["plain"].to_dict() | change)
    assert repr(next(iter(change.values()))) in str(caught.value)
    assert caught.value.remedy


def test_an_unknown_field_of_a_protocol_is_refused_with_the_nearest_names():
    with pytest.raises(OptionError, match="'taux' is no field") as caught:
        Protocol.from_dict({"taux": 0.1})
    assert "tau" in caught.value.remedy


def test_a_protocol_survives_json():
    protocol = Protocol(metric="R@5", tau=0.1, bounds=(-1, 2), interval="percentile", seed=7)
    assert Protocol.from_dict(json.loads(json.dumps(protocol.to_dict()))) == protocol


@every_result
def test_truth_is_refused_and_points_to_passed(result):
    with pytest.raises(TypeError, match=r"\.passed"):
        bool(result)
    with pytest.raises(TypeError, match=r"\.passed"):
        assert result


def test_fields_and_nulls_cannot_be_changed():
    result = gate()
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.verdict = "PASS"
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.nulls["A"].verdict = "PASS"
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.protocol.tau = 0.5
    nulls = result.nulls
    before = dict(nulls)
    for change in (
        lambda: nulls.__setitem__("A", nulls["B"]),
        lambda: nulls.__delitem__("A"),
        lambda: nulls.update(A=nulls["B"]),
        lambda: nulls.pop("A"),
        nulls.popitem,
        nulls.clear,
        lambda: nulls.setdefault("E", nulls["A"]),
        lambda: nulls.__ior__({"A": nulls["B"]}),
    ):
        with pytest.raises(TypeError, match="cannot be changed"):
            change()
    assert dict(nulls) == before
    assert list(nulls) == ["A", "B", "C", "D"]


def test_a_result_keeps_no_hold_on_what_the_user_can_still_change():
    world = random_world(2, 12, 10)
    result = falsify(world.run, qrels=world.qrels, corpus=world.corpus, n_boot=100)
    before = result.to_dict()
    for ranking in world.run.values():
        ranking.clear()
    world.qrels.clear()
    world.corpus.clear()
    assert result.to_dict() == before


def test_a_result_is_equal_only_to_itself_and_can_be_hashed():
    one, other = gate(), gate()
    assert one != other
    assert one.same_as(other)
    assert not one.same_as(gate(seed=1))
    assert len({one, other}) == 2
    assert one.nulls["A"] != other.nulls["A"]


def test_the_repr_says_the_verdict_in_one_line():
    result = RESULTS["plain"]
    text = repr(result)
    assert "\n" not in text
    assert result.verdict in text
    assert f"{result.score:.4f}" in text
    assert isinstance(result.nulls["A"], NullResult)


@pytest.mark.parametrize("name", "ABCD")
def test_a_gap_without_headroom_has_no_share(name):
    null = RESULTS["plain"].nulls[name]
    assert null.share_of_headroom == pytest.approx(null.delta / null.headroom)
    assert dataclasses.replace(null, headroom=0.0).share_of_headroom is None
    assert dataclasses.replace(null, headroom=-0.1).share_of_headroom is None
    assert dataclasses.replace(null, headroom=None).share_of_headroom is None
