"""A run brought into order: the tie, missing-query and depth rules, and what they decided."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import repeat

import numpy as np
import numpy.typing as npt

from falsify_nb.core.benchmark import Benchmark
from falsify_nb.core.grouping import expand
from falsify_nb.core.labels import Labels, positions
from falsify_nb.core.notices import Notice
from falsify_nb.core.ordering import OrderedRun, ordered
from falsify_nb.core.overlap_hint import diagnose_overlap
from falsify_nb.core.tables import Run
from falsify_nb.errors import InputError, NoOverlapError

__all__ = ["Rankings", "short_lists"]

BoolArray = npt.NDArray[np.bool_]
IntArray = npt.NDArray[np.int64]
StrArray = npt.NDArray[np.object_]


@dataclass(frozen=True, slots=True, eq=False)
class Rankings:
    """The evaluated queries' rankings, best first, no deeper than `depth`.

    Parameters
    ----------
    indptr : numpy.ndarray of int, shape (n_queries + 1,)
        Where each query's ranking begins; empty for a query that the run lacks.
    doc : numpy.ndarray of int, shape (n_rows,)
        Positions in `doc_ids`.
    doc_ids : Labels, shape (n_docs,)
        The retrieved documents' ids.
    gold : numpy.ndarray of int, shape (n_rows,)
        Position among the benchmark's gold documents, −1 for a document that is gold for nobody.
    depth : int
        K, how deep rankings are read.
    judged : float or None
        Share of the rows that were judged for their query; None for no rows.
    is_query_blind : bool
        Whether every query has the same, non-empty ranking.
    notices : tuple of Notice
        What was decided.
    """

    indptr: IntArray
    doc: IntArray
    doc_ids: Labels
    gold: IntArray
    depth: int
    judged: float | None
    is_query_blind: bool
    notices: tuple[Notice, ...]

    @classmethod
    def build(
        cls, run: Run, benchmark: Benchmark, depth: int | None = None, *, drop_self: bool = False
    ) -> Rankings:
        """Take the evaluated queries' rankings out of a run.

        Parameters
        ----------
        run : Run
            The system's output, without duplicates.
        benchmark : Benchmark
            The judgments.
        depth : int, optional
            How deep rankings are read; default the longest ranking.
        drop_self : bool
            Whether a document whose id is the query's own is left out.

        Raises
        ------
        InputError, NoOverlapError
            If the run is empty or shares no query with the judgments.
        """
        label = _labels_of_queries(run, benchmark)
        order = ordered(run)
        # The last entry is for the queries that the run lacks, whose label is −1.
        sizes = np.append(np.diff(order.starts), 0)[label]
        longest = int(sizes.max(initial=0))
        # One more row than is read: it shows a tie across the cutoff, and replaces the query's
        # own document.
        read = np.minimum(sizes, (depth or longest) + 1)
        at = expand(np.where(label >= 0, order.starts[label], 0), read)
        query = np.repeat(np.arange(len(label)), read)
        doc = order.doc[at]
        labels = run.doc.labels
        used, which = _distinct(doc, len(labels))
        notices = [*run.notices, *_query_notices(run, benchmark, label)]
        keep = np.ones(len(doc), dtype=bool)
        own = positions(labels, used, _places_of(benchmark))[which] == query
        if own.any():
            notices.append(_own_notice(query[own], benchmark, drop_self=drop_self))
            keep = ~own if drop_self else keep
        place = _places(keep, read)
        depth = depth or max(longest, 1)
        notices += _order_notices(order, label, order.tied[at] & (place == depth - 1), run, sizes)
        keep &= place < depth
        # A deep run has millions of rows: what is not needed any more makes room.
        del at, place
        if not keep.all():
            query, doc, which = query[keep], doc[keep], which[keep]
        judged_code = positions(labels, used, benchmark.judged_position)[which]
        gold = np.where(judged_code >= 0, benchmark.judged_gold[judged_code], -1)
        judged = _judged_share(benchmark, query, judged_code)
        notices += _unjudged_notice(run, benchmark, judged_code, judged)
        indptr = np.searchsorted(query, np.arange(benchmark.n_queries + 1))
        return cls(
            indptr,
            doc,
            labels,
            gold,
            depth,
            judged,
            _is_query_blind(indptr, doc),
            tuple(notices),
        )

    def hits(self, depth: int) -> tuple[IntArray, IntArray, IntArray]:
        """Return the gold documents met down to a depth, query by query, best rank first.

        Returns
        -------
        indptr : numpy.ndarray of int, shape (n_queries + 1,)
            Where each query's hits begin.
        rank : numpy.ndarray of int, shape (n_hits,)
            Their 1-based ranks.
        doc : numpy.ndarray of int, shape (n_hits,)
            Their positions among the gold documents.
        """
        rank = np.arange(len(self.doc)) - np.repeat(self.indptr[:-1], np.diff(self.indptr)) + 1
        keep = (self.gold >= 0) & (rank <= depth)
        kept = np.concatenate([[0], np.cumsum(keep)])[self.indptr]
        return kept, rank[keep], self.gold[keep]


def short_lists(
    rankings: Rankings, asked: int | None, corpus_size: int, benchmark: Benchmark
) -> list[Notice]:
    """Return a notice of the rankings that hold less than was asked for.

    Parameters
    ----------
    rankings : Rankings
        The system's rankings. Empty ones have a notice of their own.
    asked : int or None
        The cutoff or top_k; None where neither was given.
    corpus_size : int
        No ranking can be longer.
    benchmark : Benchmark
        Names the queries.
    """
    wanted = min(asked or 0, corpus_size)
    sizes = np.diff(rankings.indptr)
    short = np.flatnonzero((sizes > 0) & (sizes < wanted))
    n = len(short)
    if not n:
        return []
    lists = "1 ranking holds" if n == 1 else f"{n:,} rankings hold"
    text = (
        f"{lists} fewer than {wanted:,} documents: the ranks that are left open earn nothing, "
        f"while Null C fills all {wanted:,}."
    )
    return [Notice("short-lists", text, n, tuple(benchmark.query_ids[short[:3]]))]


# Above this share of tied rows the ties are worth a notice.
_MANY_TIES = 0.1
# A table of marks this small is faster than a search.
_TABLE_BYTES = 4_000_000
_TEXTS = {
    "ties-at-cutoff": "{n} with tied scores across rank K: the document ids decide which are read.",
    "constant-scores": "{n} with the same score on every document: their order is that of the "
    "ids, descending, and says nothing about relevance.",
    "many-ties": "{n} score with a neighbour; ties go by document id, "
    "descending. Were the scores rounded?",
    "float32-order": "{n} whose order differs in float32: trec_eval compares in that "
    "precision and may give another score.",
    "rank-column": "{n} whose rank column contradicts the scores: the scores decide.",
}


def _counted(code: str, n: int, text: str) -> Notice:
    n = int(n)
    one, many = "query", "queries"
    if code == "many-ties":
        one, many = "document shares its", "documents share their"
    unit = f"{n:,} {one if n == 1 else many}"
    return Notice(code, text.format(n=unit), n)


def _distinct(codes: IntArray, n_labels: int) -> tuple[IntArray, IntArray]:
    """Return the distinct codes in order, and each code's place among them."""
    if len(codes) < n_labels:
        return np.unique(codes, return_inverse=True)
    # A table is no longer than what it is asked for, and needs no sorting.
    is_used = np.zeros(n_labels, dtype=bool)
    is_used[codes] = True
    used = np.flatnonzero(is_used)
    place = np.empty(n_labels, dtype=np.int64)
    place[used] = np.arange(len(used))
    return used, place[codes]


