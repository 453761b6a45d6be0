"""What the panel remembers: every run with its settings, and which of them is shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from falsify_nb.core.result import GateResult

__all__ = ["History", "Record", "Shown"]

# What a change of makes a later result exploratory.
_FIXED = ("metric", "tau", "corpus", "strict", "top_k", "n_boot", "seed", "interval", "groups")
# Full results are kept for showing again as long as their arrays stay below this.
_KEEP_BYTES = 64 * 2**20


@dataclass(frozen=True, slots=True)
class Record:
    """One finished run of the history.

    Parameters
    ----------
    number : int
        Its place, from 1.
    settings : mapping of str to str
        What was chosen, as typed.
    result : GateResult or None
        What was found; None when it was let go for its size.
    headline : str
        Verdict, metric and score in one line.
    first : mapping of str to str
        The settings of the panel's first run on these judgments.
    benchmark : tuple
        What tells one set of judgments from another.
    """

    number: int
    settings: Mapping[str, str]
    result: GateResult | None
    headline: str
    first: Mapping[str, str]
    benchmark: tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Shown:
    """What the result tabs show: a record, perhaps judged at another tau.

    Parameters
    ----------
    record : Record
        The run.
    result : GateResult
        Its result at `tau`.
    tau : str
        The threshold, as typed.
    warnings : tuple of str
        What the reader should know besides, such as inputs that changed.
    """

    record: Record
    result: GateResult
    tau: str
    warnings: tuple[str, ...] = ()

    @property
    def settings(self) -> dict[str, str]:
        """The settings that reproduce what is shown."""
        return {**self.record.settings, "tau": self.tau}

    @property
    def changes(self) -> dict[str, tuple[str, str]]:
        """What differs from the first run on these judgments, as (then, now)."""
        first, now = self.record.first, self.settings
        return {n: (first[n], now[n]) for n in _FIXED if first[n] != now[n]}


class History:
    """All finished runs, oldest first."""

    def __init__(self) -> None:
        self.records: list[Record] = []

    def add(self, settings: Mapping[str, str], result: GateResult) -> Record:
        """Keep a finished run, and let the arrays of old ones go beyond the budget."""
        labels = result.labels
        benchmark = (settings["qrels"], result.n_queries, labels.n_gold_sets, labels.top)
        same = [r for r in self.records if r.benchmark == benchmark]
        first = same[0].first if same else settings
        headline = f"{result.verdict} · {result.metric} {result.score:.4f}"
        number = len(self.records) + 1
        record = Record(number, settings, result, headline, first, benchmark)
        self.records.append(record)
        self._let_go()
        return record

    def _let_go(self) -> None:
        kept = 0
        for i in range(len(self.records) - 1, -1, -1):
            result = self.records[i].result
            kept += _size(result) if result is not None else 0
            if kept > _KEEP_BYTES and i < len(self.records) - 1:
                self.records[i] = replace(self.records[i], result=None)


def _size(result: GateResult) -> int:
    arrays = [result.scores, result.null_scores, result.labels.counts]
    for null in result.nulls.values():
        arrays += [null.draws, null.contributions]
    return sum(a.nbytes for a in arrays)
