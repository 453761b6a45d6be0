"""The control panel: widgets bound to the state machine, and the static card beside them."""

from __future__ import annotations

import itertools
import os
import threading
from collections.abc import Mapping
from html import escape
from importlib import import_module
from typing import TYPE_CHECKING, Any

import ipywidgets as widgets

from falsify_nb.errors import FalsifyError, OptionError, a_kind, near_names
from falsify_nb.notebook import panel_views
from falsify_nb.notebook.fits import user_variables
from falsify_nb.notebook.panel_controls import Control, control_for
from falsify_nb.notebook.panel_export import ExportRow
from falsify_nb.notebook.panel_records import Shown
from falsify_nb.notebook.panel_state import CONTROLS, PanelModel
from falsify_nb.notebook.panel_style import PANEL_CSS
from falsify_nb.notebook.panel_tabs import ResultTabs

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from falsify_nb.core.result import GateResult

__all__ = ["Panel", "close_all", "panel"]

# These are few and asked for most; the others open with one button.
_FIRST = ("run", "qrels", "corpus", "metric", "tau")
_WORDS = {
    "idle": "Ready.",
    "running": "Running…",
    "done": "Done.",
    "failed": "The run failed; the last good result stays.",
    "cancelled": "Cancelled; the last good result stays.",
    "closed": "This panel is closed: run its cell again.",
}
_numbers = itertools.count(1)
_open: list[Panel] = []


class Panel:
    """One control panel; show it as the value of a cell.

    Parameters
    ----------
    shell : InteractiveShell
        Whose variables are offered.
    settings : mapping of str to str
        First choices, as they would be typed.
    """

    def __init__(self, shell: InteractiveShell, settings: Mapping[str, str]) -> None:
        self._shell = shell
        self._display_id = f"falsify-panel-{next(_numbers)}"
        self._is_shown = False
        self._turn = threading.RLock()
        self.cell = _current_cell(shell)
        _close_earlier(self.cell)
        chosen = {**_first_choices(user_variables(shell)), **settings}
        self.model = PanelModel(lambda: user_variables(shell), _gate, chosen)
        self.controls: dict[str, Control] = {
            name: control_for(name, self.model.choose) for name in CONTROLS
        }
        self.tabs = ResultTabs(self.model, self._update_trace, lambda: self.controls["tau"].room)
        self.export = ExportRow(self.model, shell)
        self.run_button = widgets.Button(description="Run", button_style="primary")
        self.cancel_button = widgets.Button(description="Cancel", disabled=True)
        self._more = widgets.ToggleButton(description="More settings")
        self._status, self._progress = widgets.HTML(), widgets.HTML()
        self.widget = self._assembled()
        self.run_button.on_click(lambda _: self.model.run())
        self.cancel_button.on_click(lambda _: self.model.cancel())
        self._more.observe(lambda change: self._open_more(is_open=change["new"]), "value")
        self.model.subscribe(self._on_change)
        self.refresh()
        shell.events.register("post_run_cell", self.refresh)
        _open.append(self)

    def _assembled(self) -> widgets.VBox:
        buttons = widgets.HBox([self.run_button, self.cancel_button])
        buttons.add_class("fnb-buttons")
        self._rest = widgets.VBox(
            [self.controls[n].box for n in CONTROLS if n not in _FIRST],
            layout={"display": "none"},
        )
        left = widgets.VBox(
            [
                *(self.controls[n].box for n in _FIRST),
                buttons,
                self._status,
                self._progress,
                self._more,
                self._rest,
            ]
        )
        right = widgets.VBox([self.tabs.box, self.export.box])
        columns = widgets.Box([left, right])
        columns.add_class("fnb-columns")
        title = widgets.HTML(
            f'<style>{PANEL_CSS}</style><h3 class="fnb-title">Could a dumb system have got '
            "this score?</h3>"
        )
        root = widgets.VBox([title, columns])
        root.add_class("fnb-panel")
        return root

    # -- what the model tells --------------------------------------------------------------

    def _on_change(self, what: str) -> None:
        # Called by the run's thread as well as by the kernel's: what one of them read must be
        # written before the other reads, or an old state could be written last.
        with self._turn:
            if what == "progress":
                self._progress.value = panel_views.progress_bar(self.model.progress)
            elif what == "shown":
                self.tabs.draw()
                self.export.refresh()
            else:
                self._show_settings()
                self._show_state()

    def refresh(self, *_: object) -> None:
        """Offer the variables as they are now; called after every cell."""
        with self._turn:
            for name, control in self.controls.items():
                if control.option.kind in {"data", "metric"}:
                    control.offer(self.model.choices(name))
            self._show_settings()
            self._show_state()

    def _show_settings(self) -> None:
        problems = self.model.problems()
        for name, control in self.controls.items():
            control.put(self.model.settings[name])
            control.say(problems.get(name, "") if self.model.settings[name].strip() else "")

    def _show_state(self) -> None:
        model = self.model
        blocker = model.blocker
        self.run_button.disabled = bool(blocker)
        self.cancel_button.disabled = model.state != "running"
        words = _WORDS[model.state]
        if blocker and model.state not in {"running", "closed"}:
            words = f"Not ready: {blocker}"
        if model.n_left_behind:
            words += (
                " A call of the metric has not returned and still runs in the background;"
                " the panel is free for another run."
            )
        error = "" if model.error is None else panel_views.error_box(model.error)
        status = f'<p class="fnb-status" role="status" aria-live="polite">{escape(words)}</p>'
        if self._status.value != status + error:
            self._status.value = status + error

    def _open_more(self, *, is_open: bool) -> None:
        self._rest.layout.display = None if is_open else "none"
        self._more.description = "Fewer settings" if is_open else "More settings"

    # -- showing and closing ---------------------------------------------------------------

    def _ipython_display_(self) -> None:
        from IPython.display import display

        show: Any = display  # untyped in IPython
        show(self._bundle(), raw=True)
        # An app of Voilà is never saved, and does not follow what `update_display` sends.
        if not os.environ.get("SERVER_SOFTWARE", "").startswith("voila/"):
            show(panel_views.trace(self.model.shown), raw=True, display_id=self._display_id)
            self._is_shown = True
        # While the user still chooses; what is on its way to the browser goes first.
        loading = threading.Timer(0.5, import_module, ["falsify_nb.api"])
        loading.daemon = True
        loading.start()

    def _bundle(self) -> dict[str, Any]:
        bundle: dict[str, Any] = dict(self.widget._repr_mimebundle_())
        text = "The control panel needs a running kernel: run its cell again."
        return {**bundle, "text/html": f"<p>{text}</p>", "text/plain": text}

    def _update_trace(self, shown: Shown) -> None:
        from IPython.display import update_display

        update: Any = update_display  # untyped in IPython
        if self._is_shown and shown is self.model.shown:
            update(panel_views.trace(shown), raw=True, display_id=self._display_id)

    def close(self) -> None:
        """Stop its threads and take its widgets away; the card of the last result stays."""
        if self not in _open:
            return
        _open.remove(self)
        self._shell.events.unregister("post_run_cell", self.refresh)
        self.model.close()
        self.tabs.close()
        _close_widgets(self.widget)


