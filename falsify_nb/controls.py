"""A measuring instrument's controls: systems of known kind, gated on the user's own benchmark."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from falsify_nb.api import falsify
from falsify_nb.core.null_result import Verdict
from falsify_nb.core.protocol import IntervalMethod
from falsify_nb.core.result import GateResult
from falsify_nb.errors import InputError, OptionError, near_names, shorten
from falsify_nb.io.adapt import to_corpus, to_qrels
from falsify_nb.io.metric import to_metric
from falsify_nb.systems import SYSTEMS, baseline

if TYPE_CHECKING:
    import os

    import pandas as pd

    from falsify_nb.report.charts import Chart

__all__ = ["Control", "SelfTest", "self_test"]

SCHEMA = 1
DEPTH = 100
# From here on a perfect system must pass, and one that is perfect but at a share of the queries
# where even scores of 0 and 1 leave no doubt (more than 99 % power at 100 queries).
ENOUGH_QUERIES = 100
CLEARLY_ABOVE = {"oracle": 0.1, "failing-oracle": 0.3}
_NOT_PASS: tuple[Verdict, ...] = ("FAIL", "UNDER-NS")


@dataclass(frozen=True, slots=True)
class Control:
    """One system of known kind, and what the gate made of it.

    Parameters
    ----------
    system : str
        Its name, as `baseline` knows it.
    what : str
        What it does, in a few words.
    verdict : {"PASS", "FAIL", "UNDER-NS"}
        The gate's verdict.
    expected : tuple of str
        The verdicts that are right for it.
    score : float
        Its score.
    verdicts : dict of str to str
        The verdict of each null, by letter.
    deltas : dict of str to float
        The gap to each null, by letter.
    """

    system: str
    what: str
    verdict: Verdict
    expected: tuple[Verdict, ...]
    score: float
    verdicts: dict[str, Verdict]
    deltas: dict[str, float]

    @property
    def is_right(self) -> bool:
        """Whether the verdict is one of those expected."""
        return self.verdict in self.expected

    @property
    def caught_by(self) -> tuple[str, ...]:
        """Letters of the nulls that fail it."""
        return tuple(name for name, verdict in self.verdicts.items() if verdict == "FAIL")


@dataclass(frozen=True, eq=False, slots=True)
class SelfTest:
    """Systems of known kind against the four nulls, on one benchmark.

    Parameters
    ----------
    controls : tuple of Control
        What should pass first, then what should not.
    metric : str
        The metric.
    tau : float
        The threshold.
    n_queries : int
        Number of evaluated queries.
    corpus_size : int
        Documents that Null C draws from.
    n_boot, seed : int
        Of every gate.
    skipped : tuple of str
        Systems that this benchmark cannot have, because they would return nothing.
    """

    controls: tuple[Control, ...]
    metric: str
    tau: float
    n_queries: int
    corpus_size: int
    n_boot: int
    seed: int
    skipped: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        raise TypeError("the truth value of a SelfTest is ambiguous: use self_test.passed")

    def __repr__(self) -> str:
        right = len(self.controls) - len(self.wrong)
        return f"<SelfTest: {right} of {len(self.controls)} verdicts right>"

    @property
    def wrong(self) -> tuple[Control, ...]:
        """The controls with a wrong verdict."""
        return tuple(control for control in self.controls if not control.is_right)

    @property
    def passed(self) -> bool:
        """True when every verdict is right."""
        return not self.wrong

    @property
    def finding(self) -> str:
        """The outcome in one sentence; a wrong verdict is named first."""
        if self.wrong:
            named = "; ".join(
                f"{c.system} ({c.what}) got {c.verdict}, right would be {' or '.join(c.expected)}"
                for c in self.wrong
            )
            return (
                f"WRONG: {named}. Do not trust verdicts on this benchmark before this is explained."
            )
        right = f"All {len(self.controls)} systems of known kind got a right verdict."
        return f"{right}{self._out_of_reach}"

    @property
    def _out_of_reach(self) -> str:
        """What a reader must know where PASS was not to be had."""
        for control in self.controls:
            if control.system == "oracle" and control.verdict == "FAIL":
                return (
                    " But none can pass here: a perfect system FAILs, so that this benchmark and "
                    "metric cannot carry the question."
                )
            if control.system == "oracle" and control.verdict == "UNDER-NS":
                return " But none can pass here: the queries are too few even for a perfect system."
        return ""

    def to_frame(self) -> pd.DataFrame:
        """Return a frame by system.

        Columns: what, verdict, expected, right, score, then ``verdict_A`` … ``verdict_D`` and
        ``delta_A`` … ``delta_D``.
        """
        import pandas as pd

        rows = [
            {
                "system": c.system,
                "what": c.what,
                "verdict": c.verdict,
                "expected": " or ".join(c.expected),
                "right": c.is_right,
                "score": c.score,
                **{f"verdict_{name}": v for name, v in c.verdicts.items()},
                **{f"delta_{name}": d for name, d in c.deltas.items()},
            }
            for c in self.controls
        ]
        return pd.DataFrame(rows).set_index("system")

    def to_text(self) -> str:
        """Return the finding and a table in plain text."""
        head = f"Self-test on {self.n_queries:,} queries, {self.metric}, τ = {self.tau:g}"
        lines = [self.finding, head]
        for c in self.controls:
            nulls = "  ".join(f"{k} {c.deltas[k]:+.3f} {c.verdicts[k]}" for k in c.verdicts)
            mark = "" if c.is_right else "  <- WRONG"
            lines.append(f"{c.system:16} {c.score:.3f}  {c.verdict:8}  {nulls}{mark}")
        if self.skipped:
            lines.append(f"Not possible on this benchmark: {', '.join(self.skipped)}.")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain JSON types."""
        data = {name: getattr(self, name) for name in SelfTest.__slots__}
        data["controls"] = [
            {**{k: getattr(c, k) for k in Control.__slots__}, "expected": list(c.expected)}
            for c in self.controls
        ]
        data["skipped"] = list(self.skipped)
        return {"schema": SCHEMA, "kind": "self-test", **data}

    def to_json(self) -> str:
        """Return `to_dict` as JSON text."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> SelfTest:
        """Rebuild a result from `to_dict`.

        Raises
        ------
        InputError
            If the data is no self-test, or of another schema.
        """
        fields = dict(data)
        schema, kind = fields.pop("schema", None), fields.pop("kind", None)
        if schema != SCHEMA or kind != "self-test":
            raise InputError(
                f"this is no self-test of schema {SCHEMA}: schema={schema!r}, kind={kind!r}",
                remedy="Read a file that result.save('….json') wrote.",
            )
        fields["controls"] = tuple(
            Control(**{**control, "expected": tuple(control["expected"])})
            for control in fields["controls"]
        )
        fields["skipped"] = tuple(fields["skipped"])
        return cls(**fields)

    @classmethod
    def from_json(cls, text: str) -> SelfTest:
        """Rebuild a result from `to_json`."""
        return cls.from_dict(json.loads(text))

    def chart(self, kind: str = "self-test") -> Chart:
        """Return the matrix of systems and nulls."""
        from falsify_nb.report.charts import chart

        return chart(self, kind)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the result in the form that the path's extension names."""
        from falsify_nb.report.document import save

        save(self, path)

    def _ipython_display_(self) -> None:
        from falsify_nb.report.display import show_chart

        show_chart(self)


