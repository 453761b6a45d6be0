"""The card as HTML: semantic, escaped, without script, on whatever ground it stands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape

from falsify_nb.core.null_result import NullResult
from falsify_nb.core.result import GateResult
from falsify_nb.report.style import (
    HUES,
    NULL_RED,
    SIGNS,
    VERDICT_HUES,
    count,
    interval,
    number,
    p_value,
    signed,
)
from falsify_nb.report.words import ASKS, finding, needed, opinions, plain, protocol_line

__all__ = ["CARD_CSS", "card", "user"]

# Only our own class names, no ground, and text in the colour of the page around it: a notebook's
# theme stays in charge. Untrusted notebooks lose the style sheet, and the card still reads.
# JupyterLab aligns and stripes tables by rules of two classes; ours must outweigh them.
_F = ".fnb.fnb.fnb"
CARD_CSS = f"""
.fnb{{font:14px/1.45 var(--jp-ui-font-family,system-ui,sans-serif);color:inherit;max-width:820px;
margin:2px 0 8px;container-type:inline-size}}
.fnb p{{margin:4px 0}}
.fnb p,.fnb li{{overflow-wrap:anywhere}}
.fnb-head{{display:flex;flex-wrap:wrap;align-items:center;gap:4px 12px;margin:0 0 2px}}
.fnb-verdict{{font-weight:700;letter-spacing:.04em;white-space:nowrap;padding:1px 12px 2px;
border:2px solid;border-radius:99px}}
.fnb-finding{{font-size:17px;font-weight:600}}
.fnb-score b{{font-size:17px;font-variant-numeric:tabular-nums}}
{_F} table{{border-collapse:collapse;width:100%;margin:8px 0 6px;font-size:inherit;
table-layout:auto;border:0}}
{_F} caption{{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}}
{_F} tbody tr,{_F} thead tr{{background:none}}
{_F} th,{_F} td{{text-align:left;vertical-align:top;padding:6px 14px 6px 0;font-weight:400;
max-width:none;white-space:normal;border:0;border-top:1px solid rgba(128,128,128,.35);
color:inherit}}
{_F} thead th{{border-top:0;padding:0 14px 3px 0;font-size:12px;vertical-align:bottom}}
{_F} td.fnb-v{{white-space:nowrap;padding-right:0}}
{_F} .fnb-n{{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}}
{_F} td b,{_F} th b{{font-weight:650}}
{_F} small{{font-size:12px;display:block}}
{_F} br{{display:none}}
.fnb-key{{display:inline-block;width:10px;height:10px;border-radius:3px;margin-right:7px}}
.fnb-bar{{display:block;position:relative;height:14px;margin-top:3px;min-width:96px}}
.fnb-bar i{{position:absolute;top:4px;bottom:4px;display:block;border-radius:1px}}
.fnb-bar i.fnb-tick{{top:0;bottom:0;width:3px;margin-left:-1px}}
.fnb details{{margin:4px 0}}
.fnb summary{{cursor:pointer}}
.fnb ul{{margin:4px 0 4px 20px;padding:0}}
.fnb-alarm{{border-left:4px solid {VERDICT_HUES["FAIL"]};padding-left:10px}}
.fnb-quiet{{font-size:12px}}
@container (max-width:520px){{
.fnb-finding{{font-size:15px}}
{_F} thead{{display:none}}
{_F} table,{_F} tbody{{display:block}}
{_F} tr{{display:grid;grid-template-columns:1fr auto;border-top:1px solid rgba(128,128,128,.35);
padding:6px 0}}
{_F} th,{_F} td{{border:0;padding:1px 0;text-align:left}}
{_F} tbody th{{grid-column:1;grid-row:1/span 3;padding-right:12px}}
{_F} td{{grid-column:2}}
{_F} tbody td.fnb-v,{_F} tbody td.fnb-n{{text-align:right}}
.fnb-v b{{margin-right:8px}}
.fnb-v small{{display:inline}}
{_F} td.fnb-n::before{{content:attr(data-name) " ";font-size:12px}}
}}
""".strip().replace("\n", "")


def user(text: str) -> str:
    """Return a user's string for HTML: escaped, and with a reading direction of its own."""
    return f"<bdi>{escape(plain(text))}</bdi>"


def card(result: GateResult) -> str:
    """Return the card as one HTML element with its style sheet, no script.

    Parameters
    ----------
    result : GateResult
        The result to show.
    """
    return f"<style>{CARD_CSS}</style>{card_body(result)}"


