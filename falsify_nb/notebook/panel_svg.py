"""Charts as SVG text that takes the colours of the page around it, drawn beside the main thread."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cache
from html import escape
from typing import TYPE_CHECKING, Literal

from falsify_nb.report.charts import chart as build_chart

if TYPE_CHECKING:
    from falsify_nb.core.result import GateResult
    from falsify_nb.report.charts import Chart

Form = Literal["wide", "narrow"]

__all__ = ["Form", "Latest", "chart_figure", "warm_up"]


def chart_figure(result: GateResult, kind: str, form: Form) -> str:
    """Return a chart as HTML; the page shows its wide or its narrow form.

    Parameters
    ----------
    result : GateResult
        What to draw.
    kind : str
        Which chart, as `GateResult.chart` names it.
    form : {"wide", "narrow"}
        For which width.
    """
    from falsify_nb.report.render import has_converter

    chart = build_chart(result, kind, narrow=form == "narrow")
    if not has_converter():
        return (
            f'<pre class="fnb-{form}">{escape(chart.text)}</pre>'
            f'<p class="fnb-{form}">Install vl-convert-python to see this as a picture.</p>'
        )
    label = escape(chart.text, quote=True)
    return f'<div class="fnb-figure fnb-{form}" role="img" aria-label="{label}">{_svg(chart)}</div>'


def _svg(chart: Chart) -> str:
    import vl_convert

    from falsify_nb.report.render import VEGALITE

    spec = {**chart.spec, "background": "transparent"}
    drawn: str = vl_convert.vegalite_to_svg(spec, vl_version=VEGALITE)
    # Vega writes black where the chart leaves the colour of a text open, and roles on marks that
    # the figure's own label already says in words.
    drawn = drawn.replace('fill="#000"', 'fill="currentColor"')
    return drawn.replace("<svg ", '<svg aria-hidden="true" ', 1)


@cache
def warm_up() -> None:
    """Load the converter a moment from now, once.

    Its first picture takes a second, in which the kernel does nothing else: what is being shown
    should reach the browser before that.
    """
    timer = threading.Timer(0.5, _draw_nothing)
    timer.daemon = True
    timer.start()


def _draw_nothing() -> None:
    from falsify_nb.report.render import has_converter

    if has_converter():
        import vl_convert

        from falsify_nb.report.render import VEGALITE

        nothing = {"mark": "point", "data": {"values": [{}]}}
        vl_convert.vegalite_to_svg(nothing, vl_version=VEGALITE)


class Latest:
    """A daemon thread that does the latest piece of work asked for, and drops those between.

    A slider asks faster than charts can be drawn. Work is done in the order of asking, each
    time the newest; the thread ends after a pause and starts again when it is needed.
    """

    def __init__(self) -> None:
        self._wakes = threading.Condition()
        self._work: Callable[[], None] | None = None
        self._is_alive = False
        self._closed = False

    def ask(self, work: Callable[[], None]) -> None:
        """Let this be done next; what was asked before and has not begun is dropped."""
        with self._wakes:
            if self._closed:
                return
            self._work = work
            if self._is_alive:
                return
            self._is_alive = True
        threading.Thread(target=self._go_on, name="falsify-panel-draw", daemon=True).start()

    def wait(self, seconds: float) -> bool:
        """Wait until nothing is left to do, and return whether that came in time."""
        with self._wakes:
            return self._wakes.wait_for(lambda: not self._is_alive, seconds)

    def close(self) -> None:
        """Drop what was asked for; a piece of work under way ends by itself."""
        with self._wakes:
            self._closed = True
            self._work = None

    def _go_on(self) -> None:
        while True:
            with self._wakes:
                work, self._work = self._work, None
                if work is None:
                    self._is_alive = False
                    self._wakes.notify_all()
                    return
            work()
