"""Gram matrices of one set of points for a falling kernel width: distances once, then one exp."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kpboost import kernels
from kpboost.problems.gram_blocks import fits_dense
from kpboost.solvers import DenseGram

FloatArray = NDArray[np.float64]

# The distances and one Gram matrix are in memory at a time.
MATRICES = 2


def shared_distances(X: Any, cache_size: float) -> FloatArray | None:
    """Squared distances between all rows of X; None where they do not fit in the cache.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n, n_features)
    cache_size : float
        Memory in MB for the distances and a Gram matrix.

    Returns
    -------
    ndarray of shape (n, n) or None
    """
    if not fits_dense(X.shape[0], cache_size / MATRICES):
        return None
    return kernels.squared_distances(X)


def width_grams(X: Any, squared: FloatArray | None, cache_size: float) -> Callable[[float], Any]:
    """Return a function from a width sigma to the Gram matrix of the rows of X.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n, n_features)
    squared : ndarray of shape (n, n) or None
        Squared distances. Without them rows of the matrix are computed on demand.
    cache_size : float
        Memory for those rows, in MB.

    Returns
    -------
    callable
        Its result for one width is overwritten when asked for the next.
    """
    if squared is None:
        return lambda sigma: kernels.RBFRows(X, kernels.length_scale_to_gamma(sigma), cache_size)
    kernel = np.empty_like(squared)

    def gram(sigma: float) -> DenseGram:
        gamma = kernels.length_scale_to_gamma(sigma)
        kernels.rbf_from_squared_distances(squared, gamma, out=kernel)
        return DenseGram(kernel, check=False)

    return gram
