"""The RBF kernel K(x, y) = exp(-gamma |x - y|^2), as blocks."""

from __future__ import annotations

import math
from collections.abc import Iterator
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from kpboost import _core

from ._points import (
    Dense,
    Points,
    as_float64,
    as_points,
    check_finite,
    check_same_features,
    new_or_given,
    positive_gamma,
    resolve_gamma,
)

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


def rbf_kernel(X: Any, Y: Any = None, *, gamma: float, out: Dense | None = None) -> Dense:
    """RBF kernel between the rows of X and the rows of Y.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, d)
    Y : array-like or sparse matrix of shape (m, d), default=None
        None stands for X itself; the result is then symmetric bit for bit with a unit diagonal.
    gamma : float
        Positive kernel coefficient, 1 / (2 sigma^2).
    out : float64 array of shape (n, m), default=None
        Where to write the result; a new array by default.

    Returns
    -------
    kernel : array of shape (n, m)
    """
    rate = positive_gamma(gamma)
    points = as_points(X, "X")
    return kernel_block(points, None if Y is None else as_points(Y, "Y"), rate, out)


def rbf_from_squared_distances(squared: Any, gamma: float, *, out: Dense | None = None) -> Dense:
    """Turn squared distances into kernel values: one exp per entry, for each gamma of a grid.

    Parameters
    ----------
    squared : array-like of any shape
        Squared distances, none negative, as :func:`squared_distances` returns them.
    gamma : float
        Positive kernel coefficient, 1 / (2 sigma^2).
    out : float64 array shaped like `squared`, default=None
        Where to write the result; it may be `squared` itself. A new array by default.

    Returns
    -------
    kernel : array shaped like `squared`
    """
    rate = positive_gamma(gamma)
    values = as_float64(squared, "squared")
    kernel = new_or_given(out, values.shape)
    _core.decay(values, rate, kernel)
    return kernel


def rbf_decision(
    X: Any, support_vectors: Any, *, gamma: float, coef: Any, intercept: Any, check: bool = True
) -> Dense:
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
    check : bool, default=True
        Whether to make sure that all values are finite; False where they are known to be.

    Returns
    -------
    decision : array of shape (n, T)
    """
    rate = positive_gamma(gamma)
    points = as_points(X, "X", check=check)
    vectors = as_points(support_vectors, "support_vectors", check=check)
    check_same_features(points, vectors, "X and support_vectors")
    weights, offsets = _machines(coef, intercept, vectors.shape[0], check=check)
    if sparse.issparse(points) or sparse.issparse(vectors):
        return _sparse_decision(points, vectors, rate, weights, offsets)
    decision = np.empty((points.shape[0], weights.shape[0]))
    _core.rbf_decision(points, vectors, rate, weights, offsets, decision)
    return decision


def laplacian_decision(
    X: Any, support_vectors: Any, *, gamma: float, coef: Any, intercept: Any
) -> Dense:
    """Decision values of T machines with the kernel exp(-gamma sum_j |x_j - y_j|).

    A row's values do not depend on the other rows of X, bit for bit.

    Parameters
    ----------
    X : array-like of shape (n, d)
    support_vectors : array-like of shape (n_sv, d)
    gamma : float
        Positive kernel coefficient.
    coef : array-like of shape (T, n_sv)
        One row of coefficients per machine.
    intercept : array-like of shape (T,)

    Returns
    -------
    decision : array of shape (n, T)
    """
    rate = positive_gamma(gamma)
    points, vectors = as_float64(X, "X"), as_float64(support_vectors, "support_vectors")
    check_same_features(points, vectors, "X and support_vectors")
    weights, offsets = _machines(coef, intercept, vectors.shape[0], check=True)
    decision = np.empty((points.shape[0], weights.shape[0]))
    _core.laplacian_decision(points, vectors, rate, weights, offsets, decision)
    return decision


def _machines(coef: Any, intercept: Any, n_vectors: int, *, check: bool) -> tuple[Dense, Dense]:
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
    if check:
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


def add_runs(part: Dense, places: npt.NDArray[np.intp], out: Dense) -> None:
    """Add in place: ``out[:, places] += part``, in a quarter of the time.

    Parameters
    ----------
    part : float64 array of shape (n, m, t)
    places : integer array of shape (m,)
        None of them twice.
    out : float64 array of shape (n, k, t)
        C-contiguous, as `part` is.
    """
    n, m, t = part.shape
    if out.shape[::2] != (n, t) or places.shape != (m,):
        raise ValueError(
            f"part, places and out have shapes {part.shape}, {places.shape} and {out.shape}; "
            "they must be (n, m, t), (m,) and (n, k, t)."
        )
    if m and not 0 <= places.min() <= places.max() < out.shape[1]:
        raise ValueError(f"places must lie between 0 and {out.shape[1] - 1}.")
    _core.add_runs(part, places.astype(np.uintp), out)


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
    in_parts : bool, default=True
        Whether a solver may work on parts of the points whose rows all fit the cache. The digits
        of its result beyond the tolerance then depend on the size of the cache.

    See Also
    --------
    rbf_kernel : The whole matrix at once.

    Examples
    --------
    >>> from kpboost.kernels import RBFRows
    >>> from kpboost.solvers import solve_dual
    >>> rows = RBFRows([[0.0], [1.0], [3.0]], gamma=0.5)
    >>> solve_dual(rows, [1, -1, 1], C=1.0).status
    'converged'
    """

    def __init__(
        self, X: Any, gamma: float | str, cache_size: float = 1000, *, in_parts: bool = True
    ) -> None:
        cache_bytes = _cache_bytes(cache_size)
        points = as_points(X, "X")
        rate = resolve_gamma(gamma, points)
        self._points = _as_dense(points, cache_bytes)
        super().__init__(self._points, rate, cache_bytes, in_parts)

    def __repr__(self) -> str:
        return f"RBFRows({len(self._points):,} points, gamma={self.gamma:.4g})"

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


class RBFMatrix(_core.RBFMatrix):
    """K = exp(-gamma |x_i - x_j|^2) where it fits, each row computed when it is first asked for.

    It takes memory as rows are made, all of it in the end. Rows may be read from several threads at
    once. A solver that expects to need nearly all of them has them made in bands, by symmetry,
    which halves the work.

    Parameters
    ----------
    X : array-like of shape (n, d)
    gamma : float
        Positive kernel coefficient, 1 / (2 sigma^2).

    See Also
    --------
    RBFRows : The same where only some of the rows fit.
    """

    def __init__(self, X: Any, gamma: float) -> None:
        super().__init__(as_points(X, "X"), positive_gamma(gamma))

    def __repr__(self) -> str:
        return f"RBFMatrix({len(self):,} points, gamma={self.gamma:.4g})"

    def product(self, vectors: Dense) -> Dense:
        """Multiply several vectors, the rows of an array (n_vectors, n), by the matrix.

        Rows where some vector is not zero are made, if they are not there yet.
        """
        used = np.flatnonzero(vectors.any(axis=0)).astype(np.uintp)
        out = np.empty(vectors.shape)
        self.products(used, np.ascontiguousarray(vectors[:, used]), out)
        return out


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
