"""Rows of an RBF Gram matrix that is too large to keep."""

from __future__ import annotations

import math
from numbers import Real
from typing import Any

import numpy as np
from scipy import sparse

from kpboost import _core

from .decision import rbf_decision
from .points import Dense, Points, as_points
from .width import resolve_gamma

MEGABYTE = 2**20


class RBFRows(_core.RBFRows):
    """Rows of K = exp(-gamma |x_i - x_j|^2), computed when asked for and kept while there is room.

    The points are copied. Rows may be read from several threads at once; the least recently used
    one leaves the cache first. `hits` and `misses` count what was asked for.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, d)
        Sparse points are made dense, which must not take more memory than the cache.
    gamma : {"scale", "auto"} or float
        Kernel coefficient, 1 / (2 sigma^2).
    cache_size : float, default=1000
        Room for rows, in MB; two rows are kept however small it is.
    """

    def __init__(self, X: Any, gamma: float | str, cache_size: float = 1000) -> None:
        cache_bytes = _cache_bytes(cache_size)
        points = as_points(X, "X")
        rate = resolve_gamma(gamma, points)
        self._points = _as_dense(points, cache_bytes)
        super().__init__(self._points, rate, cache_bytes)

    def product(self, vectors: Dense) -> Dense:
        """Multiply several vectors, the rows of an array (n_vectors, n), by the matrix.

        Only the columns where some vector is not zero are computed, and none is kept.
        """
        used = np.flatnonzero(vectors.any(axis=0))
        if not used.size:
            return np.zeros(vectors.shape)
        own, zeros = self._points[used], np.zeros(len(vectors))
        values = rbf_decision(
            self._points, own, gamma=self.gamma, coef=vectors[:, used], intercept=zeros
        )
        return np.ascontiguousarray(values.T)


def _cache_bytes(cache_size: Any) -> int:
    if isinstance(cache_size, Real) and 0 < float(cache_size) < math.inf:
        return int(float(cache_size) * MEGABYTE)
    raise ValueError(f"cache_size is {cache_size!r}; it must be a positive number of megabytes.")


def _as_dense(points: Points, cache_bytes: int) -> Dense:
    if not sparse.issparse(points):
        return np.asarray(points)
    dense_bytes = 8 * points.shape[0] * points.shape[1]
    if dense_bytes > cache_bytes:
        raise ValueError(
            f"X is sparse and would take {dense_bytes // MEGABYTE + 1} MB as a dense array; "
            f"raise cache_size above that, or reduce the number of features."
        )
    return np.asarray(points.toarray())
