"""Decision values of several RBF machines over one set of support vectors, in one pass.

f_t(x) = intercept_t + sum_j coef_tj exp(-gamma |x - v_j|^2): distances, exponentials and the dot
products of all machines follow one another on pieces that stay in cache. The kernel block
between X and the support vectors is never formed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from kpboost import _core

from .distances import sparse_blocks
from .points import Dense, Points, as_float64, as_points, check_finite, check_same_features
from .width import positive_gamma


def rbf_decision(X: Any, support_vectors: Any, *, gamma: float, coef: Any, intercept: Any) -> Dense:
    """Decision values of T machines that share a kernel and a set of support vectors.

    A row's values do not depend on the other rows of X, bit for bit, where X is dense.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, d)
    support_vectors : array-like or sparse matrix of shape (n_sv, d)
    gamma : float
        Positive kernel coefficient, 1 / (2 sigma^2).
    coef : array-like of shape (T, n_sv)
        One row of coefficients per machine; zero where a machine does not use a vector.
    intercept : array-like of shape (T,)

    Returns
    -------
    decision : array of shape (n, T)
    """
    rate = positive_gamma(gamma)
    points = as_points(X, "X")
    vectors = as_points(support_vectors, "support_vectors")
    check_same_features(points, vectors, "X and support_vectors")
    weights, offsets = _machines(coef, intercept, vectors.shape[0])
    if sparse.issparse(points) or sparse.issparse(vectors):
        return _sparse_decision(points, vectors, rate, weights, offsets)
    decision = np.empty((points.shape[0], weights.shape[0]))
    _core.rbf_decision(points, vectors, rate, weights, offsets, decision)
    return decision


def _machines(coef: Any, intercept: Any, n_vectors: int) -> tuple[Dense, Dense]:
    weights, offsets = as_float64(coef, "coef"), as_float64(intercept, "intercept")
    if weights.ndim != 2 or weights.shape[1] != n_vectors:
        raise ValueError(
            f"coef has shape {weights.shape}; it must be (T, {n_vectors}), "
            "one column per support vector."
        )
    if offsets.shape != weights.shape[:1]:
        raise ValueError(
            f"intercept has shape {offsets.shape}; it must be ({weights.shape[0]},), "
            "one entry per row of coef."
        )
    check_finite(weights, "coef")
    check_finite(offsets, "intercept")
    return weights, offsets


def _sparse_decision(
    X: Points, vectors: Points, gamma: float, coef: Dense, intercept: Dense
) -> Dense:
    decision = np.empty((X.shape[0], coef.shape[0]))
    for rows, values in sparse_blocks(X, vectors):
        _core.decay(values, gamma, values)
        decision[rows] = values @ coef.T + intercept
    return decision
