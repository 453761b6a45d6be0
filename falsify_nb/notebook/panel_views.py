"""What the panel shows of a result, as HTML text; no widget in it."""

from __future__ import annotations

import traceback
from html import escape

from falsify_nb.core.result import GateResult
from falsify_nb.notebook.options import OPTIONS
from falsify_nb.notebook.panel_job import Progress
from falsify_nb.notebook.panel_records import Shown
from falsify_nb.report.html import CARD_CSS, card_body, user
from falsify_nb.report.style import SIGNS, VERDICT_HUES, number, percent, signed
from falsify_nb.report.text import to_markdown, to_text

__all__ = [
    "badge",
    "benchmark",
    "code",
    "error_box",
    "headline",
    "notices",
    "progress_bar",
    "trace",
    "verdict",
]


def badge(verdict: str) -> str:
    """Return a verdict's sign and word in its colour."""
    hue = VERDICT_HUES[verdict]  # type: ignore[index]
    sign = SIGNS[verdict]  # type: ignore[index]
    return f'<span class="fnb-badge" style="border-color:{hue}">{sign} {verdict}</span>'


def headline(shown: Shown | None) -> str:
    """Return the line above the tabs: which run this is, and what to bear in mind."""
    if shown is None:
        return '<p class="fnb-empty">No result yet. Choose a run and its qrels, then press Run.</p>'
    settings = shown.settings
    corpus = f", corpus {code(settings['corpus'])}" if settings["corpus"] else ""
    line = (
        f"<p class='fnb-line'>{badge(shown.result.verdict)} <b>Run {shown.record.number}</b> "
        f"{code(settings['run'])} on {code(settings['qrels'])}{corpus} · "
        f"{user(shown.result.metric)} = <b>{number(shown.result.score)}</b> · "
        f"τ = <b>{escape(shown.tau)}</b></p>"
    )
    notes = [f"<b>Exploratory:</b> {escape(_changes(shown))}."] if shown.changes else []
    notes += [escape(w) for w in shown.warnings]
    return line + "".join(f'<p class="fnb-warning">⚠ {n}</p>' for n in notes)


def code(text: str, width: int = 40) -> str:
    """Return a user's text as code, its end kept where it is long."""
    kept = text if len(text) <= width else "…" + text[1 - width :]
    return f"<code>{user(kept)}</code>"


def _changes(shown: Shown) -> str:
    parts = [
        f"{OPTIONS[name].flag[2:]} {then or 'none'} → {now or 'none'}"
        for name, (then, now) in shown.changes.items()
    ]
    return "changed after a result was seen: " + ", ".join(parts)


def verdict(shown: Shown) -> str:
    """Return the card."""
    return f"<style>{CARD_CSS}</style>{card_body(shown.result)}"


def notices(shown: Shown) -> str:
    """Return what was decided about the data, one item each."""
    rows = [user(str(n)) for n in shown.result.notices]
    if not rows:
        return "<p>Nothing had to be decided about the data.</p>"
    return f'<ul class="fnb-list">{"".join(f"<li>{row}</li>" for row in rows)}</ul>'


def benchmark(result: GateResult) -> str:
    """Return the facts about the judgments that a verdict rests on."""
    labels = result.labels
    judged = "–" if result.judged is None else percent(result.judged)
    facts = {
        "Queries evaluated": f"{result.n_queries:,}",
        "Documents that answer any": f"{len(labels.counts):,}",
        "Distinct gold sets": f"{labels.n_gold_sets:,}",
        "Most frequent answer": f"{code(labels.top[0]) if labels.top else '–'} for "
        f"{percent(labels.modal_share)} of the queries",
        "Corpus": f"{result.corpus_size:,} documents",
        "Depth read": f"{result.depth:,}",
        "Retrieved documents that were judged": judged,
    }
    rows = "".join(f"<div><dt>{k}</dt><dd>{v}</dd></div>" for k, v in facts.items())
    return f'<dl class="fnb-facts">{rows}</dl>'


def progress_bar(progress: Progress | None) -> str:
    """Return the bar, named for a screen reader; empty when nothing runs."""
    if progress is None:
        return ""
    text = escape(str(progress))
    return (
        f'<div class="fnb-progress" role="progressbar" aria-label="{text}" aria-valuemin="0" '
        f'aria-valuemax="100" aria-valuenow="{progress.percent}">'
        f'<i style="width:{progress.percent}%"></i></div><p class="fnb-help">{text}</p>'
    )


def error_box(error: BaseException) -> str:
    """Return an error with its traceback folded."""
    lines = "".join(traceback.format_exception(error))
    name, text = type(error).__name__, escape(str(error))
    return (
        f'<div class="fnb-error" role="alert"><p><b>{name}</b>: {text}</p><details>'
        f"<summary>Traceback</summary><pre>{escape(lines)}</pre></details></div>"
    )


def trace(shown: Shown | None) -> dict[str, str]:
    """Return the static card that stays in a saved notebook, in three forms."""
    if shown is None:
        text = "Control panel: no result yet."
        return {"text/html": f"<p>{text}</p>", "text/plain": text}
    settings, result = shown.settings, shown.result
    gaps = ", ".join(f"{name} {signed(null.delta)}" for name, null in result.nulls.items())
    line = (
        f"Control panel, run {shown.record.number}: {settings['run']} on {settings['qrels']}, "
        f"{result.verdict}. {result.metric} = {number(result.score)}, gaps {gaps}."
    )
    notes = [f"Exploratory: {_changes(shown)}."] if shown.changes else []
    notes += shown.warnings
    warned = "".join(f"<p>⚠ {escape(note)}</p>" for note in notes)
    return {
        "text/html": f"<style>{CARD_CSS}</style><details><summary>{escape(line)}</summary>"
        f"{warned}{card_body(result)}</details>",
        "text/markdown": "\n\n".join([escape(line), *map(escape, notes), to_markdown(result)]),
        "text/plain": "\n".join([line, *notes, to_text(result)]),
    }
