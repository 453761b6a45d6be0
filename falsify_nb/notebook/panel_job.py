"""One run of the gate in a thread of its own: progress, cancelling, and leaving it behind."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from falsify_nb.core.result import GateResult
from falsify_nb.errors import Cancelled

__all__ = ["Job", "Outcome", "Progress"]

# More often than this nobody reads, and every update is a message to the browser.
_UPDATE_SECONDS = 0.1
# A stage shorter than this needs no estimate.
_ESTIMATE_AFTER = 1.0


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run has come.

    Parameters
    ----------
    stage : str
        What is being done, in words.
    done, total : int
        Steps of this stage.
    seconds_left : float or None
        An estimate for this stage; None while there is none.
    """

    stage: str
    done: int
    total: int
    seconds_left: float | None = None

    @property
    def percent(self) -> int:
        """The share done, 0 to 100."""
        return round(100 * min(1.0, self.done / self.total)) if self.total > 0 else 0

    def __str__(self) -> str:
        text = f"{self.stage}: {self.done:,} of {self.total:,}" if self.total > 0 else self.stage
        left = self.seconds_left
        if left is None:
            return text
        if left < 90:
            return f"{text}, about {max(1, round(left))} s left"
        return f"{text}, about {round(left / 60)} min left"


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a run ended: with a result, or with an error."""

    result: GateResult | None = None
    error: BaseException | None = None


class Job:
    """One run in a daemon thread.

    Parameters
    ----------
    gate : callable
        `falsify`, or what stands for it; called with the arguments and a progress hook.
    arguments : mapping of str to object
        What it is called with, ``run`` included.
    on_progress : callable
        Called in the thread with a `Progress`, at most ten times a second.
    on_end : callable
        Called in the thread with this job and its `Outcome`, once.
    clock : callable
        Seconds, for the estimates.
    """

    def __init__(
        self,
        gate: Callable[..., GateResult],
        arguments: Mapping[str, Any],
        on_progress: Callable[[Job, Progress], None],
        on_end: Callable[[Job, Outcome], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._gate = gate
        self._arguments = dict(arguments)
        self._on_progress = on_progress
        self._on_end = on_end
        self._clock = clock
        self._stage: tuple[str, int] = ("", 0)
        self._stage_began = 0.0
        self._last_update = -1e9
        self._cancelled = threading.Event()
        self._thread = threading.Thread(target=self._work, name="falsify-panel-run", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def cancel(self) -> None:
        """Ask the run to stop at its next progress call."""
        self._cancelled.set()

    @property
    def is_cancelled(self) -> bool:
        """True once it was asked to stop."""
        return self._cancelled.is_set()

    def wait(self, seconds: float) -> bool:
        """Wait for the end, and return whether it came in time."""
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def report(self, stage: str, done: int, total: int) -> None:
        """Take a progress call of the gate; raise `Cancelled` in it when asked to stop."""
        if self.is_cancelled:
            raise Cancelled("the run was cancelled")
        now = self._clock()
        # A stage of another length is another one, though it may have the same name.
        is_new = (stage, total) != self._stage
        if is_new:
            self._stage, self._stage_began = (stage, total), now
        if not is_new and done < total and now - self._last_update < _UPDATE_SECONDS:
            return
        self._last_update = now
        spent = now - self._stage_began
        left = None
        if 0 < done < total and spent >= _ESTIMATE_AFTER:
            left = spent * (total - done) / done
        self._on_progress(self, Progress(stage, done, total, left))

    def _work(self) -> None:
        arguments = self._arguments
        run = arguments.pop("run")
        try:
            outcome = Outcome(result=self._gate(run, **arguments, progress=self.report))
        # A thread's exception reaches nobody, and a metric may even call sys.exit().
        except BaseException as error:  # noqa: BLE001 - the panel shows it
            outcome = Outcome(error=error)
        # An abandoned thread must not keep the data alive.
        self._arguments = {}
        self._on_end(self, outcome)
