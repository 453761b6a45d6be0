"""Metrics of ir_measures that a gate on relevant documents can judge."""

from __future__ import annotations

from typing import Any

from falsify_nb.core.metrics import FunctionMetric
from falsify_nb.errors import FunctionError, MetricError

__all__ = ["adopt"]

# They lie in [0, 1] and are unchanged by judgments of non-relevant documents.
_ADOPTED = {"Compat", "ERR", "IPrec", "RBP", "Rprec", "SetAP", "SetF", "SetP", "SetR", "nERR"}
_REASONS = {
    "judged_only": "it drops unjudged documents, so that judgments of non-relevant ones matter",
    "gains": "it gives grades other gains; put the gains into the qrels",
}

Pairs = list[tuple[list[str], dict[str, float]]]


def adopt(measure: Any) -> FunctionMetric | MetricError:  # noqa: ANN401 - ir_measures has no types
    """Return a measure of ir_measures as a metric, or the error that says why not.

    Parameters
    ----------
    measure : ir_measures.Measure
        A parsed measure.

    Returns
    -------
    FunctionMetric or MetricError
        The error is returned and not raised, so that a caller can chain it.
    """
    name = str(measure)
    parameters = dict(measure.params)
    for option, reason in _REASONS.items():
        if parameters.get(option):
            return MetricError(f"the metric {name!r} is refused: {reason}")
    if measure.NAME not in _ADOPTED:
        listed = ", ".join(sorted(_ADOPTED))
        return MetricError(
            f"the metric {name!r} of ir_measures is refused: it is not known to lie in [0, 1] and "
            "to read relevant documents only",
            remedy=f"Of ir_measures' metrics these are taken: {listed}.",
        )
    try:
        _score(measure, [(["a", "b"], {"b": 1.0})])
    except Exception as error:  # noqa: BLE001 - each provider fails in its own way
        return MetricError(
            f"ir_measures cannot compute the metric {name!r} here: {error}",
            remedy="Install the package that provides it; ir_measures' documentation names it.",
        )
    return FunctionMetric(
        lambda ranking, gold: _score(measure, [(ranking, gold)])[0],
        name,
        k=parameters.get("cutoff"),
        rel=parameters.get("rel"),
        batch=lambda pairs: _score(measure, pairs),
    )


def _score(measure: Any, pairs: Pairs) -> list[float]:  # noqa: ANN401
    """Score many pairs in one call, each as a query of its own."""
    import ir_measures

    qrels, run = [], []
    for number, (ranking, gold) in enumerate(pairs):
        query = str(number)
        qrels += [ir_measures.Qrel(query, doc, _whole(grade)) for doc, grade in gold.items()]
        run += [
            ir_measures.ScoredDoc(query, doc, float(len(ranking) - place))
            for place, doc in enumerate(ranking)
        ]
    found = {m.query_id: m.value for m in ir_measures.iter_calc([measure], qrels, run)}
    return [float(found.get(str(number), 0.0)) for number in range(len(pairs))]


def _whole(grade: float) -> int:
    if grade != int(grade):
        raise FunctionError(
            f"ir_measures reads whole grades only, and one is {grade:g}",
            remedy="Use a built-in metric, which takes fractional grades as they are.",
        )
    return int(grade)
