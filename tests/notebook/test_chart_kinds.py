from __future__ import annotations

import pytest
from IPython.core.completer import provisionalcompleter

from falsify_nb import falsify, load_demo


@pytest.fixture(scope="module")
def result():
    demo = load_demo()
    return falsify(demo.runs["bm25"], qrels=demo.qrels, n_boot=100)


@pytest.fixture
def complete(shell, result):
    def ask(code: str) -> list[str]:
        shell.user_ns.update(result=result, other=3)
        with provisionalcompleter():
            found = list(shell.Completer.completions(code, len(code)))
        return [code[: c.start] + c.text for c in found]

    return ask


@pytest.mark.parametrize(
    ("typed", "completed"),
    [
        ('result.chart("', ["gate", "draws", "queries", "labels"]),
        ("result.chart('q", ["queries"]),
        ('x = result.chart(kind="d', ["draws"]),
        ("import math\nresult.chart('la", ["labels"]),
    ],
)
def test_tab_offers_the_kinds_of_the_results_charts(complete, typed, completed):
    stem = typed[: max(typed.rfind('"'), typed.rfind("'")) + 1]
    assert sorted(complete(typed)) == sorted(stem + kind for kind in completed)


def test_another_variables_chart_is_not_ours(complete):
    assert not [c for c in complete('other.chart("') if "gate" in c]
