from __future__ import annotations

import json
import struct
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import altair as alt
import pytest

from falsify_nb.core.result import GateResult
from falsify_nb.errors import OptionError
from falsify_nb.report import render
from falsify_nb.report.charts import MIME, chart, kinds_of
from falsify_nb.report.style import HUES


def marks(spec, kind):
    """All the layers of one mark, wherever they are nested."""
    found = [spec] if isinstance(spec.get("mark"), dict) and spec["mark"]["type"] == kind else []
    for key in ("hconcat", "vconcat", "layer"):
        for child in spec.get(key, ()):
            found += marks(child, kind)
    return found


def floats(value):
    if isinstance(value, dict):
        for child in value.values():
            yield from floats(child)
    elif isinstance(value, list):
        for child in value:
            yield from floats(child)
    elif isinstance(value, float):
        yield value


def test_gate_rows_hold_each_nulls_figures(failing):
    rows = {row["null"]: row for row in chart(failing).spec["datasets"]["nulls"]}
    assert list(rows) == list("ABCD")
    assert rows["D"] == {
        "null": "D", "name": "marginal-matched gold", "score": 0.41, "mean": 0.402,
        "needed": 0.452, "gap": 0.008, "verdict": "FAIL",
        "low": -0.04, "high": 0.056, "low_wide": -0.052, "high_wide": 0.068,
    }  # fmt: skip


def test_gate_draws_the_null_as_a_red_tick_and_the_gap_from_null_to_score(result):
    spec = chart(result).spec
    ticks = {m["encoding"]["x"]["field"]: m["mark"]["color"] for m in marks(spec, "tick")}
    assert ticks["mean"] == "#e5484d"
    assert "needed" in ticks
    bars = [m["encoding"] for m in marks(spec["hconcat"][0], "bar")]
    assert ("mean", {"field": "score"}) in [(b["x"]["field"], b["x2"]) for b in bars]


def test_nulls_keep_their_order_and_hues(result):
    for encoding in (m["encoding"] for m in marks(chart(result).spec, "bar")):
        assert encoding["y"]["scale"]["domain"] == list("ABCD")
        if "color" in encoding:
            assert encoding["color"]["scale"] == {
                "domain": list("ABCD"),
                "range": list(HUES.values()),
            }


def test_the_title_says_the_finding_and_the_subtitle_the_protocol(failing):
    title = chart(failing).spec["title"]
    assert title["text"] == ["Passes A, B and C; fails the frequency null (D)"]
    assert "τ = 0.05" in " ".join(title["subtitle"])


def test_the_text_states_every_rows_figures(failing):
    text = chart(failing).text
    assert (
        "D marginal-matched gold: null 0.4020, gap +0.0080, 95 % [−0.0400, +0.0560], "
        "98.75 % [−0.0520, +0.0680], FAIL" in text.splitlines()
    )


@pytest.mark.parametrize("n", [1, 2])
def test_a_gate_without_intervals_draws_the_gaps_alone(make, n):
    made = chart(make(verdicts="UUUU", n=n))
    assert "95 % none" in made.text
    assert "low" not in made.spec["datasets"]["nulls"][0]
    assert made.png()


def every_chart(result):
    return [chart(result, kind, narrow=narrow) for kind in kinds_of(result) for narrow in (0, 1)]


@pytest.mark.parametrize("kind", ["failing", "undecided"])
def test_every_chart_is_valid_vegalite_for_the_installed_altair(request, is_vegalite, kind):
    for made in every_chart(request.getfixturevalue(kind)):
        assert is_vegalite(made.spec), made
        assert not is_vegalite(made.spec | {"config": 3})


def test_the_altair_object_says_the_same_as_the_spec(result):
    for kind in ("gate", "labels"):  # one of each class; Altair takes a second to read one
        made = chart(result, kind)
        read = made.altair
        assert isinstance(read, alt.TopLevelMixin)
        back = read.to_dict(validate=False)
        # The user's own theme adds to the configuration of what they build on.
        keys = set(made.spec) - {"$schema", "config"}
        assert {key: back[key] for key in keys} == {key: made.spec[key] for key in keys}


def test_every_chart_names_its_views_and_sets_no_ground(result):
    for made in every_chart(result):
        spec = made.spec
        views = spec.get("hconcat") or spec.get("vconcat") or [spec]
        assert all(view.get("name") for view in views)
        assert "background" not in made.json


def test_charts_keep_to_their_size_and_four_digits(make):
    for made in every_chart(make(n=100_000)):
        assert len(made.json.encode()) <= 60_000
        assert sum(map(len, made.spec["datasets"].values())) <= 1_000
        assert all(round(v, 4) == v for v in floats(made.spec["datasets"]))


