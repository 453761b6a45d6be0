from __future__ import annotations

import re

import pytest

from falsify_nb.core.notices import Notice
from falsify_nb.report.words import finding, opinions

NASTY = "<script>alert('x')</script> *b* [l](u) |x| _y_ `z` @team \x1b[31m\nnext \u202egnp"


@pytest.mark.parametrize(
    ("verdicts", "n", "said"),
    [
        ("PPPP", 200, "Passes all four nulls by at least τ = 0.05"),
        ("PPPF", 200, "Passes A, B and C; fails the frequency null (D)"),
        ("FPPF", 200, "Passes B and C; fails A and D"),
        ("FFFF", 200, "Fails all four nulls"),
        ("UPPF", 200, "Passes B and C; fails the frequency null (D); A undecided"),
        ("UFFF", 200, "Fails B, C and D; A undecided"),
        (
            "PPPU",
            24,
            "Passes A, B and C; undecided on the frequency null (D): 24 queries are too few to say",
        ),
        ("UUUU", 1, "Undecided on all four nulls: 1 query is too few to say"),
    ],
)
def test_the_finding_names_what_passed_and_what_did_not(make, verdicts, n, said):
    assert finding(make(verdicts=verdicts, n=n)) == said


def test_plain_text_states_verdict_score_and_every_row(failing):
    text = failing.to_text()
    lines = text.splitlines()
    assert lines[0].startswith("✗ FAIL: ")
    assert "popular answers: nDCG@10 = 0.4100 over 225 queries" in lines
    (row,) = [line for line in lines if line.startswith("✗ D")]
    assert re.search(
        r"marginal-matched gold +0\.4020 +\+0\.0080 +\[−0\.0520, \+0\.0680\] +FAIL", row
    )
    assert "! Query-blind list: A list that never reads the query scores 0.41." in lines


@pytest.mark.parametrize("kind", ["result", "failing", "undecided"])
def test_plain_text_fits_a_narrow_terminal(request, kind):
    text = request.getfixturevalue(kind).to_text()
    assert max(len(line) for line in text.splitlines()) <= 72


def test_an_undecided_null_says_how_many_queries_would_settle_it(undecided):
    text = " ".join(undecided.to_text().split())
    assert "About 340 queries (260 or many more) would settle it." in text


def test_markdown_has_a_table_row_per_null(result):
    rows = [line for line in result.to_markdown().splitlines() if line.startswith("| **")]
    assert len(rows) == 4
    # What GitHub splits at: bars that no backslash protects.
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {9}


def test_markdown_lets_no_user_string_act(make):
    notice = Notice("odd", f"{NASTY} was read.", 1, (NASTY,))
    text = make(system=NASTY, metric=f"function {NASTY}", notices=(notice,)).to_markdown()
    outside = re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", text)
    assert "<script" not in outside
    assert "](u)" not in outside.replace("\\]", "")
    assert not re.search(r"(?<!\w)@team", outside)
    assert "\x1b" not in text
    assert "\u202e" not in text


def test_plain_text_drops_control_characters(make):
    text = make(system=NASTY).to_text()
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "next gnp: nDCG@10" in text.replace("\n  ", " ")


@pytest.mark.parametrize("n", [1, 2])
def test_without_an_interval_the_views_say_none(make, n):
    made = make(verdicts="UUUU", n=n)
    assert made.to_text().count("none ") == 4
    assert "| none | none |" in made.to_markdown()


def test_no_judged_document_at_all_is_an_alarm_that_names_the_likely_cause(make):
    ids = [text for _, text, alarm in opinions(make(judged=0.0)) if alarm and "ids" in text]
    assert len(ids) == 1
    assert not any("ids" in text for _, text, _ in opinions(make(judged=0.01)))
