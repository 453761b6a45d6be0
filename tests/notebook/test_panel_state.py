"""The panel's states and all that leads from one to the next, without a widget."""

from __future__ import annotations

import threading

import pandas as pd
import pytest

from falsify_nb.errors import Cancelled, FunctionError
from falsify_nb.notebook.panel_inputs import is_same, snapshot
from falsify_nb.notebook.panel_job import Job, Progress
from falsify_nb.notebook.panel_state import PanelModel
from tests.support.handmade import make_result

SECONDS = 10  # to wait for a thread that is about to answer; a failure, not a delay, reaches it


class StepGate:
    """A gate that stops in its middle until the test lets it go on."""

    def __init__(self) -> None:
        self.calls: list[dict[str, object]] = []
        self.entered = threading.Event()
        self.go_on = threading.Event()
        self.deaf = False
        self.error: BaseException | None = None
        self.delta = 0.4

    def __call__(self, run, *, progress, **arguments):
        self.calls.append({"run": run, **arguments})
        progress("drawing", 0, 4)
        self.entered.set()
        while not self.go_on.wait(0.01):
            if not self.deaf:
                progress("drawing", 1, 4)
        if self.error is not None:
            raise self.error
        return make_result(self.delta, float(arguments["tau"]))


class Driver:
    """A model with its gate, and events to wait for."""

    def __init__(self, **variables: object) -> None:
        self.space = {"qrels": {"q1": {"d1": 1}}, "run": {"q1": ["d1"]}, **variables}
        self.gate = StepGate()
        self.model = PanelModel(
            lambda: self.space, self.gate, {"run": "run", "qrels": "qrels"}, grace=0.05
        )
        self.told: list[str] = []
        self._changed = threading.Condition()
        self.model.subscribe(self._take)

    def _take(self, what: str) -> None:
        with self._changed:
            self.told.append(what)
            self._changed.notify_all()

    def wait_for(self, condition) -> None:
        with self._changed:
            assert self._changed.wait_for(condition, SECONDS)

    def start(self) -> None:
        assert self.model.run()
        assert self.gate.entered.wait(SECONDS)

    def finish(self, state: str = "done") -> None:
        self.gate.go_on.set()
        self.wait_for(lambda: self.model.state == state and self.told[-1] == "progress")
        self.gate.go_on.clear()
        self.gate.entered.clear()

    def once(self, **settings: str) -> None:
        for name, text in settings.items():
            self.model.choose(name, text)
        self.start()
        self.finish()


@pytest.fixture
def driver():
    made = Driver()
    yield made
    made.gate.go_on.set()
    made.model.close()


def test_a_run_goes_from_idle_over_running_to_done(driver):
    model = driver.model
    assert (model.state, model.shown, model.blocker) == ("idle", None, "")
    driver.start()
    assert model.state == "running"
    assert model.blocker == "A run is under way."
    driver.finish()
    assert model.state == "done"
    assert model.shown.record.number == 1
    assert model.shown.result.verdict == "PASS"
    assert model.progress is None
    assert "shown" in driver.told


def test_the_gate_gets_what_the_texts_stand_for(driver):
    driver.space["ids"] = ["d1", "d2"]
    driver.once(corpus="ids", metric="R@5", tau="0.1", top_k="7", strict="False", groups="")
    assert driver.gate.calls == [
        {
            "run": {"q1": ["d1"]},
            "qrels": {"q1": {"d1": 1}},
            "corpus": ["d1", "d2"],
            "metric": "R@5",
            "tau": 0.1,
            "strict": False,
            "top_k": 7,
            "n_boot": 1000,
            "seed": 2026,
            "interval": "dirichlet",
        }
    ]


def test_a_second_click_while_running_starts_nothing(driver):
    driver.start()
    assert not driver.model.run()
    driver.finish()
    assert len(driver.gate.calls) == 1


def test_an_error_leads_to_failed_and_keeps_the_last_good_result(driver):
    driver.once()
    driver.gate.error = FunctionError("the metric failed", where="query q37")
    driver.start()
    driver.finish("failed")
    assert str(driver.model.error) == "the metric failed (query q37)"
    assert driver.model.shown.record.number == 1
    assert driver.model.blocker == ""
    driver.gate.error = None
    driver.once()
    assert driver.model.error is None
    assert driver.model.shown.record.number == 2


@pytest.mark.parametrize("error", [SystemExit(1), KeyboardInterrupt(), MemoryError()])
def test_whatever_a_metric_raises_frees_the_panel(driver, error):
    driver.gate.error = error
    driver.start()
    driver.finish("failed")
    assert driver.model.error is error


