"""Null D's inclusion probabilities: the bipartite configuration model, fitted on classes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from falsify_nb.core.benchmark import Gold

__all__ = ["Marginals"]

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

# Largest error left in a margin (a query's R_i, a document's f_d).
MARGIN_TOLERANCE = 1e-8


@dataclass(frozen=True, slots=True, eq=False)
class Marginals:
    """Probabilities that keep both margins in expectation, and otherwise know nothing.

    Among all random 0/1 tables with independent cells whose expected row sums are R_i and column
    sums f_d, the one of greatest entropy has π_id = x_i·y_d / (1 + x_i·y_d) (Saracco, Di Clemente,
    Gabrielli & Squartini 2015, Scientific Reports 5:10595). Queries of equal R_i share x_i and
    documents of equal f_d share y_d, so that the table is held by classes.

    Parameters
    ----------
    size_class : numpy.ndarray of int, shape (n_queries,)
        Class of each query.
    freq_class : numpy.ndarray of int, shape (n_docs,)
        Class of each document.
    size : numpy.ndarray of int, shape (n_size_classes,)
        R of each class.
    pi : numpy.ndarray of float, shape (n_size_classes, n_freq_classes)
        The probabilities.
    """

    size_class: IntArray
    freq_class: IntArray
    size: IntArray
    pi: FloatArray

    @classmethod
    def fit(cls, gold: Gold) -> Marginals:
        """Fit the model to the gold's margins, to 1e-8 in each."""
        size, size_class = np.unique(gold.sizes, return_inverse=True)
        freq, freq_class = np.unique(gold.frequency, return_inverse=True)
        pi = _fit(
            size.astype(float),
            np.bincount(size_class).astype(float),
            freq.astype(float),
            np.bincount(freq_class).astype(float),
        )
        return cls(size_class, freq_class, size, pi)

    def of(self, queries: IntArray, docs: IntArray) -> FloatArray:
        """Return π for pairs of queries and documents, shape like the arguments."""
        return self.pi[self.size_class[queries], self.freq_class[docs]]


def _fit(size: FloatArray, n: FloatArray, freq: FloatArray, m: FloatArray) -> FloatArray:
    """Solve for π by classes: n[a] rows of sum size[a], m[b] columns of sum freq[b]."""
    pi = np.zeros((len(size), len(freq)))
    size, freq = size.copy(), freq.copy()
    rows, cols = np.ones(len(size), bool), np.ones(len(freq), bool)
    while _take_out_certain(pi, size, n, freq, m, rows, cols):
        pass
    if rows.any() and cols.any():
        a, b = np.flatnonzero(rows), np.flatnonzero(cols)
        pi[np.ix_(a, b)] = _newton(size[a], n[a], freq[b], m[b])
    return pi


def _take_out_certain(
    pi: FloatArray,
    size: FloatArray,
    n: FloatArray,
    freq: FloatArray,
    m: FloatArray,
    rows: npt.NDArray[np.bool_],
    cols: npt.NDArray[np.bool_],
) -> bool:
    """Settle the classes whose cells are all 0 or all 1; their parameters would be infinite."""
    for b in np.flatnonzero(cols):
        if freq[b] == 0 or freq[b] == n[rows].sum():
            if freq[b]:
                pi[rows, b] = 1.0
                size[rows] -= m[b]
            cols[b] = False
            return True
    for a in np.flatnonzero(rows):
        if size[a] == 0 or size[a] == m[cols].sum():
            if size[a]:
                pi[a, cols] = 1.0
                freq[cols] -= n[a]
            rows[a] = False
            return True
    return False


def _newton(size: FloatArray, n: FloatArray, freq: FloatArray, m: FloatArray) -> FloatArray:
    """Maximise the concave log-likelihood in α = log x and β = log y by damped Newton steps."""
    half = 0.5 * np.log(float(n @ size))
    alpha, beta = np.log(size) - half, np.log(freq) - half

    def objective(a: FloatArray, b: FloatArray) -> float:
        cells = np.logaddexp(0.0, a[:, None] + b)
        return float((n * size) @ a + (m * freq) @ b - n @ cells @ m)

    value = objective(alpha, beta)
    for _ in range(200):
        pi = 1.0 / (1.0 + np.exp(-(alpha[:, None] + beta)))
        row_error, column_error = size - pi @ m, freq - n @ pi
        if max(np.abs(row_error).max(), np.abs(column_error).max()) <= MARGIN_TOLERANCE / 100:
            break
        step = _step(n[:, None] * m * pi * (1 - pi), n * row_error, m * column_error)
        scale = 1.0
        while True:
            new = alpha + scale * step[0], beta + scale * step[1]
            new_value = objective(*new)
            if new_value >= value - 1e-9 * abs(value):
                break
            scale *= 0.5
        (alpha, beta), value = new, new_value
    return 1.0 / (1.0 + np.exp(-(alpha[:, None] + beta)))


def _step(
    spread: FloatArray, row_error: FloatArray, column_error: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Solve the Newton system after eliminating its larger side, whose block is diagonal."""
    if spread.shape[0] < spread.shape[1]:
        step = _step(spread.T, column_error, row_error)
        return step[1], step[0]
    rows, columns = spread.sum(1), spread.sum(0)
    share = spread / np.maximum(rows, 1e-300)[:, None]
    reduced = np.diag(columns) - spread.T @ share
    # Adding a constant to α and taking it from β changes nothing; this direction is given a
    # curvature of its own, so that the system has one solution.
    reduced += columns.mean() / len(columns)
    wanted = column_error - share.T @ row_error
    try:
        beta = np.linalg.solve(reduced, wanted)
    except np.linalg.LinAlgError:
        beta = np.linalg.lstsq(reduced, wanted, rcond=1e-14)[0]
    return (row_error - spread @ beta) / np.maximum(rows, 1e-300), beta
