"""The benchmark as the metric sees it: evaluated queries, their gold, and distinct gold sets."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from falsify_nb.core.grouping import group_rows
from falsify_nb.core.labels import Labels
from falsify_nb.core.metrics import FunctionMetric, Metric
from falsify_nb.core.notices import Notice
from falsify_nb.core.tables import Qrels
from falsify_nb.errors import InputError

__all__ = ["Benchmark", "Gold"]

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
StrArray = npt.NDArray[np.object_]


@dataclass(frozen=True, slots=True, eq=False)
class Benchmark:
    """Judgments as an immutable integer-coded table. Queries and documents are in sorted order.

    Parameters
    ----------
    query_ids : numpy.ndarray of object (str), shape (n_queries,)
        The evaluated queries: those with at least one relevant document, sorted.
    gold_ids : numpy.ndarray of object (str), shape (n_gold_docs,)
        Documents relevant to at least one evaluated query, sorted.
    indptr : numpy.ndarray of int, shape (n_queries + 1,)
        Where each query's relevant documents begin in `doc` and `grade`.
    doc : numpy.ndarray of int, shape (n_relevant,)
        Positions in `gold_ids`, increasing within a query.
    grade : numpy.ndarray of float, shape (n_relevant,)
        Their grades, all above 0.
    judged_position : dict of str to int
        Every judged document's position in the judgments' vocabulary.
    judged_gold : numpy.ndarray of int, shape (n_judged_docs,)
        Position in `gold_ids` of each judged document, −1 when it is never relevant.
    judged_pairs : numpy.ndarray of int, shape (n_judgments,)
        Sorted keys ``query × n_judged_docs + document`` of the evaluated queries' judgments.
    excluded : frozenset of str
        Judged queries without a relevant document.
    notices : tuple of Notice
        What was decided.
    """

    query_ids: StrArray
    gold_ids: StrArray
    indptr: IntArray
    doc: IntArray
    grade: FloatArray
    judged_position: dict[str, int]
    judged_gold: IntArray
    judged_pairs: IntArray
    excluded: frozenset[str]
    notices: tuple[Notice, ...]

    @property
    def n_queries(self) -> int:
        """Number of evaluated queries, N."""
        return len(self.query_ids)

    @property
    def known_queries(self) -> set[str]:
        """The judged queries, evaluated or not."""
        return {*self.query_ids, *self.excluded}

    @classmethod
    def build(cls, qrels: Qrels, rel: float | None = None) -> Benchmark:
        """Apply the rules for judgments.

        Parameters
        ----------
        qrels : Qrels
            The judgments, without duplicates.
        rel : float, optional
            Smallest grade that is relevant; default any grade above 0.

        Raises
        ------
        InputError
            If there is no judgment, or none is relevant.
        """
        if not len(qrels):
            raise InputError(
                "the qrels are empty",
                where=qrels.origin.name,
                remedy="Hand over at least one relevant (query, document) pair.",
            )
        relevant = qrels.grade > 0 if rel is None else qrels.grade >= rel
        has_gold = np.zeros(len(qrels.query.labels), dtype=bool)
        has_gold[qrels.query.codes[relevant]] = True
        if not has_gold.any():
            asked = "above 0" if rel is None else f"of at least {rel:g}"
            raise InputError(
                f"no document is relevant: no grade is {asked}",
                where=qrels.origin.name,
                remedy="Check the grades' column, or lower the metric's rel=.",
            )
        query_ids, query_at = _sorted_codes(qrels.query.labels, has_gold)
        is_gold = np.zeros(len(qrels.doc.labels), dtype=bool)
        is_gold[qrels.doc.codes[relevant]] = True
        gold_ids, gold_at = _sorted_codes(qrels.doc.labels, is_gold)

        query = query_at[qrels.query.codes[relevant]]
        doc = gold_at[qrels.doc.codes[relevant]]
        order = np.lexsort((doc, query))
        indptr = np.searchsorted(query[order], np.arange(len(query_ids) + 1))
        evaluated = query_at[qrels.query.codes] >= 0
        # A table may share its labels with a larger one: only those in use are looked at.
        used, judged = np.unique(qrels.doc.codes, return_inverse=True)
        pairs = query_at[qrels.query.codes[evaluated]] * len(used) + judged[evaluated]
        excluded = [*qrels.query.labels[~has_gold], *qrels.empty_queries]
        return cls(
            query_ids,
            gold_ids,
            indptr,
            doc[order],
            qrels.grade[relevant][order],
            dict(zip(qrels.doc.labels[used], range(len(used)), strict=True)),
            gold_at[used],
            np.sort(pairs),
            frozenset(excluded),
            (*qrels.notices, *_excluded_notice(excluded)),
        )


def _sorted_codes(labels: Labels, keep: npt.NDArray[np.bool_]) -> tuple[StrArray, IntArray]:
    """Return the kept labels sorted, and each label's place among them (−1: not kept)."""
    kept = np.flatnonzero(keep)
    order = kept[np.argsort(labels[kept], kind="stable")]
    place = np.full(len(labels), -1, dtype=np.int64)
    place[order] = np.arange(len(order))
    return labels[order], place


