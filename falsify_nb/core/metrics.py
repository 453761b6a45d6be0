"""A metric: its name as typed, how it is parsed, and how ranks become a score."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from falsify_nb.core.grouping import sums_by
from falsify_nb.errors import MetricError, OptionError, near_names

__all__ = ["Family", "FunctionMetric", "Metric", "MetricFunction", "is_known", "parse_metric"]

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
Family = Literal["nDCG", "R", "P", "RR", "AP", "Success"]
Gain = Literal["log2", "exp-log2"]
MetricFunction = Callable[[list[str], dict[str, float]], float]

_NEEDS_CUTOFF = ("P", "R", "Success")
_LINEAR = ("nDCG", "R", "P")

# The field's other spellings, lower case, without separators.
_ALIASES: dict[str, Family] = {
    "ndcg": "nDCG",
    "ndcgcut": "nDCG",
    "r": "R",
    "recall": "R",
    "p": "P",
    "precision": "P",
    "rr": "RR",
    "mrr": "RR",
    "reciprank": "RR",
    "reciprocalrank": "RR",
    "ap": "AP",
    "map": "AP",
    "mapcut": "AP",
    "averageprecision": "AP",
    "success": "Success",
    "hit": "Success",
    "hitrate": "Success",
}
# What a gate on relevant documents cannot judge, and why.
_REFUSED = {
    "bpref": "it reads judged non-relevant documents, which no null moves",
    "infap": "it reads judged non-relevant documents, which no null moves",
    "judged": "it measures the judgments, not the ranking",
    "judgedonly": "it measures the judgments, not the ranking",
    "numret": "it counts, and is not bounded by 1",
    "numrel": "it counts, and is not bounded by 1",
    "numrelret": "it counts, and is not bounded by 1",
    "numq": "it counts, and is not bounded by 1",
    "hits": "in some tools it is a count of relevant documents; write Success@k for the share of "
    "queries with a hit",
}
_SHAPE = re.compile(
    r"""^\s*(?P<name>[A-Za-z]+(?:[_ -][A-Za-z]+)*)
        (?:\((?P<args>[^()]*)\))?
        (?:\s*(?:@|[_.](?=\d))(?P<k>[^@_\s]+))?
        (?P<top1>_top1)?\s*$""",
    re.VERBOSE,
)
# A cutoff without its sign, such as nDCG10.
_GLUED = re.compile(r"^\s*(?P<name>[A-Za-z]+)(?P<k>[1-9]\d*)\s*$")


@dataclass(frozen=True, slots=True)
class Metric:
    """One of the built-in metrics, a value that prints as it is typed.

    Parameters
    ----------
    family : {"nDCG", "R", "P", "RR", "AP", "Success"}
        The measure.
    k : int or None
        Cutoff; None reads the whole ranking.
    rel : float or None
        Smallest grade that counts as relevant; None means any grade above 0.
    dcg : {"log2", "exp-log2"}
        Gain of nDCG: the grade, or 2^grade − 1.
    top1 : bool
        The strict single-gold form: only a query's best document counts, the mean over them
        where several share the highest grade.

    Examples
    --------
    >>> str(parse_metric("recall@5"))
    'R@5'
    """

    family: Family
    k: int | None = None
    rel: float | None = None
    dcg: Gain = "log2"
    top1: bool = False

    def __str__(self) -> str:
        args = []
        if self.rel is not None:
            args.append(f"rel={self.rel:g}")
        if self.dcg != "log2":
            args.append(f"dcg='{self.dcg}'")
        text = self.family + (f"({','.join(args)})" if args else "")
        return text + (f"@{self.k}" if self.k is not None else "") + ("_top1" if self.top1 else "")

    @property
    def is_linear(self) -> bool:
        """Whether the score is a sum over gold documents, each by its own rank."""
        return self.top1 or self.family in _LINEAR

    @property
    def reads_gains(self) -> bool:
        """Whether the size of a grade matters."""
        return self.family == "nDCG" and not self.top1

    def gains(self, grades: FloatArray) -> FloatArray:
        """Return the gain of each relevant document, from its grade."""
        if not self.reads_gains:
            return np.ones_like(grades)
        if self.dcg != "exp-log2":
            return grades
        # Of a tiny grade, 2^grade − 1 would be nothing at all.
        with np.errstate(over="ignore"):
            return np.where(grades < 0.01, np.expm1(grades * math.log(2.0)), np.exp2(grades) - 1.0)

    def rank_weights(self, depth: int) -> FloatArray:
        """Return what a gold document of gain 1 is worth at ranks 1 … depth, before normalising.

        For RR, AP and Success it is the value of a first and only gold document at that rank.
        """
        ranks = np.arange(1, depth + 1, dtype=float)
        weights = {
            "nDCG": 1.0 / np.log2(ranks + 1),
            "R": np.ones(depth),
            "P": np.full(depth, 1.0 / (self.k or 1)),
            "RR": 1.0 / ranks,
            "AP": 1.0 / ranks,
            "Success": np.ones(depth),
        }[self.family]
        if self.k is not None:
            weights[self.k :] = 0.0
        return weights

    def normalisers(self, indptr: IntArray, gains: FloatArray) -> FloatArray:
        """Return what each query's gain-weighted sum is divided by, shape (n_queries,).

        Parameters
        ----------
        indptr : numpy.ndarray of int, shape (n_queries + 1,)
            Where each query's gains begin; every query has at least one.
        gains : numpy.ndarray of float, shape (n_gold,)
            Gains of the relevant documents.
        """
        sizes = np.diff(indptr).astype(float)
        if self.top1 or self.family == "R":
            return sizes
        if self.family != "nDCG":
            return np.ones(len(sizes))
        owner = np.repeat(np.arange(len(sizes)), np.diff(indptr))
        best = np.lexsort((-gains, owner))
        place = np.arange(len(gains)) - np.repeat(indptr[:-1], np.diff(indptr))
        weights = self.rank_weights(int(sizes.max()))
        return sums_by(owner, gains[best] * weights[place], len(sizes))

    def combine(
        self, ranks: IntArray, worth: FloatArray, starts: IntArray, n_rel: IntArray
    ) -> FloatArray:
        """Return the score of each group of gold documents found in a ranking.

        Parameters
        ----------
        ranks : numpy.ndarray of int, shape (n_hits,)
            1-based ranks within the cutoff, increasing within each group.
        worth : numpy.ndarray of float, shape (n_hits,)
            Gain over normaliser of each hit; read by the linear metrics.
        starts : numpy.ndarray of int, shape (n_groups,)
            Where each group begins; no group is empty.
        n_rel : numpy.ndarray of int, shape (n_groups,)
            Number of relevant documents of each group's gold set.
        """
        if not len(starts):
            return np.empty(0)
        if self.is_linear:
            weights = self.rank_weights(int(ranks.max()))
            return np.add.reduceat(weights[ranks - 1] * worth, starts)
        if self.family == "RR":
            return 1.0 / ranks[starts]
        if self.family == "Success":
            return np.ones(len(starts))
        sizes = np.diff(np.append(starts, len(ranks)))
        found = np.arange(len(ranks)) - np.repeat(starts, sizes) + 1
        return np.add.reduceat(found / ranks, starts) / n_rel


@dataclass(frozen=True, slots=True, eq=False)
class FunctionMetric:
    """A user's function, or a metric of another package, scored pair by pair.

    Parameters
    ----------
    function : callable
        ``f(ranking: list[str], gold: dict[str, float]) -> float``.
    name : str
        How it prints.
    k : int or None
        How deep it reads a ranking, where that is known.
    rel : float or None
        Smallest grade that counts as relevant; None means any grade above 0.
    batch : callable, optional
        Scores many ``(ranking, gold)`` pairs in one call, where that is faster.
    """

    function: MetricFunction
    name: str
    k: int | None = None
    rel: float | None = None
    batch: Callable[[list[tuple[list[str], dict[str, float]]]], list[float]] | None = None

    def __str__(self) -> str:
        return self.name


def parse_metric(text: str) -> Metric:
    """Read a metric's name in ir_measures' spelling or another common one.

    Parameters
    ----------
    text : str
        Such as ``"nDCG@10"``, ``"ndcg_cut_10"``, ``"recall@5"``, ``"P(rel=2)@10"``,
        ``"R@5_top1"``.

    Raises
    ------
    MetricError
        If the name is unknown (the nearest ones are named), refused, or malformed.

    Examples
    --------
    >>> str(parse_metric("ndcg_cut_10")), str(parse_metric("map")), str(parse_metric("mrr@10"))
    ('nDCG@10', 'AP', 'RR@10')
    """
    if not isinstance(text, str):
        raise OptionError(
            f"metric={text!r} is neither a name nor a function",
            remedy='Write a name such as "nDCG@10", or hand over a function(ranking, gold).',
        )
    match = _SHAPE.match(text)
    if match is None:
        glued = _GLUED.match(text)
        near = f" Did you mean {_family(glued['name'], text)}@{glued['k']}?" if glued else ""
        raise MetricError(
            f"the metric {text!r} cannot be read",
            remedy=f"Write NAME, NAME@k or NAME(option)@k, such as nDCG@10 or P(rel=2)@10.{near}",
        )
    family = _family(match["name"], text)
    options = _options(match["args"], family, text)
    k = None if match["k"] is None else _cutoff(match["k"], text)
    if k is None and family in _NEEDS_CUTOFF:
        raise MetricError(
            f"the metric {text!r} needs a cutoff", remedy=f"Write {family}@10, for example."
        )
    return Metric(family, k, options.rel, options.dcg, match["top1"] is not None)


def is_known(text: str) -> bool:
    """Return whether the name is one of ours, to be taken or refused, whatever its options."""
    match = _SHAPE.match(text)
    key = "" if match is None else _plain(match["name"])
    return key in _ALIASES or key in _REFUSED


def _plain(name: str) -> str:
    return re.sub(r"[_ -]", "", name).lower()


def _family(name: str, text: str) -> Family:
    key = _plain(name)
    if key in _REFUSED:
        raise MetricError(
            f"the metric {text!r} is refused: {_REFUSED[key]}",
            remedy="Use nDCG@10, R@10, P@10, RR@10, AP@100 or Success@10, for example.",
        )
    if key in _ALIASES:
        return _ALIASES[key]
    near = near_names(key, _ALIASES)
    spelled = sorted({f"{_ALIASES[n]}@10" for n in near})
    raise MetricError(
        f"the metric {text!r} is unknown",
        remedy=(f"Did you mean {' or '.join(spelled)}? " if spelled else "")
        + "Known: nDCG, R, P, RR, AP, Success; with the extra falsify_nb[ir] those of ir_measures.",
    )


def _cutoff(text: str, whole: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise MetricError(
            f"the cutoff {text!r} of the metric {whole!r} is not a whole number of at least 1",
            remedy="Write it as in nDCG@10.",
        )
    return int(text)


@dataclass(frozen=True, slots=True)
class _Options:
    rel: float | None = None
    dcg: Gain = "log2"


def _options(args: str | None, family: Family, text: str) -> _Options:
    rel: float | None = None
    dcg: Gain = "log2"
    for part in filter(None, (p.strip() for p in (args or "").split(","))):
        key, _, value = (p.strip() for p in part.partition("="))
        if key == "rel" and family != "nDCG":
            rel = _threshold(value, text)
        elif key == "dcg" and family == "nDCG" and value.strip("'\"") in ("log2", "exp-log2"):
            dcg = "exp-log2" if value.strip("'\"") == "exp-log2" else "log2"
        elif key == "judged_only" and value == "False":
            continue
        else:
            accepted = "dcg='log2' or dcg='exp-log2'" if family == "nDCG" else "rel=GRADE"
            raise MetricError(
                f"the option {part!r} of the metric {text!r} is not read",
                remedy=f"{family} takes {accepted}.",
            )
    return _Options(rel, dcg)


def _threshold(value: str, text: str) -> float:
    try:
        rel = float(value)
    except ValueError:
        rel = math.nan
    if not (math.isfinite(rel) and rel > 0):
        raise MetricError(
            f"rel={value} of the metric {text!r} is not a grade above 0",
            remedy="Write it as in P(rel=2)@10.",
        )
    return rel
