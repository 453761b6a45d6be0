"""How the verdict depends on choices: metric, cutoff and τ, tried in a grid."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from falsify_nb.api import falsify
from falsify_nb.core.null_result import Verdict
from falsify_nb.core.protocol import Decision, IntervalMethod, check_number
from falsify_nb.errors import InputError, OptionError, shorten
from falsify_nb.io.adapt import to_corpus, to_qrels, to_run

if TYPE_CHECKING:
    import os

    import pandas as pd

    from falsify_nb.report.charts import Chart

__all__ = ["SensitivityCell", "SensitivityResult", "sensitivity"]

SCHEMA = 1
METRICS = ("nDCG", "R", "RR")
CUTOFFS = (1, 3, 5, 10, 20)
TAUS = (0.01, 0.02, 0.05, 0.1, 0.2)


@dataclass(frozen=True, slots=True)
class SensitivityCell:
    """The verdict under one choice of metric, cutoff and τ.

    Parameters
    ----------
    metric : str
        The metric without its cutoff, such as ``"nDCG"``.
    k : int
        The cutoff.
    tau : float
        The threshold.
    verdict : {"PASS", "FAIL", "UNDER-NS"}
        The gate's verdict.
    score : float
        The system's score.
    null : str
        Letter of the hardest null, the one with the smallest gap.
    gap : float
        The gap to that null.
    """

    metric: str
    k: int
    tau: float
    verdict: Verdict
    score: float
    null: str
    gap: float


@dataclass(frozen=True, eq=False, slots=True)
class SensitivityResult:
    """Verdicts over a grid of metrics, cutoffs and thresholds.

    Parameters
    ----------
    cells : tuple of SensitivityCell
        Metric by metric, cutoff by cutoff, τ rising.
    n_queries : int
        Number of evaluated queries.
    seed, n_boot : int
        Of every gate in the grid.
    system : str
        The system's name, or empty.
    """

    cells: tuple[SensitivityCell, ...]
    n_queries: int
    seed: int
    n_boot: int
    system: str = ""

    def __repr__(self) -> str:
        passed = sum(cell.verdict == "PASS" for cell in self.cells)
        return f"<SensitivityResult: PASS in {passed} of {len(self.cells)} settings>"

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics without cutoffs, in the order tried."""
        return tuple(dict.fromkeys(cell.metric for cell in self.cells))

    @property
    def cutoffs(self) -> tuple[int, ...]:
        """The cutoffs, rising."""
        return tuple(sorted({cell.k for cell in self.cells}))

    @property
    def taus(self) -> tuple[float, ...]:
        """The thresholds, rising."""
        return tuple(sorted({cell.tau for cell in self.cells}))

    def to_frame(self) -> pd.DataFrame:
        """Return one row per setting: metric, k, tau, verdict, score, null, gap."""
        import pandas as pd

        return pd.DataFrame([_fields(cell) for cell in self.cells])

    def to_text(self) -> str:
        """Return the grid in words, a line per metric and cutoff."""
        return self.chart().text

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain JSON types."""
        return {
            "schema": SCHEMA,
            "kind": "sensitivity",
            "cells": [_fields(cell) for cell in self.cells],
            "n_queries": self.n_queries,
            "seed": self.seed,
            "n_boot": self.n_boot,
            "system": self.system,
        }

    def to_json(self) -> str:
        """Return `to_dict` as JSON text."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> SensitivityResult:
        """Rebuild a result from `to_dict`.

        Raises
        ------
        InputError
            If the data is no such result, or of another schema.
        """
        fields = dict(data)
        schema, kind = fields.pop("schema", None), fields.pop("kind", None)
        if schema != SCHEMA or kind != "sensitivity":
            raise InputError(
                f"this is no sensitivity result of schema {SCHEMA}: "
                f"schema={schema!r}, kind={kind!r}",
                remedy="Read a file that result.save('….json') wrote.",
            )
        fields["cells"] = tuple(SensitivityCell(**cell) for cell in fields["cells"])
        return cls(**fields)

    @classmethod
    def from_json(cls, text: str) -> SensitivityResult:
        """Rebuild a result from `to_json`."""
        return cls.from_dict(json.loads(text))

    def chart(self, kind: str = "sensitivity") -> Chart:
        """Return the grid as a heat map."""
        from falsify_nb.report.charts import chart

        return chart(self, kind)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the result in the form that the path's extension names."""
        from falsify_nb.report.document import save

        save(self, path)

    def _ipython_display_(self) -> None:
        from falsify_nb.report.display import show_chart

        show_chart(self)