def card_body(result: GateResult) -> str:
    """Return the card without its style sheet."""
    label = escape(f"Verdict {result.verdict} for {plain(result.metric)}")
    return f'<article class="fnb" aria-label="{label}">{"".join(_parts(result))}</article>'


def _parts(result: GateResult) -> Iterator[str]:
    yield (
        f'<p class="fnb-head"><span class="fnb-verdict" '
        f'style="border-color:{VERDICT_HUES[result.verdict]}">{SIGNS[result.verdict]} '
        f'{result.verdict}</span> <span class="fnb-finding">{escape(finding(result))}</span></p>'
    )
    yield _score(result)
    yield _table(result)
    yield from _opinions(result)
    yield _notices(result)
    yield f'<p class="fnb-quiet">{escape(protocol_line(result))}</p>'


def _score(result: GateResult) -> str:
    name = f"{user(result.system)}: " if result.system else ""
    queries = count(result.n_queries, "query", "queries")
    return (
        f'<p class="fnb-score">{name}{user(result.metric)} = '
        f"<b>{number(result.score)}</b> over {queries}</p>"
    )


_HEADS = (
    ("Null, and what it asks", ""),
    ("Null’s score", "fnb-n"),
    ("Gap Δ", "fnb-n"),
    ("Verdict", ""),
)


def _table(result: GateResult) -> str:
    heads = "".join(
        f'<th scope="col" class="{css}">{text}</th>' if css else f'<th scope="col">{text}</th>'
        for text, css in _HEADS
    )
    top = max([result.score, *(n.mean for n in result.nulls.values()), 1e-9])
    rows = "".join(_row(null, result, top) for null in result.nulls.values())
    return (
        f"<table><caption>The four nulls</caption><thead><tr>{heads}</tr></thead>"
        f"<tbody>{rows}</tbody></table>"
    )


def _row(null: NullResult, result: GateResult, top: float) -> str:
    drawn = "" if null.mean_is_exact else "<br><small>from draws</small>"
    wide = interval(null.interval_adjusted)
    plain_ci = interval(null.interval)
    why = "" if null.verdict == "PASS" else _why(null, result.tau)
    # The breaks are for notebooks that are not trusted yet, where the style sheet is taken out.
    return (
        f'<tr><th scope="row"><span class="fnb-key" style="background:{HUES[null.name]}"></span>'
        f"<b>{null.name} · {null.title}</b><br><small>{escape(ASKS[null.name])}</small>{why}</th>"
        f'<td class="fnb-n" data-name="null">{number(null.mean)}{drawn}'
        f"{_bar(null, result.score, top)}</td>"
        f'<td class="fnb-n" data-name="gap"><b>{signed(null.delta)}</b>'
        f"<br><small>95 % {plain_ci}</small><br><small>98.75 % {wide}</small></td>"
        f'<td class="fnb-v"><b>{SIGNS[null.verdict]} {null.verdict}</b>'
        f"<br><small>p = {p_value(null.p_value)}</small></td></tr>"
    )


def _why(null: NullResult, tau: float) -> str:
    parts = [plain(null.reason)]
    if null.verdict == "UNDER-NS":
        parts.append(needed(null.queries_needed, tau))
    text = " ".join(p for p in parts if p)
    return f"<br><small><i>{escape(text)}</i></small>" if text else ""


def _bar(null: NullResult, score: float, top: float) -> str:
    """Draw the score as a bar in the null's hue and the null as a red tick; decoration only."""
    ends = [100 * max(0.0, min(1.0, value / top)) for value in (null.mean, score)]
    tick, share = ends
    hue = HUES[null.name]
    return (
        f'<span class="fnb-bar" aria-hidden="true">'
        f'<i style="left:0;width:{share:.1f}%;background:{hue};opacity:.35"></i>'
        f'<i style="left:{min(ends):.1f}%;width:{max(ends) - min(ends):.1f}%;'
        f'background:{hue};opacity:{1 if share >= tick else 0}"></i>'
        f'<i class="fnb-tick" style="left:{tick:.1f}%;background:{NULL_RED}"></i></span>'
    )


def _opinions(result: GateResult) -> Iterable[str]:
    for name, text, alarm in opinions(result):
        css = ' class="fnb-alarm"' if alarm else ""
        yield f"<p{css}>{'⚠ ' if alarm else ''}<b>{escape(name)}:</b> {user(text)}</p>"


def _notices(result: GateResult) -> str:
    if not result.notices:
        return ""
    items = "".join(f"<li>{user(str(n))}</li>" for n in result.notices)
    title = count(len(result.notices), "notice")
    return f"<details><summary>{title}</summary><ul>{items}</ul></details>"
