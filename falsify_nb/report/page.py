"""Several results on one page that needs no network and no script."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from html import escape

from falsify_nb.core.result import GateResult
from falsify_nb.report.charts import chart
from falsify_nb.report.html import CARD_CSS, card_body, user
from falsify_nb.report.render import has_converter

__all__ = ["results_page"]

# The browser's own colours, light or dark as its user has it; only the charts stand on white.
_CSS = """
:root{color-scheme:light dark}
body{font:16px/1.5 system-ui,sans-serif;max-width:860px;margin:2em auto;padding:0 16px}
h1{font-size:28px;line-height:1.2}h2{margin:2em 0 .3em}
figure{margin:12px 0}
figure img{border-radius:6px;max-width:100%;height:auto}
pre{white-space:pre-wrap;font-size:13px}
"""


def results_page(title: str, introduction: str, results: Mapping[str, GateResult]) -> str:
    """Return an HTML document with the card and the main chart of each result.

    Parameters
    ----------
    title : str
        The heading.
    introduction : str
        One paragraph of plain text below it.
    results : mapping of str to GateResult
        The results by their headings.
    """
    sections = "".join(
        f"<section><h2>{user(name)}</h2>{card_body(result)}{_figure(result)}</section>"
        for name, result in results.items()
    )
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{escape(title)}</title><style>{_CSS}{CARD_CSS}</style></head><body><main>"
        f"<h1>{escape(title)}</h1><p>{escape(introduction)}</p>{sections}</main></body></html>\n"
    )


def _figure(result: GateResult) -> str:
    wide = chart(result)
    if not has_converter():
        return f"<pre>{escape(wide.text)}</pre>"
    # Pictures, not SVG: their text was measured with the font that it is drawn in.
    narrow = _embedded(chart(result, narrow=True).png())
    return (
        f'<figure><picture><source media="(max-width:640px)" srcset="{narrow}">'
        f'<img alt="{escape(wide.text)}" src="{_embedded(wide.png())}"></picture></figure>'
    )


def _embedded(png: bytes) -> str:
    return f"data:image/png;base64,{b64encode(png).decode()}"
