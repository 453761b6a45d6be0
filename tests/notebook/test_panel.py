"""The panel's widgets, bound to the state machine, in a real shell."""

from __future__ import annotations

import html
import sys
import time
import types

import pytest
from IPython.core.displaypub import CapturingDisplayPublisher
from ipywidgets.widgets import widget as widget_module

import falsify_nb
from falsify_nb.errors import FalsifyError, FunctionError, OptionError
from falsify_nb.notebook.line import parse
from falsify_nb.notebook.options import OPTIONS
from falsify_nb.notebook.panel import panel
from falsify_nb.notebook.panel_state import CONTROLS
from falsify_nb.notebook.variables import gate_arguments

SECONDS = 20


def wait_for(condition) -> None:
    end = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.005)


@pytest.fixture
def published(shell):
    """What the shell sent to the front end."""
    shell.display_pub = CapturingDisplayPublisher()
    return shell.display_pub.outputs


@pytest.fixture
def open_panel(shell, gate, published):
    opened = []

    def make(**settings):
        made = panel(**{"run": "run", "qrels": "qrels", **settings})
        made._ipython_display_()
        opened.append(made)
        return made

    yield make
    for made in opened:
        made.close()


def run(made) -> None:
    made.run_button.click()
    # The progress is taken away last, when all else has been told.
    wait_for(lambda: made.model.state != "running" and made._progress.value == "")
    assert made.tabs.drawing.wait(SECONDS)


def all_widgets(widget):
    yield widget
    for child in getattr(widget, "children", ()):
        yield from all_widgets(child)


def texts(made) -> str:
    return " ".join(w.value for w in all_widgets(made.widget) if type(w).__name__ == "HTML")


def shown_in(page) -> str:
    return " ".join(w.value for w in all_widgets(page.box) if type(w).__name__ == "HTML")


def page(made, name):
    names = list(made.tabs._pages)
    made.tabs._tab.selected_index = names.index(name)
    assert made.tabs.drawing.wait(SECONDS)
    return made.tabs._pages[name]


def test_the_package_has_panel_as_a_public_name():
    assert falsify_nb.panel is panel


def test_every_option_has_a_named_control_with_its_help(open_panel):
    made = open_panel()
    assert set(made.controls) == set(CONTROLS)
    for name, control in made.controls.items():
        named = [w for w in all_widgets(control.box) if getattr(w, "description", "")]
        assert named[0].description == control.label
        help_lines = [w.value for w in all_widgets(control.box) if type(w).__name__ == "HTML"]
        assert OPTIONS[name].help in html.unescape(help_lines[0])


def test_nothing_that_takes_input_is_without_a_name(open_panel):
    for widget in all_widgets(open_panel().widget):
        if hasattr(widget, "value") and type(widget).__name__ != "HTML":
            assert getattr(widget, "description", "") or getattr(widget, "label", "")


def test_variables_that_fit_are_offered_and_kept_current(open_panel, shell, cell):
    made = open_panel()
    listed = made.controls["run"]._list
    assert ("run · 3 queries", "run") in listed.options
    cell("better = {'q1': ['d1']}")
    assert ("better · 1 query", "better") in listed.options
    cell("del better")
    assert "better" not in {value for _, value in listed.options}
    assert listed.value == "run"


def test_a_deleted_choice_stays_visible_as_gone(open_panel, cell):
    made = open_panel()
    cell("del run")
    assert made.controls["run"]._list.label == "run · gone"
    assert made.run_button.disabled
    assert "run is no variable" in made._status.value


def test_a_path_is_typed_into_a_field_of_its_own(open_panel, gate, tmp_path):
    made = open_panel()
    control = made.controls["run"]
    assert control._path.layout.display == "none"
    control._list.value = "a file…"
    assert control._path.layout.display is None
    control._path.value = "runs/bm25.trec"
    assert made.model.settings["run"] == "runs/bm25.trec"
    run(made)
    assert gate.run == "runs/bm25.trec"


def test_a_bad_value_is_shown_beside_its_control_and_disables_run(open_panel):
    made = open_panel()
    made.controls["n_boot"]._text.value = "10"
    assert "at least 100" in made.controls["n_boot"]._note.value
    assert made.run_button.disabled
    assert "Not ready" in made._status.value
    made.controls["n_boot"]._text.value = "500"
    assert "Random draws" in made.controls["n_boot"]._note.value
    assert not made.run_button.disabled


