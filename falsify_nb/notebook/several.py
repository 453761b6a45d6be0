"""A mapping of system names to runs: told apart from one run, and gated one by one."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from falsify_nb.errors import InputError, OptionError, shorten

if TYPE_CHECKING:
    from falsify_nb.core.result import GateResult
    from falsify_nb.core.tables import Qrels, Run

__all__ = ["SeveralResults", "as_several", "may_be_several", "named"]


class SeveralResults(Mapping[str, "GateResult"]):
    """The results of several systems, shown one card after the other.

    Parameters
    ----------
    results : mapping of str to GateResult
        Each system's result by its name.
    """

    def __init__(self, results: Mapping[str, GateResult]) -> None:
        self._results = dict(results)

    @classmethod
    def gated(
        cls,
        runs: Mapping[str, Any],
        falsify: Callable[..., GateResult],
        arguments: Mapping[str, Any],
    ) -> SeveralResults:
        """Gate every run with the same arguments."""
        __tracebackhide__ = True
        return cls({name: named(falsify(run, **arguments), name) for name, run in runs.items()})

    def __getitem__(self, name: str) -> GateResult:
        return self._results[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._results)

    def __len__(self) -> int:
        return len(self._results)

    def __repr__(self) -> str:
        verdicts = ", ".join(f"{name} {r.verdict}" for name, r in self._results.items())
        return f"<SeveralResults: {verdicts}>"

    def _ipython_display_(self) -> None:
        for result in self._results.values():
            result._ipython_display_()


def named(result: GateResult, name: str) -> GateResult:
    """Return the result under a system's name, unless the run brought one of its own."""
    # "run" is what a run without a name is called while it is read.
    if not name or result.system not in {"", "run"}:
        return result
    return dataclasses.replace(result, system=name)


def as_several(
    run: object, qrels: Qrels, *, queries: Mapping[Any, str] | None = None, forced: bool = False
) -> dict[str, Run] | None:
    """Return the runs of a mapping of names to runs, or None where it is one run.

    It is one run if any of its keys is a query of the qrels; else several, if every value by
    itself is a run of these queries.

    Parameters
    ----------
    run : object
        What the user handed over as the run.
    qrels : Qrels
        The judgments.
    queries : mapping of query id to text, optional
        What is asked where a value is a retriever.
    forced : bool
        Whether the user said that there are several.

    Raises
    ------
    InputError
        If a mapping can be read neither way.
    """
    if not isinstance(run, Mapping):
        if forced:
            raise OptionError(
                f"--compare needs a mapping of system names to runs, not {type(run).__name__}"
            )
        return None
    judged = set(qrels.query.labels)
    if not forced:
        is_run = any(str(key) in judged for key in run)
        if is_run or not may_be_several(run):
            return None
    runs, problems = _read_all(run, judged, queries)
    if problems and not forced:
        raise _both_readings(run, judged, problems)
    if problems:
        name, problem = next(iter(problems.items()))
        raise InputError(problem, where=f"run {shorten(name)}")
    return runs


def may_be_several(run: object) -> bool:
    """Return whether any value of a mapping could itself be a run, without reading it."""
    return isinstance(run, Mapping) and any(_may_be_a_run(value) for value in run.values())


def _may_be_a_run(value: object) -> bool:
    # A run's own values are rankings: flat lists of ids, or one score per id.
    if isinstance(value, Mapping):
        return any(isinstance(v, Mapping | list | tuple) for v in value.values())
    is_ranking = isinstance(value, list | tuple | set | int | float | bytes | type(None))
    return not is_ranking and not hasattr(value, "tolist")


def _read_all(
    runs: Mapping[Any, Any], judged: set[str], queries: Mapping[Any, str] | None
) -> tuple[dict[str, Run], dict[str, str]]:
    """Return the runs that could be read, and for each other what is wrong with it."""
    from falsify_nb.io.adapt import to_run

    read, problems = {}, {}
    for key, value in runs.items():
        name = str(key)
        try:
            read[name] = to_run(value, name=name, queries=queries)
        except InputError as error:
            problems[name] = str(error)
            continue
        own = read[name].query.labels
        if judged.isdisjoint(own):
            problems[name] = (
                f"none of its {len(own):,} queries is among the {len(judged):,} of the qrels"
            )
    return read, problems


def _both_readings(
    run: Mapping[Any, Any], judged: set[str], problems: Mapping[str, str]
) -> InputError:
    keys = ", ".join(shorten(key, 20) for key in list(run)[:3])
    asked = ", ".join(shorten(query, 20) for query in sorted(judged)[:3])
    name, problem = next(iter(problems.items()))
    return InputError(
        f"a mapping with the keys {keys} can be read neither as one run nor as several: "
        f"as one run, no key is a query of the qrels ({asked}); "
        f"as several, {shorten(name, 20)} is no run of these queries: {problem}",
        remedy="Give {query_id: ranking}, or {system name: run}.",
    )
