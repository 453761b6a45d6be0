"""The panel's result tabs: drawn when they are looked at, in a thread of their own."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import ipywidgets as widgets

from falsify_nb.notebook import panel_tables, panel_views
from falsify_nb.notebook.panel_live import live_chart, why_not_live
from falsify_nb.notebook.panel_records import Shown
from falsify_nb.notebook.panel_state import PanelModel
from falsify_nb.notebook.panel_svg import Form, Latest, chart_figure, warm_up
from falsify_nb.report.charts import chart
from falsify_nb.report.render import has_converter

__all__ = ["ResultTabs"]

# In a narrower panel the results' column is too narrow for a wide chart, as the style sheet has it.
_WIDE_ROOM = 940
# The converter holds the interpreter while it draws: what was drawn first leaves before that.
_LET_GO = 0.03


class ResultTabs:
    """The tabs of one panel.

    Parameters
    ----------
    model : PanelModel
        What is shown.
    on_drawn : callable
        Called in the drawing thread with what was drawn, after each drawing.
    room : callable
        Returns the panel's width in pixels, 0 where it is not known.
    """

    def __init__(
        self, model: PanelModel, on_drawn: Callable[[Shown], None], room: Callable[[], float]
    ) -> None:
        self._model = model
        self._on_drawn = on_drawn
        self._room = room
        self.drawing = Latest()
        self._pages = {
            "Verdict": _Page(panel_views.verdict),
            "Deltas": ChartPage("gate", self._forms),
            "Nulls": ChartPage("draws", self._forms),
            "Queries": QueriesPage(),
            "Benchmark": ChartPage(
                "labels", self._forms, lambda shown: panel_views.benchmark(shown.result)
            ),
            "Notices": _Page(panel_views.notices),
            "History": HistoryPage(model),
        }
        self._tab = widgets.Tab(
            [page.box for page in self._pages.values()], titles=tuple(self._pages)
        )
        self._tab.observe(lambda _: self.draw(), "selected_index")
        self._headline = widgets.HTML(panel_views.headline(None))
        self.box = widgets.VBox([self._headline, self._tab])
        self.box.add_class("fnb-results")

    def draw(self) -> None:
        """Show the model's result: the line above at once, the tab that is open soon after."""
        shown = self._model.shown
        self._headline.value = panel_views.headline(shown)
        if shown is None:
            return
        page = list(self._pages.values())[self._tab.selected_index or 0]
        page.expect(shown)
        self.drawing.ask(lambda: self._draw(page, shown))

    def _forms(self, shown: Shown) -> Iterator[Form]:
        """Give the form that fits first, and the other while this is still the latest result."""
        room = self._room()
        fits: Form = "narrow" if 0 < room < _WIDE_ROOM else "wide"
        yield fits
        time.sleep(_LET_GO)
        if self._model.shown is shown:
            yield "wide" if fits == "narrow" else "narrow"

    def _draw(self, page: _Page, shown: Shown) -> None:
        page.draw(shown)
        self._on_drawn(shown)
        warm_up()

    def close(self) -> None:
        """Let nothing more be drawn."""
        self.drawing.close()


class _Page:
    """One tab: HTML made from what is shown."""

    def __init__(self, html: Callable[[Shown], str]) -> None:
        self._html = html
        self._content = widgets.HTML('<p class="fnb-empty">No result yet.</p>')
        self.box = widgets.VBox(self._widgets())
        self._drawn: Shown | None = None

    def _widgets(self) -> list[widgets.Widget]:
        return [self._content]

    def expect(self, shown: Shown) -> None:
        """Take away what another run left, so that it never stands below this run's headline."""
        if self._drawn is None or self._drawn.record is not shown.record:
            self._content.value = '<p class="fnb-empty">Drawing…</p>'

    def draw(self, shown: Shown) -> None:
        """Draw what is shown, once."""
        if shown is self._drawn:
            return
        self._drawn = shown
        try:
            self._fill(shown)
        # The thread's exception would reach nobody.
        except Exception as error:  # noqa: BLE001 - the tab shows it
            self._content.value = panel_views.error_box(error)

    def _fill(self, shown: Shown) -> None:
        self._content.value = self._html(shown)


class ChartPage(_Page):
    """A chart, below a few facts where there are some.

    Parameters
    ----------
    kind : str
        Which chart.
    forms : callable
        Gives the forms to draw, in their order.
    html : callable, optional
        Gives the facts.
    """

    def __init__(
        self,
        kind: str,
        forms: Callable[[Shown], Iterable[Form]],
        html: Callable[[Shown], str] = lambda _: "",
    ) -> None:
        self._kind = kind
        self._forms = forms
        self._figures: dict[Form, widgets.HTML] = {"wide": widgets.HTML(), "narrow": widgets.HTML()}
        super().__init__(html)

    def _widgets(self) -> list[widgets.Widget]:
        return [self._content, *self._figures.values()]

    def expect(self, shown: Shown) -> None:
        """Take away the figures of another run as well."""
        if self._drawn is None or self._drawn.record is not shown.record:
            for figure in self._figures.values():
                figure.value = ""
        super().expect(shown)

    def _fill(self, shown: Shown) -> None:
        for form in self._forms(shown):
            self._figures[form].value = chart_figure(shown.result, self._kind, form)
            self._content.value = self._html(shown)