def self_test(
    qrels: Any,  # noqa: ANN401 - whatever falsify reads
    corpus: Any = None,  # noqa: ANN401
    metric: str | Callable[[list[str], dict[str, float]], float] = "nDCG@10",
    *,
    tau: float = 0.05,
    n_boot: int = 1000,
    top_k: int | None = None,
    seed: int = 2026,
    groups: Any = None,  # noqa: ANN401
    interval: IntervalMethod = "dirichlet",
    bounds: tuple[float, float] = (0.0, 1.0),
    systems: Iterable[str] | None = None,
    share: float = 0.2,
    progress: Callable[[str, int, int], None] | None = None,
) -> SelfTest:
    """Gate systems of known kind on your own benchmark, and say whether each verdict is right.

    Positive controls are a perfect system, and one that is perfect but at a share of the queries.
    Negative controls never read the query, or return only what is not relevant: none may pass. The
    result shows which null caught which, and names every wrong verdict.

    Parameters
    ----------
    qrels, corpus, metric, tau, n_boot, top_k, seed, groups, interval, bounds
        As `falsify` takes them. A corpus given by its size is enough: the systems then return
        judged documents.
    systems : iterable of str, optional
        Names of `falsify_nb.systems.SYSTEMS`; default all of them.
    share : float
        Share of the queries at which ``"failing-oracle"`` fails, 0 to 1.
    progress : callable, optional
        ``progress(stage, done, total)``, called between systems; raising in it cancels.

    Returns
    -------
    SelfTest

    Raises
    ------
    OptionError
        If a system is unknown or a parameter outside its range.
    InputError
        If qrels or corpus cannot be used.

    Examples
    --------
    >>> from falsify_nb import load_demo
    >>> demo = load_demo()
    >>> self_test(demo.qrels, demo.corpus, systems=["oracle", "popularity"])
    <SelfTest: 2 of 2 verdicts right>
    """
    names = _checked(systems)
    judgments, collection = to_qrels(qrels), to_corpus(corpus)
    measure = to_metric(metric)
    depth = top_k or measure.k or DEPTH
    ids = None if collection is None or collection.ids is None else collection
    found: list[GateResult] = []
    controls, skipped = [], []
    for done, name in enumerate(names):
        if progress is not None:
            progress(name, done, len(names))
        run = baseline(name, judgments, ids, depth=depth, seed=seed, share=share)
        if not any(run.values()):
            skipped.append(name)
            continue
        result = falsify(
            run,
            qrels=judgments,
            corpus=collection,
            metric=metric,
            tau=tau,
            n_boot=n_boot,
            top_k=top_k,
            seed=seed,
            groups=groups,
            interval=interval,
            bounds=bounds,
            strict=False,
        )
        found.append(result)
        controls.append(_control(name, result))
    if not found:
        raise InputError("none of the systems returns anything on these judgments")
    first = found[0]
    size = max(result.corpus_size for result in found)
    return SelfTest(
        tuple(controls), first.metric, tau, first.n_queries, size, n_boot, seed, tuple(skipped)
    )