def test_slider_and_number_box_agree(open_panel):
    made = open_panel()
    control = made.controls["tau"]
    control._slider.value = 0.125
    assert control._number.value == 0.125
    assert made.model.settings["tau"] == "0.125"
    control._number.value = 0.3
    assert control._slider.value == 0.3
    assert made.model.settings["tau"] == "0.3"
    control._number.value = 1.5
    assert "0 to 1" in control._note.value


@pytest.mark.parametrize(
    ("place", "words"),
    [("bare", "Install anywidget to brush a chart."), ("Colab", "Colab shows no chart to brush.")],
)
def test_without_live_widgets_there_is_still_a_slider_and_every_tab(
    place, words, open_panel, monkeypatch
):
    if place == "Colab":
        monkeypatch.setitem(sys.modules, "google.colab", types.ModuleType("google.colab"))
    else:
        monkeypatch.setattr("falsify_nb.notebook.panel_live.find_spec", lambda _: None)
    made = open_panel()
    made.controls["tau"]._slider.value = 0.125
    assert type(made.controls["tau"]._slider).__name__ == "FloatSlider"
    assert made.controls["tau"]._number.value == 0.125
    run(made)
    assert ">q24<" in page(made, "Queries")._content.value
    assert words in texts(made)


def test_without_the_converter_charts_are_told_in_words(open_panel, monkeypatch):
    monkeypatch.setattr("falsify_nb.report.render.has_converter", lambda: False)
    made = open_panel()
    run(made)
    drawn = shown_in(page(made, "Deltas"))
    assert "<svg" not in drawn
    assert "permuted gold" in drawn
    assert "Install vl-convert-python" in drawn


def test_a_run_shows_its_result_in_every_tab(open_panel, gate):
    made = open_panel()
    assert "No result yet" in made.tabs._headline.value
    run(made)
    assert "Run 1" in made.tabs._headline.value
    words = {
        "Verdict": "Passes all four nulls",
        "Deltas": "<svg",
        "Nulls": "<svg",
        "Queries": ">q24<",
        "Benchmark": "Distinct gold sets",
        "Notices": "Nothing had to be decided",
        "History": "Choose another run",
    }
    assert list(words) == list(made.tabs._pages)
    for name, text in words.items():
        assert text in shown_in(page(made, name)), name


def test_charts_take_the_pages_colour_and_say_their_text(open_panel):
    made = open_panel()
    run(made)
    drawn = shown_in(page(made, "Deltas"))
    assert 'fill="#000"' not in drawn
    assert 'fill="currentColor"' in drawn
    assert drawn.count('role="img" aria-label="') == 2
    assert drawn.count('<svg aria-hidden="true"') == 2


def test_a_chart_of_another_run_does_not_stand_below_a_new_headline(open_panel):
    made = open_panel()
    run(made)
    deltas = page(made, "Deltas")
    assert "<svg" in shown_in(deltas)
    made.tabs.drawing.close()  # nothing is drawn any more: what is left is what is left standing
    made.run_button.click()
    wait_for(lambda: "Run 2" in made.tabs._headline.value)
    assert "<svg" not in shown_in(deltas)
    assert "Drawing" in shown_in(deltas)


@pytest.mark.parametrize(("room", "first"), [(0, "wide"), (1200, "wide"), (420, "narrow")])
def test_the_form_that_fits_is_drawn_first(open_panel, monkeypatch, room, first):
    from falsify_nb.notebook import panel_tabs

    drawn = []

    def note(_, kind, form):
        drawn.append(form)
        return kind

    made = open_panel()
    monkeypatch.setattr(panel_tabs, "chart_figure", note)
    made.controls["tau"]._slider.room = room
    run(made)
    page(made, "Deltas")
    other = {"wide": "narrow", "narrow": "wide"}[first]
    assert drawn == [first, other]


def test_the_static_card_follows_and_carries_the_runs_number(open_panel, published):
    made = open_panel()
    bundle, placeholder = published
    assert {"application/vnd.jupyter.widget-view+json", "text/html", "text/plain"} == set(
        bundle["data"]
    )
    assert "\n" not in bundle["data"]["text/plain"]
    assert placeholder["data"]["text/plain"] == "Control panel: no result yet."
    run(made)
    wait_for(lambda: len(published) == 3)
    card = published[-1]
    assert card["update"]
    assert card["transient"] == placeholder["transient"]
    assert set(card["data"]) == {"text/html", "text/markdown", "text/plain"}
    for text in card["data"].values():
        assert "run 1: run on qrels" in text
        assert "PASS" in text


