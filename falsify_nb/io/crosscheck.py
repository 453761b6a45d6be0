"""What run and qrels say only together: ids that nearly meet, files that may be swapped."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable

import numpy as np

from falsify_nb.core.notices import Notice
from falsify_nb.core.overlap_hint import diagnose_overlap, hidden_matches
from falsify_nb.core.tables import Qrels, Run

__all__ = ["checked_together", "cross_notices"]

# Below this share of ids that meet, the rest is looked at for a reason.
_NEARLY_NONE = 0.1
# From this share of the wanted ids on, other spellings among the run's are no accident.
_NEAR_MISSES = 0.02
_PLURALS = {"query": "queries", "document": "documents"}
_DIGITS = re.compile(r"\d+")
_FRACTION = re.compile(r"\.0+$")


def checked_together(run: Run, qrels: Qrels) -> Run:
    """Return the run with the notices that only its qrels bring up."""
    return dataclasses.replace(run, notices=(*run.notices, *cross_notices(run, qrels)))


def cross_notices(run: Run, qrels: Qrels) -> tuple[Notice, ...]:
    """Return notices about how a run and qrels fit together.

    Parameters
    ----------
    run, qrels : Run, Qrels
        As read.

    Returns
    -------
    tuple of Notice
        Codes ``swapped-inputs``, ``few-shared-queries``, ``few-shared-documents``,
        ``near-miss-ids`` and ``unicode-forms``.

    Notes
    -----
    O(number of distinct ids).

    Examples
    --------
    >>> from falsify_nb import read_qrels, read_run
    >>> notices = cross_notices(read_run({"q1": {"d1": 1}}), read_qrels({"q1": {"d1": 0.5}}))
    >>> notices[0].code
    'swapped-inputs'
    """
    found = [*_swapped(run, qrels)]
    judged_queries = set(qrels.query.labels.tolist())
    run_queries = {*run.query.labels.tolist(), *run.empty_queries}
    found += _few_shared(run_queries, judged_queries, "query")
    relevant = set(qrels.doc.labels[np.unique(qrels.doc.codes[qrels.grade > 0])].tolist())
    retrieved = set(run.doc.labels.tolist())
    found += _few_shared(retrieved, relevant, "document")
    told = {n.code for n in found}
    judged = set(qrels.doc.labels.tolist())
    for what, run_ids, wanted, known in (
        ("query", run_queries, judged_queries, judged_queries),
        ("document", retrieved, relevant, judged),
    ):
        if f"few-shared-{_PLURALS[what]}" not in told:
            found += _near_misses(run_ids, wanted, known, what)
    found += _unicode(run_queries, judged_queries, "query")
    found += _unicode(retrieved, relevant, "document")
    return tuple(found)


def _swapped(run: Run, qrels: Qrels) -> list[Notice]:
    if run.score is None or not len(run):
        return []
    whole_scores = (run.score == np.floor(run.score)).all()
    n = int((qrels.grade != np.floor(qrels.grade)).sum())
    if not whole_scores or not n:
        return []
    text = (
        f"All scores of the run are whole numbers and {n:,} grades of the qrels are fractions: "
        "were the two swapped?"
    )
    return [Notice("swapped-inputs", text, n)]


def _few_shared(run_ids: Iterable[str], wanted: set[str], what: str) -> list[Notice]:
    """Say so where hardly any of the wanted ids occur in the run, and a reason can be named."""
    run_set = run_ids if isinstance(run_ids, set) else set(run_ids)
    shared = len(wanted & run_set)
    if not wanted or not 0 < shared < _NEARLY_NONE * min(len(wanted), len(run_set)):
        return []
    causes = hidden_matches(wanted, run_set)
    if not causes or causes[0][1] <= shared:
        return []
    hint = diagnose_overlap(run_set, wanted, what)
    examples = (f"{causes[0][2]!r} against {causes[0][3]!r}",)
    return [
        Notice(f"few-shared-{_PLURALS[what]}", f"{hint[0].upper()}{hint[1:]}.", shared, examples)
    ]


def _near_misses(run_ids: set[str], wanted: set[str], known: set[str], what: str) -> list[Notice]:
    """Say so where a part of the ids is spelled otherwise in the run, and is lost in silence."""
    # Where nothing meets at all, others say so, with their guess at the reason.
    missed = sorted(wanted - run_ids) if not known.isdisjoint(run_ids) else []
    # The share is looked for in up to 2,000 ids, evenly taken.
    looked_at = missed[:: -(-len(missed) // 2_000)] if missed else []
    pairs = [(s, m) for s in looked_at if (m := _other_spelling(s, run_ids, known)) is not None]
    if len(pairs) < 2 or len(pairs) * len(missed) < _NEAR_MISSES * len(wanted) * len(looked_at):
        return []
    n = round(len(pairs) * len(missed) / len(looked_at))
    about = "about " if len(looked_at) < len(missed) else ""
    text = (
        f"{about}{n:,} {what} ids of the qrels are spelled otherwise in the run (case, zero "
        "padding, or 5.0 for 5); ids are compared as given, so they do not meet."
    )
    examples = tuple(f"{s!r} against {m!r}" for s, m in pairs[:3])
    return [Notice("near-miss-ids", text[0].upper() + text[1:], n, examples)]


def _other_spelling(wanted: str, run_ids: set[str], known: set[str]) -> str | None:
    """Return the run's id that differs only in case, in zeros before a number, or in ".0"."""
    tries = {wanted.lower(), wanted.upper(), wanted.casefold(), f"{wanted}.0"}
    tries.add(_FRACTION.sub("", wanted))
    for match in _DIGITS.finditer(wanted):
        digits = match.group().lstrip("0") or "0"
        padded = (digits.zfill(width) for width in range(len(digits), len(digits) + 9))
        tries.update(wanted[: match.start()] + p + wanted[match.end() :] for p in padded)
    return next((t for t in sorted(tries) if t in run_ids and t not in known), None)


def _unicode(run_ids: Iterable[str], wanted: set[str], what: str) -> list[Notice]:
    """Say so where ids would match in one Unicode form, since they are compared as given."""
    import unicodedata

    odd = {s for s in wanted if not s.isascii()}
    if not odd:
        return []
    candidates = {s for s in run_ids if not s.isascii()}
    forms = {unicodedata.normalize("NFC", s) for s in candidates}
    missed = [s for s in sorted(odd - candidates) if unicodedata.normalize("NFC", s) in forms]
    if not missed:
        return []
    text = (
        f"{len(missed):,} {what} {'id' if len(missed) == 1 else 'ids'} would match after Unicode "
        "normalisation (NFC); ids are compared as given."
    )
    return [Notice("unicode-forms", text, len(missed), tuple(missed[:3]))]