def _control(name: str, result: GateResult) -> Control:
    return Control(
        system=name,
        what=SYSTEMS[name].what,
        verdict=result.verdict,
        expected=_expected(name, result),
        score=result.score,
        verdicts={k: null.verdict for k, null in result.nulls.items()},
        deltas={k: null.delta for k, null in result.nulls.items()},
    )


def _expected(name: str, result: GateResult) -> tuple[Verdict, ...]:
    """Return the verdicts that are right for a system, given the gaps that it has here."""
    if name not in CLEARLY_ABOVE:
        return _NOT_PASS
    least = min(null.delta for null in result.nulls.values())
    if least < result.tau:
        return _NOT_PASS
    clear = result.n_queries >= ENOUGH_QUERIES and least >= result.tau + CLEARLY_ABOVE[name]
    return ("PASS",) if clear else ("PASS", "UNDER-NS")


def _checked(systems: Iterable[str] | None) -> list[str]:
    if systems is None:
        return list(SYSTEMS)
    names = [systems] if isinstance(systems, str) else list(systems)
    for name in names:
        if name not in SYSTEMS:
            near = near_names(str(name), SYSTEMS)
            remedy = f"Did you mean {' or '.join(near)}?" if near else f"Use {', '.join(SYSTEMS)}."
            raise OptionError(f"{shorten(name)} is no system that can be built", remedy=remedy)
    if not names:
        raise OptionError("systems is empty", remedy="Leave it out for all of them.")
    return names
