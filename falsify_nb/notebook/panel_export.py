"""The row below the tabs: the result as a cell, as a file, as a variable."""

from __future__ import annotations

import keyword
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import ipywidgets as widgets

from falsify_nb.core.result import GateResult
from falsify_nb.notebook.panel_cell import cell_text
from falsify_nb.notebook.panel_state import PanelModel
from falsify_nb.notebook.panel_views import error_box

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

__all__ = ["ExportRow"]


class ExportRow:
    """Copy as cell, save, bind.

    Parameters
    ----------
    model : PanelModel
        Whose shown result is handed on.
    shell : InteractiveShell
        Where a variable is bound.
    """

    def __init__(self, model: PanelModel, shell: InteractiveShell) -> None:
        self._model = model
        self._shell = shell
        self._confirmed = ""
        self.copy = widgets.Button(description="Copy as cell", disabled=True)
        self.file = widgets.Text(description="File", value="falsify-result.html")
        self.save = widgets.Button(description="Save", disabled=True)
        self.name = widgets.Text(description="Variable", value="result")
        self.bind = widgets.Button(description="Bind", disabled=True)
        self.cell = widgets.Textarea(
            description="Cell", rows=3, layout={"display": "none", "width": "auto"}
        )
        self.said = widgets.HTML()
        self.copy.on_click(lambda _: self._copy())
        self.save.on_click(lambda _: self._guarded(self._save))
        self.bind.on_click(lambda _: self._guarded(self._bind))
        for field in (self.file, self.name, self.cell):
            field.add_class("fnb-stack")
        row = widgets.HBox([self.copy, self.file, self.save, self.name, self.bind])
        row.add_class("fnb-row")
        self.box = widgets.VBox([row, self.cell, self.said])

    def refresh(self) -> None:
        """Enable the buttons once there is a result, and keep an open cell current."""
        shown = self._model.shown
        for button in (self.copy, self.save, self.bind):
            button.disabled = shown is None
        if shown is not None and self.cell.layout.display != "none":
            self.cell.value = cell_text(shown.settings)

    def _copy(self) -> None:
        self.cell.layout.display = None
        self.refresh()
        self._say("Select the text (Ctrl+A) and copy it (Ctrl+C) into a cell of its own.")
        self.cell.focus()

    def _guarded(self, action: Any) -> None:  # noqa: ANN401 - a bound method
        try:
            action()
        # A callback's exception reaches nobody.
        except Exception as error:  # noqa: BLE001 - the panel shows it
            self.said.value = error_box(error)

    def _save(self) -> None:
        path = Path(self.file.value.strip()).expanduser()
        if path.exists() and not self._is_confirmed(f"save {path}"):
            self._say(f"{path} exists. Press Save again to replace it.")
            return
        self._result().save(path)
        self._say(f"Saved {path}.")

    def _bind(self) -> None:
        name = self.name.value.strip()
        if not name.isidentifier() or keyword.iskeyword(name):
            self._say(f"{name!r} is no name that a variable can have.")
            return
        space = self._shell.user_ns
        is_other = name in space and not isinstance(space[name], GateResult)
        if is_other and not self._is_confirmed(f"bind {name}"):
            self._say(f"{name} exists and is no result. Press Bind again to replace it.")
            return
        self._shell.push({name: self._result()})  # type: ignore[no-untyped-call]
        self._say(f"{name} is now this result.")

    def _is_confirmed(self, what: str) -> bool:
        confirmed, self._confirmed = self._confirmed == what, what
        return confirmed

    def _result(self) -> GateResult:
        shown = self._model.shown
        assert shown is not None  # the buttons are disabled until there is one
        return shown.result

    def _say(self, text: str) -> None:
        self.said.value = f'<p class="fnb-status" role="status">{escape(text)}</p>'