def _excluded_notice(excluded: list[str]) -> tuple[Notice, ...]:
    if not excluded:
        return ()
    n = len(excluded)
    text = (
        f"{n:,} judged {'query has' if n == 1 else 'queries have'} no relevant document "
        f"and cannot be scored; {'it is' if n == 1 else 'they are'} left out."
    )
    return (Notice("no-relevant", text, n, tuple(sorted(excluded)[:3])),)


@dataclass(frozen=True, eq=False)
class Gold:
    """What the nulls move between queries: the judgments as the metric sees them.

    Parameters
    ----------
    indptr : numpy.ndarray of int, shape (n_queries + 1,)
        Where each query's gold documents begin.
    doc : numpy.ndarray of int, shape (n_gold,)
        Positions in the benchmark's `gold_ids`.
    gain : numpy.ndarray of float, shape (n_gold,)
        Gains; all 1 where the metric does not read them.
    worth : numpy.ndarray of float, shape (n_gold,)
        Gain over the query's normaliser.
    norm : numpy.ndarray of float, shape (n_queries,)
        The normalisers.
    gold_set : numpy.ndarray of int, shape (n_queries,)
        Number of the query's gold set among the distinct ones.
    set_query : numpy.ndarray of int, shape (n_sets,)
        A query that has each distinct gold set.
    n_docs : int
        Number of documents that the codes run over.
    """

    indptr: IntArray
    doc: IntArray
    gain: FloatArray
    worth: FloatArray
    norm: FloatArray
    gold_set: IntArray
    set_query: IntArray
    n_docs: int

    @classmethod
    def of(cls, benchmark: Benchmark, metric: Metric | FunctionMetric) -> Gold:
        """Derive the effective gold of a benchmark under a metric.

        Parameters
        ----------
        benchmark : Benchmark
            The judgments.
        metric : Metric or FunctionMetric
            Says which documents count, and by which gain.

        Raises
        ------
        InputError
            If a query's gains cannot be added up: they overflow, or vanish.
        """
        indptr, doc, grade = benchmark.indptr, benchmark.doc, benchmark.grade
        if isinstance(metric, Metric):
            if metric.top1:
                indptr, doc, grade = _best_only(indptr, doc, grade)
            gain = metric.gains(grade)
            norm = metric.normalisers(indptr, gain)
            _check_gains(norm, benchmark, metric)
        else:
            gain, norm = grade, np.ones(len(indptr) - 1)
        gold_set, set_query = group_rows(indptr, doc, gain)
        worth = gain / np.repeat(norm, np.diff(indptr))
        n_docs = len(benchmark.gold_ids)
        return cls(indptr, doc, gain, worth, norm, gold_set, set_query, n_docs)

    @cached_property
    def sizes(self) -> IntArray:
        """R_i, the number of gold documents of each query, shape (n_queries,)."""
        return np.diff(self.indptr)

    @cached_property
    def owner(self) -> IntArray:
        """The query of each gold document, shape (n_gold,)."""
        return np.repeat(np.arange(len(self.indptr) - 1), self.sizes)

    @property
    def is_single(self) -> bool:
        """Whether every query has exactly one gold document."""
        return len(self.doc) == len(self.indptr) - 1

    @cached_property
    def frequency(self) -> IntArray:
        """f_d, the number of queries each document is gold for, shape (n_docs,)."""
        return np.bincount(self.doc, minlength=self.n_docs)

    @cached_property
    def fingerprint(self) -> bytes:
        """What tells this gold from any other that draws were kept for."""
        digest = hashlib.blake2b(digest_size=16)
        for array in (self.indptr, self.doc, self.gain):
            digest.update(np.ascontiguousarray(array).view(np.uint8).data)
        return digest.digest()


def _check_gains(norm: FloatArray, benchmark: Benchmark, metric: Metric) -> None:
    bad = np.flatnonzero(~(np.isfinite(norm) & (norm > 0)))
    if len(bad):
        size = "large" if not np.isfinite(norm[bad[0]]) else "small"
        raise InputError(
            f"the grades of query {benchmark.query_ids[bad[0]]!r} are too {size} to be added up "
            f"under {metric}",
            where="qrels",
            remedy="Bring the grades to a smaller scale, such as 0 to 4.",
        )


def _best_only(
    indptr: IntArray, doc: IntArray, grade: FloatArray
) -> tuple[IntArray, IntArray, FloatArray]:
    best = np.maximum.reduceat(grade, indptr[:-1])
    keep = grade == np.repeat(best, np.diff(indptr))
    kept = np.concatenate([[0], np.cumsum(keep)])[indptr]
    return kept, doc[keep], grade[keep]