def test_cancel_stops_at_the_next_progress_call(driver):
    driver.once()
    driver.start()
    driver.model.cancel()
    driver.model.cancel()
    driver.wait_for(lambda: driver.model.state == "cancelled")
    assert driver.model.n_left_behind == 0
    assert driver.model.shown.record.number == 1
    assert len(driver.model.history.records) == 1
    driver.gate.entered.clear()
    driver.once()
    assert driver.model.shown.record.number == 2


def test_a_call_that_does_not_return_is_left_behind_and_its_result_ignored(driver):
    driver.gate.deaf = True
    driver.start()
    driver.model.cancel()
    driver.wait_for(lambda: driver.model.state == "cancelled")
    assert driver.model.n_left_behind == 1
    assert driver.model.blocker == ""
    late = driver.gate
    driver.gate = driver.model._gate = StepGate()
    driver.once(tau="0.2")
    assert driver.model.shown.tau == "0.2"
    late.go_on.set()
    driver.wait_for(lambda: driver.model.n_left_behind == 0)
    assert driver.model.state == "done"
    assert driver.model.shown.tau == "0.2"
    assert len(driver.model.history.records) == 1


def test_a_result_that_comes_after_cancel_is_dropped(driver):
    driver.gate.deaf = True
    driver.start()
    driver.model._grace = SECONDS
    driver.model.cancel()
    driver.gate.go_on.set()
    driver.wait_for(lambda: driver.model.state == "cancelled")
    assert driver.model.shown is None


def test_closing_stops_the_run_and_refuses_more(driver):
    driver.start()
    job = driver.model._running.job
    driver.model.close()
    assert job.wait(SECONDS)
    assert driver.model.state == "closed"
    assert not driver.model.run()
    assert "run its cell again" in driver.model.blocker
    driver.model.choose("tau", "0.3")
    assert driver.model.settings["tau"] == "0.05"


def test_moving_tau_judges_again_and_marks_the_change(driver):
    driver.once()
    shown = driver.model.shown
    assert (shown.result.verdict, shown.changes) == ("PASS", {})
    driver.model.choose("tau", "0.6")
    shown = driver.model.shown
    assert shown.result.verdict == "FAIL"
    assert shown.result.tau == 0.6
    assert shown.changes == {"tau": ("0.05", "0.6")}
    driver.model.choose("tau", "0.05")
    assert (driver.model.shown.result.verdict, driver.model.shown.changes) == ("PASS", {})
    assert len(driver.model.history.records) == 1


def test_moving_tau_always_starts_from_what_was_run(driver):
    driver.once()
    first = driver.model.shown.record.result
    driver.model.choose("tau", "0.6")
    driver.model.choose("tau", "0.1")
    assert driver.model.shown.record.result is first


def test_tau_moved_during_a_run_is_applied_to_its_result(driver):
    driver.start()
    driver.model.choose("tau", "0.6")
    driver.finish()
    assert driver.gate.calls[0]["tau"] == 0.05
    assert driver.model.shown.tau == "0.6"
    assert driver.model.shown.result.verdict == "FAIL"
    assert driver.model.shown.changes == {"tau": ("0.05", "0.6")}


def test_a_bad_tau_leaves_the_last_judgment(driver):
    driver.once()
    driver.model.choose("tau", "2")
    assert driver.model.shown.tau == "0.05"
    assert "0 to 1" in driver.model.problems()["tau"]


def test_what_was_changed_after_a_result_was_seen_is_known(driver):
    driver.once()
    driver.once(metric="R@5", n_boot="500")
    assert driver.model.shown.changes == {"metric": ("nDCG@10", "R@5"), "n_boot": ("1000", "500")}
    driver.space["other"] = {"q1": {"d2": 1}}
    driver.once(qrels="other")
    assert driver.model.shown.changes == {}


def test_another_run_is_no_change_of_the_protocol(driver):
    driver.space["better"] = {"q1": ["d1"]}
    driver.once()
    driver.once(run="better")
    assert driver.model.shown.changes == {}


@pytest.mark.parametrize(
    ("name", "text", "mentions"),
    [
        ("run", "", "choose the run"),
        ("qrels", " ", "choose the qrels"),
        ("run", "gone", "gone is no variable"),
        ("metric", "nDGC@10", "nDCG"),
        ("tau", "1.5", "0 to 1"),
        ("tau", "high", "high"),
        ("n_boot", "10", "at least 100"),
        ("n_boot", "1e3", "whole number"),
        ("top_k", "0", "at least 1"),
        ("seed", "-1", "at least 0"),
        ("interval", "bca", "dirichlet"),
    ],
)
def test_a_bad_value_is_said_beside_it_and_blocks_the_run(driver, name, text, mentions):
    driver.model.choose(name, text)
    assert mentions in driver.model.problems()[name]
    assert list(driver.model.problems()) == [name]
    assert mentions in driver.model.blocker
    assert not driver.model.run()
    assert driver.model.state == "idle"
    assert driver.gate.calls == []


