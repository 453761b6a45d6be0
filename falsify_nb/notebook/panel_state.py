"""The panel's state machine: what is chosen, what runs, what was found. No widget in it.

States and what leads from one to the next::

    idle ──run──▶ running ──▶ done         the gate answered
                     │ ─────▶ failed       an error; the last good result stays
                     └─cancel▶ cancelled   stopped, or left behind when a call does not return
    done, failed, cancelled ──run──▶ running
    any ──close──▶ closed
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from falsify_nb.core.result import GateResult
from falsify_nb.errors import FalsifyError, OptionError
from falsify_nb.notebook.fits import candidates
from falsify_nb.notebook.line import Word
from falsify_nb.notebook.options import OPTIONS
from falsify_nb.notebook.panel_inputs import is_same, snapshot
from falsify_nb.notebook.panel_job import Job, Outcome, Progress
from falsify_nb.notebook.panel_records import History, Shown
from falsify_nb.notebook.several import named
from falsify_nb.notebook.variables import check_values, value_of

__all__ = ["CONTROLS", "PanelModel", "State"]

State = Literal["idle", "running", "done", "failed", "cancelled", "closed"]

# The options that have a control, in the order of the panel.
CONTROLS = (
    "run",
    "qrels",
    "corpus",
    "metric",
    "tau",
    "strict",
    "top_k",
    "n_boot",
    "seed",
    "interval",
    "groups",
)
_INPUTS = ("run", "qrels", "corpus", "groups")


@dataclass(slots=True)
class _Running:
    job: Job
    settings: dict[str, str]
    taken: dict[str, Any] = field(default_factory=dict)


class PanelModel:
    """All that the panel knows; every method may be called from any thread.

    Parameters
    ----------
    namespace : callable
        Returns the notebook's variables.
    gate : callable
        `falsify`, or what stands for it.
    settings : mapping of str to str, optional
        First choices, as typed.
    grace : float
        Seconds that a cancelled run has to stop before it is left behind.
    clock : callable
        Seconds, for the estimates.
    """

    def __init__(
        self,
        namespace: Callable[[], Mapping[str, Any]],
        gate: Callable[..., GateResult],
        settings: Mapping[str, str] | None = None,
        *,
        grace: float = 0.4,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._namespace = namespace
        self._gate = gate
        self._grace = grace
        self._clock = clock
        self._lock = threading.RLock()
        self._listeners: list[Callable[[str], None]] = []
        self._running: _Running | None = None
        self._left_behind: set[Job] = set()
        self.state: State = "idle"
        self.settings: dict[str, str] = {n: _default_text(n) for n in CONTROLS}
        self.settings.update(settings or {})
        self.history = History()
        self.shown: Shown | None = None
        self.progress: Progress | None = None
        self.error: BaseException | None = None

    # -- listening ---------------------------------------------------------------------------

    def subscribe(self, listener: Callable[[str], None]) -> None:
        """Call `listener(what)` after a change: "settings", "state", "progress" or "shown"."""
        self._listeners.append(listener)

    def _tell(self, *what: str) -> None:
        for name in what:
            for listener in list(self._listeners):
                listener(name)

    # -- choosing ----------------------------------------------------------------------------

    def choose(self, name: str, text: str) -> None:
        """Take a control's text; a moved tau judges the shown result again at once."""
        with self._lock:
            if self.state == "closed" or self.settings[name] == text:
                return
            self.settings[name] = text
            judged = name == "tau" and self._judge_again()
        self._tell("settings", *(["shown"] if judged else []))

    def problems(self) -> dict[str, str]:
        """Return what is wrong with the settings, by option; empty when a run may start."""
        return self._read(self.settings)[1]

    @property
    def blocker(self) -> str:
        """Why Run is disabled, or an empty text."""
        if self.state == "closed":
            return "The panel is closed: run its cell again."
        if self.state == "running":
            return "A run is under way."
        problems = self.problems()
        return next(iter(problems.values()), "")

    def choices(self, name: str) -> dict[str, str]:
        """Return the notebook's variables that fit an option, each with its shape in words."""
        return candidates(name, self._namespace())

    def _read(self, settings: Mapping[str, str]) -> tuple[dict[str, Any], dict[str, str]]:
        """Return the arguments that the settings stand for, and what is wrong with them."""
        space = self._namespace()
        arguments: dict[str, Any] = {}
        problems: dict[str, str] = {}
        for name, text in settings.items():
            if not text.strip():
                if name in {"run", "qrels"}:
                    problems[name] = f"choose the {name}"
                continue
            try:
                value = value_of(OPTIONS[name], Word(text.strip()), space)
                check_values({name: value})
            except OptionError as error:
                problems[name] = str(error)
                continue
            arguments[name] = value
        return arguments, problems

    # -- running -----------------------------------------------------------------------------

    def run(self) -> bool:
        """Start a run with what is chosen; False where `blocker` says why not."""
        with self._lock:
            if self.state in {"running", "closed"}:
                return False
            job = self._prepare()
        # Told without the lock: a listener may wait for another thread that wants it.
        if job is None:
            self._tell("settings")
            return False
        self._tell("state", "progress")
        job.start()
        return True

    def _prepare(self) -> Job | None:
        """Enter the running state, and return the job; None where something is wrong."""
        settings = dict(self.settings)
        arguments, problems = self._read(settings)
        if problems:
            return None
        taken = {name: snapshot(arguments[name]) for name in _INPUTS if name in arguments}
        arguments.update(taken)
        job = Job(self._gate, arguments, self._on_progress, self._on_end, self._clock)
        self._running = _Running(job, settings, taken)
        self.state, self.error = "running", None
        self.progress = Progress("starting", 0, 0)
        return job

    def cancel(self) -> None:
        """Stop the run; one whose metric does not return is left behind after the grace."""
        with self._lock:
            running = self._running
            if running is None or running.job.is_cancelled:
                return
            running.job.cancel()
        watch = threading.Timer(self._grace, self._leave_behind, [running.job])
        watch.daemon = True
        watch.start()

    def close(self) -> None:
        """Stop what runs and accept nothing more."""
        with self._lock:
            if self._running is not None:
                self._running.job.cancel()
            self._running = None
            self.state = "closed"
        self._tell("state")
        self._listeners.clear()

    @property
    def n_left_behind(self) -> int:
        """How many cancelled runs still wait for a call to return."""
        return len(self._left_behind)

    def _on_progress(self, job: Job, progress: Progress) -> None:
        with self._lock:
            if self._running is None or self._running.job is not job:
                return
            self.progress = progress
        self._tell("progress")

    def _leave_behind(self, job: Job) -> None:
        with self._lock:
            if self._running is None or self._running.job is not job:
                return
            self._left_behind.add(job)
            self._end("cancelled")
        self._tell("state", "progress")

    def _on_end(self, job: Job, outcome: Outcome) -> None:
        running = self._running
        warnings = self._changed_inputs(running) if running and outcome.result is not None else ()
        with self._lock:
            running = self._running
            if running is None or running.job is not job:
                self._left_behind.discard(job)
                told = ["state"]
            elif job.is_cancelled:
                self._end("cancelled")
                told = ["state", "progress"]
            elif outcome.result is None:
                self.error = outcome.error
                self._end("failed")
                told = ["state", "progress"]
            else:
                self._keep(running.settings, outcome.result, warnings)
                self._end("done")
                told = ["shown", "state", "progress"]
        self._tell(*told)

    def _end(self, state: State) -> None:
        self._running = None
        self.progress = None
        self.state = state

    # -- looking -----------------------------------------------------------------------------

    def show(self, number: int) -> bool:
        """Show an earlier run again, with its settings; False where its arrays were let go."""
        with self._lock:
            record = next((r for r in self.history.records if r.number == number), None)
            if record is None or record.result is None:
                return False
            if self.state != "running":
                self.settings = dict(record.settings)
            self.shown = Shown(record, record.result, record.settings["tau"])
        self._tell("settings", "shown")
        return True

    def _keep(
        self, settings: dict[str, str], result: GateResult, warnings: tuple[str, ...]
    ) -> None:
        name = settings["run"].strip()
        result = named(result, name if name.isidentifier() else "")
        record = self.history.add(settings, result)
        self.shown = Shown(record, result, settings["tau"], warnings)
        self._judge_again()

    def _changed_inputs(self, running: _Running) -> tuple[str, ...]:
        space = self._namespace()
        warnings = []
        for name, taken in running.taken.items():
            text = running.settings[name].strip()
            if not Word(text).is_name:
                continue
            if text not in space:
                what = "was deleted"
            elif not is_same(taken, space[text]):
                what = "changed"
            else:
                continue
            warnings.append(f"{text} {what} during the run; the result is of what it was before.")
        return tuple(warnings)

    def _judge_again(self) -> bool:
        """Bring what is shown to the tau that is chosen; return whether that changed it."""
        shown, text = self.shown, self.settings["tau"]
        if shown is None or shown.record.result is None or shown.tau == text:
            return False
        try:
            tau = value_of(OPTIONS["tau"], Word(text), self._namespace())
            result = shown.record.result.at(tau=tau)
        except FalsifyError:
            # The control says what is wrong; the last good judgment stays.
            return False
        self.shown = replace(shown, result=result, tau=text)
        return True


def _default_text(name: str) -> str:
    default = OPTIONS[name].default
    return "" if default is None else str(default)
