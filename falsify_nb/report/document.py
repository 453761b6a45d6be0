"""Save a result or a chart in the form that the file's extension names."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from falsify_nb.core.result import GateResult
from falsify_nb.errors import OptionError, shorten
from falsify_nb.report.files import write

if TYPE_CHECKING:
    from falsify_nb.report.charts import Chart

__all__ = ["FORMATS", "save", "save_chart"]

Writer = Callable[[Any], str | bytes]


def _html(result: GateResult) -> str:
    from falsify_nb.report.html_report import html_report

    return html_report(result)


def _markdown(result: GateResult) -> str:
    from falsify_nb.report.markdown_report import markdown_report

    return markdown_report(result)


def _latex(result: GateResult) -> str:
    from falsify_nb.report.latex import document

    return document(result)


def _notebook(result: GateResult) -> str:
    from falsify_nb.report.notebook_report import notebook_report

    return notebook_report(result)


def _csv(result: GateResult) -> str:
    table: str = result.per_query.to_csv(lineterminator="\n")
    return table


FORMATS: Mapping[str, Writer] = {
    ".html": _html,
    ".md": _markdown,
    ".tex": _latex,
    ".ipynb": _notebook,
    ".json": lambda result: result.to_json(),
    ".csv": _csv,
    ".png": lambda result: result.chart().png(),
    ".svg": lambda result: result.chart().svg(),
    ".txt": lambda result: result.to_text() + "\n",
}


def _plain_html(result: Any) -> str:  # noqa: ANN401
    from falsify_nb.report.plain_report import plain_html

    return plain_html(result)


def _plain_markdown(result: Any) -> str:  # noqa: ANN401
    from falsify_nb.report.plain_report import plain_markdown

    return plain_markdown(result)


def _plain_csv(result: Any) -> str:  # noqa: ANN401
    frame = result.to_frame()
    table: str = frame.to_csv(index=any(frame.index.names), lineterminator="\n")
    return table


# Results other than the gate's: a chart, a table, and the data.
PLAIN_FORMATS: Mapping[str, Writer] = {
    ".html": _plain_html,
    ".md": _plain_markdown,
    ".json": lambda result: result.to_json(),
    ".csv": _plain_csv,
    ".png": lambda result: result.chart().png(),
    ".svg": lambda result: result.chart().svg(),
    ".txt": lambda result: result.chart().text + "\n",
}

CHART_FORMATS: Mapping[str, Writer] = {
    ".png": lambda chart: chart.png(),
    ".svg": lambda chart: chart.svg(),
    ".json": lambda chart: chart.json,
    ".txt": lambda chart: chart.text + "\n",
}


def save(result: Any, path: str | os.PathLike[str]) -> None:  # noqa: ANN401 - any kind of result
    """Write a result in the form that the path's extension names.

    The file appears whole or not at all; what stood there stays until the new one is complete.

    Parameters
    ----------
    result : GateResult or another result
        What to write.
    path : str or path
        Where to. ``.html`` a report that needs no network, ``.md``, ``.tex`` and ``.ipynb`` the
        same as Markdown, LaTeX document and executed notebook, ``.json`` the result itself,
        ``.csv`` the figures per query, ``.png`` and ``.svg`` the main chart, ``.txt`` the card.
        Other results than the gate's have no ``.tex`` and no ``.ipynb``.

    Raises
    ------
    OptionError
        If the extension names no form.
    WriteError
        If the file cannot be written; then the old one is untouched.
    """
    formats = FORMATS if isinstance(result, GateResult) else PLAIN_FORMATS
    write(path, _writer(path, formats)(result))


def save_chart(chart: Chart, path: str | os.PathLike[str]) -> None:
    """Write a chart as ``.png``, ``.svg``, ``.json`` (Vega-Lite) or ``.txt``.

    Raises
    ------
    OptionError
        If the extension names no form.
    WriteError
        If the file cannot be written; then the old one is untouched.
    """
    write(path, _writer(path, CHART_FORMATS)(chart))


def _writer(path: str | os.PathLike[str], formats: Mapping[str, Writer]) -> Writer:
    if not isinstance(path, str | os.PathLike):
        raise OptionError(
            f"{shorten(path)} is no path to save to", remedy='Name a file, such as "report.html".'
        )
    extension = Path(path).suffix.lower()
    if extension in formats:
        return formats[extension]
    near = [f for f in formats if f.startswith(extension) or extension.startswith(f)]
    hint = f"Did you mean {near[0]}? " if extension and near else ""
    said = f"the extension {extension!r}" if extension else "a name without extension"
    raise OptionError(
        f"{os.fspath(path)!r}: {said} names no form to save in",
        remedy=f"{hint}There are: {', '.join(formats)}.",
    )
