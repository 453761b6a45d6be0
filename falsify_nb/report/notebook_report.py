"""The report as a notebook: executed as it stands, and able to gate the run again."""

from __future__ import annotations

import json
import zlib
from base64 import b64encode
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from falsify_nb.core.result import GateResult
from falsify_nb.report.charts import Chart, chart
from falsify_nb.report.display import card_bundle
from falsify_nb.report.html_report import HEADINGS, KINDS
from falsify_nb.report.markdown_report import pairs
from falsify_nb.report.story import captions, custom_metric, environment, paragraphs
from falsify_nb.report.text import escape
from falsify_nb.report.words import finding, limits, protocol_rows

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["notebook_report"]

_PARAMETERS = """\
# To gate the run again, name its files here (or set them with papermill).
RUN = None
QRELS = None
CORPUS = None
"""

_LOAD = """\
import base64
import zlib

from falsify_nb import GateResult, falsify

STORED = (
{lines}
)
result = GateResult.from_json(zlib.decompress(base64.b64decode(STORED)).decode())
"""

_AGAIN = """\
if RUN is None:
    print("RUN is not set: the stored result is shown.")
else:
    again = falsify(RUN, qrels=QRELS, corpus=CORPUS{more}, protocol=result.protocol)
    same = again.verdict == result.verdict and abs(again.score - result.score) < 1e-9
    print("Gated again:", "the same verdict and score." if same else "IT DIFFERS from the stored.")
    result = again
"""
_AGAIN_SAYS = "RUN is not set: the stored result is shown.\n"


def notebook_report(result: GateResult) -> str:
    """Return the report as the text of an executed .ipynb file, nbformat 4.5.

    Parameters
    ----------
    result : GateResult
        What to report.
    """
    # Of a large result less is stored; the outputs are those that the notebook gives when it runs.
    result = GateResult.from_json(result.to_json())
    cells = []
    for number, cell in enumerate(_cells(result), start=1):
        cells.append({"id": f"cell-{number}", **cell})
    executed = 0
    for cell in cells:
        if cell["cell_type"] == "code":
            executed += 1
            cell["execution_count"] = executed
            for output in cell["outputs"]:
                if output["output_type"] == "execute_result":
                    output["execution_count"] = executed
    notebook = {
        "cells": cells,
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(notebook, ensure_ascii=False, indent=1) + "\n"


def _cells(result: GateResult) -> Iterator[dict[str, Any]]:
    told = "\n\n".join(escape(text) for text in paragraphs(result))
    yield _markdown(f"# {result.verdict}: {escape(finding(result))}\n\n{told}")
    more = _more(result)
    asked = _PARAMETERS + "".join(f"{name} = None  # {what}\n" for _, name, what in more)
    yield _code(asked, [], tags=["parameters"])
    yield _code(_LOAD.format(lines=_stored(result)), [], folded=True)
    passed = "".join(f", {option}={name}" for option, name, _ in more)
    yield _code(_AGAIN.format(more=passed), [_stream(_AGAIN_SAYS)])
    first = chart(result)
    yield _code("result", [_shown(card_bundle(result)), _shown(_bundle(first))])
    yield _code("result.to_frame().round(4)", [_frame(result.to_frame().round(4))])
    read = captions(result)
    for kind in KINDS[1:]:
        yield _markdown(f"## {HEADINGS[kind]}\n\n{escape(read[kind])}")
        yield _code(f'result.chart("{kind}")', [_value(_bundle(chart(result, kind)))])
    yield from _queries(result)
    yield _markdown("## What this does not prove\n\n" + _listed(limits(result)))
    yield _markdown("## Protocol\n\n" + pairs("Parameter", "Value", protocol_rows(result)))
    if result.notices:
        yield _markdown("## Notices\n\n" + _listed([str(n) for n in result.notices]))
    yield _markdown("## Environment\n\n" + pairs("Package", "Version", environment()))


def _more(result: GateResult) -> list[tuple[str, str, str]]:
    """Return what else gating again needs: (option, parameter, what it is)."""
    rows = []
    if result.protocol.groups:
        rows.append(("groups", "GROUPS", "{query id: group}"))
    if custom_metric(result):
        rows.append(("metric", "METRIC", f"the function {custom_metric(result)}"))
    return rows


def _queries(result: GateResult) -> Iterator[dict[str, Any]]:
    """Tell the queries with the lowest and the highest gaps; the frame holds all of them."""
    if len(result.scores) != result.n_queries:
        yield _markdown("The figures of the single queries were left out of this result.")
        return
    hardest = min(result.nulls.values(), key=lambda n: n.delta).name
    yield _markdown(f"## Per query\n\nWorst gap to null {hardest} first.")
    frame = result.per_query
    frame = frame.assign(gap=frame["score"] - frame[f"null_{hardest}"])
    frame = frame.sort_values("gap", kind="stable").round(4)
    source = (
        "queries = result.per_query\n"
        f'queries = queries.assign(gap=queries["score"] - queries["null_{hardest}"])\n'
        'queries.sort_values("gap", kind="stable").round(4)'
    )
    yield _code(source, [_frame(frame)])


def _stored(result: GateResult) -> str:
    packed = b64encode(zlib.compress(result.to_json().encode(), 9)).decode()
    width = 88
    return "\n".join(f'    "{packed[i : i + width]}"' for i in range(0, len(packed), width))


def _listed(items: list[str]) -> str:
    return "\n".join(f"- {escape(item)}" for item in items)


def _markdown(source: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": _lines(source)}


def _code(
    source: str,
    outputs: list[dict[str, Any]],
    *,
    tags: list[str] | None = None,
    folded: bool = False,
) -> dict[str, Any]:
    metadata: dict[str, Any] = {}
    if tags:
        metadata["tags"] = tags
    if folded:
        metadata["jupyter"] = {"source_hidden": True}
    return {
        "cell_type": "code",
        "execution_count": None,
        "metadata": metadata,
        "outputs": outputs,
        "source": _lines(source.rstrip("\n")),
    }


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def _stream(text: str) -> dict[str, Any]:
    return {"name": "stdout", "output_type": "stream", "text": [text]}


def _shown(bundle: dict[str, Any]) -> dict[str, Any]:
    return {"data": _stringed(bundle), "metadata": {}, "output_type": "display_data"}


def _value(bundle: dict[str, Any]) -> dict[str, Any]:
    return {
        "data": _stringed(bundle),
        "execution_count": None,
        "metadata": {},
        "output_type": "execute_result",
    }


def _bundle(made: Chart) -> dict[str, Any]:
    return made._repr_mimebundle_()


def _frame(frame: pd.DataFrame) -> dict[str, Any]:
    import pandas as pd

    # What pandas uses in a kernel, where there is no terminal to measure.
    with pd.option_context("display.max_columns", 20, "display.width", 80):
        # pandas types this as a column of that name.
        page = frame._repr_html_()  # type: ignore[operator]
        return _value({"text/html": page, "text/plain": repr(frame)})


def _stringed(bundle: dict[str, Any]) -> dict[str, Any]:
    """Return a bundle as notebooks store it: text in lines, pictures in base64."""
    stored: dict[str, Any] = {}
    for mime, value in bundle.items():
        if isinstance(value, bytes):
            stored[mime] = b64encode(value).decode()
        else:
            stored[mime] = _lines(value) if isinstance(value, str) else value
    return stored