def _gate(run: Any, **arguments: Any) -> GateResult:  # noqa: ANN401 - whatever was chosen
    # Imported by the thread that runs: the panel is on screen sooner.
    from falsify_nb.api import falsify

    return falsify(run, **arguments)


def _close_widgets(widget: widgets.Widget) -> None:
    for child in getattr(widget, "children", ()):
        _close_widgets(child)
    for part in (getattr(widget, "layout", None), getattr(widget, "style", None), widget):
        if part is not None:
            part.close()


def _current_cell(shell: InteractiveShell) -> tuple[str, int]:
    """Return what names the running cell, and the count of its execution."""
    parent = shell.get_parent() if hasattr(shell, "get_parent") else {}
    name = (parent or {}).get("metadata", {}).get("cellId")
    history = shell.history_manager
    source = history.input_hist_raw[-1] if history and history.input_hist_raw else ""
    return name or f"source {source}", shell.execution_count


def _close_earlier(cell: tuple[str, int]) -> None:
    """Close the panels that an earlier execution of this cell opened."""
    name, count = cell
    for earlier in [p for p in _open if p.cell[0] == name and p.cell[1] != count]:
        earlier.close()


def _first_choices(variables: Mapping[str, Any]) -> dict[str, str]:
    """Return qrels, run and corpus where the names of the variables leave no doubt."""
    from falsify_nb.notebook.fits import candidates

    chosen = {}
    for option, words in (("qrels", ("qrel", "judg")), ("corpus", ("corpus", "collection"))):
        named = [n for n in candidates(option, variables) if any(w in n.lower() for w in words)]
        if len(named) == 1:
            chosen[option] = named[0]
    runs = [n for n in candidates("run", variables) if n != chosen.get("qrels")]
    if len(runs) == 1 and "qrels" in chosen:
        chosen["run"] = runs[0]
    return chosen


def panel(**settings: object) -> Panel:
    """Return a control panel of the notebook's variables, to show as a cell's value.

    Beside it stands a card of the last result, which a saved notebook keeps. After the page was
    loaded anew, run the cell again: what is sent to the card does not reach a page that was opened
    later.

    Parameters
    ----------
    **settings
        First choices by option: run, qrels, corpus, metric, tau, strict, top_k, n_boot, seed,
        interval, groups. A variable is given by its name, as text.

    Returns
    -------
    Panel
        Shown by the notebook; its `close()` takes it away.

    Raises
    ------
    OptionError
        For a setting that the panel does not have.
    FalsifyError
        Outside a notebook or IPython.
    """
    from IPython.core.getipython import get_ipython

    shell = get_ipython()
    if shell is None:
        raise FalsifyError(
            "the control panel needs a notebook",
            remedy="Call falsify(run, qrels=qrels) from a script.",
        )
    for name, value in settings.items():
        if name not in CONTROLS:
            near = near_names(name, CONTROLS)
            hint = f"Did you mean {' or '.join(near)}?" if near else f"There are {CONTROLS}."
            raise OptionError(f"{name} is no setting of the panel", remedy=hint)
        if not isinstance(value, str | int | float) and value is not None:
            raise OptionError(
                f"{name} is given as {a_kind(value)}",
                remedy=f'Give the name of the variable as text: {name}="…".',
            )
    return Panel(shell, {n: "" if v is None else str(v) for n, v in settings.items()})


def close_all() -> None:
    """Close every panel: what unloading the extension does."""
    while _open:
        _open[-1].close()
