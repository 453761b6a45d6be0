"""Systems of known kind, built from any answer key: controls for the gate, honest and cheating."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from falsify_nb import _rankings
from falsify_nb._rankings import AnyRun, Bench, Gold, Rankings
from falsify_nb.errors import CorpusError, OptionError, near_names, shorten
from falsify_nb.io.adapt import to_corpus, to_qrels, to_run

__all__ = ["SYSTEMS", "System", "baseline"]


@dataclass(frozen=True, slots=True)
class System:
    """A system of known kind.

    Parameters
    ----------
    what : str
        What it does, in a few words.
    reads_query : bool
        Whether it uses more than the answer key as a whole: the gate may pass only these.
    build : callable
        Makes its rankings.
    """

    what: str
    reads_query: bool
    build: Callable[[Bench], AnyRun]


def baseline(
    name: str,
    qrels: Any,  # noqa: ANN401 - whatever falsify_nb.io.adapt reads
    corpus: Any = None,  # noqa: ANN401
    *,
    depth: int = 100,
    seed: int = 2026,
    share: float = 0.2,
    run: Any = None,  # noqa: ANN401
) -> AnyRun:
    """Build the run of a system of known kind on your own benchmark.

    Parameters
    ----------
    name : str
        ``"oracle"``, ``"failing-oracle"``, ``"anti-oracle"``, ``"constant"``, ``"popularity"``,
        ``"popularity-loo"``, ``"marginal-random"``, ``"uniform-random"``, ``"other-query"`` or
        ``"tied"``; `falsify_nb.systems.SYSTEMS` says what each one does.
    qrels
        Relevance judgments in any form that `falsify` reads.
    corpus : ids, optional
        The collection's document ids. Default: the judged documents.
    depth : int
        Documents per ranking, at least 1.
    seed : int
        For the systems that draw at random, at least 0.
    share : float
        For ``"failing-oracle"``: the share of queries at which it fails, 0 to 1.
    run : optional
        For ``"other-query"``: the run whose rankings are dealt out again. Default: the oracle's.

    Returns
    -------
    dict
        Query id to a list of document ids; for ``"tied"``, to {document id: score}.

    Raises
    ------
    OptionError
        If the name is unknown or a number is outside its range.
    InputError
        If qrels, corpus or run cannot be used.

    Examples
    --------
    >>> qrels = {"q1": {"d1": 1}, "q2": {"d2": 1}, "q3": {"d2": 1}}
    >>> baseline("popularity", qrels)
    {'q1': ['d2', 'd1'], 'q2': ['d2', 'd1'], 'q3': ['d2', 'd1']}
    """
    system = SYSTEMS.get(name) if isinstance(name, str) else None
    if system is None:
        near = near_names(str(name), SYSTEMS)
        remedy = f"Did you mean {' or '.join(near)}?" if near else f"Use {', '.join(SYSTEMS)}."
        raise OptionError(f"{shorten(name)} is no system that can be built", remedy=remedy)
    _check_integer("depth", depth, 1)
    _check_integer("seed", seed, 0)
    if not hasattr(share, "__float__") or not 0 <= share <= 1:
        raise OptionError(f"share={shorten(share)} is not a number from 0 to 1")
    judged = to_qrels(qrels).to_dict()
    gold = {
        q: {d: float(g) for d, g in sorted(docs.items()) if g > 0}
        for q, docs in sorted(judged.items())
    }
    bench = Bench(
        gold={q: docs for q, docs in gold.items() if docs},
        corpus=_ids(corpus, judged),
        depth=depth,
        seed=seed,
        share=share,
        run=None if run is None else _lists(run, depth),
    )
    return system.build(bench)


# In the order in which a table shows them: what should pass, what should not.
SYSTEMS: Mapping[str, System] = MappingProxyType(
    {
        "oracle": System("the relevant documents, best first", True, _rankings.oracle),
        "failing-oracle": System(
            "the oracle, wrong at a share of the queries", True, _rankings.failing_oracle
        ),
        "anti-oracle": System("only documents that are not relevant", True, _rankings.anti_oracle),
        "constant": System("the most popular document, always", False, _rankings.constant),
        "popularity": System(
            "the popular documents, always in that order", False, _rankings.popularity
        ),
        "popularity-loo": System(
            "the same, counted without the query itself", False, _rankings.popularity_loo
        ),
        "marginal-random": System(
            "documents drawn by their popularity", False, _rankings.marginal_random
        ),
        "uniform-random": System("documents drawn blindly", False, _rankings.uniform_random),
        "other-query": System("the ranking of another query", False, _rankings.other_query),
        "tied": System("every candidate with the same score", False, _rankings.tied),
    }
)


def _lists(run: Any, depth: int) -> Rankings:  # noqa: ANN401
    def ranked(docs: Mapping[str, float] | list[str]) -> list[str]:
        if isinstance(docs, Mapping):
            return sorted(docs, key=lambda d: (docs[d], d), reverse=True)
        return docs

    return {q: ranked(docs)[:depth] for q, docs in to_run(run).to_dict().items()}


def _ids(corpus: Any, judged: Gold) -> tuple[str, ...]:  # noqa: ANN401
    if corpus is None:
        return tuple(sorted({d for docs in judged.values() for d in docs}))
    table = to_corpus(corpus)
    if table is None or table.ids is None:
        raise CorpusError(
            "a corpus given by its size has no documents to return",
            remedy="Give the documents' ids, or leave the corpus out to use the judged ones.",
        )
    return tuple(sorted(table.ids))


def _check_integer(name: str, value: int, low: int) -> None:
    if isinstance(value, bool) or not hasattr(value, "__index__") or value < low:
        raise OptionError(f"{name}={shorten(value)} is not a whole number of at least {low}")
