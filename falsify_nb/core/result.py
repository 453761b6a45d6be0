"""What the gate found: frozen results, pure data, and their way to JSON and back."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from falsify_nb.core.beside import BlindList, Labels, StrictPair
from falsify_nb.core.frozen import FrozenDict, array_out, freeze, rebuilt
from falsify_nb.core.notices import Notice
from falsify_nb.core.null_result import NullResult, QueriesNeeded, Verdict
from falsify_nb.core.protocol import Protocol
from falsify_nb.errors import InputError

if TYPE_CHECKING:
    import os

    import pandas as pd

    from falsify_nb.report.charts import Chart

__all__ = ["GateResult"]

FloatArray = npt.NDArray[np.float64]
SCHEMA = 1
# Above this many queries, JSON leaves the per-query arrays and the draws out unless asked.
PER_QUERY_LIMIT = 10_000


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
        freeze(self.scores, self.null_scores)
        if not isinstance(self.nulls, FrozenDict):
            object.__setattr__(self, "nulls", FrozenDict(self.nulls))

    def __reduce__(self) -> tuple[object, ...]:
        return rebuilt(self)

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
        data["scores"] = array_out(self.scores, keep=keep)
        data["null_scores"] = array_out(self.null_scores, keep=keep)
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
