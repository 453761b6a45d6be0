"""The card as plain text for a narrow terminal, and as Markdown for GitHub."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator

from falsify_nb.core.null_result import NullResult
from falsify_nb.core.result import GateResult
from falsify_nb.report.style import (
    SIGNS,
    count,
    interval,
    number,
    p_value,
    signed,
)
from falsify_nb.report.words import (
    ASKS,
    finding,
    needed,
    null_label,
    opinions,
    plain,
    protocol_line,
    score_line,
)

__all__ = ["code_span", "escape", "to_markdown", "to_text"]

WIDTH = 72


def to_text(result: GateResult) -> str:
    """Return the card as plain text, at most 72 columns wide but for a user's own long words.

    Parameters
    ----------
    result : GateResult
        The result to show.
    """
    return "\n".join(_text_lines(result))


def _text_lines(result: GateResult) -> Iterator[str]:
    yield from _wrap(f"{SIGNS[result.verdict]} {result.verdict}: {finding(result)}")
    yield from _wrap(score_line(result))
    yield ""
    yield f"  {'null':<22}{'its score':>9} {'gap Δ':>8}  {'98.75 % interval':<18}  verdict"
    for null in result.nulls.values():
        yield (
            f"{SIGNS[null.verdict]} {null_label(null):<24}{number(null.mean):>7} "
            f"{signed(null.delta):>8}  {interval(null.interval_adjusted):<18}  {null.verdict}"
        )
    yield ""
    for text in _remarks(result):
        yield from _wrap(text)
    for name, text, alarm in opinions(result):
        yield from _wrap(f"{'! ' if alarm else ''}{name}: {plain(text)}")
    for notice in result.notices:
        yield from _wrap(f"Notice: {plain(str(notice))}")
    yield from _wrap(f"Protocol: {protocol_line(result)}")


def _remarks(result: GateResult) -> Iterator[str]:
    """Say why a null did not pass, and what would settle it."""
    for null in result.nulls.values():
        if null.verdict == "PASS":
            continue
        parts = [plain(null.reason)]
        if null.verdict == "UNDER-NS":
            parts.append(needed(null.queries_needed, result.tau))
        text = " ".join(p for p in parts if p)
        if text:
            yield f"{null.name}: {text}"


def _wrap(text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, subsequent_indent="  ", break_long_words=False) or [""]


def to_markdown(result: GateResult) -> str:
    """Return the card as GitHub Markdown, user's strings escaped.

    Parameters
    ----------
    result : GateResult
        The result to show.
    """
    return "\n".join(_markdown_lines(result)) + "\n"


def _markdown_lines(result: GateResult) -> Iterator[str]:
    yield f"### {SIGNS[result.verdict]} {result.verdict}: {escape(finding(result))}"
    yield ""
    name = f"{code_span(result.system)}: " if result.system else ""
    queries = count(result.n_queries, "query", "queries")
    yield f"{name}{code_span(result.metric)} = **{number(result.score)}** over {queries}"
    yield ""
    gap, wide = ("Gap Δ (decides)", "98.75 %")
    if result.protocol.decision == "interval":
        gap, wide = ("Gap Δ", "98.75 % (decides)")
    yield f"| Null | What it asks | Its score | {gap} | 95 % | {wide} | p | Verdict |"
    yield "|:--|:--|--:|--:|:-:|:-:|--:|:--|"
    yield from (_markdown_row(null) for null in result.nulls.values())
    yield ""
    remarks = [f"- {escape(text)}" for text in _remarks(result)]
    for title, text, alarm in opinions(result):
        remarks.append(f"- {'⚠ ' if alarm else ''}**{escape(title)}:** {escape(plain(text))}")
    if remarks:
        yield from remarks
        yield ""
    if result.notices:
        title = count(len(result.notices), "notice")
        yield f"<details><summary>{title}</summary>"
        yield ""
        for notice in result.notices:
            examples = ", ".join(code_span(e) for e in notice.examples)
            yield f"- {escape(plain(notice.text))}" + (f" ({examples})" if examples else "")
        yield ""
        yield "</details>"
        yield ""
    yield f"<sub>{escape(protocol_line(result))}</sub>"


def _markdown_row(null: NullResult) -> str:
    cells = [
        f"**{null.name}** {null.title}",
        ASKS[null.name],
        number(null.mean) + ("" if null.mean_is_exact else " (drawn)"),
        signed(null.delta),
        interval(null.interval),
        interval(null.interval_adjusted),
        p_value(null.p_value),
        f"{SIGNS[null.verdict]} {null.verdict}",
    ]
    # Brackets would be read as links where a reference of that name exists.
    return "| " + " | ".join(c.replace("[", "\\[").replace("<", "&lt;") for c in cells) + " |"


_MARKDOWN = re.compile(r"([\\`*_{}\[\]#+!|~$])")


def escape(text: str) -> str:
    r"""Return text whose characters mean nothing to Markdown or HTML.

    >>> escape("a_b <i> [x](y)")
    'a\\_b &lt;i&gt; \\[x\\](y)'
    """
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    text = _MARKDOWN.sub(r"\\\1", text)
    # "@name" would notify somebody on GitHub; a word joiner keeps it a word.
    return re.sub(r"(?<!\w)@(?=\w)", "@\u2060", text)


def code_span(text: str) -> str:
    r"""Return a user's string as a Markdown code span that is safe inside a table.

    >>> code_span("a|b`c")
    '``a\\|b`c``'
    """
    text = plain(text) or " "
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if text[0] == "`" or text[-1] == "`" else ""
    return f"{fence}{pad}{text}{pad}{fence}".replace("|", "\\|")
