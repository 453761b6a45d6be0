"""Tab completion of ``result.chart("…")``: the kinds that the result in that variable has."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

__all__ = ["chart_kinds"]

_CALL = re.compile(r"""(\w+)\s*\.\s*chart\(\s*(?:kind\s*=\s*)?["']([\w-]*)$""")


def chart_kinds(typed: str, namespace: Mapping[str, Any]) -> tuple[list[str], str] | None:
    """Return the kinds that fit what is typed, and the part of the name typed so far.

    Parameters
    ----------
    typed : str
        The line up to the cursor.
    namespace : mapping of str to object
        The notebook's variables.

    Returns
    -------
    tuple of (list of str, str), or None
        None where no chart of a variable is being asked for.

    Examples
    --------
    >>> chart_kinds('nothing.chart("ga', {}) is None
    True
    """
    call = _CALL.search(typed)
    if call is None or call[1] not in namespace:
        return None
    from falsify_nb.report.charts import kinds_of

    kinds = kinds_of(namespace[call[1]])
    return ([k for k in kinds if k.startswith(call[2])], call[2]) if kinds else None
