"""What the LaTeX report says in a methods section, with its sources, and text made safe for it."""

from __future__ import annotations

from falsify_nb.core.result import GateResult
from falsify_nb.report.style import count
from falsify_nb.report.words import draws_made, plain

__all__ = ["REFERENCES", "escape", "methods"]

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "`": r"\textasciigrave{}",
    "'": "'",
    # Two hyphens would become a dash, and ?` and !` another sign.
    "-": r"{-}",
    "?": r"{?}",
    "!": r"{!}",
    "−": r"\ensuremath{-}",
    "–": r"\textendash{}",
    "…": r"\ldots{}",
    "’": r"\textquoteright{}",
    "‘": r"\textquoteleft{}",
    "“": r"\textquotedblleft{}",
    "”": r"\textquotedblright{}",
    "·": r"\ensuremath{\cdot}",
    "τ": r"\ensuremath{\tau}",
    "Δ": r"\ensuremath{\Delta}",
    "≥": r"\ensuremath{\ge}",
    "≤": r"\ensuremath{\le}",
    "×": r"\ensuremath{\times}",
    "±": r"\ensuremath{\pm}",
    "\u00a0": "~",
}

REFERENCES = {
    "learned2019": (
        "E.~Learned-Miller and P.~S. Thomas. A new confidence interval for the mean of a bounded "
        "random variable. arXiv:1905.06208, 2019."
    ),
    "rubin1981": (
        "D.~B. Rubin. The Bayesian bootstrap. \\emph{The Annals of Statistics}, "
        "9(1):130--134, 1981."
    ),
    "efron1979": (
        "B.~Efron. Bootstrap methods: another look at the jackknife. \\emph{The Annals of "
        "Statistics}, 7(1):1--26, 1979."
    ),
    "phipson2010": (
        "B.~Phipson and G.~K. Smyth. Permutation p-values should never be zero. "
        "\\emph{Statistical Applications in Genetics and Molecular Biology}, 9(1), 2010."
    ),
    "berger1982": (
        "R.~L. Berger. Multiparameter hypothesis testing and acceptance sampling. "
        "\\emph{Technometrics}, 24(4):295--300, 1982."
    ),
    "saracco2015": (
        "F.~Saracco, R.~Di~Clemente, A.~Gabrielli, and T.~Squartini. Randomizing bipartite "
        "networks: the case of the World Trade Web. \\emph{Scientific Reports}, 5:10595, 2015."
    ),
    "jarvelin2002": (
        'K.~J\\"arvelin and J.~Kek\\"al\\"ainen. Cumulated gain-based evaluation of IR '
        "techniques. \\emph{ACM Transactions on Information Systems}, 20(4):422--446, 2002."
    ),
}


def escape(text: str) -> str:
    r"""Return text that LaTeX prints as it stands, under pdfLaTeX too.

    Letters of European languages stay; any other character is written as its code point, because
    pdfLaTeX stops at characters that it has no font for.

    >>> escape("R@5_top1 & 50 %")
    'R@5\\_top1 \\& 50 \\%'
    >>> escape("😀")
    '[U+1F600]'
    """
    return "".join(_escaped(character) for character in plain(text))


def _escaped(character: str) -> str:
    if character in _SPECIAL:
        return _SPECIAL[character]
    if character.isascii() or (character.isalpha() and "\u00c0" <= character <= "\u017e"):
        return character
    return f"[U+{ord(character):04X}]"


def methods(result: GateResult) -> tuple[str, list[str]]:
    """Return a methods paragraph in LaTeX, and the keys of the sources that it cites."""
    protocol = result.protocol
    cited: list[str] = []

    def cite(*keys: str) -> str:
        cited.extend(keys)
        return f"~\\cite{{{','.join(keys)}}}"

    parts = [f"We measured {escape(result.metric)}"]
    if "nDCG" in result.metric:
        parts.append(cite("jarvelin2002"))
    parts.append(
        f" over {escape(count(result.n_queries, 'query', 'queries'))}, reading rankings to depth "
        f"{result.depth}, and compared the score with four nulls: (A)~the gold sets permuted over "
        "the queries, (B)~gold sets drawn uniformly from the distinct ones, (C)~documents drawn "
        f"at random from a corpus of {result.corpus_size:,}, and (D)~gold documents drawn so "
        "that both margins of the judgments hold in expectation"
    )
    parts.append(cite("saracco2015") + ". ")
    if protocol.interval == "dirichlet":
        way = "the Dirichlet bootstrap with one pseudo-query at the worst possible value"
        parts.append(f"Intervals of the gaps are from {way}" + cite("rubin1981", "learned2019"))
    else:
        parts.append(
            f"Intervals of the gaps are from the percentile bootstrap with {protocol.n_boot:,} "
            "resamples" + cite("efron1979")
        )
    parts.append(
        ", at 98.75\\,\\% each, so that the four hold together with 95\\,\\%. "
        + ("The units resampled are groups of queries. " if protocol.groups else "")
        + f"The $p$-values count the observed score among {draws_made(result)}"
        + cite("phipson2010")
    )
    if protocol.decision == "point":
        parts.append(
            f". A null is passed when the bare gap is at least $\\tau = {protocol.tau:g}$, and the "
            "gate when all four are; intervals and $p$-values are told but do not decide"
        )
    else:
        parts.append(
            f". A null is passed when its interval lies at or above $\\tau = {protocol.tau:g}$ and "
            "$p \\le 0.0125$, and the gate when all four are, an intersection--union test"
            + cite("berger1982")
        )
    parts.append(
        f". The seed was {protocol.seed}; the protocol was "
        + ("sealed beforehand." if result.sealed else "not sealed beforehand (exploratory).")
    )
    return "".join(parts), cited
