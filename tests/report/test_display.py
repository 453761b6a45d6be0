from __future__ import annotations

import json

import pytest

from falsify_nb.report import display
from falsify_nb.report.charts import MIME


class Kernel:
    kernel = object()


@pytest.fixture
def shown(monkeypatch):
    """Every bundle that reaches IPython's display."""
    import IPython.display

    bundles: list[dict[str, object]] = []

    def record(data, *, raw):
        assert raw
        bundles.append(data)

    monkeypatch.setattr(IPython.display, "display", record)
    return bundles


def test_a_notebook_gets_the_card_and_then_the_chart(result, shown, monkeypatch):
    monkeypatch.setattr("IPython.core.getipython.get_ipython", Kernel)
    result._ipython_display_()
    assert [set(bundle) for bundle in shown] == [
        {"text/html", "text/markdown", "text/plain"},
        {MIME, "image/png", "text/plain"},
    ]
    assert isinstance(shown[1]["image/png"], bytes)


def test_a_terminal_gets_the_text_once(result, shown, monkeypatch, capsys):
    monkeypatch.setattr("IPython.core.getipython.get_ipython", object)
    display.show(result)
    assert shown == []
    assert capsys.readouterr().out == result.to_text() + "\n"


def test_six_results_fit_into_a_notebook_that_still_opens(make):
    from base64 import b64encode

    size = 0
    for verdicts in ("PPPP", "PPPF", "FPPF", "UPPU", "FFFF", "UUUU"):
        result = make(verdicts=verdicts)
        for bundle in (display.card_bundle(result), result.chart()._repr_mimebundle_()):
            for data in bundle.values():
                stored = b64encode(data) if isinstance(data, bytes) else json.dumps(data).encode()
                size += len(stored)
    assert size <= 1_500_000