def test_a_variable_deleted_between_choosing_and_running_blocks(driver):
    assert driver.model.blocker == ""
    del driver.space["run"]
    assert not driver.model.run()
    assert "run is no variable" in driver.model.blocker


def test_a_run_uses_what_it_started_with_and_says_what_changed(driver):
    driver.start()
    driver.space["qrels"]["q1"]["d9"] = 1
    driver.space["run"] = {"q1": ["d2"]}
    driver.finish()
    assert driver.gate.calls[0]["qrels"] == {"q1": {"d1": 1}}
    assert driver.model.shown.warnings == (
        "run changed during the run; the result is of what it was before.",
        "qrels changed during the run; the result is of what it was before.",
    )


def test_an_equal_or_deleted_variable_is_told_apart(driver):
    driver.start()
    driver.space["qrels"] = {"q1": {"d1": 1}}
    del driver.space["run"]
    driver.finish()
    assert driver.model.shown.warnings == (
        "run was deleted during the run; the result is of what it was before.",
    )


def test_history_shows_a_run_again_with_its_settings(driver):
    driver.once(tau="0.1")
    driver.once(metric="R@5", tau="0.2")
    assert driver.model.show(1)
    assert driver.model.shown.record.number == 1
    assert driver.model.settings["metric"] == "nDCG@10"
    assert driver.model.settings["tau"] == "0.1"
    assert [r.headline for r in driver.model.history.records] == ["PASS · nDCG@10 0.7000"] * 2
    assert not driver.model.show(3)


def test_history_lets_old_arrays_go_beyond_its_budget(driver, monkeypatch):
    driver.once()
    one = driver.model.history.records[0].result
    total = one.scores.nbytes + one.null_scores.nbytes
    total += sum(n.draws.nbytes + n.contributions.nbytes for n in one.nulls.values())
    monkeypatch.setattr("falsify_nb.notebook.panel_records._KEEP_BYTES", int(2.5 * total))
    for _ in range(3):
        driver.once()
    assert [r.result is not None for r in driver.model.history.records] == [
        False,
        False,
        True,
        True,
    ]
    assert not driver.model.show(1)
    assert driver.model.history.records[0].headline == "PASS · nDCG@10 0.7000"


def test_two_models_do_not_disturb_each_other():
    one, other = Driver(), Driver()
    one.once(tau="0.05")
    other.once(tau="0.2")
    other.model.choose("tau", "0.7")
    assert one.model.shown.result.verdict == "PASS"
    assert one.model.settings["tau"] == "0.05"
    other.model.close()
    one.once()
    assert one.model.shown.record.number == 2
    one.model.close()


def test_progress_estimates_and_is_told_at_most_ten_times_a_second():
    now = [0.0]
    told: list[Progress] = []
    job = Job(None, {}, lambda _, p: told.append(p), None, clock=lambda: now[0])
    for step in range(101):
        job.report("calling the metric", step, 100)
        now[0] += 1 / 16
    assert len(told) <= 51 + 2
    halfway = next(p for p in told if p.done == 50)
    assert halfway.seconds_left == pytest.approx(50 / 16)
    assert str(halfway) == "calling the metric: 50 of 100, about 3 s left"
    assert told[-1].percent == 100
    assert str(Progress("calling", 1, 1000, 600.0)) == "calling: 1 of 1,000, about 10 min left"
    assert str(Progress("starting", 0, 0)) == "starting"


def test_a_stage_of_another_length_starts_its_estimate_anew():
    now = [0.0]
    told: list[Progress] = []
    job = Job(None, {}, lambda _, p: told.append(p), None, clock=lambda: now[0])
    for total in (10, 1000):
        for step in range(5):
            job.report("calling the metric", step, total)
            now[0] += 1
    assert told[4].seconds_left == pytest.approx(4 * 6 / 4)
    assert told[5].seconds_left is None
    assert told[9].seconds_left == pytest.approx(4 * 996 / 4)


def test_a_cancelled_job_raises_in_its_progress_call():
    job = Job(None, {}, None, None)
    job.cancel()
    with pytest.raises(Cancelled):
        job.report("drawing", 0, 1)


@pytest.mark.parametrize(
    ("value", "change"),
    [
        ({"q": {"d": 1}}, lambda v: v["q"].update(e=1)),
        ({"q": ["d"]}, lambda v: v["q"].append("e")),
        (["d"], lambda v: v.append("e")),
        ({"d"}, lambda v: v.add("e")),
        (pd.DataFrame({"score": [1.0]}), lambda v: v.__setitem__("score", [2.0])),
        ({"q": pd.DataFrame({"score": [1.0]})}, lambda v: v["q"].__setitem__("score", [2.0])),
    ],
)
def test_a_snapshot_is_not_reached_by_later_changes(value, change):
    taken = snapshot(value)
    assert is_same(taken, value)
    change(value)
    assert not is_same(taken, value)
