"""Whatever a user names as metric: a built-in one, one of ir_measures, or a function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from falsify_nb.core.metrics import FunctionMetric, Metric, is_known, parse_metric
from falsify_nb.errors import MetricError

__all__ = ["to_metric"]


def to_metric(
    metric: str | Metric | FunctionMetric | Callable[[list[str], dict[str, float]], float],
) -> Metric | FunctionMetric:
    """Return a metric from its name or a function.

    Parameters
    ----------
    metric : str, Metric, FunctionMetric or callable
        A name, ``f(ranking, gold) -> float``, or a measure of ir_measures such as
        ``ir_measures.nDCG @ 10``.

    Raises
    ------
    MetricError
        If the name is unknown or refused.

    Examples
    --------
    >>> str(to_metric("ndcg_cut_10"))
    'nDCG@10'
    """
    if isinstance(metric, Metric | FunctionMetric):
        return metric
    if type(metric).__module__.partition(".")[0] == "ir_measures":
        # Its measures are callable, but only their names say what they measure.
        return to_metric(str(metric))
    if callable(metric):
        name = getattr(metric, "__name__", type(metric).__name__)
        return FunctionMetric(metric, f"function {name}")
    try:
        return parse_metric(metric)
    except MetricError as error:
        if not isinstance(metric, str) or is_known(metric):
            raise
        foreign = _of_ir_measures(metric)
        if foreign is None:
            raise
        if isinstance(foreign, MetricError):
            raise foreign from error
        return foreign


def _of_ir_measures(name: str) -> FunctionMetric | MetricError | None:
    """Return ir_measures' metric of that name, the reason why not, or None without the package."""
    try:
        import ir_measures
    except ImportError:
        return None
    from falsify_nb.io.ir_metric import adopt

    try:
        measure: Any = ir_measures.parse_measure(name)
    except (NameError, ValueError, SyntaxError, TypeError, AttributeError, KeyError):
        return None
    return adopt(measure)
