"""The panel's controls, built from the table of options: texts in, texts out, no logic."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from html import escape

import ipywidgets as widgets

from falsify_nb.notebook.options import METRICS, OPTIONS, Option
from falsify_nb.notebook.panel_live import range_slider

__all__ = ["Control", "control_for"]

_LABELS = {
    "run": "Run",
    "qrels": "Qrels",
    "corpus": "Corpus",
    "metric": "Metric",
    "tau": "Threshold τ",
    "strict": "Strict pair",
    "top_k": "Depth top_k",
    "n_boot": "Draws n_boot",
    "seed": "Seed",
    "interval": "Interval",
    "groups": "Groups",
}
_CHOICE_WORDS = {"auto": "auto", "True": "on", "False": "off"}
# No variable can have this name.
_FILE = "a file…"


class Control:
    """One option's widgets, with a line below for its help or what is wrong.

    Parameters
    ----------
    option : Option
        What it sets.
    on_text : callable
        Called with the option's name and its new text after the user changed it.
    """

    def __init__(self, option: Option, on_text: Callable[[str, str], None]) -> None:
        self.option = option
        self.label = _LABELS[option.name]
        self._on_text = on_text
        self._is_setting = False
        self._note = widgets.HTML()
        self._said: str | None = None
        self.box = widgets.VBox([*self._build(), self._note])
        self.box.add_class("fnb-control")
        self.say("")

    def _build(self) -> list[widgets.Widget]:
        raise NotImplementedError

    def _show(self, text: str) -> None:
        raise NotImplementedError

    def put(self, text: str) -> None:
        """Show a text that did not come from this control."""
        self._is_setting = True
        try:
            self._show(text)
        finally:
            self._is_setting = False

    def say(self, problem: str) -> None:
        """Write below the control what is wrong, else the option's help."""
        if self._said == problem:
            return
        self._said = problem
        kind = "fnb-problem" if problem else "fnb-help"
        sign = "⚠ " if problem else ""
        text = escape(problem or self.option.help)
        # The empty live region stays in place, so that a reader hears what is put into it.
        self._note.value = f'<div class="{kind}" aria-live="polite">{sign}{text}</div>'

    @property
    def room(self) -> float:
        """Width of the panel in pixels, where a control knows it, else 0."""
        return 0.0

    def offer(self, choices: Mapping[str, str]) -> None:
        """Take the notebook's variables that fit; most controls have no list."""

    def _send(self, text: str) -> None:
        if not self._is_setting:
            self._on_text(self.option.name, text)


class _TextControl(Control):
    def _build(self) -> list[widgets.Widget]:
        self._text = widgets.Text(description=self.label, placeholder=_placeholder(self.option))
        self._text.observe(lambda change: self._send(change["new"]), "value")
        return [self._text]

    def _show(self, text: str) -> None:
        self._text.value = text


class _MetricControl(Control):
    def _build(self) -> list[widgets.Widget]:
        self._text = widgets.Combobox(
            description=self.label, options=METRICS, ensure_option=False, continuous_update=True
        )
        self._text.observe(lambda change: self._send(change["new"]), "value")
        return [self._text]

    def _show(self, text: str) -> None:
        self._text.value = text

    def offer(self, choices: Mapping[str, str]) -> None:
        offered = (*METRICS, *choices)
        if self._text.options != offered:
            self._text.options = offered


class _ChoiceControl(Control):
    def _build(self) -> list[widgets.Widget]:
        words = [(_CHOICE_WORDS.get(w, w), w) for w in self.option.choice_words()]
        self._list = widgets.Dropdown(description=self.label, options=words)
        self._list.observe(lambda change: self._send(change["new"]), "value")
        return [self._list]

    def _show(self, text: str) -> None:
        if text in self.option.choice_words():
            self._list.value = text


class _SliderControl(Control):
    """A slider beside a number box: the box says what the slider cannot, and is its label."""

    def _build(self) -> list[widgets.Widget]:
        low, high = self.option.low or 0.0, self.option.high or 1.0
        self._slider = range_slider(f"{self.label}, slider", low, high, 0.005)
        self._number = widgets.FloatText(description=self.label, step=0.005)
        self._slider.observe(self._slid, "value")
        self._number.observe(self._typed, "value")
        self._slider.add_class("fnb-slider")
        pair = widgets.HBox([self._number, self._slider])
        pair.add_class("fnb-pair")
        return [pair]

    @property
    def room(self) -> float:
        """Width of the panel in pixels, 0 where it is not known."""
        return float(getattr(self._slider, "room", 0.0))

    def _slid(self, change: Mapping[str, float]) -> None:
        if not self._is_setting:
            text = f"{change['new']:.3f}".rstrip("0").rstrip(".")
            self.put(text)
            self._send(text)

    def _typed(self, change: Mapping[str, float]) -> None:
        if not self._is_setting:
            text = f"{change['new']:.12g}"
            self.put(text)
            self._send(text)

    def _show(self, text: str) -> None:
        try:
            value = float(text)
        except ValueError:
            return
        self._number.value = value
        self._slider.value = value


class _DataControl(Control):
    """A list of the variables that fit, and a field for a path."""

    def _build(self) -> list[widgets.Widget]:
        self._choices: dict[str, str] = {}
        self._list = widgets.Dropdown(description=self.label)
        what = "path, or number of documents" if self.option.name == "corpus" else "path"
        self._path = widgets.Text(
            description=f"{self.label} {what}", placeholder=what, layout={"display": "none"}
        )
        self._chosen = ""
        self._is_file = False
        self._fill()
        self._list.observe(self._picked, "value")
        self._path.observe(lambda change: self._take(change["new"]), "value")
        return [self._list, self._path]

    def _take(self, text: str) -> None:
        if not self._is_setting:
            self._chosen = text
            self._send(text)

    def _picked(self, change: Mapping[str, str]) -> None:
        if self._is_setting:
            return
        self._is_file = change["new"] == _FILE
        self._path.layout.display = None if self._is_file else "none"
        self._take(self._path.value if self._is_file else change["new"])

    def _fill(self) -> None:
        nothing = "choose…" if self.option.name in {"run", "qrels"} else "none"
        shown = [(f"{name} · {hint}", name) for name, hint in self._choices.items()]
        if self._chosen and not self._is_file and self._chosen not in self._choices:
            shown.append((f"{self._chosen} · gone", self._chosen))
        other = "a file or a number…" if self.option.name == "corpus" else "a file…"
        options = [(nothing, ""), *shown, (other, _FILE)]
        value = _FILE if self._is_file else self._chosen
        if list(self._list.options) != options:
            self._list.options = options
        if self._list.value != value:
            self._list.value = value
        self._path.layout.display = None if value == _FILE else "none"

    def _show(self, text: str) -> None:
        self._chosen = text
        if text and text != self._path.value:
            self._is_file = not text.isidentifier()
        if self._is_file:
            self._path.value = text
        self._fill()

    def offer(self, choices: Mapping[str, str]) -> None:
        if dict(choices) == self._choices:
            return
        self._choices = dict(choices)
        self._is_setting = True
        try:
            self._fill()
        finally:
            self._is_setting = False


def _placeholder(option: Option) -> str:
    return "automatic" if option.default is None else str(option.default)


def control_for(name: str, on_text: Callable[[str, str], None]) -> Control:
    """Return the control of an option, by its kind."""
    kinds = {
        "data": _DataControl,
        "metric": _MetricControl,
        "number": _SliderControl,
        "choice": _ChoiceControl,
    }
    option = OPTIONS[name]
    return kinds.get(option.kind, _TextControl)(option, on_text)