def test_a_result_read_from_json_draws_the_same_charts(result):
    again = GateResult.from_json(result.to_json(arrays=True))
    for one, other in zip(every_chart(result), every_chart(again), strict=True):
        assert (one.json, one.text) == (other.json, other.text)


def test_the_users_altair_settings_change_nothing_and_stay(result):
    plain = [made.json for made in every_chart(result)]

    @alt.theme.register("loud", enable=True)
    def loud() -> alt.theme.ThemeConfig:
        return {"config": {"background": "pink", "mark": {"color": "lime"}}}

    try:
        with alt.data_transformers.enable("vegafusion"), ThreadPoolExecutor(4) as pool:
            drawn = list(pool.map(lambda _: [m.json for m in every_chart(result)], range(8)))
            assert alt.data_transformers.active == "vegafusion"
            assert alt.theme.active == "loud"
            assert chart(result).png().startswith(b"\x89PNG")
    finally:
        alt.theme.enable("default")
        alt.theme.unregister("loud")
    assert drawn == [plain] * 8


def test_a_chart_is_deterministic_across_hash_seeds(result, tmp_path):
    path = tmp_path / "r.json"
    path.write_text(result.to_json(arrays=True), encoding="utf-8")
    code = (
        "import sys, hashlib; from falsify_nb import GateResult;"
        "r = GateResult.from_json(open(sys.argv[1], encoding='utf-8').read());"
        "print(hashlib.sha256((r.chart().json + r.card + r.to_text()).encode()).hexdigest())"
    )
    prints = {
        subprocess.run(
            [sys.executable, "-c", code, str(path)],
            env={"PYTHONHASHSEED": seed, "PYTHONIOENCODING": "utf-8"},
            capture_output=True, text=True, check=True,
        ).stdout
        for seed in ("1", "2")
    }  # fmt: skip
    assert len(prints) == 1


def test_showing_a_result_needs_no_altair(result, tmp_path):
    path = tmp_path / "r.json"
    path.write_text(result.to_json(), encoding="utf-8")
    code = (
        "import sys; from falsify_nb import GateResult;"
        "r = GateResult.from_json(open(sys.argv[1], encoding='utf-8').read());"
        "r.chart()._repr_mimebundle_(); print('altair' in sys.modules)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True
    )
    assert ran.stdout.strip() == "False"


def test_the_bundle_holds_v5_png_and_text_but_no_html(result):
    bundle = chart(result)._repr_mimebundle_()
    assert set(bundle) == {MIME, "image/png", "text/plain"}
    assert bundle[MIME]["$schema"].endswith("/v5.json")
    assert json.loads(json.dumps(bundle[MIME])) == bundle[MIME]


def test_the_png_is_opaque_white_and_twice_as_large(result):
    png = chart(result).png()
    size = struct.unpack(">II", png[16:24])
    once = struct.unpack(">II", chart(result).png(scale=1)[16:24])
    assert all(abs(big - 2 * small) <= 2 for big, small in zip(size, once, strict=True))
    image = pytest.importorskip("PIL.Image", reason="Pillow reads the picture's corners")
    import io

    corner = image.open(io.BytesIO(png)).convert("RGBA").getpixel((0, 0))
    assert corner == (255, 255, 255, 255)


def test_without_a_converter_there_is_no_png_and_the_text_says_so(result, monkeypatch):
    monkeypatch.setattr(render, "find_spec", lambda _: None)
    bundle = chart(result)._repr_mimebundle_()
    assert set(bundle) == {MIME, "text/plain"}
    assert "install vl-convert-python" in bundle["text/plain"]


def test_user_strings_are_values_and_never_expressions(make):
    hostile = "a.b[0]:Q' + alert(1) + '\\\"</script>"
    made = make(system=hostile, metric=hostile)
    for one in every_chart(made):
        for expression in expressions(one.spec):
            assert "alert" not in expression
    assert chart(made, "queries").png()


def expressions(value):
    """Every string that Vega would evaluate."""
    if isinstance(value, dict):
        for key, child in value.items():
            if key in {"labelExpr", "expr", "calculate", "filter", "test"} and isinstance(
                child, str
            ):
                yield child
            else:
                yield from expressions(child)
    elif isinstance(value, list):
        for child in value:
            yield from expressions(child)


def test_an_unknown_kind_names_those_there_are(result):
    with pytest.raises(OptionError, match=r"no chart 'gates'.*Did you mean 'gate'\?.*gate"):
        result.chart("gates")


def test_a_chart_cannot_be_changed_through_its_spec(result):
    made = chart(result)
    made.spec["datasets"]["nulls"].clear()
    assert len(made.spec["datasets"]["nulls"]) == 4
