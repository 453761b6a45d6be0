from __future__ import annotations

import pytest

from falsify_nb import falsify, load_demo
from falsify_nb.calibration import CalibrationCurve, calibration_curve
from falsify_nb.controls import Control, SelfTest, self_test
from falsify_nb.report.charts import chart
from falsify_nb.robustness import SensitivityCell, SensitivityResult

HOSTILE = "a.b[0]: 'x' + alert(1) </script> \U0001f600 שלום \\"


@pytest.fixture(scope="module")
def demo():
    return load_demo()


@pytest.fixture(scope="module")
def curve(demo):
    result = falsify(demo.runs["bm25"], qrels=demo.qrels, corpus=demo.corpus, n_boot=100)
    return calibration_curve(result, n_subsets=3)


@pytest.fixture(scope="module")
def tested(demo):
    return self_test(
        demo.qrels, demo.corpus, n_boot=100, systems=["oracle", "popularity", "uniform-random"]
    )


def many_systems(n=40):
    """A self-test of forty systems with hostile names, one of them judged wrongly."""
    verdicts = {"A": "FAIL", "B": "PASS", "C": "UNDER-NS", "D": "FAIL"}
    deltas = {"A": -0.01, "B": 0.2, "C": 0.06, "D": 0.0}
    controls = [
        Control(f"{HOSTILE} {i}", HOSTILE, "FAIL", ("FAIL", "UNDER-NS"), 0.3, verdicts, deltas)
        for i in range(n - 1)
    ]
    wrong = Control("cheat", "always the same", "PASS", ("FAIL",), 0.3, verdicts, deltas)
    return SelfTest((*controls, wrong), HOSTILE, 0.05, 120, 1400, 1000, 2026)


def grid():
    cells = [
        SensitivityCell(HOSTILE, k, tau, "PASS" if tau < 0.1 else "FAIL", 0.4, "D", 0.08)
        for k in (1, 10)
        for tau in (0.05, 0.1)
    ]
    return SensitivityResult(tuple(cells), 120, 2026, 1000, HOSTILE)


def test_the_self_test_has_a_cell_per_system_and_null(tested):
    rows = tested.chart().spec["datasets"]["cells"]
    cells = {(r["system"], r["column"]): r["verdict"] for r in rows}
    assert len(cells) == 3 * 6
    for control in tested.controls:
        name = f"{control.system}: {control.what}"
        for letter, verdict in control.verdicts.items():
            assert cells[name, letter] == verdict
        assert cells[name, "gate"] == control.verdict
        assert cells[name, "right?"] == ("PASS" if control.is_right else "FAIL")


def test_a_wrong_verdict_is_the_title_of_the_self_test():
    made = chart(many_systems())
    assert made.title.startswith("WRONG verdict on cheat")
    assert "WRONG, FAIL expected" in made.text.splitlines()[-1]


def test_the_calibration_chart_holds_every_size(curve):
    spec = curve.chart().spec
    widths = spec["datasets"]["widths"]
    assert len(widths) == 4 * len(curve.sizes)
    by_null = [(r["null"], r["width"]) for r in widths if r["queries"] == 120]
    assert by_null == [(k, round(curve.of(k)[-1].width, 4)) for k in "ABCD"]
    shares = [r for r in spec["datasets"]["shares"] if r["queries"] == "5"]
    assert [r["verdict"] for r in shares] == ["PASS", "UNDER-NS", "FAIL"]
    assert shares[-1]["to"] == 1


def test_the_calibration_title_says_from_which_size_on_the_verdict_holds(curve):
    gate = curve.of("gate")
    assert gate[-1].passes == 1
    first = next(p for i, p in enumerate(gate) if all(later.passes >= 0.8 for later in gate[i:]))
    assert curve.chart().title == (
        f"PASS in at least 80 % of the subsets from {first.n_units} queries on"
    )


def test_a_fine_grid_of_sizes_is_thinned(demo):
    result = falsify(demo.runs["bm25"], qrels=demo.qrels, corpus=demo.corpus, n_boot=100)
    fine = calibration_curve(result, n_subsets=1, sizes=[5, *range(10, 81), 120])
    rows = fine.chart().spec["datasets"]
    assert sum(map(len, rows.values())) <= 1_000
    assert {5, 120} <= {r["queries"] for r in rows["widths"]}


def test_a_narrow_self_test_names_its_systems_in_whole(tested):
    """A sentence cut after a few letters says less than the name alone."""
    import vl_convert

    spec = chart(tested, narrow=True).spec
    drawn = vl_convert.vegalite_to_svg(spec, vl_version="5.8")
    for control in tested.controls:
        assert f">{control.system}<" in drawn


def test_a_table_of_settings_writes_them_as_they_were_given(tmp_path):
    grid().save(tmp_path / "r.md")
    text = (tmp_path / "r.md").read_text(encoding="utf-8")
    assert "| `1` | `0.05` | `PASS` | `0.4000` |" in text


@pytest.mark.parametrize("narrow", [False, True])
@pytest.mark.parametrize("kind", ["curve", "tested", "forty", "grid"])
def test_each_is_small_valid_vegalite_and_can_be_drawn(request, is_vegalite, kind, narrow):
    fresh = {"forty": many_systems, "grid": grid}
    result = fresh[kind]() if kind in fresh else request.getfixturevalue(kind)
    made = chart(result, narrow=narrow)
    assert len(made.json.encode()) <= 60_000
    assert sum(map(len, made.spec["datasets"].values())) <= 1_000
    assert is_vegalite(made.spec)
    if not narrow:
        assert made.png(scale=0.5).startswith(b"\x89PNG")


@pytest.mark.parametrize(("kind", "cls"), [("curve", CalibrationCurve), ("tested", SelfTest)])
def test_each_is_drawn_again_from_its_json(request, kind, cls):
    result = request.getfixturevalue(kind)
    again = cls.from_json(result.to_json())
    assert chart(again).json == chart(result).json


@pytest.mark.parametrize("kind", ["curve", "three", "grid"])
@pytest.mark.parametrize("name", ["r.html", "r.md", "r.csv", "r.json", "r.txt", "r.svg"])
def test_each_can_be_saved_with_hostile_names(request, tmp_path, kind, name):
    fresh = {"three": lambda: many_systems(3), "grid": grid}
    result = fresh[kind]() if kind in fresh else request.getfixturevalue(kind)
    result.save(tmp_path / name)
    text = (tmp_path / name).read_text(encoding="utf-8")
    assert 0 < len(text.encode()) < 2_000_000
    if name == "r.html":
        assert text.count("</script>") == text.count("<script")
