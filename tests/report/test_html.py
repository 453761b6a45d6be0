from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

from falsify_nb.core.beside import StrictPair
from falsify_nb.core.notices import Notice

NASTY = (
    """<script>alert(1)</script>"'&<img src=x onerror=alert(1)> \U0001f600 שלום """ + "x" * 10_000
)


class Outline(HTMLParser):
    """What stands in a page: tags in order, their attributes, and the visible text."""

    VOID = frozenset({"br", "hr", "meta", "img", "link", "input"})

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text: list[str] = []
        self.open: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if not self.open or self.open[-1] not in {"style", "script"}:
            self.text.append(data)


def test_the_card_states_verdict_score_and_four_rows(failing):
    outline = Outline(failing.card)
    text = " ".join(outline.text)
    assert "✗ FAIL" in text
    assert "0.4100" in text
    assert "[−0.0520, +0.0680]" in text
    assert outline.tags.count("tr") == 5
    assert [v for k, v in outline.attributes if k == "scope"] == ["col"] * 4 + ["row"] * 4
    assert outline.open == []


def test_the_card_has_no_script_no_handler_and_asks_for_nothing(failing):
    outline = Outline(failing.card)
    assert not {"script", "img", "link", "iframe"} & set(outline.tags)
    assert not [k for k, _ in outline.attributes if k.startswith("on") or k in {"src", "href"}]
    assert "url(" not in failing.card


def test_the_card_sets_no_ground_and_no_text_colour(failing):
    rules = re.sub(r"/\*.*?\*/", "", re.search(r"<style>(.*?)</style>", failing.card, re.DOTALL)[1])
    (root,) = re.findall(r"\.fnb\{(.*?)\}", rules)
    assert "background" not in root
    assert set(re.findall(r"(?<![-\w])color:([^;}]+)", rules)) == {"inherit"}


def test_every_user_string_is_escaped(make):
    made = make(
        verdicts="PPPU",
        system=NASTY,
        metric=f"function {NASTY}",
        notices=(Notice("odd", NASTY, 1, (NASTY,)),),
        strict=StrictPair(NASTY, "PASS", 0.5, 1.0, {}, True, NASTY),
    )
    outline = Outline(made.card)
    assert not {"script", "img"} & set(outline.tags)
    assert outline.open == []
    assert "alert(1)" in " ".join(outline.text)


def test_notices_are_folded(result):
    assert Outline(result.card).tags.count("li") == 2
    assert "<details><summary>2 notices</summary>" in result.card


@pytest.mark.parametrize("n", [1, 2])
def test_a_card_without_intervals_says_so(make, n):
    assert make(verdicts="UUUU", n=n).card.count("98.75 % none") == 4
