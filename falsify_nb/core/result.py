"""What the gate found: frozen results, pure data, and their way to JSON and back."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from falsify_nb.core.notices import Notice
from falsify_nb.core.protocol import Protocol
from falsify_nb.errors import InputError

if TYPE_CHECKING:
    import os

    import pandas as pd

    from falsify_nb.report.charts import Chart

__all__ = [
    "NULL_NAMES",
    "BlindList",
    "GateResult",
    "Interval",
    "Labels",
    "NullResult",
    "QueriesNeeded",
    "StrictPair",
    "Verdict",
]

FloatArray = npt.NDArray[np.float64]
Verdict = Literal["PASS", "FAIL", "UNDER-NS"]

NULL_NAMES: Mapping[str, str] = MappingProxyType(
    {
        "A": "permuted gold",
        "B": "uniform gold",
        "C": "random retrieval",
        "D": "marginal-matched gold",
    }
)

SCHEMA = 1
# Above this many queries, JSON leaves the per-query arrays and the draws out unless asked.
PER_QUERY_LIMIT = 10_000


@dataclass(frozen=True, slots=True)
class Interval:
    """An interval, both ends included."""

    low: float
    high: float

    def scaled(self, factor: float) -> Interval:
        """Return the interval multiplied by a positive factor."""
        return Interval(self.low * factor, self.high * factor)


@dataclass(frozen=True, slots=True)
class QueriesNeeded:
    """About how many queries would give a PASS with 80 % chance.

    Parameters
    ----------
    n : int or None
        The number; None where the gap does not exceed tau, so that no number would do.
    low, high : int or None
        An 80 % range of `n`; `high` is None where the range has no upper end.
    """

    n: int | None
    low: int | None = None
    high: int | None = None


@dataclass(frozen=True, eq=False, slots=True)
class NullResult:
    """One null and the gap to it.

    Parameters
    ----------
    name : str
        The letter, ``"A"`` to ``"D"``.
    mean : float
        Expected score of the null, E[null].
    mean_is_exact : bool
        True when `mean` comes from a formula, False when from draws.
    mean_error : float
        Standard error of `mean`; 0 when exact.
    delta : float
        The gap, score − mean.
    interval, interval_adjusted : Interval or None
        The gap's 95 % and 98.75 % intervals; None below three queries.
    p_value : float or None
        p_null: how often a draw of the null scores as high as the system. None: no draws.
    p_adjusted : float or None
        `p_value` times four, at most 1.
    p_pass, p_fail : float or None
        One-sided p-values of Δ ≤ τ and of Δ ≥ τ.
    verdict : {"PASS", "FAIL", "UNDER-NS"}
        This null's verdict.
    reason : str
        In one sentence, why.
    draws : numpy.ndarray of float, shape (n_draws,)
        The null's draws of the mean score; empty when they were left out.
    n_draws : int
        How many draws were made.
    headroom : float or None
        The gap that a perfect system would have.
    queries_needed : QueriesNeeded or None
        About how many queries would settle it.
    contributions : numpy.ndarray of float, shape (n_units,)
        What each query (or group) adds to the gap; empty when left out.
    weights : numpy.ndarray of float, shape (n_units,), or None
        Size of each group; None when the units are single queries.
    bounds : tuple of float
        Smallest and largest possible contribution.
    scale : float
        The gap is the mean contribution times this.
    """

    name: str
    mean: float
    mean_is_exact: bool
    mean_error: float
    delta: float
    interval: Interval | None
    interval_adjusted: Interval | None
    p_value: float | None
    p_adjusted: float | None
    p_pass: float | None
    p_fail: float | None
    verdict: Verdict
    reason: str = ""
    draws: FloatArray = field(default_factory=lambda: np.empty(0), repr=False)
    n_draws: int = 0
    headroom: float | None = None
    queries_needed: QueriesNeeded | None = None
    contributions: FloatArray = field(default_factory=lambda: np.empty(0), repr=False)
    weights: FloatArray | None = field(default=None, repr=False)
    bounds: tuple[float, float] = (-1.0, 1.0)
    scale: float = 1.0

    def __post_init__(self) -> None:
        _freeze(self.draws, self.contributions, self.weights)

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuilt(self)

    @property
    def title(self) -> str:
        """The null's name in words, such as ``permuted gold``."""
        return NULL_NAMES[self.name]

    @property
    def share_of_headroom(self) -> float | None:
        """The gap as a share of what a perfect system would have; None where that is not > 0."""
        if self.headroom is None or self.headroom <= 0:
            return None
        return self.delta / self.headroom

    def to_dict(self, *, arrays: bool = True) -> dict[str, Any]:
        """Return the fields as plain JSON types; without arrays, those are left empty."""
        data = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        for key in ("interval", "interval_adjusted", "queries_needed"):
            data[key] = None if data[key] is None else dataclasses.asdict(data[key])
        data["bounds"] = list(self.bounds)
        for key in ("draws", "contributions", "weights"):
            data[key] = _array_out(data[key], keep=arrays)
        return data

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> NullResult:
        """Rebuild a null's result from `to_dict`."""
        fields = dict(data)
        for key in ("interval", "interval_adjusted"):
            fields[key] = None if fields[key] is None else Interval(**fields[key])
        if fields["queries_needed"] is not None:
            fields["queries_needed"] = QueriesNeeded(**fields["queries_needed"])
        fields["bounds"] = tuple(fields["bounds"])
        for key in ("draws", "contributions", "weights"):
            fields[key] = None if fields[key] is None else np.array(fields[key], dtype=float)
        return cls(**fields)


