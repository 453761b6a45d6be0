"""What a notebook or a terminal shows when a result is the value of a cell."""

from __future__ import annotations

from typing import Any

from falsify_nb.core.result import GateResult
from falsify_nb.report.charts import chart
from falsify_nb.report.html import card
from falsify_nb.report.text import to_markdown, to_text

__all__ = ["card_bundle", "show"]


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
    from IPython.core.getipython import get_ipython
    from IPython.display import display

    # Only a kernel has a front end that draws; a terminal would print both texts.
    if not hasattr(get_ipython(), "kernel"):
        print(to_text(result))  # noqa: T201 - this is the terminal's display
        return
    bundle: dict[str, Any]
    # Two bundles: where one holds both HTML and Vega-Lite, JupyterLab shows only the HTML.
    for bundle in (card_bundle(result), chart(result)._repr_mimebundle_()):
        display(bundle, raw=True)  # type: ignore[no-untyped-call]