def test_an_app_of_voila_shows_no_card_that_it_could_not_keep_current(
    open_panel, published, monkeypatch
):
    monkeypatch.setenv("SERVER_SOFTWARE", "voila/0.5.8")
    made = open_panel()
    run(made)
    assert made.tabs.drawing.wait(SECONDS)
    assert [set(p["data"]) for p in published] == [
        {"application/vnd.jupyter.widget-view+json", "text/html", "text/plain"}
    ]


def test_moving_tau_redraws_and_says_that_it_is_exploratory(open_panel, published):
    made = open_panel()
    run(made)
    made.controls["tau"]._slider.value = 0.6
    assert made.tabs.drawing.wait(SECONDS)
    assert "Exploratory" in made.tabs._headline.value
    assert "tau 0.05 → 0.6" in made.tabs._headline.value
    assert "Fails all four nulls" in made.tabs._pages["Verdict"]._content.value
    wait_for(lambda: "tau 0.05 → 0.6" in published[-1]["data"]["text/plain"])
    made.controls["tau"]._slider.value = 0.05
    assert "Exploratory" not in made.tabs._headline.value


def test_an_error_is_shown_inside_and_the_panel_is_free_again(open_panel, gate):
    made = open_panel()
    run(made)
    gate.error = FunctionError("the metric <failed>", where="query q37")
    run(made)
    assert "the metric &lt;failed&gt; (query q37)" in made._status.value
    assert "<details>" in made._status.value
    assert "Traceback" in made._status.value
    assert not made.run_button.disabled
    assert "Run 1" in made.tabs._headline.value
    gate.error = None
    run(made)
    assert "Traceback" not in made._status.value


def test_cancel_is_enabled_while_a_run_is_under_way(open_panel, monkeypatch):
    import threading

    entered, go_on = threading.Event(), threading.Event()

    def slow(run, *, progress, **_):
        progress("drawing <1>", 1, 4)
        entered.set()
        while not go_on.wait(0.005):
            progress("drawing <1>", 1, 4)

    monkeypatch.setattr("falsify_nb.api.falsify", slow)
    made = open_panel()
    assert made.cancel_button.disabled
    made.run_button.click()
    assert entered.wait(SECONDS)
    assert not made.cancel_button.disabled
    assert made.run_button.disabled
    wait_for(lambda: 'aria-valuenow="25"' in made._progress.value)
    assert "drawing &lt;1&gt;: 1 of 4" in made._progress.value
    made.cancel_button.click()
    wait_for(lambda: made.model.state == "cancelled")
    wait_for(lambda: "Cancelled" in made._status.value)
    assert made._progress.value == ""
    go_on.set()


def test_a_metric_that_never_returns_is_said_to_run_on(open_panel, monkeypatch):
    import threading

    entered, go_on = threading.Event(), threading.Event()

    def deaf(run, *, progress, **_):
        entered.set()
        go_on.wait(SECONDS)

    monkeypatch.setattr("falsify_nb.api.falsify", deaf)
    made = open_panel()
    made.run_button.click()
    assert entered.wait(SECONDS)
    made.cancel_button.click()
    wait_for(lambda: "still runs in the background" in made._status.value)
    assert not made.run_button.disabled
    go_on.set()
    wait_for(lambda: "still runs" not in made._status.value)


def test_history_lists_shows_again_and_compares(open_panel):
    made = open_panel()
    run(made)
    made.controls["metric"]._text.value = "R@5"
    run(made)
    history = page(made, "History")
    assert [label[:2] for label in dict(history._list.options)] == ["1:", "2:"]
    assert history._list.value == 2
    history._other.value = 1
    assert 'scope="col">Run 2' in history._content.value
    assert "metric" in history._content.value
    history._list.value = 1
    assert "Run 1" in made.tabs._headline.value
    assert made.controls["metric"]._text.value == "nDCG@10"


def test_copy_as_cell_gives_the_cell_that_does_the_same(open_panel, gate, shell):
    made = open_panel()
    made.controls["corpus"].put("")
    made.model.choose("corpus", "my docs.txt")
    made.controls["metric"]._text.value = "nDCG(dcg='exp-log2')@10"
    made.controls["tau"]._number.value = 0.1
    made.controls["seed"]._text.value = "7"
    run(made)
    made.export.copy.click()
    text = made.export.cell.value
    assert text == (
        '%%falsify --qrels qrels --corpus "my docs.txt" --metric '
        "nDCG(dcg='exp-log2')@10 --tau 0.1 --seed 7 --out result\nrun"
    )
    again = gate_arguments(parse(text.split("\n")[0].removeprefix("%%falsify")), shell.user_ns)
    asked = {k: v for k, v in gate.arguments.items() if k != "progress"}
    defaults = {"n_boot": 1000, "interval": "dirichlet", "strict": "auto"}
    assert {**defaults, **again} == asked
    assert shell.run_cell(text).success


