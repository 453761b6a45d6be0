"""How the verdict and the intervals settle as queries are added: random subsets of growing size."""

from __future__ import annotations

import json
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from falsify_nb.core.contributions import FEW_UNITS, Contributions
from falsify_nb.core.intervals import ALPHA_ADJUSTED, FEWEST_FOR_INTERVAL, interval_at
from falsify_nb.core.null_result import NullResult
from falsify_nb.core.result import GateResult
from falsify_nb.core.streams import stream
from falsify_nb.core.verdict import TOO_FEW
from falsify_nb.errors import InputError, OptionError, a_kind, shorten

if TYPE_CHECKING:
    import os

    import pandas as pd

    from falsify_nb.report.charts import Chart

__all__ = ["CalibrationCurve", "CalibrationPoint", "calibration_curve"]

FloatArray = npt.NDArray[np.float64]
SCHEMA = 1
# The smallest subset; sizes double from here.
SMALLEST = 5
GATE = "gate"


@dataclass(frozen=True, slots=True)
class CalibrationPoint:
    """What subsets of one size say about one null, or about the gate.

    Parameters
    ----------
    null : str
        The letter, ``"A"`` to ``"D"``, or ``"gate"`` for all four together.
    n_units : int
        Queries, or groups of queries, in each subset.
    n_queries : float
        Mean number of queries in a subset.
    width, width_low, width_high : float
        Median, 10 % and 90 % quantile over the subsets of the width of the 98.75 % interval; for
        the gate, of the widest of the four.
    delta : float
        Median gap; for the gate, of the smallest of the four.
    passes, undecided, fails : float
        Shares of the subsets with each verdict, 0 to 1.
    """

    null: str
    n_units: int
    n_queries: float
    width: float
    width_low: float
    width_high: float
    delta: float
    passes: float
    undecided: float
    fails: float


@dataclass(frozen=True, eq=False, slots=True)
class CalibrationCurve:
    """Verdicts and interval widths over random subsets of growing size.

    Parameters
    ----------
    points : tuple of CalibrationPoint
        Null by null (A to D, then the gate), sizes rising; the last size is all of the queries.
    metric : str
        The metric.
    tau : float
        The threshold.
    n_queries : int
        Number of evaluated queries in all.
    n_subsets : int
        Random orders of the queries; a subset is the beginning of one.
    seed : int
        Root of the random orders.
    system : str
        The system's name, or empty.
    """

    points: tuple[CalibrationPoint, ...]
    metric: str
    tau: float
    n_queries: int
    n_subsets: int
    seed: int
    system: str = ""

    def __repr__(self) -> str:
        gate = self.of(GATE)
        first, last = gate[0], gate[-1]
        return (
            f"<CalibrationCurve: {self.metric}, {first.n_units} to {last.n_units} units, "
            f"widest interval {first.width:.3f} to {last.width:.3f}>"
        )

    @property
    def sizes(self) -> tuple[int, ...]:
        """Units in the subsets, rising."""
        return tuple(point.n_units for point in self.of(GATE))

    def of(self, null: str) -> tuple[CalibrationPoint, ...]:
        """Return the points of one null (``"A"`` to ``"D"``) or of the ``"gate"``, sizes rising."""
        return tuple(point for point in self.points if point.null == null)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per null and size, with the fields of `CalibrationPoint` as columns."""
        import pandas as pd

        return pd.DataFrame([_fields(point) for point in self.points])

    def to_text(self) -> str:
        """Return the gate's curve in words, a line per size."""
        lines = [f"{self.metric}: random subsets of {self.n_queries:,} queries, τ = {self.tau:g}"]
        lines += [
            f"{point.n_queries:7,.0f} queries: widest 98.75 % interval {point.width:.3f}, "
            f"PASS {point.passes:.0%}, UNDER-NS {point.undecided:.0%}, FAIL {point.fails:.0%}"
            for point in self.of(GATE)
        ]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return the curve as plain JSON types."""
        data = {name: getattr(self, name) for name in CalibrationCurve.__slots__}
        data["points"] = [_fields(point) for point in self.points]
        return {"schema": SCHEMA, "kind": "calibration", **data}

    def to_json(self) -> str:
        """Return `to_dict` as JSON text."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> CalibrationCurve:
        """Rebuild a curve from `to_dict`.

        Raises
        ------
        InputError
            If the data is no calibration curve, or of another schema.
        """
        fields = dict(data)
        schema, kind = fields.pop("schema", None), fields.pop("kind", None)
        if schema != SCHEMA or kind != "calibration":
            raise InputError(
                f"this is no calibration curve of schema {SCHEMA}: schema={schema!r}, "
                f"kind={kind!r}",
                remedy="Read a file that curve.save('….json') wrote.",
            )
        fields["points"] = tuple(CalibrationPoint(**point) for point in fields["points"])
        return cls(**fields)

    @classmethod
    def from_json(cls, text: str) -> CalibrationCurve:
        """Rebuild a curve from `to_json`."""
        return cls.from_dict(json.loads(text))

    def chart(self, kind: str = "calibration") -> Chart:
        """Return interval width and verdicts against the number of queries."""
        from falsify_nb.report.charts import chart

        return chart(self, kind)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the curve in the form that the path's extension names."""
        from falsify_nb.report.document import save

        save(self, path)

    def _ipython_display_(self) -> None:
        from falsify_nb.report.display import show_chart

        show_chart(self)


