"""Systems of known kind, built from any answer key: controls for the gate, honest and cheating."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from falsify_nb.errors import CorpusError, OptionError, near_names, shorten
from falsify_nb.io.adapt import to_corpus, to_qrels, to_run

__all__ = ["SYSTEMS", "System", "baseline"]

Gold = Mapping[str, Mapping[str, float]]
Rankings = dict[str, list[str]]
AnyRun = dict[str, list[str]] | dict[str, dict[str, float]]


@dataclass(frozen=True, slots=True)
class Bench:
    """What a builder may look at.

    Parameters
    ----------
    gold : mapping
        The relevant documents of every query that has any, with their grades.
    corpus : tuple of str
        The collection's ids, sorted.
    depth : int
        Documents per ranking.
    seed : int
        Root of the random streams.
    share : float
        Share of the queries at which the failing oracle fails.
    run : mapping or None
        Rankings to deal out again, for ``"other-query"``.
    """

    gold: Gold
    corpus: tuple[str, ...]
    depth: int
    seed: int
    share: float
    run: Mapping[str, list[str]] | None

    def stream(self, key: int) -> np.random.Generator:
        """Return a random stream of its own, so that no system disturbs another."""
        return np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(key,)))


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
    if not 0 <= share <= 1:
        raise OptionError(f"share={share!r} is not a number from 0 to 1")
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


def _oracle(bench: Bench) -> Rankings:
    # Best grade first; among equals the id decides, so that the list is always the same.
    return {
        q: sorted(docs, key=lambda d: (-docs[d], d))[: bench.depth]
        for q, docs in bench.gold.items()
    }


def _anti_oracle(bench: Bench) -> Rankings:
    return {
        q: _first((d for d in bench.corpus if d not in docs), bench.depth)
        for q, docs in bench.gold.items()
    }


def _failing_oracle(bench: Bench) -> Rankings:
    fails = bench.stream(1).permutation(len(bench.gold)) < round(bench.share * len(bench.gold))
    good, bad = _oracle(bench), _anti_oracle(bench)
    return {q: (bad if failed else good)[q] for q, failed in zip(bench.gold, fails, strict=True)}


def _constant(bench: Bench) -> Rankings:
    top = _by_count(_counts(bench.gold))[:1]
    return {q: list(top) for q in bench.gold}


def _popularity(bench: Bench) -> Rankings:
    top = _by_count(_counts(bench.gold))[: bench.depth]
    return {q: list(top) for q in bench.gold}


def _popularity_loo(bench: Bench) -> Rankings:
    counts = _counts(bench.gold)
    # Leaving a query out can only move its own documents down; the others keep their order, so
    # a list longer by the number of its documents holds all that can come up.
    out = {}
    for q, docs in bench.gold.items():
        near = _by_count(counts)[: bench.depth + len(docs)]
        left = {d: counts[d] - (d in docs) for d in near}
        out[q] = [d for d in _by_count(left) if left[d] > 0][: bench.depth]
    return out


def _marginal_random(bench: Bench) -> Rankings:
    counts = _counts(bench.gold)
    docs = sorted(counts)
    log_weight = np.log([counts[d] for d in docs])
    random, out = bench.stream(2), {}
    for q in bench.gold:
        # Adding Gumbel noise to log-weights and sorting draws without replacement by weight.
        order = np.argsort(-(log_weight + random.gumbel(size=len(docs))))
        out[q] = [docs[i] for i in order[: bench.depth]]
    return out


def _uniform_random(bench: Bench) -> Rankings:
    random, n = bench.stream(3), len(bench.corpus)
    size = min(bench.depth, n)
    return {
        q: [bench.corpus[i] for i in random.choice(n, size=size, replace=False)] for q in bench.gold
    }


def _other_query(bench: Bench) -> Rankings:
    given = _oracle(bench) if bench.run is None else bench.run
    queries = list(bench.gold)
    order = [queries[i] for i in bench.stream(4).permutation(len(queries))]
    # Each gets the next one's list in a random round: nobody keeps its own.
    rounds = zip(order, order[1:] + order[:1], strict=True)
    return {q: list(given.get(other, ())) for q, other in sorted(rounds)}


def _tied(bench: Bench) -> dict[str, dict[str, float]]:
    # The same candidates for everybody, all scored alike. A query's relevant documents stand
    # first in its dict: a tool that sorts by score and leaves ties as they came makes a perfect
    # ranking of that.
    candidates = _by_count(_counts(bench.gold))[: bench.depth]
    out = {}
    for q, docs in bench.gold.items():
        hits = [d for d in candidates if d in docs]
        out[q] = dict.fromkeys([*hits, *candidates], 1.0)
    return out


# In the order in which a table shows them: what should pass, what should not.
SYSTEMS: Mapping[str, System] = MappingProxyType(
    {
        "oracle": System("the relevant documents, best first", True, _oracle),
        "failing-oracle": System(
            "the oracle, wrong at a share of the queries", True, _failing_oracle
        ),
        "anti-oracle": System("only documents that are not relevant", True, _anti_oracle),
        "constant": System("the most popular document, always", False, _constant),
        "popularity": System("the popular documents, always in that order", False, _popularity),
        "popularity-loo": System(
            "the same, counted without the query itself", False, _popularity_loo
        ),
        "marginal-random": System("documents drawn by their popularity", False, _marginal_random),
        "uniform-random": System("documents drawn blindly", False, _uniform_random),
        "other-query": System("the ranking of another query", False, _other_query),
        "tied": System("every candidate with the same score", False, _tied),
    }
)


def _counts(gold: Gold) -> Counter[str]:
    return Counter(d for docs in gold.values() for d in docs)


def _by_count(counts: Mapping[str, int]) -> list[str]:
    return sorted(counts, key=lambda d: (-counts[d], d))


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


def _first(docs: Iterable[str], n: int) -> list[str]:
    return [d for d, _ in zip(docs, range(n), strict=False)]
