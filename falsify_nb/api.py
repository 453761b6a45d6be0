"""The public functions: take what a user hands over, call the core, return a result."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Callable, Mapping
from typing import Any

from falsify_nb.core.call_plan import Plan, plan_calls
from falsify_nb.core.gate import run_gate
from falsify_nb.core.inputs import Inputs
from falsify_nb.core.protocol import Decision, IntervalMethod, Protocol, Strict
from falsify_nb.core.result import GateResult
from falsify_nb.core.tables import Corpus
from falsify_nb.errors import OptionError, shorten
from falsify_nb.io.adapt import to_corpus, to_qrels, to_run
from falsify_nb.io.crosscheck import checked_together
from falsify_nb.io.metric import to_metric
from falsify_nb.io.per_query import to_per_query
from falsify_nb.progress import LateBar

__all__ = ["falsify", "plan"]


def falsify(
    run: Any,  # noqa: ANN401 - whatever falsify_nb.io.adapt reads
    *,
    qrels: Any,  # noqa: ANN401
    corpus: Any = None,  # noqa: ANN401
    metric: str | Callable[[list[str], dict[str, float]], float] = "nDCG@10",
    tau: float = 0.05,
    n_boot: int = 1000,
    top_k: int | None = None,
    seed: int = 2026,
    queries: Any = None,  # noqa: ANN401
    groups: Any = None,  # noqa: ANN401
    interval: IntervalMethod = "dirichlet",
    decision: Decision = "interval",
    strict: Strict = "auto",
    bounds: tuple[float, float] = (0.0, 1.0),
    drop_self: bool = False,
    protocol: Protocol | None = None,
    n_jobs: int | None = None,
    progress: Callable[[str, int, int], None] | None = None,
) -> GateResult:
    """Ask four times whether a dumb system could have got this run's score.

    Parameters
    ----------
    run : mapping, frame, path or Run
        The system's output: ``{query_id: {doc_id: score}}``, ``{query_id: [doc_id, …]}`` best
        first, a frame with query_id, doc_id and score, a TREC run file, and more.
    qrels : mapping, frame, path or Qrels
        The judgments: ``{query_id: {doc_id: grade}}``, a frame, a TREC qrels file, and more.
        A grade above 0 is relevant.
    corpus : ids, path or int, optional
        The collection's document ids, a file of them, or its size. Without it Null C draws from
        the documents judged or retrieved.
    metric : str or callable
        ``"nDCG@10"``, ``"R@100"``, ``"RR@10"``, ``"AP@100"``, ``"P@5"``, ``"Success@1"`` and
        other spellings, or a function ``f(ranking, gold) -> float``.
    tau : float
        Smallest gap that counts, 0 to 1.
    n_boot : int
        Draws per null, at least 100.
    top_k : int, optional
        How deep rankings are read; default the metric's cutoff, else the longest ranking.
    seed : int
        Root of all random streams.
    queries : mapping of str to str, frame or path, optional
        Query texts, for display, and for a run that is a retriever.
    groups : mapping of str to str, frame or path, optional
        Query id to group, where queries are paraphrases of one question.
    interval : {"dirichlet", "percentile"}
        How the intervals are made.
    decision : {"interval", "point"}
        Whether a null is judged by its interval or by the bare gap.
    strict : "auto", True or False
        Whether the strict single-gold form is judged beside the metric.
    bounds : tuple of float
        Range of the metric, for a function.
    drop_self : bool
        Whether a document with the query's own id is left out of its ranking.
    protocol : Protocol, optional
        All parameters at once, fixed beforehand; then no other may be given.
    n_jobs : int, optional
        Workers for a function metric, through joblib.
    progress : callable, optional
        ``progress(stage, done, total)``, called between chunks; raising in it cancels.

    Returns
    -------
    GateResult
        The verdict with all that it rests on.

    Raises
    ------
    InputError
        If run, qrels or corpus cannot be used; the message names the place and the remedy.
    OptionError
        If a parameter is outside its range.

    Examples
    --------
    >>> from falsify_nb import falsify, load_demo
    >>> demo = load_demo()
    >>> result = falsify(demo.runs["popular"], qrels=demo.qrels, corpus=demo.corpus)
    >>> result.verdict, result.nulls["A"].verdict
    ('FAIL', 'FAIL')
    """
    given = Protocol(
        tau=tau,
        top_k=top_k,
        n_boot=n_boot,
        seed=seed,
        interval=interval,
        decision=decision,
        strict=strict,
        bounds=bounds,
        drop_self=drop_self,
    )
    hook = LateBar() if progress is None else progress
    try:
        inputs, chosen = _prepared(
            run, qrels, corpus, metric, queries, groups, given, protocol, hook
        )
        return run_gate(
            dataclasses.replace(inputs, n_jobs=n_jobs),
            chosen,
            sealed=protocol is not None,
            progress=hook,
        )
    finally:
        if isinstance(hook, LateBar):
            hook.close()


def plan(
    run: Any,  # noqa: ANN401 - whatever falsify_nb.io.adapt reads
    *,
    qrels: Any,  # noqa: ANN401
    metric: Callable[[list[str], dict[str, float]], float],
    corpus: Any = None,  # noqa: ANN401
    n_boot: int = 1000,
    top_k: int | None = None,
) -> Plan:
    """Say how often `falsify` would call a metric function, before it is called once.

    Parameters
    ----------
    run, qrels, metric, corpus, n_boot, top_k
        As in `falsify`.

    Returns
    -------
    Plan
        The number of calls, by part.

    Examples
    --------
    >>> from falsify_nb import load_demo, plan
    >>> demo = load_demo()
    >>> plan(demo.runs["bm25"], qrels=demo.qrels, metric=lambda ranking, gold: 0.0).calls > 100
    True
    """
    given = Protocol(n_boot=n_boot, top_k=top_k)
    inputs, chosen = _prepared(run, qrels, corpus, metric, None, None, given, None, None)
    return plan_calls(inputs, chosen)


def _prepared(
    run: Any,  # noqa: ANN401
    qrels: Any,  # noqa: ANN401
    corpus: Any,  # noqa: ANN401
    metric: str | Callable[[list[str], dict[str, float]], float],
    queries: Any,  # noqa: ANN401
    groups: Any,  # noqa: ANN401
    given: Protocol,
    sealed: Protocol | None,
    progress: Callable[[str, int, int], None] | None,
) -> tuple[Inputs, Protocol]:
    """Return the inputs as tables, and the protocol with what they add to it."""
    if sealed is not None:
        _refuse_both(given)
        metric = _metric_of(sealed, metric)
    measure = to_metric(metric)
    texts, grouping = to_per_query(queries, "queries"), to_per_query(groups, "groups")
    judgments = to_qrels(qrels)
    collection = to_corpus(corpus)
    found = {
        "metric": str(measure),
        "corpus": fingerprint(collection),
        "groups": _grouping(grouping),
    }
    chosen = _completed(given if sealed is None else sealed, sealed, found)
    inputs = Inputs(
        run=checked_together(to_run(run, queries=texts, progress=progress), judgments),
        qrels=judgments,
        corpus=collection,
        metric=measure,
        texts=texts or {},
        groups=grouping,
    )
    return inputs, chosen


def _refuse_both(given: Protocol) -> None:
    """Refuse a parameter beside a protocol: one of the two would silently lose."""
    default = Protocol()
    for field in dataclasses.fields(Protocol):
        value = getattr(given, field.name)
        if value != getattr(default, field.name):
            raise OptionError(
                f"both protocol= and {field.name}={shorten(value)} were given",
                remedy="Put all parameters into the protocol, or leave protocol= out.",
            )


def _metric_of(
    protocol: Protocol, metric: str | Callable[[list[str], dict[str, float]], float]
) -> str | Callable[[list[str], dict[str, float]], float]:
    if callable(metric):
        name = str(to_metric(metric))
        if protocol.metric != name:
            raise OptionError(
                f"the protocol fixes the metric {protocol.metric!r}, but {name!r} was given",
                remedy=f"Write Protocol(metric={name!r}, …) to seal that function.",
            )
        return metric
    if metric not in ("nDCG@10", protocol.metric):
        raise OptionError(
            f"both protocol= (with {protocol.metric!r}) and metric={metric!r} were given",
            remedy="Name the metric in the protocol only.",
        )
    return protocol.metric


def _completed(
    chosen: Protocol, sealed: Protocol | None, found: Mapping[str, str | None]
) -> Protocol:
    """Return the protocol with what the inputs add, refusing what contradicts a sealed one."""
    for name in ("corpus", "groups"):
        fixed = None if sealed is None else getattr(sealed, name)
        if fixed is not None and fixed != found[name]:
            raise OptionError(
                f"the protocol fixes the {name} ({fixed}), but what was given is {found[name]}",
                remedy=f"Hand over the {name} that the protocol was sealed with.",
            )
    return Protocol.from_dict({**chosen.to_dict(), **found})


def fingerprint(corpus: Corpus | None) -> str | None:
    """Return what names a corpus in a protocol: its size, and a digest of its sorted ids."""
    if corpus is None:
        return None
    if corpus.ids is None:
        return f"size {corpus.size}"
    digest = hashlib.blake2b("\n".join(sorted(corpus.ids)).encode(), digest_size=8)
    return f"ids {corpus.size} {digest.hexdigest()}"


def _grouping(groups: Mapping[str, str] | None) -> str | None:
    if groups is None:
        return None
    pairs = "\n".join(f"{q}\t{g}" for q, g in sorted(groups.items()))
    digest = hashlib.blake2b(pairs.encode(), digest_size=8).hexdigest()
    return f"{len(set(groups.values()))} groups {digest}"