class QueriesPage(_Page):
    """The queries, to filter, sort and leaf through."""

    def __init__(self) -> None:
        self._page = 0
        self._total = 0
        self._filter = widgets.Text(description="Filter", placeholder="part of an id or a text")
        self._sort = widgets.Dropdown(
            description="Sort", options=list(panel_tables.SORTS.items()), value="worst"
        )
        self._before = widgets.Button(description="Previous", disabled=True)
        self._after = widgets.Button(description="Next", disabled=True)
        self._count = widgets.HTML()
        self._chart: Any = None
        self._why_not = why_not_live()
        note = f'<p class="fnb-help">{self._why_not}</p>' if self._why_not else ""
        self._chart_note = widgets.HTML(note)
        self._chart_box = widgets.VBox([self._chart_note])
        super().__init__(self._table)
        for widget in (self._filter, self._sort):
            widget.add_class("fnb-stack")
            widget.observe(lambda _: self._turn(-self._page), "value")
        self._before.on_click(lambda _: self._turn(-1))
        self._after.on_click(lambda _: self._turn(1))

    def _widgets(self) -> list[widgets.Widget]:
        top = widgets.HBox([self._filter, self._sort])
        top.add_class("fnb-row")
        bottom = widgets.HBox([self._before, self._after, self._count])
        bottom.add_class("fnb-row")
        return [self._chart_box, top, self._content, bottom]

    def draw(self, shown: Shown) -> None:
        """Draw the table at once, then the live chart, whose script takes seconds to make."""
        is_new = shown is not self._drawn
        super().draw(shown)
        if is_new and not self._why_not and has_converter():
            self._draw_chart(shown)

    def _draw_chart(self, shown: Shown) -> None:
        if self._chart is None:
            self._chart_note.value = '<p class="fnb-help">Making the live chart…</p>'
            self._chart = live_chart()
            self._chart.add_class("fnb-live")
            self._chart.observe(lambda _: self._turn(-self._page), "picked")
            self._chart_box.children = [self._chart, self._chart_note]
            self._chart_note.value = (
                '<p class="fnb-help">What is dragged over is what the table below lists.</p>'
            )
        forms = [chart(shown.result, "queries", narrow=n).spec for n in (False, True)]
        if self._chart.forms != forms:
            self._chart.forms = forms

    def _turn(self, pages: int) -> None:
        self._page = max(0, self._page + pages)
        if self._drawn is not None:
            self._content.value = self._table(self._drawn)

    def _picked(self) -> tuple[float, float] | None:
        picked = self._chart.picked if self._chart is not None else ()
        return (min(picked), max(picked)) if picked else None

    def _table(self, shown: Shown) -> str:
        table, total = panel_tables.queries_table(
            shown.result,
            text=self._filter.value,
            sort=self._sort.value,
            page=self._page,
            places=self._picked(),
        )
        if self._page and self._page * panel_tables.PAGE >= total:
            self._page = 0
            return self._table(shown)
        first = self._page * panel_tables.PAGE
        last = min(total, first + panel_tables.PAGE)
        self._before.disabled = self._page == 0
        self._after.disabled = last >= total
        words = f"{first + 1:,} to {last:,} of {total:,} queries" if total else "No query matches."
        self._count.value = f'<span role="status">{words}</span>'
        return table


_NO_OTHER = ("no other run", 0)


class HistoryPage(_Page):
    """Every run of the panel: choose one to show it again, and another to compare it with."""

    def __init__(self, model: PanelModel) -> None:
        self._model = model
        self._list = widgets.Select(description="Runs", rows=6)
        self._other = widgets.Dropdown(description="Compare with", options=[_NO_OTHER])
        self._is_filling = False
        super().__init__(self._compared)
        for widget in (self._list, self._other):
            widget.add_class("fnb-stack")
        self._list.observe(self._chosen, "value")
        self._other.observe(self._redraw, "value")

    def _widgets(self) -> list[widgets.Widget]:
        return [self._list, self._other, self._content]

    def _chosen(self, change: Mapping[str, Any]) -> None:
        if not self._is_filling and change["new"] is not None:
            self._model.show(change["new"])
            self._redraw(change)

    def _redraw(self, _: Mapping[str, Any]) -> None:
        shown, self._drawn = self._model.shown, None
        if not self._is_filling and shown is not None:
            self.draw(shown)

    def _compared(self, shown: Shown) -> str:
        records = self._model.history.records
        labels = [(panel_tables.history_label(r), r.number) for r in records]
        self._is_filling = True
        try:
            if list(self._list.options) != labels:
                self._list.options = labels
                other = self._other.value
                self._other.options = [_NO_OTHER, *labels]
                self._other.value = other
            if self._list.value != shown.record.number:
                self._list.value = shown.record.number
        finally:
            self._is_filling = False
        other = next((r for r in records if r.number == self._other.value), None)
        if other is None or other.number == shown.record.number:
            return '<p class="fnb-help">Choose another run to see both side by side.</p>'
        return panel_tables.comparison(shown.record, other)
