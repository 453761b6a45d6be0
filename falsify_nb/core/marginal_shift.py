"""How Null D's expectation moves when one query is left out: the linearised margins.

Without query i the fitted table must have column sums f_d − a_id over the remaining queries, where
a_id says whether d is gold for i. The old table leaves them at f_d − π_id: the residual is
r_d = π_id − a_id, and the rows' sums stay. To first order dπ_jd = V_jd (dα_j + dβ_d), with
V = π(1 − π), α = log x, β = log y; so the parameters move by the solution of

    Σ_d V_jd (dα_j + dβ_d) = 0 for every query j,    Σ_j V_jd (dα_j + dβ_d) = r_d for every d

and an expectation Φ = Σ_j φ_j(π_j) by Σ_jd c_jd V_jd (dα_j + dβ_d), c_jd = ∂φ_j/∂π_jd. The system
is solved by classes: dα is shared by queries of equal R, and its reduced matrix has one row per
class. This is the infinitesimal jackknife (Jaeckel 1972; Efron 1982, chapter 6) applied to the
maximum-entropy fit; nothing is refitted or simulated per query.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from falsify_nb.core.benchmark import Gold
from falsify_nb.core.grouping import sums_by
from falsify_nb.core.marginals import Marginals

__all__ = ["margin_pull", "margin_shift"]

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


def margin_pull(
    gold: Gold, model: Marginals, query: IntArray, doc: IntArray, gradient: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return ∂Φ/∂β_d and ∂Φ/∂α_a from the gradient in π.

    Parameters
    ----------
    gold : Gold
        The effective gold.
    model : Marginals
        Its fitted probabilities.
    query, doc : numpy.ndarray of int, shape (n_terms,)
        Where the gradient is not 0.
    gradient : numpy.ndarray of float, shape (n_terms,)
        c_jd = ∂φ_j/∂π_jd.

    Returns
    -------
    on_beta : numpy.ndarray of float, shape (n_docs,)
        Σ_j c_jd V_jd.
    on_alpha : numpy.ndarray of float, shape (n_size_classes,)
        Σ_d Σ_j c_jd V_jd over the queries j of each class.
    """
    pi = model.pi[model.size_class[query], model.freq_class[doc]]
    pull = gradient * pi * (1 - pi)
    on_beta = sums_by(doc, pull, gold.n_docs)
    return on_beta, sums_by(model.size_class[query], pull, len(model.size))


def margin_shift(
    gold: Gold, model: Marginals, on_beta: FloatArray, on_alpha: FloatArray
) -> FloatArray:
    """Return the change of Σ_j φ_j (own change of φ_i aside) when each query is left out.

    Parameters
    ----------
    gold : Gold
        The effective gold.
    model : Marginals
        Its fitted probabilities.
    on_beta, on_alpha : numpy.ndarray of float, shape (n_docs,) and (n_size_classes,)
        ∂Φ/∂β and ∂Φ/∂α, as `margin_pull` returns them.

    Returns
    -------
    numpy.ndarray of float, shape (n_queries,)
    """
    n_of = np.bincount(model.size_class, minlength=len(model.size)).astype(float)
    m_of = np.bincount(model.freq_class, minlength=model.pi.shape[1]).astype(float)
    v = model.pi * (1 - model.pi)
    row_v, column_v = v @ m_of, n_of @ v
    # dβ_d = (r_d − Σ_a n_a V_ad dα_a) / column_v_d, put into the rows' equations.
    inverse = np.divide(1.0, column_v, out=np.zeros_like(column_v), where=column_v > 1e-12)
    reduced = np.diag(row_v) - (v * (m_of * inverse)) @ (v * n_of[:, None]).T
    direct = on_beta * inverse[model.freq_class]
    beta_by_class = np.bincount(model.freq_class, direct, len(m_of))
    alpha_pull = on_alpha - n_of * (v @ beta_by_class)
    # Adjoint: one solve serves every query. The reduced matrix has the gauge α + t, β − t as its
    # null space, along which nothing moves; a rank-one term fills it.
    live = row_v > 1e-12 * max(float(row_v.max()), 1e-300)
    system = reduced.T[np.ix_(live, live)] + np.outer(np.ones(live.sum()), n_of[live])
    multiplier = np.zeros(len(n_of))
    multiplier[live] = -_solved(system, alpha_pull[live])
    price = direct + (inverse * (multiplier @ v))[model.freq_class]
    # Σ_d price_d (π_id − a_id): the first part by class, the second over the query's own gold.
    by_class = model.pi @ np.bincount(model.freq_class, price, len(m_of))
    own = np.add.reduceat(price[gold.doc], gold.indptr[:-1])
    return by_class[model.size_class] - own


def _solved(system: FloatArray, wanted: FloatArray) -> FloatArray:
    try:
        return np.asarray(np.linalg.solve(system, wanted))
    except np.linalg.LinAlgError:
        # Margins that fall apart into unconnected parts: each part has a gauge of its own.
        return np.asarray(np.linalg.lstsq(system, wanted, rcond=1e-10)[0])