@dataclass(frozen=True, eq=False, slots=True)
class Labels:
    """How often each document is relevant.

    Parameters
    ----------
    counts : numpy.ndarray of int, shape (n_labels,)
        Number of queries that each document is relevant to, most frequent first.
    top : tuple of str
        Ids of the (up to 20) most frequent documents, in that order.
    n_queries : int
        Number of evaluated queries.
    n_gold_sets : int
        Number of distinct gold sets.
    """

    counts: npt.NDArray[np.int64]
    top: tuple[str, ...]
    n_queries: int
    n_gold_sets: int

    def __post_init__(self) -> None:
        _freeze(self.counts)

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuilt(self)

    @property
    def modal_share(self) -> float:
        """Share of the queries that the most frequent document is relevant to."""
        return float(self.counts[0]) / self.n_queries if len(self.counts) else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain JSON types; counts as pairs of (count, how many labels)."""
        counts, repeats = np.unique(self.counts, return_counts=True)
        pairs = [[int(c), int(r)] for c, r in zip(counts[::-1], repeats[::-1], strict=True)]
        return {
            "counts": pairs,
            "top": list(self.top),
            "n_queries": self.n_queries,
            "n_gold_sets": self.n_gold_sets,
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Labels:
        """Rebuild label counts from `to_dict`."""
        pairs = np.array(data["counts"], dtype=np.int64).reshape(-1, 2)
        counts = np.repeat(pairs[:, 0], pairs[:, 1])
        return cls(counts, tuple(data["top"]), data["n_queries"], data["n_gold_sets"])


@dataclass(frozen=True, slots=True)
class StrictPair:
    """The strict single-gold form judged beside the metric.

    Parameters
    ----------
    metric : str
        The strict metric, such as ``"R@10_top1"``.
    verdict : {"PASS", "FAIL", "UNDER-NS"}, or None
        The gate's verdict under it; None where the benchmark offers no strict second opinion.
    score : float
        The system's strict score.
    oracle : float
        A perfect system's strict score.
    deltas : dict of str to float
        The gap to each null under the strict metric.
    disagrees : bool
        True when both verdicts exist and differ.
    text : str
        What that means, in one sentence.
    """

    metric: str
    verdict: Verdict | None
    score: float
    oracle: float
    deltas: dict[str, float]
    disagrees: bool
    text: str


@dataclass(frozen=True, slots=True)
class BlindList:
    """What a list that never reads the query would score on the same benchmark.

    Parameters
    ----------
    score : float
        Cross-fitted: the list is made from other queries than it is scored on.
    spread : float
        Standard deviation of that score over the random halves.
    in_sample : float
        The upper bracket: the list made from all queries.
    alarm : bool
        True when the list scores within τ of the system, or above it.
    text : str
        What that means, in one sentence.
    """

    score: float
    spread: float
    in_sample: float
    alarm: bool
    text: str


@dataclass(frozen=True, eq=False, slots=True)
class GateResult:
    """The verdict on one system, with all that it rests on.

    Attributes
    ----------
    verdict : {"PASS", "FAIL", "UNDER-NS"}
        FAIL if any null fails, else UNDER-NS if any is undecided, else PASS.
    score : float
        Mean of the metric over the evaluated queries.
    metric : str
        The metric as it prints.
    n_queries : int
        Number of evaluated queries, N.
    nulls : mapping of str to NullResult
        The four nulls by letter, in the order A to D.
    query_ids : tuple of str
        The evaluated queries in sorted order; empty when left out of a file.
    scores : numpy.ndarray of float, shape (n_queries,)
        The metric per query.
    null_scores : numpy.ndarray of float, shape (4, n_queries)
        What each null expects per query, rows in the order A to D.
    texts : tuple of str
        The queries' texts, or empty.
    protocol : Protocol
        The parameters.
    sealed : bool
        True when the protocol was given whole, False when the result is exploratory.
    notices : tuple of Notice
        What was decided about the data.
    labels : Labels
        How often each document is relevant.
    point_verdict : {"PASS", "FAIL"}
        Definition 1 to the letter: PASS when every gap is at least τ.
    system : str
        The system's name, or empty.
    corpus_size : int
        Number of documents that Null C draws from.
    depth : int
        K, how deep rankings were read.
    judged : float or None
        Share of the retrieved documents (down to `depth`) that were judged at all.
    is_query_blind : bool
        Whether the system returned one and the same ranking for every query.
    strict, blind
        Second opinions, None where they were not asked for.
    queries_needed : QueriesNeeded or None
        About how many queries would make all four nulls pass; None when they do.

    Examples
    --------
    >>> from falsify_nb import falsify, load_demo
    >>> demo = load_demo()
    >>> result = falsify(demo.runs["bm25"], qrels=demo.qrels, corpus=demo.corpus)
    >>> result.verdict
    'PASS'
    """

    verdict: Verdict
    score: float
    metric: str
    n_queries: int
    nulls: Mapping[str, NullResult]
    query_ids: tuple[str, ...]
    scores: FloatArray
    null_scores: FloatArray
    protocol: Protocol
    labels: Labels
    point_verdict: Literal["PASS", "FAIL"]
    corpus_size: int
    depth: int
    texts: tuple[str, ...] = ()
    sealed: bool = False
    notices: tuple[Notice, ...] = ()
    system: str = ""
    judged: float | None = None
    is_query_blind: bool = False
    strict: StrictPair | None = None
    blind: BlindList | None = None
    queries_needed: QueriesNeeded | None = None

    def __post_init__(self) -> None:
        _freeze(self.scores, self.null_scores)
        if not isinstance(self.nulls, _FrozenDict):
            object.__setattr__(self, "nulls", _FrozenDict(self.nulls))

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuilt(self)

    def __bool__(self) -> bool:
        raise TypeError(
            "a GateResult has three verdicts, so its truth value is ambiguous: "
            "use result.passed, or compare result.verdict"
        )

    def __repr__(self) -> str:
        # Adding zero turns a rounded −0 into 0.
        gaps = ", ".join(f"{k} {round(n.delta, 3) + 0.0:+.3f}" for k, n in self.nulls.items())
        return (
            f"<GateResult {self.verdict}: {self.metric} {self.score:.4f}, "
            f"{self.n_queries} queries; {gaps}>"
        )

    @property
    def passed(self) -> bool:
        """True when the verdict is PASS."""
        return self.verdict == "PASS"

    @property
    def tau(self) -> float:
        """The threshold that was applied."""
        return self.protocol.tau

    @property
    def per_query(self) -> pd.DataFrame:
        """Frame by query_id: score, null_A … null_D, and the text where it was given."""
        from falsify_nb.report.frames import per_query_frame

        return per_query_frame(self)

    @property
    def card(self) -> str:
        """The card as HTML."""
        from falsify_nb.report.html import card

        return card(self)

    def at(self, *, tau: float) -> GateResult:
        """Return the result judged at another threshold, marked exploratory; nothing is redrawn.

        Parameters
        ----------
        tau : float
            The threshold, 0 to 1.

        Raises
        ------
        InputError
            If the contributions were left out of the file that the result was read from.
        """
        from falsify_nb.core.verdict import judge_again

        return judge_again(self, tau)

    def to_frame(self) -> pd.DataFrame:
        """Return the four nulls as a frame with index A to D."""
        from falsify_nb.report.frames import null_frame

        return null_frame(self)

    def to_markdown(self) -> str:
        """Return the card as Markdown."""
        from falsify_nb.report.text import to_markdown

        return to_markdown(self)

    def to_latex(self) -> str:
        """Return a booktabs table."""
        from falsify_nb.report.latex import to_latex

        return to_latex(self)

    def to_text(self) -> str:
        """Return the card as plain text."""
        from falsify_nb.report.text import to_text

        return to_text(self)

    def chart(self, kind: str = "gate") -> Chart:
        """Return a chart of the result; an unknown kind names those there are."""
        from falsify_nb.report.charts import chart

        return chart(self, kind)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the result in the form that the path's extension names."""
        from falsify_nb.report.document import save

        save(self, path)

    def _ipython_display_(self) -> None:
        from falsify_nb.report.display import show

        show(self)

    def same_as(self, other: GateResult) -> bool:
        """Return whether two results hold the same numbers, arrays included."""
        return self.to_dict(arrays=True) == other.to_dict(arrays=True)

    def to_dict(self, *, arrays: bool | None = None) -> dict[str, Any]:
        """Return the result as plain JSON types.

        Parameters
        ----------
        arrays : bool, optional
            Whether per-query arrays and draws are kept. Default: up to 10,000 queries.
        """
        keep = self.n_queries <= PER_QUERY_LIMIT if arrays is None else arrays
        data = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        data["nulls"] = {k: n.to_dict(arrays=keep) for k, n in self.nulls.items()}
        data["query_ids"] = list(self.query_ids) if keep else []
        data["texts"] = list(self.texts) if keep else []
        data["scores"] = _array_out(self.scores, keep=keep)
        data["null_scores"] = _array_out(self.null_scores, keep=keep)
        data["protocol"] = self.protocol.to_dict()
        data["labels"] = self.labels.to_dict()
        data["notices"] = [n.to_dict() for n in self.notices]
        for key in ("strict", "blind", "queries_needed"):
            data[key] = None if data[key] is None else dataclasses.asdict(data[key])
        return {"schema": SCHEMA, "kind": "gate", **data}

    def to_json(self, *, arrays: bool | None = None) -> str:
        """Return `to_dict` as JSON text."""
        return json.dumps(self.to_dict(arrays=arrays), ensure_ascii=False, allow_nan=False)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> GateResult:
        """Rebuild a result from `to_dict`.

        Raises
        ------
        InputError
            If the data is no gate result, or of a newer schema.
        """
        fields = dict(data)
        schema, kind = fields.pop("schema", None), fields.pop("kind", None)
        if schema != SCHEMA or kind != "gate":
            raise InputError(
                f"this is no gate result of schema {SCHEMA}: schema={schema!r}, kind={kind!r}",
                remedy="Read a file that result.save('….json') wrote.",
            )
        fields["nulls"] = {k: NullResult.from_dict(n) for k, n in fields["nulls"].items()}
        fields["query_ids"] = tuple(fields["query_ids"])
        fields["texts"] = tuple(fields["texts"])
        fields["scores"] = np.array(fields["scores"], dtype=float)
        fields["null_scores"] = np.array(fields["null_scores"], dtype=float).reshape(4, -1)
        fields["protocol"] = Protocol.from_dict(fields["protocol"])
        fields["labels"] = Labels.from_dict(fields["labels"])
        fields["notices"] = tuple(Notice.from_dict(n) for n in fields["notices"])
        if fields["strict"] is not None:
            fields["strict"] = StrictPair(**fields["strict"])
        if fields["blind"] is not None:
            fields["blind"] = BlindList(**fields["blind"])
        if fields["queries_needed"] is not None:
            fields["queries_needed"] = QueriesNeeded(**fields["queries_needed"])
        return cls(**fields)

    @classmethod
    def from_json(cls, text: str) -> GateResult:
        """Rebuild a result from `to_json`."""
        return cls.from_dict(json.loads(text))


class _FrozenDict(dict[str, NullResult]):
    """A dict that refuses writing; unlike a mapping proxy it can be pickled and copied."""

    def _refuse(self, *_: object, **__: object) -> None:
        raise TypeError("a result cannot be changed")

    __setitem__ = __delitem__ = update = pop = popitem = clear = setdefault = __ior__ = _refuse  # type: ignore[assignment]

    def __reduce__(self) -> tuple[object, ...]:
        return (_FrozenDict, (dict(self),))


def _rebuilt(value: GateResult | NullResult | Labels) -> tuple[object, ...]:
    """Return what pickle and copy rebuild a value from: by its class, which freezes the arrays."""
    return type(value), tuple(getattr(value, f.name) for f in dataclasses.fields(value))


def _freeze(*arrays: npt.NDArray[Any] | None) -> None:
    for array in arrays:
        if array is not None:
            array.flags.writeable = False


def _array_out(array: FloatArray | None, *, keep: bool) -> list[Any] | None:
    if array is None:
        return None
    return array.tolist() if keep else []
