"""The RBF kernel K(x, y) = exp(-gamma |x - y|^2), as blocks."""

from __future__ import annotations

from typing import Any

from kpboost import _core

from .distances import kernel_block
from .points import Dense, as_float64, as_points, new_or_given
from .width import positive_gamma


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
