"""What is alike in a benchmark: queries that repeat each other, and nulls that are one test."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from falsify_nb.core.benchmark import Gold
from falsify_nb.core.grouping import expand, group_rows
from falsify_nb.core.notices import Notice
from falsify_nb.core.null_result import NullResult
from falsify_nb.core.rankings import Rankings

__all__ = ["coinciding_nulls", "repeated_queries"]

BoolArray = npt.NDArray[np.bool_]
IntArray = npt.NDArray[np.int64]
StrArray = npt.NDArray[np.object_]

# Two short rankings are the same by chance; longer ones hardly ever.
_LEAST_RANKING = 3
_ADVICE = (
    "If they are one question asked in several ways, the intervals are too narrow: use groups=."
)


def repeated_queries(
    query_ids: StrArray,
    texts: Mapping[str, str],
    rankings: Rankings,
    gold: Gold,
    seen: IntArray | None = None,
) -> list[Notice]:
    """Notice queries with the same text, or with the same ranking and the same gold.

    Parameters
    ----------
    query_ids : numpy.ndarray of object (str), shape (n_queries,)
        The evaluated queries.
    texts : mapping of str to str
        Query texts, where they were given.
    rankings : Rankings
        The system. One that ranks alike for everybody says nothing about its queries.
    gold : Gold
        The effective gold.
    seen : numpy.ndarray of int, shape (n_queries,), optional
        Number of each query's ranking when only the gold documents in it are told apart: where
        those differ, rankings do, and need not be compared.
    """
    found = []
    known = query_ids[[q in texts for q in query_ids]] if texts else query_ids[:0]
    counts = Counter(texts[q] for q in known)
    same = [q for q in known if counts[texts[q]] > 1]
    if same:
        text = f"{len(same):,} queries have a text that another query has too. {_ADVICE}"
        found.append(Notice("repeated-texts", text, len(same), tuple(same[:3])))
    if rankings.is_query_blind:
        return found
    long = np.diff(rankings.indptr) >= _LEAST_RANKING
    asked = np.flatnonzero(long if seen is None else _repeated(seen, gold.gold_set, long))
    sizes = np.diff(rankings.indptr)[asked]
    docs = rankings.doc[expand(rankings.indptr[asked], sizes)]
    ranking, _ = group_rows(np.append(0, np.cumsum(sizes)), docs)
    twins = query_ids[asked[_repeated(ranking, gold.gold_set[asked])]]
    if len(twins):
        text = f"{len(twins):,} queries share both ranking and gold with another query. {_ADVICE}"
        found.append(Notice("repeated-queries", text, len(twins), tuple(twins[:3])))
    return found


def _repeated(ranking: IntArray, gold_set: IntArray, asked: BoolArray | None = None) -> BoolArray:
    """Return which of the queries asked about share ranking and gold with another of them."""
    key = ranking * (int(gold_set.max(initial=0)) + 1) + gold_set
    if asked is not None:
        key = np.where(asked, key, -1 - np.arange(len(key)))
    _, where, count = np.unique(key, return_inverse=True, return_counts=True)
    return np.asarray(count[where] > 1)


def coinciding_nulls(gold: Gold, nulls: Mapping[str, NullResult]) -> list[Notice]:
    """Notice nulls that are one test in expectation on these judgments.

    Parameters
    ----------
    gold : Gold
        The effective gold.
    nulls : mapping of str to NullResult
        The nulls, for the system at hand.
    """
    n = len(gold.norm)
    if n == 1:
        return []
    if len(gold.set_query) == 1:
        text = (
            "All queries have the same gold: dealing it out changes nothing, so Nulls A and B "
            "equal the system, and no system can pass."
        )
        return [Notice("one-gold-set", text, n)]
    distinct, single = len(gold.set_query) == n, gold.is_single
    if single and distinct:
        text = (
            "Every query has one gold document and no two share it: Nulls A, B and D are one test "
            "in expectation."
        )
        if nulls["C"].mean_is_exact and np.isclose(nulls["C"].mean, nulls["A"].mean, rtol=1e-9):
            text = (
                "Every query has one gold document, no two share it, and the corpus is those "
                "documents: all four nulls are one test in expectation."
            )
    elif single:
        text = "Every query has one gold document: Nulls A and D are one test in expectation."
    elif distinct:
        text = "No two queries have the same gold: Nulls A and B are one test in expectation."
    else:
        return []
    return [Notice("coinciding-nulls", text, n)]
