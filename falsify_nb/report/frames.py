"""Results as pandas frames."""

from __future__ import annotations

from typing import TYPE_CHECKING

from falsify_nb.core.null_result import Interval
from falsify_nb.core.result import GateResult
from falsify_nb.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["null_frame", "per_query_frame", "require_queries"]

_NO_INTERVAL = Interval(float("nan"), float("nan"))


def null_frame(result: GateResult) -> pd.DataFrame:
    """Return the four nulls as a frame with index A to D.

    Returns
    -------
    pandas.DataFrame, shape (4, 9)
        Columns null_mean, delta, ci_low and ci_high (95 %), ci_low_adj and ci_high_adj
        (98.75 %), p_value, p_adj, verdict. An interval or p-value that does not exist is NaN.
    """
    import pandas as pd

    rows = []
    for null in result.nulls.values():
        plain = null.interval or _NO_INTERVAL
        wide = null.interval_adjusted or _NO_INTERVAL
        rows.append(
            {
                "null_mean": null.mean,
                "delta": null.delta,
                "ci_low": plain.low,
                "ci_high": plain.high,
                "ci_low_adj": wide.low,
                "ci_high_adj": wide.high,
                "p_value": float("nan") if null.p_value is None else null.p_value,
                "p_adj": float("nan") if null.p_adjusted is None else null.p_adjusted,
                "verdict": null.verdict,
            }
        )
    return pd.DataFrame(rows, index=pd.Index(list(result.nulls), name="null"))


def per_query_frame(result: GateResult) -> pd.DataFrame:
    """Return one row per evaluated query.

    Returns
    -------
    pandas.DataFrame, shape (n_queries, 5 or 6)
        Index query_id; columns score, null_A to null_D, and text where it was given.

    Raises
    ------
    InputError
        If the per-query figures were left out of the file that the result was read from.
    """
    import pandas as pd

    require_queries(result)
    columns: dict[str, object] = {"score": result.scores}
    columns |= {f"null_{k}": row for k, row in zip("ABCD", result.null_scores, strict=True)}
    if result.texts:
        columns["text"] = list(result.texts)
    # copy: the result's arrays are read-only, a frame's owner may write to it.
    frame = pd.DataFrame(columns, index=pd.Index(list(result.query_ids), name="query_id"))
    return frame.copy()


def require_queries(result: GateResult) -> None:
    """Raise where a result has no per-query figures."""
    if len(result.scores) != result.n_queries:
        raise InputError(
            f"the per-query figures of this result's {result.n_queries:,} queries were left out "
            "when it was written",
            remedy="Write it with result.to_json(arrays=True), or gate the run again.",
        )