def sensitivity(
    run: Any,  # noqa: ANN401 - whatever falsify reads
    *,
    qrels: Any,  # noqa: ANN401
    corpus: Any = None,  # noqa: ANN401
    metrics: Sequence[str] = METRICS,
    cutoffs: Iterable[int] = CUTOFFS,
    taus: Iterable[float] = TAUS,
    n_boot: int = 1000,
    seed: int = 2026,
    groups: Any = None,  # noqa: ANN401
    interval: IntervalMethod = "dirichlet",
    decision: Decision = "interval",
    drop_self: bool = False,
    progress: Callable[[str, int, int], None] | None = None,
) -> SensitivityResult:
    """Gate one run under every metric, cutoff and τ of a grid.

    The grid shows how far a verdict depends on choices. It is no way to choose: the protocol is
    to be fixed before looking.

    Parameters
    ----------
    run, qrels, corpus
        As `falsify` takes them.
    metrics : sequence of str
        Metrics without a cutoff, such as ``("nDCG", "R")``.
    cutoffs : iterable of int
        Cutoffs, at least 1.
    taus : iterable of float
        Thresholds, 0 to 1.
    n_boot, seed, groups, interval, decision, drop_self
        As `falsify` takes them.
    progress : callable, optional
        ``progress(stage, done, total)`` after each gate; raising in it cancels.

    Returns
    -------
    SensitivityResult
        One cell per metric, cutoff and τ.

    Raises
    ------
    OptionError
        If a metric has a cutoff of its own, or a list is empty.
    InputError
        If the inputs cannot be used.

    Examples
    --------
    >>> from falsify_nb import load_demo
    >>> demo = load_demo()
    >>> sensitivity(
    ...     demo.runs["bm25"], qrels=demo.qrels, corpus=demo.corpus,
    ...     metrics=["nDCG"], cutoffs=[5, 10], taus=[0.05, 0.1],
    ... )
    <SensitivityResult: PASS in 4 of 4 settings>
    """
    names, ks, levels = _checked(metrics, cutoffs, taus)
    table, judgments, collection = to_run(run), to_qrels(qrels), to_corpus(corpus)
    cells: list[SensitivityCell] = []
    n_queries = 0
    total = len(names) * len(ks)
    for done, (name, k) in enumerate(((name, k) for name in names for k in ks), start=1):
        result = falsify(
            table,
            qrels=judgments,
            corpus=collection,
            metric=f"{name}@{k}",
            tau=levels[0],
            n_boot=n_boot,
            seed=seed,
            groups=groups,
            interval=interval,
            decision=decision,
            drop_self=drop_self,
            strict=False,
        )
        hardest = min(result.nulls.values(), key=lambda null: null.delta)
        n_queries = result.n_queries
        cells += [
            SensitivityCell(
                name, k, tau, result.at(tau=tau).verdict, result.score, hardest.name, hardest.delta
            )
            for tau in levels
        ]
        if progress is not None:
            progress("settings", done, total)
    return SensitivityResult(tuple(cells), n_queries, seed, n_boot, table.name)


def _checked(
    metrics: Sequence[str], cutoffs: Iterable[int], taus: Iterable[float]
) -> tuple[list[str], list[int], list[float]]:
    if isinstance(metrics, str):
        metrics = [metrics]
    for name in metrics:
        if not isinstance(name, str) or "@" in name:
            raise OptionError(
                f"{shorten(name)} is no metric without cutoff",
                where="metrics",
                remedy='Name the metric alone, such as "nDCG", and its cutoffs in cutoffs=.',
            )
    cutoffs, taus = _several(cutoffs), _several(taus)
    for k in cutoffs:
        if isinstance(k, bool) or not isinstance(k, int) or k < 1:
            raise OptionError(
                f"{shorten(k)} is no cutoff", where="cutoffs", remedy="Use whole numbers from 1."
            )
    for tau in taus:
        check_number("tau", tau, 0.0, 1.0)
    lists = list(dict.fromkeys(metrics)), sorted(set(cutoffs)), sorted(set(map(float, taus)))
    for name, values in zip(("metrics", "cutoffs", "taus"), lists, strict=True):
        if not values:
            raise OptionError(f"{name} is empty", remedy=f"Give {name} at least one value.")
    return lists


def _several(values: Iterable[Any]) -> list[Any]:
    """Return the values of a list; one alone is as good as a list of it."""
    return list(values) if isinstance(values, Iterable) else [values]


def _fields(cell: SensitivityCell) -> dict[str, Any]:
    return {name: getattr(cell, name) for name in SensitivityCell.__slots__}