def calibration_curve(
    result: GateResult,
    *,
    n_subsets: int = 20,
    sizes: Iterable[int] | None = None,
    progress: Callable[[str, int, int], None] | None = None,
) -> CalibrationCurve:
    """Judge random subsets of a result's queries, from a few to all of them.

    A subset's gap is the mean of its queries' contributions, so that nothing is scored again; its
    interval is made as that of the result. No draws are made: a subset passes by its interval
    alone. Of a system with one ranking for every query, any subset fails Null A, as the whole does.

    Parameters
    ----------
    result : GateResult
        The gated system, with its contributions.
    n_subsets : int
        Random orders of the queries, at least 1; the subsets of each size begin one.
    sizes : iterable of int, optional
        Queries (or groups) per subset, at least 3. Default: 5, 10, 20, … and all.
    progress : callable, optional
        ``progress(stage, done, total)``, called between sizes; raising in it cancels.

    Returns
    -------
    CalibrationCurve

    Raises
    ------
    InputError
        If the result has no contributions: it has below three queries, or was saved without.
    OptionError
        If a number is outside its range.

    Examples
    --------
    >>> from falsify_nb import falsify, load_demo
    >>> demo = load_demo()
    >>> result = falsify(demo.runs["bm25"], qrels=demo.qrels, corpus=demo.corpus)
    >>> curve = calibration_curve(result, n_subsets=2)
    >>> curve.sizes
    (5, 10, 20, 40, 80, 120)
    """
    if not isinstance(result, GateResult):
        raise OptionError(
            f"calibration_curve takes the result of a gate, not {a_kind(result)}",
            remedy="Write calibration_curve(falsify(run, qrels=qrels)).",
        )
    nulls = list(result.nulls.values())
    n_units = len(nulls[0].contributions)
    if not n_units:
        raise InputError(
            "this result has no contributions to make subsets of",
            remedy="Gate at least three queries; save results with to_json(arrays=True).",
        )
    if isinstance(n_subsets, bool) or not hasattr(n_subsets, "__index__") or n_subsets < 1:
        raise OptionError(f"n_subsets={shorten(n_subsets)} is not a whole number of at least 1")
    steps = _doubling(n_units) if sizes is None else _checked(sizes, n_units)
    orders = [
        stream(result.protocol.seed, "subsets", number).permutation(n_units)
        for number in range(n_subsets)
    ]
    found = []
    for done, size in enumerate(steps):
        if progress is not None:
            progress("subsets", done, len(steps))
        # All of the queries are one and the same subset in any order.
        subsets = [np.sort(order[:size]) for order in (orders[:1] if size == n_units else orders)]
        ends = np.array([[_judge(result, row, s) for s in subsets] for row in range(len(nulls))])
        found.append((size, _mean_queries(nulls[0], subsets), ends))
    names = [null.name for null in nulls]
    points = [
        point
        for size, queries, ends in found
        for point in _points(names, size, queries, ends, result)
    ]
    order = [*names, GATE]
    points.sort(key=lambda point: (order.index(point.null), point.n_units))
    return CalibrationCurve(
        tuple(points),
        result.metric,
        result.tau,
        result.n_queries,
        n_subsets,
        result.protocol.seed,
        result.system,
    )


