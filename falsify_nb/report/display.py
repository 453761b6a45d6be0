"""What a notebook or a terminal shows when a result is the value of a cell."""

from __future__ import annotations

from typing import Any

from falsify_nb.core.result import GateResult
from falsify_nb.report.charts import chart
from falsify_nb.report.html import card
from falsify_nb.report.text import to_markdown, to_text

__all__ = ["card_bundle", "show", "show_chart"]


def card_bundle(result: GateResult) -> dict[str, str]:
    """Return the card in the three forms that front ends choose from."""
    return {
        "text/html": card(result),
        "text/markdown": to_markdown(result),
        "text/plain": to_text(result),
    }


def show(result: GateResult) -> None:
    """Show the card, then the chart; in a terminal only the text.

    Parameters
    ----------
    result : GateResult
        The result to show.
    """
    if not _is_drawn():
        print(to_text(result))  # noqa: T201 - this is the terminal's display
        return
    # Two bundles: where one holds both HTML and Vega-Lite, JupyterLab shows only the HTML.
    _display(card_bundle(result))
    _display(chart(result)._repr_mimebundle_())


def show_chart(result: Any) -> None:  # noqa: ANN401 - any result that has a chart
    """Show the main chart of a result that has no card; in a terminal its text.

    Parameters
    ----------
    result : SensitivityResult or another result
        The result to show.
    """
    made = chart(result)
    if _is_drawn():
        _display(made._repr_mimebundle_())
    else:
        print(made.text)  # noqa: T201 - this is the terminal's display


def _is_drawn() -> bool:
    """Return whether a front end draws: only a kernel has one."""
    from IPython.core.getipython import get_ipython

    return hasattr(get_ipython(), "kernel")


def _display(bundle: dict[str, Any]) -> None:
    from IPython.display import display

    display(bundle, raw=True)  # type: ignore[no-untyped-call]
