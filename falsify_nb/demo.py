"""A small benchmark that the package generates itself, with an honest system and a cheat."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

import numpy as np

from falsify_nb._leaflets import CONDITIONS, Condition

__all__ = ["BM25", "Demo", "load_demo"]

_N_QUERIES = 120
_N_MODAL = 48  # queries that the first condition answers: two in five
_DEPTH = 20  # documents per ranking
_SEED = 40
_COMMON = 0.2  # words in more than this share of the documents are not searched for
_SHARE_CAUSE = 0.15  # of the questions, those that also mention a cause

_OPENINGS = (
    "For some weeks now I have noticed",
    "My father complains of",
    "Since Monday I am troubled by",
    "There is no end to",
    "A neighbour told me to ask about",
    "Every evening I notice",
    "My daughter suffers from",
    "It started with",
)
_CLOSINGS = ("What could it be?", "Which leaflet should I read?", "Is it serious?", "What helps?")
# What patients say instead of the leaflets' words; a retriever that matches words misses these.
_SAID = {
    "throbbing headache": "a hammering skull",
    "dizziness": "feeling faint",
    "pounding heart": "a drumming in my ribs",
    "blurred vision": "seeing everything foggy",
    "nosebleeds": "blood on my pillow",
    "ringing ears": "a whistle only I can hear",
    "flushed face": "hot red cheeks",
    "short breath": "puffing on the stairs",
    "tiredness": "no strength left",
    "nausea": "wanting to throw up",
    "dry skin": "flaking all over",
    "stuffy nose": "not getting air through my nostrils",
    "red eye": "a bloodshot look",
    "frequent urination": "running to the toilet",
    "night cough": "barking after bedtime",
    "dull headache": "a heavy head",
    "tight chest": "a belt round my lungs",
    "red patches": "pink spots",
    "night pain": "hurting after dark",
}


@dataclass(frozen=True, eq=False)
class Demo:
    """A benchmark with two systems to gate.

    Attributes
    ----------
    queries : dict of str to str
        The question's text by query id.
    documents : dict of str to str
        The leaflet's text by document id.
    qrels : dict of str to dict of str to int
        Grades by query and document: 2 answers the question, 1 helps.
    runs : dict of str to dict
        ``"bm25"``, a real retriever: query id to {document id: score};
        ``"popular"``, a cheat that never reads the query: query id to the same list every time.
    """

    queries: dict[str, str]
    documents: dict[str, str]
    qrels: dict[str, dict[str, int]]
    runs: dict[str, dict[str, dict[str, float]] | dict[str, list[str]]]
    _index: BM25

    def __repr__(self) -> str:
        return (
            f"Demo({len(self.queries)} queries, {len(self.documents)} documents; "
            f"runs: {', '.join(self.runs)})"
        )

    @property
    def corpus(self) -> tuple[str, ...]:
        """The ids of all documents."""
        return tuple(self.documents)

    def search(self, text: str, depth: int = _DEPTH) -> dict[str, float]:
        """Return the `depth` best documents for a text, with their BM25 scores.

        Examples
        --------
        >>> from falsify_nb import load_demo
        >>> next(iter(load_demo().search("a swollen toe after shellfish")))
        'gout'
        """
        return self._index.search(text, depth)


class BM25:
    """Plain BM25 over a handful of documents, held as one dense matrix.

    A word is three letters or more; one that stands in more than a fifth of the documents is
    not searched for.

    Parameters
    ----------
    documents : mapping of str to str
        Text by document id.
    k1, b : float
        Saturation of a term's count, and how much a document's length matters (0 to 1).

    Examples
    --------
    >>> index = BM25({"d1": "cats purr", "d2": "dogs bark", "d3": "cows moo", "d4": "pigs grunt",
    ...               "d5": "bees hum"})
    >>> list(index.search("Who will bark?"))
    ['d2']
    """

    def __init__(self, documents: Mapping[str, str], k1: float = 1.2, b: float = 0.75) -> None:
        self.ids = list(documents)
        counts = [Counter(_words(text)) for text in documents.values()]
        self.columns = {w: i for i, w in enumerate(sorted(set().union(*counts)))}
        tf = np.zeros((len(self.ids), len(self.columns)))
        for row, count in enumerate(counts):
            for word, n in count.items():
                tf[row, self.columns[word]] = n
        length = tf.sum(axis=1, keepdims=True)
        df = (tf > 0).sum(axis=0)
        tf[:, df > _COMMON * len(self.ids)] = 0
        idf = np.log(1 + (len(self.ids) - df + 0.5) / (df + 0.5))
        self.weights = idf * tf * (k1 + 1) / (tf + k1 * (1 - b + b * length / length.mean()))

    def search(self, text: str, depth: int = _DEPTH) -> dict[str, float]:
        """Return up to `depth` documents that share a word with the text, best first."""
        columns = sorted({self.columns[w] for w in _words(text) if w in self.columns})
        # Rounded, so that the last bit of a machine's logarithm decides no rank.
        scores = self.weights[:, columns].sum(axis=1).round(6).tolist()
        hits = [(score, i) for i, score in zip(self.ids, scores, strict=True) if score > 0]
        return {i: score for score, i in sorted(hits, reverse=True)[:depth]}


def load_demo() -> Demo:
    """Return the embedded benchmark: 120 questions to a clinic's shelf of leaflets.

    It is skewed on purpose: one leaflet, ``hypertension``, answers two questions in five. A
    system that hands out the popular leaflets without reading the question scores well there.
    The same questions come out on every machine.

    Returns
    -------
    Demo
        Queries, documents, qrels, and the runs ``"bm25"`` and ``"popular"``.

    Examples
    --------
    >>> demo = load_demo()
    >>> demo
    Demo(120 queries, 120 documents; runs: bm25, popular)
    >>> sum("hypertension" in gold for gold in demo.qrels.values())
    48
    """
    documents = dict(pair for condition in CONDITIONS for pair in _leaflets(condition))
    queries, qrels = _ask(Random(_SEED))  # noqa: S311 - a demo, no secret
    index = BM25(documents)
    bm25 = {q: index.search(text, _DEPTH) for q, text in queries.items()}
    popular = _by_frequency(qrels)[:_DEPTH]
    same = {q: list(popular) for q in queries}
    return Demo(queries, documents, qrels, {"bm25": bm25, "popular": same}, index)


def _leaflets(condition: Condition) -> list[tuple[str, str]]:
    name, title = condition.name, condition.name.capitalize().replace("-", " ")
    signs, causes, care = (_listed(x) for x in (condition.signs, condition.causes, condition.care))
    late = _listed(condition.signs[-2:])
    return [
        (name, f"{title}, or {condition.plain}. Common signs are {signs}."),
        (f"{name}-causes", f"What brings on {condition.plain}? Often it is {causes}."),
        (f"{name}-care", f"Living with {condition.plain}: what helps is {care}."),
        (f"{name}-alarm", f"Call us the same day when {condition.plain} comes with {late}."),
    ]


def _ask(random: Random) -> tuple[dict[str, str], dict[str, dict[str, int]]]:
    """Return the questions and what answers them; all texts differ."""
    asked: dict[str, dict[str, int]] = {}
    while len(asked) < _N_QUERIES:
        condition = CONDITIONS[0] if len(asked) < _N_MODAL else _pick_other(random)
        gold = {condition.name: 2}
        # One sign in the leaflet's words, one in the patient's own, where those differ.
        first, second = sorted(condition.signs, key=lambda _: random.random())[:2]
        text = f"{_pick(random, _OPENINGS)} {first} and {_SAID.get(second, second)}. "
        if random.random() < _SHARE_CAUSE:
            text += f"Could it come from {_pick(random, condition.causes)}? "
            gold[f"{condition.name}-causes"] = 1
        asked.setdefault(text + _pick(random, _CLOSINGS), gold)
    # Shuffled, so that a query's id says nothing about its answer.
    order = sorted(asked, key=lambda _: random.random())
    ids = [f"q{i:03}" for i in range(1, len(order) + 1)]
    return dict(zip(ids, order, strict=True)), {
        q: asked[t] for q, t in zip(ids, order, strict=True)
    }


def _pick_other(random: Random) -> Condition:
    # The square pulls towards the first of the others: they are skewed as well.
    return CONDITIONS[1 + int(random.random() ** 2 * (len(CONDITIONS) - 1))]


def _pick(random: Random, phrases: Sequence[str]) -> str:
    # Of the generators, only random() promises the same numbers in every Python.
    return phrases[int(random.random() * len(phrases))]


def _by_frequency(qrels: Mapping[str, Mapping[str, int]]) -> list[str]:
    counts = Counter(doc for gold in qrels.values() for doc in gold)
    return sorted(counts, key=lambda doc: (-counts[doc], doc))


def _listed(phrases: Sequence[str]) -> str:
    return f"{', '.join(phrases[:-1])} and {phrases[-1]}"


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z]{3,}", text.lower())
