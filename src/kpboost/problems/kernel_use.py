"""One kernel, three ways to name it: "rbf", "precomputed", or a function of two sets of rows."""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from kpboost import kernels
from kpboost.solvers import DenseGram

from .gram_blocks import GramSource, dense_source, rbf_source

FloatArray = NDArray[np.float64]
IndexArray = NDArray[np.intp]
Kernel: TypeAlias = str | Callable[[Any, Any], Any]

# Values of a function kernel pass through blocks of at most this size.
BLOCK_BYTES = 64 * 2**20


def is_precomputed(kernel: Kernel) -> bool:
    """Tell whether X is a Gram matrix."""
    return isinstance(kernel, str) and kernel == "precomputed"


def sparse_format(kernel: Kernel) -> str | bool:
    """Return the sparse format that X may have, for scikit-learn's validation."""
    return False if is_precomputed(kernel) else "csr"


def resolve_gamma(
    kernel: Kernel, gamma: float | str, points: Any, weight: FloatArray | None
) -> float | None:
    """Return the number gamma stands for; None where the kernel is not the RBF kernel."""
    if kernel != "rbf":
        return None
    return kernels.resolve_gamma(gamma, points, sample_weight=weight)


def gram_source(
    kernel: Kernel, points: Any, *, gamma: float | None, cache_size: float, n_threads: int = 1
) -> GramSource:
    """Return the Gram matrices of subsets of the training points, sharing what can be shared.

    Parameters
    ----------
    kernel : {"rbf", "precomputed"} or callable
    points : ndarray or CSR matrix
        Training points, or their Gram matrix.
    gamma : float or None
        Width of the RBF kernel.
    cache_size : float
        Memory for RBF kernel values, in MB. The other kernels are always held whole.
    n_threads : int, default=1
        Number of problems solved at a time.

    Returns
    -------
    callable
        From row indices to the Gram matrix of those rows, ready for the solver.
    """
    if gamma is not None:
        return rbf_source(points, gamma=gamma, cache_size=cache_size, n_threads=n_threads)
    if callable(kernel):
        return dense_source(DenseGram(_dense_values(kernel, points, points)))
    return dense_source(DenseGram(points))


def kernel_sums(
    kernel: Kernel,
    X: Any,
    support: IndexArray,
    support_vectors: Any,
    *,
    gamma: float | None,
    coef: FloatArray,
    intercept: FloatArray,
) -> FloatArray:
    """Values of several machines at the rows of X, in one pass over the kernel.

    Parameters
    ----------
    kernel : {"rbf", "precomputed"} or callable
    X : ndarray or CSR matrix of shape (n, d)
        Points; with a precomputed kernel their values against all training points.
    support : ndarray of shape (n_SV,)
        Training rows that the coefficients belong to; used with a precomputed kernel.
    support_vectors : ndarray or CSR matrix of shape (n_SV, d) or None
        Those rows; used with the other kernels.
    gamma : float or None
        Width of the RBF kernel.
    coef : ndarray of shape (n_machines, n_SV)
    intercept : ndarray of shape (n_machines,)

    Returns
    -------
    ndarray of shape (n, n_machines)
    """
    if support.size == 0:  # a tolerance so coarse that nothing was learned
        return np.tile(intercept, (X.shape[0], 1))
    if gamma is not None:
        return kernels.rbf_decision(X, support_vectors, gamma=gamma, coef=coef, intercept=intercept)
    if callable(kernel):
        return _sums_by_blocks(kernel, X, support_vectors, coef, intercept)
    return np.asarray(X[:, support] @ coef.T + intercept)


def _dense_values(kernel: Callable[[Any, Any], Any], X: Any, Y: Any) -> NDArray[Any]:
    """Call a function kernel; refuse what is not a table of numbers of the right shape."""
    values = kernel(X, Y)
    if sparse.issparse(values):
        raise ValueError(
            "kernel returned a sparse matrix; it must return a dense array, such as "
            "sklearn.metrics.pairwise.linear_kernel(X, Y, dense_output=True)."
        )
    table, expected = np.asarray(values), (X.shape[0], Y.shape[0])
    if table.shape != expected:
        raise ValueError(
            f"kernel returned an array of shape {table.shape}; for {expected[0]} and "
            f"{expected[1]} rows it must be {expected}."
        )
    return table


def _sums_by_blocks(
    kernel: Callable[[Any, Any], Any],
    X: Any,
    support_vectors: Any,
    coef: FloatArray,
    intercept: FloatArray,
) -> FloatArray:
    sums = np.empty((X.shape[0], coef.shape[0]))
    step = max(1, BLOCK_BYTES // (8 * max(1, support_vectors.shape[0])))
    for start in range(0, X.shape[0], step):
        block = _dense_values(kernel, X[start : start + step], support_vectors)
        sums[start : start + step] = block @ coef.T + intercept
    return sums
