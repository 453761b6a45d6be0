"""Results built by hand, so that the views can be tested without the core."""

from __future__ import annotations

from collections.abc import Callable

import altair as alt
import jsonschema
import numpy as np
import pytest

from falsify_nb.core.beside import BlindList, Labels, StrictPair
from falsify_nb.core.notices import Notice
from falsify_nb.core.null_result import Interval, NullResult, QueriesNeeded
from falsify_nb.core.protocol import Protocol
from falsify_nb.core.result import GateResult

MEANS = {"A": 0.06, "B": 0.015, "C": 0.0075, "D": 0.07}


def make_null(name: str, score: float, n: int, verdict: str, mean: float) -> NullResult:
    """One null with intervals of plausible width around its gap."""
    rng = np.random.default_rng(ord(name))
    delta = score - mean
    half = 0.9 / np.sqrt(max(n, 1))
    has_interval = n >= 3
    return NullResult(
        name=name,
        mean=mean,
        mean_is_exact=name != "D",
        mean_error=0.0 if name != "D" else 0.0004,
        delta=delta,
        interval=Interval(delta - 0.8 * half, delta + 0.8 * half) if has_interval else None,
        interval_adjusted=Interval(delta - half, delta + half) if has_interval else None,
        p_value=1 / 1001 if delta > 0.02 else 0.4,
        p_adjusted=4 / 1001 if delta > 0.02 else 1.0,
        p_pass=1e-12 if verdict == "PASS" else 0.6,
        p_fail=1.0 if verdict == "PASS" else 0.002,
        verdict=verdict,
        reason="" if verdict == "PASS" else "The gap's interval does not clear τ.",
        draws=np.clip(mean + rng.normal(0, 0.012, 1000), 0, 1),
        n_draws=1000,
        headroom=1 - mean,
        queries_needed=QueriesNeeded(340, 260, None) if verdict == "UNDER-NS" else None,
        contributions=rng.uniform(-1, 1, n),
    )


def make_result(
    *,
    verdicts: str = "PPPP",
    score: float = 0.412,
    n: int = 225,
    texts: bool = True,
    means: dict[str, float] | None = None,
    **fields: object,
) -> GateResult:
    """A result with one letter per null in `verdicts`: P, F or U."""
    words = {"P": "PASS", "F": "FAIL", "U": "UNDER-NS"}
    rng = np.random.default_rng(7)
    means = means or MEANS
    nulls = {
        k: make_null(k, score, n, words[v], means[k]) for k, v in zip("ABCD", verdicts, strict=True)
    }
    overall = "FAIL" if "F" in verdicts else "UNDER-NS" if "U" in verdicts else "PASS"
    scores = np.clip(rng.beta(0.7, 1.0, n), 0, 1)
    scores += score - scores.mean()
    counts = np.sort(rng.zipf(1.7, 3 * n).clip(max=n))[::-1].astype(np.int64)
    values: dict[str, object] = {
        "verdict": overall,
        "score": score,
        "metric": "nDCG@10",
        "n_queries": n,
        "nulls": nulls,
        "query_ids": tuple(f"q{i:04d}" for i in range(n)),
        "scores": scores,
        "null_scores": np.stack([rng.uniform(0, 2 * means[k], n) for k in "ABCD"]),
        "protocol": Protocol(),
        "labels": Labels(counts, tuple(f"doc{i}" for i in range(20)), n, n),
        "point_verdict": "FAIL" if "F" in verdicts else "PASS",
        "corpus_size": 1400,
        "depth": 10,
        "texts": tuple(f"what is the meaning of term {i}" for i in range(n)) if texts else (),
        "notices": (
            Notice("missing-queries", "2 queries are missing from the run.", 2, ("q2", "q4")),
            Notice("ties", "14 rankings have tied scores at the cutoff.", 14, ("q0007",)),
        ),
        "system": "bm25",
        "judged": 0.413,
    }
    return GateResult(**(values | fields))


@pytest.fixture
def result() -> GateResult:
    return make_result()


@pytest.fixture
def failing() -> GateResult:
    return make_result(
        verdicts="PPPF",
        score=0.41,
        means={"A": 0.1, "B": 0.01, "C": 0.005, "D": 0.402},
        system="popular answers",
        blind=BlindList(0.405, 0.01, 0.42, True, "A list that never reads the query scores 0.41."),
        strict=StrictPair(
            "R@10_top1", "PASS", 0.5, 1.0, {"A": 0.4, "B": 0.4, "C": 0.4, "D": 0.1}, True,
            "Under R@10_top1 the verdict is PASS: a question to the graded metric.",
        ),
    )  # fmt: skip


@pytest.fixture
def undecided() -> GateResult:
    return make_result(verdicts="UPPU", n=24, score=0.2, means=MEANS | {"A": 0.1, "D": 0.13})


@pytest.fixture(scope="session")
def is_vegalite():
    """Whether a specification is right by the schema of the installed Altair."""
    schema = alt.load_schema()
    checker = jsonschema.validators.validator_for(schema)(schema)

    def check(spec):
        # A few rows of each table are as good as all, and much quicker.
        rows = {name: rows[:3] for name, rows in spec["datasets"].items()}
        return checker.is_valid(spec | {"datasets": rows})

    return check


@pytest.fixture
def make() -> Callable[..., GateResult]:
    return make_result
