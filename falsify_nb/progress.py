"""The default progress: nothing for two seconds, then a bar, where somebody may be looking."""

from __future__ import annotations

import os
import sys
import time
from typing import Any

__all__ = ["LateBar"]

PATIENCE_SECONDS = 2.0


class LateBar:
    """A progress hook that opens a tqdm bar once the work has taken two seconds.

    It stays silent where tqdm is not installed, and where output goes to neither a notebook nor a
    terminal.

    Examples
    --------
    >>> hook = LateBar()
    >>> hook("null A", 1, 10)
    >>> hook.close()
    """

    def __init__(self) -> None:
        self._started = time.monotonic()
        self._bar: Any = None
        self._stage = ""

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Show how far a stage has come."""
        if time.monotonic() - self._started < PATIENCE_SECONDS or not _is_watched():
            return
        if self._bar is None or stage != self._stage:
            self.close()
            self._bar = _open(stage, total)
            self._stage = stage
        if self._bar is not None:
            self._bar.update(done - self._bar.n)

    def close(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            # Work rarely reports its very last step, and an unfinished bar would stay, in red.
            self._bar.n = self._bar.total
            self._bar.close()
            self._bar = None


def _is_watched() -> bool:
    # tqdm's own switch, which its notebook form does not heed.
    if os.environ.get("TQDM_DISABLE", "0") not in ("", "0"):
        return False
    # Asked of the shell: ipykernel may be loaded by something that is no notebook.
    ipython = sys.modules.get("IPython")
    in_notebook = ipython is not None and hasattr(ipython.get_ipython(), "kernel")
    return in_notebook or (sys.stderr is not None and sys.stderr.isatty())


def _open(stage: str, total: int) -> Any:  # noqa: ANN401 - tqdm is optional
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return None
    return tqdm(total=total, desc=stage, leave=False)