def _places(keep: BoolArray, sizes: IntArray) -> IntArray:
    """Return the 0-based place of each kept row in its ranking.

    Parameters
    ----------
    keep : numpy.ndarray of bool, shape (n_rows,)
        Whether a row counts.
    sizes : numpy.ndarray of int, shape (n_queries,)
        Rows per ranking.
    """
    before = np.zeros(len(keep) + 1, dtype=np.int64)
    np.cumsum(keep, out=before[1:])
    starts = np.cumsum(sizes) - sizes
    place = before[:-1]
    place -= np.repeat(before[starts], sizes)
    return place


def _places_of(benchmark: Benchmark) -> dict[str, int]:
    """Return the place of each evaluated query."""
    return dict(zip(benchmark.query_ids, range(benchmark.n_queries), strict=True))


def _labels_of_queries(run: Run, benchmark: Benchmark) -> IntArray:
    """Return the run's label of each evaluated query, −1 where the run lacks it."""
    if not len(run) and not run.empty_queries:
        raise InputError(
            "the run is empty",
            where=run.origin.name,
            remedy="Hand over at least one ranking, as {query_id: {doc_id: score}}.",
        )
    position = dict(zip(run.query.labels, range(len(run.query.labels)), strict=True))
    found = map(position.get, benchmark.query_ids, repeat(-1))
    label = np.fromiter(found, dtype=np.int64, count=benchmark.n_queries)
    empty = set(run.empty_queries)
    if not (label >= 0).any() and not any(q in empty for q in benchmark.query_ids):
        names = [*run.query.labels, *run.empty_queries]
        raise NoOverlapError(
            "the run and the qrels have no query in common: "
            + diagnose_overlap(names, list(benchmark.query_ids)),
            remedy="Bring the query ids of both into the same form.",
        )
    return label


