from __future__ import annotations

import re
from pathlib import Path

import pytest

from falsify_nb import Protocol, falsify, power

METHOD = (Path(__file__).parents[1] / "docs" / "method.md").read_text(encoding="utf-8")
SIZES = (10, 30, 100, 300, 1000)


def rows(first_cell):
    """Return the table rows of the method page whose first cell matches."""
    found = re.findall(rf"^\| {first_cell} \| (.*) \|$", METHOD, flags=re.MULTILINE)
    return [(cell[0] if isinstance(cell, tuple) else cell) for cell in found]


@pytest.mark.parametrize("gap", [0, 0.08, 0.1, 0.15, 0.2, 0.3, 0.5])
def test_the_planning_table_is_what_power_says(gap):
    (cells,) = rows(re.escape(f"{gap:g}"))
    chances = [power(gap, n, null=0.1) for n in SIZES]
    assert cells == " | ".join(f"{100 * c.passes:.0f} / {100 * c.fails:.0f}" for c in chances)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("metric", "`nDCG@10`"),
        ("tau", "0.05"),
        ("n_boot", "1000"),
        ("seed", "2026"),
        ("interval", "`dirichlet`"),
        ("decision", "`interval`"),
        ("strict", "`auto`"),
    ],
)
def test_every_default_of_the_protocol_is_the_one_that_is_justified(name, words):
    assert str(getattr(Protocol(), name)) == words.strip("`")
    (row,) = rows(f"`{name}`")
    assert row.split(" | ")[0] == words


def test_no_parameter_of_the_protocol_goes_without_a_reason():
    undefended = {"groups", "bounds"}  # said in their own sections
    for name in Protocol().to_dict().keys() - undefended:
        assert rows(f"`{name}`"), name


@pytest.mark.parametrize(
    ("n", "answer", "verdict"),
    [
        (1, "d0", "UNDER-NS"),  # one list cannot be seen to be the same for all
        (2, "d0", "FAIL"),
        (4, "d0", "FAIL"),
        (4, None, "UNDER-NS"),
        (5, None, "PASS"),
    ],
)
def test_few_queries_decide_only_about_a_list_that_never_changes(n, answer, verdict):
    qrels = {f"q{i}": {f"d{i}": 1} for i in range(n)}
    run = {f"q{i}": [answer or f"d{i}"] for i in range(n)}
    result = falsify(run, qrels=qrels, corpus=1000, metric="Success@1", n_boot=100)
    assert result.verdict == verdict


def test_every_source_is_cited_and_every_citation_has_a_source():
    text, sources = METHOD.split("\n## Sources\n")
    listed = re.findall(r"^- ([^,]+),.*?\((\d{4})\)", sources, flags=re.MULTILINE)
    assert len(listed) == len(sources.strip().splitlines())
    for name, year in listed:
        assert re.search(rf"{name}[^.;\n]{{0,30}}(?:et al\. )?\(?{year}", text), name
    years = set(re.findall(r"\b(?:19|20)\d\d\b", text)) - {str(Protocol().seed)}
    assert years == {year for _, year in listed}
