"""The corpus that Null C draws from: its size, and whether the documents seen lie in it."""

from __future__ import annotations

from itertools import repeat

import numpy as np
import numpy.typing as npt

from falsify_nb.core.benchmark import Benchmark
from falsify_nb.core.labels import positions
from falsify_nb.core.notices import Notice
from falsify_nb.core.rankings import Rankings
from falsify_nb.core.tables import Corpus
from falsify_nb.errors import CorpusError

__all__ = ["collection_size", "known_ids"]


StrArray = npt.NDArray[np.object_]


def collection_size(
    corpus: Corpus | None, benchmark: Benchmark, rankings: Rankings
) -> tuple[int, tuple[Notice, ...]]:
    """Return the number of documents, and notices.

    Parameters
    ----------
    corpus : Corpus or None
        What the user gave. None: the documents judged or retrieved.
    benchmark, rankings : Benchmark, Rankings
        The documents that must lie in it.

    Raises
    ------
    CorpusError
        If a relevant or retrieved document lies outside, or the size is smaller than the number
        of documents seen.
    """
    if corpus is None:
        size = _n_seen(benchmark, rankings)
        text = (
            f"no corpus was given: Null C draws from the {size:,} documents that were judged or "
            "retrieved, which can only make it stronger."
        )
        return size, (Notice("no-corpus", text[0].upper() + text[1:], size),)
    if corpus.ids is None:
        # The exact number is only counted where it can matter: runs may have millions of ids.
        most = len(benchmark.judged_position) + len(rankings.doc_ids)
        seen = most if most <= corpus.size else _n_seen(benchmark, rankings)
        if corpus.size < seen:
            raise CorpusError(
                f"the corpus is given as {corpus.size:,} documents, but {seen:,} were judged or "
                "retrieved",
                remedy="Give the size of the whole collection, or its ids.",
            )
        return corpus.size, corpus.notices
    _check_inside(corpus, benchmark, rankings)
    return corpus.size, corpus.notices


def known_ids(corpus: Corpus | None, benchmark: Benchmark, rankings: Rankings) -> StrArray:
    """Return the sorted ids known of the corpus: all of them, or those judged or retrieved."""
    if corpus is not None and corpus.ids is not None:
        return np.sort(corpus.ids)
    seen = {*benchmark.judged_position, *rankings.doc_ids}
    out = np.empty(len(seen), dtype=object)
    out[:] = sorted(seen)
    return out


def _n_seen(benchmark: Benchmark, rankings: Rankings) -> int:
    ids = rankings.doc_ids
    retrieved = positions(ids, np.arange(len(ids)), benchmark.judged_position)
    return len(benchmark.judged_position) + int((retrieved < 0).sum())


def _check_inside(corpus: Corpus, benchmark: Benchmark, rankings: Rankings) -> None:
    known = dict(zip(corpus.ids, repeat(True), strict=False)) if corpus.ids is not None else {}
    retrieved = rankings.doc_ids[:]
    for kind, ids in (("relevant", benchmark.gold_ids), ("retrieved", retrieved)):
        inside = np.fromiter(map(known.get, ids, repeat(False)), dtype=bool, count=len(ids))
        if inside.all():
            continue
        outside = ids[~inside]
        where = _place_of(kind, outside[0], benchmark, rankings)
        shown = ", ".join(repr(d) for d in outside[:3])
        raise CorpusError(
            f"{len(outside):,} {kind} document{'s' if len(outside) > 1 else ''} not in corpus: "
            f"{shown}",
            where=where,
            remedy="Give the ids of the whole collection, in the same form, or only its size.",
        )


def _place_of(kind: str, doc: str, benchmark: Benchmark, rankings: Rankings) -> str:
    if kind == "relevant":
        code = int(np.flatnonzero(benchmark.gold_ids == doc)[0])
        at, indptr = np.flatnonzero(benchmark.doc == code), benchmark.indptr
    else:
        code = int(np.flatnonzero(rankings.doc_ids[:] == doc)[0])
        at, indptr = np.flatnonzero(rankings.doc == code), rankings.indptr
    if not len(at):
        return "below the depth read"
    query = int(np.searchsorted(indptr, at[0], side="right")) - 1
    return f"query {benchmark.query_ids[query]!r}"