def _order_notices(
    order: OrderedRun, label: IntArray, at_cutoff: BoolArray, run: Run, sizes: IntArray
) -> list[Notice]:
    if run.score is None:
        return []
    mine = label[label >= 0]
    counts = {
        "ties-at-cutoff": int(at_cutoff.sum()),
        "constant-scores": int(order.constant[mine].sum()),
        "float32-order": int(order.float32_differs[mine].sum()),
        "rank-column": int(order.rank_differs[mine].sum()),
    }
    n_ties = int(order.tied.sum())
    if not counts["constant-scores"] and n_ties > _MANY_TIES * int(sizes.sum()):
        counts["many-ties"] = n_ties
    return [_counted(code, n, _TEXTS[code]) for code, n in counts.items() if n]


def _query_notices(run: Run, benchmark: Benchmark, label: IntArray) -> list[Notice]:
    notices = []
    empty = set(run.empty_queries)
    absent = benchmark.query_ids[label < 0].tolist()
    missing = [q for q in absent if q not in empty]
    if missing:
        n = len(missing)
        text = f"{n:,} evaluated {'query is' if n == 1 else 'queries are'} missing from the run"
        examples = tuple(missing[:3])
        notices.append(Notice("missing-queries", f"{text} and scored 0.", n, examples))
    unanswered = [q for q in absent if q in empty]
    if unanswered:
        n = len(unanswered)
        text = f"{n:,} evaluated {'query has' if n == 1 else 'queries have'} an empty ranking"
        examples = tuple(unanswered[:3])
        notices.append(Notice("empty-rankings", f"{text} and scored 0.", n, examples))
    known = set(benchmark.query_ids)
    extra = sorted(q for q in {*run.query.labels, *run.empty_queries} if q not in known)
    if extra:
        n = len(extra)
        text = f"{n:,} {'query' if n == 1 else 'queries'} of the run without relevant judgments"
        notices.append(Notice("extra-queries", f"{text}: ignored.", n, tuple(extra[:3])))
    return notices


def _own_notice(query: IntArray, benchmark: Benchmark, *, drop_self: bool) -> Notice:
    n = len(query)
    rankings = "1 ranking contains" if n == 1 else f"{n:,} rankings contain"
    done = "left out, as asked." if drop_self else "kept; drop_self=True leaves it out."
    text = f"{rankings} a document with the query's own id: {done}"
    return Notice("own-id", text, n, tuple(benchmark.query_ids[query[:3]]))


def _judged_share(benchmark: Benchmark, query: IntArray, judged_code: IntArray) -> float | None:
    if not len(query):
        return None
    known = judged_code >= 0
    n_docs = len(benchmark.judged_position)
    keys = query[known] * n_docs + judged_code[known]
    return float(_n_among(keys, benchmark.judged_pairs, benchmark.n_queries * n_docs) / len(query))


def _n_among(keys: IntArray, known: IntArray, n_possible: int) -> int:
    """Return how many keys are among some sorted ones."""
    if n_possible <= _TABLE_BYTES:
        table = np.zeros(n_possible, dtype=bool)
        table[known] = True
        return int(np.count_nonzero(table[keys]))
    at = np.minimum(np.searchsorted(known, keys), len(known) - 1)
    return int(np.count_nonzero(known[at] == keys))


def _unjudged_notice(
    run: Run, benchmark: Benchmark, judged_code: IntArray, judged: float | None
) -> list[Notice]:
    if judged is None or (judged_code >= 0).any():
        return []
    text = (
        "none of the retrieved documents was judged, for any query: "
        + diagnose_overlap(
            list(run.doc.labels[:100_000]), list(benchmark.judged_position), "document"
        )
        + "."
    )
    return [Notice("no-judged-documents", text[0].upper() + text[1:], len(judged_code))]


def _is_query_blind(indptr: IntArray, doc: IntArray) -> bool:
    sizes = np.diff(indptr)
    if len(sizes) < 2 or sizes[0] == 0 or (sizes != sizes[0]).any():
        return False
    table = doc.reshape(len(sizes), sizes[0])
    return bool((table == table[0]).all())
