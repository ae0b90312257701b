"""Gram matrices for the two-class problems of one fit, sharing what can be shared.

A source answers with the Gram matrix of the rows it is asked for. Problems on all rows share one.
A pair of classes has its own computed: that takes about as long as to copy it from the whole
matrix, which is then not needed. Sparse points, where it takes longer, have the whole matrix and
copies. Large problems get rows of the kernel on demand, and so do those that do not fit.
"""

import mmap
from collections.abc import Callable
from functools import cache
from itertools import pairwise, product
from threading import Lock
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from kpboost import kernels
from kpboost._typing import FloatArray, IndexArray
from kpboost.solvers import DenseGram

Rows = NDArray[np.intp]
GramSource = Callable[[Rows], Any]

BYTES_PER_MB = 2**20
BYTES_PER_ENTRY = 8

# From this many points on, rows are computed when the solver first asks for them, and kept: often
# it asks for a part of them.
ON_DEMAND_FROM = 1000
# The points are then copied, twice. With this many features per point, or fewer, the copies are
# small beside the matrix.
MOST_FEATURES = 0.1

# Smaller ones fit the holes of others well enough, and fresh pages take time.
OWN_PAGES_FROM = 3 * 2**19

# A pair of classes in sorted data is two runs of rows. Slices copy several times as fast as
# index arrays, unless there are many of them.
MOST_RUNS = 8


def fits_dense(n: int, cache_size: float) -> bool:
    """Tell whether an n x n matrix of doubles fits in ``cache_size`` MB."""
    return n * n * BYTES_PER_ENTRY <= cache_size * BYTES_PER_MB


def dense_source(whole: DenseGram) -> GramSource:
    """Blocks of one matrix, which was checked as a whole.

    Parameters
    ----------
    whole : DenseGram of shape (n, n)
        Gram matrix of the training points.

    Returns
    -------
    callable
        From row indices to the Gram matrix of those rows, ready for the solver.
    """

    def block(rows: Rows) -> DenseGram:
        if rows.size == len(whole):
            return whole
        return DenseGram(_square_block(whole.array, rows), check=False)

    return block


def _square_block(gram: NDArray[np.float64], rows: Rows) -> NDArray[np.float64]:
    """Copy gram[rows, rows], by slices where the rows are a few runs of neighbours."""
    starts = np.concatenate(([0], np.flatnonzero(np.diff(rows) != 1) + 1, [rows.size]))
    if starts.size > MOST_RUNS:
        return gram[np.ix_(rows, rows)]
    here = [slice(start, stop) for start, stop in pairwise(starts)]
    there = [slice(rows[run.start], rows[run.stop - 1] + 1) for run in here]
    block = np.empty((rows.size, rows.size))
    for (to_i, from_i), (to_j, from_j) in product(zip(here, there, strict=True), repeat=2):
        block[to_i, to_j] = gram[from_i, from_j]
    return block


def rbf_source(X: Any, *, gamma: float, cache_size: float, n_threads: int = 1) -> GramSource:
    """RBF Gram matrices of subsets of the rows of X, dense where they fit in the cache.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n, n_features)
        Training points.
    gamma : float
        Kernel width parameter.
    cache_size : float
        Memory for kernel values, in MB.
    n_threads : int, default=1
        Number of blocks in use at a time, which share that memory.

    Returns
    -------
    callable
        From row indices to the Gram matrix of those rows, ready for the solver.
    """
    n = X.shape[0]
    fits = fits_dense(n, cache_size)
    share = cache_size / n_threads
    lock = Lock()

    @cache
    def whole_blocks() -> GramSource:
        return dense_source(_rbf_gram(X, gamma))

    @cache  # one-vs-rest problems share the rows that are there already
    def whole_rows() -> Any:
        return kernels.RBFMatrix(X, gamma) if fits else kernels.RBFRows(X, gamma, cache_size)

    def block(rows: Rows) -> Any:
        if rows.size == n and (not fits or _pays_on_demand(X)):
            with lock:
                return whole_rows()
        if fits and (rows.size == n or sparse.issparse(X)):
            with lock:
                dense = whole_blocks()
            return dense(rows)
        own = X[rows]
        if fits and _pays_on_demand(own):
            return kernels.RBFMatrix(own, gamma)
        if fits or fits_dense(rows.size, share):
            return _rbf_gram(own, gamma, out=_own_pages(rows.size))
        # The share depends on the number of threads, on which the result must not.
        return kernels.RBFRows(own, gamma, share, in_parts=False)

    return block


def _pays_on_demand(X: Any) -> bool:
    n, d = X.shape
    return n >= ON_DEMAND_FROM and d <= MOST_FEATURES * n and not sparse.issparse(X)


def _rbf_gram(X: Any, gamma: float, out: NDArray[np.float64] | None = None) -> DenseGram:
    return DenseGram(kernels.rbf_kernel(X, gamma=gamma, out=out), check=False)


def _own_pages(n: int) -> NDArray[np.float64] | None:
    """Return an n x n array in pages of its own; None, for an ordinary one, where it is small.

    The pages go back to the system with the array. Ordinary ones of several sizes, one after the
    other, leave holes in the heap, and together may take twice the memory of the largest.
    """
    size = n * n * BYTES_PER_ENTRY
    if size < OWN_PAGES_FROM:
        return None
    pages = mmap.mmap(-1, size)
    if hasattr(mmap, "MADV_HUGEPAGE"):  # as numpy asks for its large arrays
        pages.madvise(mmap.MADV_HUGEPAGE)
    return np.frombuffer(pages, dtype=np.float64).reshape(n, n)


Kernel: TypeAlias = str | Callable[[Any, Any], Any]

# Values of a function kernel pass through blocks of at most this size.
BLOCK_BYTES = 64 * 2**20


def is_precomputed(kernel: Kernel) -> bool:
    """Tell whether X is a Gram matrix."""
    return isinstance(kernel, str) and kernel == "precomputed"


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
        Coefficient of the RBF kernel.
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
        Coefficient of the RBF kernel.
    coef : ndarray of shape (n_machines, n_SV)
    intercept : ndarray of shape (n_machines,)

    Returns
    -------
    ndarray of shape (n, n_machines)
    """
    if support.size == 0:  # a tolerance so coarse that nothing was learned
        return np.tile(intercept, (X.shape[0], 1))
    if gamma is not None:
        # What a fit leaves is finite, and X was checked just now.
        return kernels.rbf_decision(
            X, support_vectors, gamma=gamma, coef=coef, intercept=intercept, check=False
        )
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
