"""A run brought into order: the tie, missing-query and depth rules, and what they decided."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from falsify_nb.core.benchmark import Benchmark
from falsify_nb.core.notices import Notice
from falsify_nb.core.overlap_hint import diagnose_overlap
from falsify_nb.core.tables import Run
from falsify_nb.errors import InputError, NoOverlapError

__all__ = ["Rankings"]

BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]
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
    doc_ids : numpy.ndarray of object (str), shape (n_docs,)
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
    doc_ids: StrArray
    gold: IntArray
    depth: int
    judged: float | None
    is_query_blind: bool
    notices: tuple[Notice, ...]

    @classmethod
    def build(
        cls, run: Run, benchmark: Benchmark, depth: int | None = None, *, drop_self: bool = False
    ) -> Rankings:
        """Apply the rules for runs.

        Scores decide, descending as float64; ties go by document id, descending as strings, as
        trec_eval does (``trec_eval/form_res_rels.c``). A rank column never decides.

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
        query = _query_codes(run, benchmark)
        rows = _Rows.sorted(run, query)
        notices = [*run.notices, *_query_notices(run, benchmark, query)]
        own = rows.is_own_id(run, benchmark)
        if own.any():
            notices.append(_own_notice(rows.query[own], benchmark, drop_self=drop_self))
            if drop_self:
                rows = rows.only(~own)
        place = rows.places(benchmark.n_queries)
        depth = depth or int(place.max(initial=0)) + 1
        notices += rows.notices(run, place, depth)
        rows = rows.only(place < depth)
        indptr = np.searchsorted(rows.query, np.arange(benchmark.n_queries + 1))
        judged_code = benchmark.judged_codes(run.doc.labels)[rows.doc]
        gold = np.where(judged_code >= 0, benchmark.judged_gold[judged_code], -1)
        judged = _judged_share(benchmark, rows.query, judged_code)
        notices += _unjudged_notice(run, benchmark, judged_code, judged)
        return cls(
            indptr,
            rows.doc,
            run.doc.labels,
            gold,
            depth,
            judged,
            _is_query_blind(indptr, rows.doc),
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


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """A run's rows of evaluated queries, sorted by query, then best first."""

    query: IntArray
    doc: IntArray
    score: FloatArray | None
    rank: IntArray | None

    @classmethod
    def sorted(cls, run: Run, query: IntArray) -> _Rows:
        rows = cls(query, run.doc.codes, run.score, run.rank).only(query >= 0)
        score = rows.score
        if score is None:
            if (np.diff(rows.query) >= 0).all():
                return rows
            return rows.only(np.argsort(rows.query, kind="stable"))
        step = np.diff(rows.query)
        if not ((step > 0) | ((step == 0) & (score[:-1] >= score[1:]))).all():
            rows = rows.only(np.lexsort((-score, rows.query)))
        return rows.ties_by_id(run.doc.labels)

    def ties_by_id(self, labels: StrArray) -> _Rows:
        """Return the rows with each run of equal scores ordered by document id, descending."""
        tied = self.ties()
        if not tied.any():
            return self
        inside = np.concatenate([[False], tied]) | np.concatenate([tied, [False]])
        at = np.flatnonzero(inside)
        block = np.cumsum(~np.concatenate([[False], tied]))[at]
        used, code = np.unique(self.doc[at], return_inverse=True)
        position = np.empty(len(used), dtype=np.int64)
        position[np.argsort(labels[used], kind="stable")] = np.arange(len(used))
        order = np.arange(len(self.query))
        order[at] = at[np.lexsort((-position[code], block))]
        return self.only(order)

    def only(self, which: IntArray | BoolArray) -> _Rows:
        if which.dtype == bool and which.all():
            return self
        score = None if self.score is None else self.score[which]
        rank = None if self.rank is None else self.rank[which]
        return _Rows(self.query[which], self.doc[which], score, rank)

    def ties(self) -> BoolArray:
        """Whether each row has the same query and score as the next, shape (n_rows − 1,)."""
        if self.score is None:
            return np.zeros(max(len(self.query) - 1, 0), dtype=bool)
        return (self.score[:-1] == self.score[1:]) & (self.query[:-1] == self.query[1:])

    def places(self, n_queries: int) -> IntArray:
        """0-based place of each row in its ranking."""
        starts = np.searchsorted(self.query, np.arange(n_queries))
        return np.arange(len(self.query)) - starts[self.query]

    def is_own_id(self, run: Run, benchmark: Benchmark) -> BoolArray:
        doc_at = dict(zip(run.doc.labels, range(len(run.doc.labels)), strict=True))
        own = np.array([doc_at.get(q, -1) for q in benchmark.query_ids], dtype=np.int64)
        return self.doc == own[self.query]

    def notices(self, run: Run, place: IntArray, depth: int) -> list[Notice]:
        if self.score is None:
            return []
        ids = run.doc.labels
        tied = self.ties()
        found = []
        at_cutoff = tied & (place[:-1] == depth - 1)
        if at_cutoff.any():
            found.append(_counted("ties-at-cutoff", at_cutoff.sum(), _TEXTS["ties-at-cutoff"]))
        n_constant = _count_constant(self.query, tied)
        if n_constant:
            found.append(_counted("constant-scores", n_constant, _TEXTS["constant-scores"]))
        elif tied.sum() > 0.1 * len(self.query) > 1:
            found.append(_counted("many-ties", tied.sum() + 1, _TEXTS["many-ties"]))
        n_float32 = _count_float32(self.query, self.doc, self.score, tied, ids)
        if n_float32:
            found.append(_counted("float32-order", n_float32, _TEXTS["float32-order"]))
        n_rank = self._count_rank_disagreements(tied)
        if n_rank:
            found.append(_counted("rank-column", n_rank, _TEXTS["rank-column"]))
        return found

    def _count_rank_disagreements(self, tied: BoolArray) -> int:
        """Count queries whose rank column contradicts strictly different scores."""
        if self.rank is None or not len(self.query):
            return 0
        starts = np.concatenate([[0], np.flatnonzero(~tied) + 1])
        worst = np.maximum.reduceat(self.rank, starts)
        best = np.minimum.reduceat(self.rank, starts)
        query = self.query[starts]
        wrong = (query[:-1] == query[1:]) & (worst[:-1] > best[1:])
        return len(np.unique(query[:-1][wrong]))


_TEXTS = {
    "ties-at-cutoff": "{n} with tied scores across rank K: the document ids decide which are read.",
    "constant-scores": "{n} with the same score on every document: their order is that of the "
    "ids, descending, and says nothing about relevance.",
    "many-ties": "{n} documents share their score with a neighbour; ties go by document id, "
    "descending. Were the scores rounded?",
    "float32-order": "{n} whose order differs in float32: trec_eval compares in that "
    "precision and may give another score.",
    "rank-column": "{n} whose rank column contradicts the scores: the scores decide.",
}


def _counted(code: str, n: int, text: str) -> Notice:
    n = int(n)
    unit = f"{n:,}" if code == "many-ties" else f"{n:,} {'query' if n == 1 else 'queries'}"
    return Notice(code, text.format(n=unit), n)


def _query_codes(run: Run, benchmark: Benchmark) -> IntArray:
    """Return the evaluated query of each row of the run, −1 for another query."""
    if not len(run) and not run.empty_queries:
        raise InputError(
            "the run is empty",
            where=run.origin.name,
            remedy="Hand over at least one ranking, as {query_id: {doc_id: score}}.",
        )
    position = dict(zip(benchmark.query_ids, range(benchmark.n_queries), strict=True))
    codes = np.array([position.get(q, -1) for q in run.query.labels], dtype=np.int64)
    if not (codes >= 0).any() and not any(q in position for q in run.empty_queries):
        names = [*run.query.labels, *run.empty_queries]
        raise NoOverlapError(
            "the run and the qrels have no query in common: "
            + diagnose_overlap(names, list(benchmark.query_ids)),
            remedy="Bring the query ids of both into the same form.",
        )
    return codes[run.query.codes] if len(codes) else np.empty(0, dtype=np.int64)


def _query_notices(run: Run, benchmark: Benchmark, query: IntArray) -> list[Notice]:
    found = np.zeros(benchmark.n_queries, dtype=bool)
    found[query[query >= 0]] = True
    missing = benchmark.query_ids[~found]
    notices = []
    if len(missing):
        n = len(missing)
        text = f"{n:,} evaluated {'query is' if n == 1 else 'queries are'} missing from the run"
        examples = tuple(missing[:3])
        notices.append(Notice("missing-queries", f"{text} and scored 0.", n, examples))
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
    keys = query[known] * len(benchmark.judged_position) + judged_code[known]
    at = np.searchsorted(benchmark.judged_pairs, keys)
    at = np.minimum(at, len(benchmark.judged_pairs) - 1)
    return float((benchmark.judged_pairs[at] == keys).sum() / len(query))


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


def _count_constant(query: IntArray, tied: BoolArray) -> int:
    """Count queries with at least two rows, all of one score."""
    sizes = np.bincount(query)
    ties = np.bincount(query[:-1][tied], minlength=len(sizes))
    return int(((sizes >= 2) & (ties == sizes - 1)).sum())


def _count_float32(
    query: IntArray, doc: IntArray, score: FloatArray, tied: BoolArray, ids: StrArray
) -> int:
    """Count queries that trec_eval would order otherwise: equal in float32, unequal in float64."""
    with np.errstate(over="ignore"):
        narrow = score.astype(np.float32)
    merged = np.flatnonzero((narrow[:-1] == narrow[1:]) & (query[:-1] == query[1:]) & ~tied)
    swapped = ids[doc[merged]] < ids[doc[merged + 1]]
    return len(np.unique(query[merged[swapped.astype(bool)]]))
