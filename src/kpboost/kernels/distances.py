"""Squared Euclidean distances |x - y|^2 between two sets of points.

Dense points: from the differences themselves, so equal points are at distance 0 exactly and
nothing cancels, whatever the offset. Sparse points: |x|^2 + |y|^2 - 2 x'y, clipped at 0, which is
fast and loses about 1e-16 (|x|^2 + |y|^2).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse

from kpboost import _core

from .points import Dense, Points, as_points, check_same_features, new_or_given

# Sparse products pass through a temporary block of at most this size: large enough to amortise
# each call, small next to the data it is used on.
SPARSE_BLOCK_BYTES = 32 * 2**20


def squared_distances(X: Any, Y: Any = None, *, out: Dense | None = None) -> Dense:
    """Squared Euclidean distances between the rows of X and the rows of Y.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, d)
    Y : array-like or sparse matrix of shape (m, d), default=None
        None stands for X itself; the result is then symmetric bit for bit with a zero diagonal.
    out : float64 array of shape (n, m), default=None
        Where to write the result; a new array by default.

    Returns
    -------
    squared : array of shape (n, m)
    """
    points = as_points(X, "X")
    others = None if Y is None else as_points(Y, "Y")
    return kernel_block(points, others, None, out)


def kernel_block(X: Points, Y: Points | None, gamma: float | None, out: Dense | None) -> Dense:
    """Distances, or with a gamma their RBF kernel values, between points already checked."""
    if Y is not None:
        check_same_features(X, Y, "X and Y")
    block = new_or_given(out, (X.shape[0], X.shape[0] if Y is None else Y.shape[0]))
    if sparse.issparse(X) or sparse.issparse(Y):
        _fill_sparse(X, Y, gamma, block)
    elif Y is None:
        _core.rbf_gram(X, gamma, block)
    else:
        _core.rbf_block(X, Y, gamma, block)
    return block


def _fill_sparse(X: Points, Y: Points | None, gamma: float | None, out: Dense) -> None:
    for rows, squared in sparse_blocks(X, X if Y is None else Y):
        if Y is None:
            np.fill_diagonal(squared[:, rows], 0.0)
        if gamma is not None:
            _core.decay(squared, gamma, squared)
        out[rows] = squared


def sparse_blocks(X: Points, Y: Points) -> Iterator[tuple[slice, Dense]]:
    """Yield (rows, distances from X[rows] to Y) in blocks of bounded memory."""
    Y_norms = _squared_norms(Y)
    columns = Y.T.tocsr() if sparse.issparse(Y) else Y.T
    step = max(1, SPARSE_BLOCK_BYTES // (8 * Y.shape[0]))
    for start in range(0, X.shape[0], step):
        rows = slice(start, min(start + step, X.shape[0]))
        part = X[rows]
        squared = _dense_product(part, columns)
        squared *= -2.0
        squared += _squared_norms(part)[:, None] + Y_norms
        yield rows, np.maximum(squared, 0.0, out=squared)


def _dense_product(A: Points, B: Points) -> Dense:
    # scipy's sparse products sum over the features in order, so x'y and y'x agree bit for bit
    product = A @ B
    return np.ascontiguousarray(product.toarray() if sparse.issparse(product) else product)


def _squared_norms(X: Points) -> Dense:
    if not sparse.issparse(X):
        return np.asarray(np.einsum("ij,ij->i", X, X))
    # bincount adds in order, like the products above: a point is at distance 0 from its copy
    rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    squares = np.bincount(rows, weights=X.data * X.data, minlength=X.shape[0])
    return np.asarray(squares, dtype=np.float64)