def test_save_asks_before_it_replaces_and_shows_what_went_wrong(open_panel, tmp_path):
    made = open_panel()
    assert made.export.save.disabled
    run(made)
    path = tmp_path / "result.json"
    made.export.file.value = str(path)
    made.export.save.click()
    assert falsify_nb.GateResult.from_json(path.read_text()).verdict == "PASS"
    path.write_text("something else")
    made.export.save.click()
    assert path.read_text() == "something else"
    assert "again" in made.export.said.value
    made.export.save.click()
    assert path.read_text() != "something else"
    made.export.file.value = str(tmp_path / "no folder" / "result.json")
    made.export.save.click()
    assert 'class="fnb-error"' in made.export.said.value


def test_bind_asks_before_it_replaces_what_is_no_result(open_panel, shell):
    made = open_panel()
    run(made)
    made.export.name.value = "found"
    made.export.bind.click()
    assert shell.user_ns["found"] is made.model.shown.result
    made.export.name.value = "run"
    made.export.bind.click()
    assert isinstance(shell.user_ns["run"], dict)
    made.export.bind.click()
    assert shell.user_ns["run"] is made.model.shown.result
    made.export.name.value = "not a name"
    made.export.bind.click()
    assert "no name" in made.export.said.value


def test_what_users_wrote_is_escaped(open_panel, gate, shell):
    shell.user_ns["evil"] = {"<script>": ["d1"]}
    made = open_panel(run="evil")
    made.model.choose("metric", "<img src=x>@10")
    assert "<img" not in texts(made)


def test_rerunning_the_cell_closes_the_earlier_panel(shell, gate, cell):
    before = len(shell.events.callbacks["post_run_cell"])
    source = "from falsify_nb import panel\np = panel(run='run', qrels='qrels')"
    cell(source)
    first = shell.user_ns["p"]
    cell(source)
    second = shell.user_ns["p"]
    assert first.model.state == "closed"
    assert second.model.state == "idle"
    assert first.widget.comm is None
    cell("other = panel(run='run')")
    assert second.model.state == "idle"
    assert len(shell.events.callbacks["post_run_cell"]) == before + 2
    shell.run_line_magic("reload_ext", "falsify_nb")
    assert second.model.state == "closed"
    assert len(shell.events.callbacks["post_run_cell"]) == before


def test_the_magic_opens_a_panel(shell, gate, cell):
    outcome = cell("%falsify_panel  # look")
    assert type(outcome.result).__name__ == "Panel"
    assert isinstance(cell("%falsify_panel --tau 1").error_in_exec, OptionError)


def test_settings_are_checked(shell):
    with pytest.raises(OptionError, match="metric"):
        panel(metrics="R@5")
    with pytest.raises(OptionError, match='qrels="…"'):
        panel(qrels={"q1": {}})


def test_a_panel_needs_a_notebook(run_fresh):
    code = (
        "from falsify_nb import panel, FalsifyError\n"
        "try:\n    panel()\nexcept FalsifyError as error:\n    print(error)"
    )
    assert "needs a notebook" in run_fresh(code)


def test_two_panels_keep_to_themselves(open_panel):
    one, other = open_panel(tau=0.05), open_panel(tau=0.2)
    run(one)
    run(other)
    other.controls["tau"]._slider.value = 0.9
    assert one.model.settings["tau"] == "0.05"
    assert "PASS" in one.tabs._headline.value
    assert "FAIL" in other.tabs._headline.value


def test_closing_takes_every_widget_away(shell, gate):
    before = set(widget_module._instances)
    made = panel(run="run", qrels="qrels")
    run(made)
    for name in made.tabs._pages:
        page(made, name)
    made.close()
    made.close()
    assert set(widget_module._instances) == before


def test_fifty_runs_need_no_more_widgets_than_five(open_panel):
    made = open_panel()
    counts = {}
    for number in range(1, 51):
        made.controls["seed"]._text.value = str(number)
        run(made)
        for name in made.tabs._pages:
            page(made, name) if number in {1, 5, 50} else None
        counts[number] = len(widget_module._instances)
    assert counts[50] == counts[5]
    assert len(made.model.history.records) == 50


def test_a_failing_view_shows_its_error_in_the_tab(open_panel, monkeypatch):
    made = open_panel()

    def broken(*_, **__):
        raise FalsifyError("the chart broke")

    monkeypatch.setattr("falsify_nb.notebook.panel_svg.build_chart", broken)
    run(made)
    assert "the chart broke" in shown_in(page(made, "Deltas"))
