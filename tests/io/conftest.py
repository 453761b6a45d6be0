"""Helpers for the input layer: small files, and scores through the whole gate."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from falsify_nb import falsify


@pytest.fixture
def file(tmp_path: Path) -> Callable[..., Path]:
    """Write text or bytes to a file and return its path."""

    def write(content: str | bytes, name: str = "data.txt") -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


@pytest.fixture
def score() -> Callable[..., float]:
    """Return the mean score that a run gets."""

    def mean(run, qrels, metric: str = "RR", **options) -> float:
        return falsify(run, qrels=qrels, metric=metric, n_boot=100, **options).score

    return mean