def _judge(result: GateResult, row: int, subset: npt.NDArray[np.int64]) -> tuple[float, ...]:
    """Return the ends of the 98.75 % interval and the gap of one null on a subset of units."""
    null = list(result.nulls.values())[row]
    n = len(subset)
    sizes = None if null.weights is None else null.weights[subset]
    values = null.contributions[subset]
    scale = 1.0 if null.scale == 1.0 else 1.0 - 1.0 / n
    low, high = _bounds(result, row, n)
    part = Contributions(values, low, high, scale, sizes)
    ends = interval_at(
        part,
        ALPHA_ADJUSTED,
        result.protocol.interval,
        seed=result.protocol.seed,
        n_boot=result.protocol.n_boot,
    )
    queries = float(n if sizes is None else sizes.sum())
    return ends.low, ends.high, scale * float(values.sum()) / queries


def _bounds(result: GateResult, row: int, n: int) -> tuple[float, float]:
    null = list(result.nulls.values())[row]
    if n >= FEW_UNITS or not np.ptp(result.null_scores[row]) > 1e-12:
        return null.bounds
    low, high = result.protocol.bounds
    return low - high, high - low


def _points(
    names: list[str], size: int, queries: float, ends: FloatArray, result: GateResult
) -> Iterator[CalibrationPoint]:
    """Yield the point of each null and of the gate; ends by null, subset, and (low, high, gap)."""
    low, high, delta = np.moveaxis(ends, -1, 0)
    decided = size > TOO_FEW
    passes, fails = decided & (low >= result.tau), decided & (high < result.tau)
    if result.is_query_blind:
        fails[names.index("A")] = True
    passes &= ~fails
    for row, name in enumerate(names):
        width = high[row] - low[row]
        yield _summed(name, size, queries, width, delta[row], passes[row], fails[row])
    widest = (high - low).max(axis=0)
    gate = passes.all(axis=0), fails.any(axis=0)
    yield _summed(GATE, size, queries, widest, delta.min(axis=0), *gate)


def _summed(
    null: str,
    size: int,
    queries: float,
    width: FloatArray,
    delta: FloatArray,
    passes: npt.NDArray[np.bool_],
    fails: npt.NDArray[np.bool_],
) -> CalibrationPoint:
    low, middle, high = (float(q) for q in np.quantile(width, [0.1, 0.5, 0.9]))
    passed, failed = float(np.mean(passes)), float(np.mean(fails))
    return CalibrationPoint(
        null=null,
        n_units=size,
        n_queries=queries,
        width=middle,
        width_low=low,
        width_high=high,
        delta=float(np.median(delta)),
        passes=passed,
        undecided=1.0 - passed - failed,
        fails=failed,
    )


def _mean_queries(null: NullResult, subsets: list[npt.NDArray[np.int64]]) -> float:
    if null.weights is None:
        return float(len(subsets[0]))
    return float(np.mean([null.weights[subset].sum() for subset in subsets]))


def _doubling(n_units: int) -> list[int]:
    steps, size = [], SMALLEST
    while size < n_units:
        steps.append(size)
        size *= 2
    # A last step that hardly adds anything says nothing new.
    if len(steps) > 1 and n_units < 1.2 * steps[-1]:
        steps.pop()
    return [*steps, n_units]


def _checked(sizes: Iterable[int], n_units: int) -> list[int]:
    try:
        steps = sorted({operator.index(size) for size in sizes})
    except TypeError:
        steps = []
    if not steps or steps[0] < FEWEST_FOR_INTERVAL or steps[-1] > n_units:
        raise OptionError(
            f"sizes={shorten(sizes)} are not whole numbers from {FEWEST_FOR_INTERVAL} to {n_units}",
            remedy="Leave sizes out for 5, 10, 20, … and all.",
        )
    return steps


def _fields(point: CalibrationPoint) -> dict[str, Any]:
    return {name: getattr(point, name) for name in CalibrationPoint.__slots__}
