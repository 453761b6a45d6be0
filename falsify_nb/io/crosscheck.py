"""What run and qrels say only together: ids that nearly meet, files that may be swapped."""

from __future__ import annotations

import dataclasses
import math
import re
import weakref
from collections.abc import Sequence
from itertools import islice
from weakref import WeakKeyDictionary

import numpy as np

from falsify_nb.core.labels import Labels, NumberedLabels, met
from falsify_nb.core.notices import Notice
from falsify_nb.core.overlap_hint import diagnose_overlap, hidden_matches
from falsify_nb.core.tables import Qrels, Run

__all__ = ["checked_together", "cross_notices"]

# Below this share of ids that meet, the rest is looked at for a reason.
_NEARLY_NONE = 0.1
# From this share of the wanted ids on, other spellings among the run's are no accident.
_NEAR_MISSES = 0.02
# Of more wanted ids so many are looked at, evenly taken.
_MOST_LOOKED_AT = 500
# Among more ids than these, of which enough meet, other spellings are not looked for.
_MOST_WALKED = 500_000
_FOUND: WeakKeyDictionary[Run, tuple[weakref.ref[Qrels], tuple[Notice, ...]]] = WeakKeyDictionary()
_PLURALS = {"query": "queries", "document": "documents"}
_DIGITS = re.compile(r"\d+")
_FRACTION = re.compile(r"\.0+$")


def checked_together(run: Run, qrels: Qrels) -> Run:
    """Return the run with the notices that only its qrels bring up.

    Without any it is the same object: what was found out about it before is still known.
    """
    found = cross_notices(run, qrels)
    return dataclasses.replace(run, notices=(*run.notices, *found)) if found else run


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
    O(number of distinct ids); kept for as long as the run, for the qrels that it met last. In a run
    of more than half a million distinct ids of which a good part meets, no other case or zero
    padding is looked for, unless all of them are one prefix and a number.

    Examples
    --------
    >>> from falsify_nb import read_qrels, read_run
    >>> notices = cross_notices(read_run({"q1": {"d1": 1}}), read_qrels({"q1": {"d1": 0.5}}))
    >>> notices[0].code
    'swapped-inputs'
    """
    known = _FOUND.get(run)
    if known is None or known[0]() is not qrels:
        known = _FOUND[run] = (weakref.ref(qrels), _found(run, qrels))
    return known[1]


def _found(run: Run, qrels: Qrels) -> tuple[Notice, ...]:
    judged = set(qrels.doc.labels.tolist())
    relevant = set(qrels.doc.labels[np.unique(qrels.doc.codes[qrels.grade > 0])].tolist())
    queries = set(qrels.query.labels.tolist())
    found = _swapped(run, qrels)
    for what, ids, wanted, judged_ids in (
        ("query", _with(run.query.labels, run.empty_queries), queries, queries),
        ("document", run.doc.labels, relevant, judged),
    ):
        found += _unicode(ids, wanted, what)
        is_numbered = isinstance(ids, NumberedLabels)
        if not is_numbered and len(ids) > _MOST_WALKED and _many_shared(ids, wanted):
            continue
        looked_at = sorted(wanted)[:: max(1, -(-len(wanted) // _MOST_LOOKED_AT))]
        spellings = {s: _other_spellings(s) - judged_ids for s in looked_at}
        seen = met(ids, judged_ids.union(*spellings.values()))
        few = _few_shared(ids, wanted, len(wanted & seen), what)
        found += few or _near_misses(wanted, seen, judged_ids, spellings, what)
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


def _with(labels: Labels, more: Sequence[str]) -> Labels:
    if not more:
        return labels
    out = np.empty(len(labels) + len(more), dtype=object)
    out[: len(labels)], out[len(labels) :] = labels[:], more
    return out


def _many_shared(ids: Labels, wanted: set[str]) -> bool:
    """Return whether as many ids meet as few would not; the walk stops when that is known."""
    enough = math.ceil(_NEARLY_NONE * min(len(wanted), len(ids)))
    return sum(1 for _ in islice(filter(wanted.__contains__, ids), enough)) >= enough


def _few_shared(ids: Labels, wanted: set[str], shared: int, what: str) -> list[Notice]:
    """Say so where hardly any of the wanted ids occur in the run, and a reason can be named."""
    if not wanted or not 0 < shared < _NEARLY_NONE * min(len(wanted), len(ids)):
        return []
    causes = hidden_matches(wanted, ids)
    if not causes or causes[0][1] <= shared:
        return []
    hint = diagnose_overlap(ids, wanted, what)
    examples = (f"{causes[0][2]!r} against {causes[0][3]!r}",)
    return [
        Notice(f"few-shared-{_PLURALS[what]}", f"{hint[0].upper()}{hint[1:]}.", shared, examples)
    ]


def _near_misses(
    wanted: set[str], seen: set[str], known: set[str], spellings: dict[str, set[str]], what: str
) -> list[Notice]:
    """Say so where a part of the ids is spelled otherwise in the run, and is lost in silence.

    Where nothing meets at all, others say so, with their guess at the reason.
    """
    if known.isdisjoint(seen):
        return []
    looked_at = [(s, tries & seen) for s, tries in spellings.items() if s not in seen]
    pairs = [(s, min(met)) for s, met in looked_at if met]
    if len(pairs) < 2 or len(pairs) < _NEAR_MISSES * len(spellings):
        return []
    n = round(len(pairs) * len(wanted) / len(spellings))
    about = "about " if len(spellings) < len(wanted) else ""
    text = (
        f"{about}{n:,} {what} ids of the qrels are spelled otherwise in the run (case, zero "
        "padding, or 5.0 for 5); ids are compared as given, so they do not meet."
    )
    examples = tuple(f"{s!r} against {m!r}" for s, m in pairs[:3])
    return [Notice("near-miss-ids", text[0].upper() + text[1:], n, examples)]


def _other_spellings(wanted: str) -> set[str]:
    """Return the ids that differ only in case, in zeros before a number, or in ".0"."""
    tries = {wanted.lower(), wanted.upper(), wanted.casefold(), f"{wanted}.0"}
    tries.add(_FRACTION.sub("", wanted))
    for match in _DIGITS.finditer(wanted):
        digits = match.group().lstrip("0") or "0"
        padded = (digits.zfill(width) for width in range(len(digits), len(digits) + 9))
        tries.update(wanted[: match.start()] + p + wanted[match.end() :] for p in padded)
    return tries


def _unicode(run_ids: Labels, wanted: set[str], what: str) -> list[Notice]:
    """Say so where ids would match in one Unicode form, since they are compared as given."""
    import unicodedata

    odd = {s for s in wanted if not s.isascii()}
    if not odd:
        return []
    if isinstance(run_ids, NumberedLabels) and run_ids.prefix.isascii():
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
