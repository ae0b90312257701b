"""A Gram matrix in memory, checked once and then solved on as often as needed."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from kpboost import _core


class DenseGram(_core.DenseRows):
    """A symmetric Gram matrix that has passed its checks.

    :func:`~kpboost.solvers.solve_dual` checks a plain array at every call. Whoever solves many
    problems on one matrix (rounds, folds, values of C) wraps it once; threads may share it.

    Parameters
    ----------
    gram : array-like of shape (n, n)
        Kernel values, finite and symmetric. A C-contiguous float64 array is not copied and must
        not be changed while in use.
    check : bool, default=True
        False for a C-contiguous float64 array that is known to be finite and symmetric, such as
        what :func:`kpboost.kernels.rbf_kernel` returns or a block of a matrix already checked.

    Attributes
    ----------
    array : ndarray of shape (n, n)
        The matrix.
    """

    def __init__(self, gram: Any, *, check: bool = True) -> None:
        self.array: NDArray[np.float64] = _checked(gram) if check else gram
        super().__init__(self.array)

    def product(self, vectors: NDArray[np.float64]) -> NDArray[np.float64]:
        """Multiply several vectors, the rows of an array (n_vectors, n), by the matrix."""
        return np.asarray(vectors @ self.array.T)


def _checked(gram: Any) -> NDArray[np.float64]:
    if sparse.issparse(gram):
        raise ValueError("gram is sparse; it must be a dense array, such as gram.toarray().")
    given = np.asarray(gram)
    if given.ndim != 2 or given.shape[0] != given.shape[1]:
        raise ValueError(f"gram has shape {given.shape}; a Gram matrix must be square.")
    if given.dtype.kind not in "fiub":
        raise ValueError(f"gram has dtype {given.dtype}; it must hold real numbers.")
    matrix = np.ascontiguousarray(given, dtype=np.float64)
    allowed = _allowed_asymmetry(given)
    if _core.weighted_asymmetry(matrix) <= allowed:  # fast, and enough for nearly every matrix
        return matrix
    asymmetry = _core.asymmetry(matrix)
    if math.isnan(asymmetry):
        raise ValueError("gram contains NaN or infinity; every entry must be a finite number.")
    if asymmetry > allowed:
        raise ValueError(
            f"gram is not symmetric: entries (i, j) and (j, i) differ by up to {asymmetry:.3g}."
        )
    return matrix


def _allowed_asymmetry(given: NDArray[Any]) -> float:
    """Return sqrt(eps) of the precision the matrix came in, times its largest diagonal entry."""
    precision = given.dtype if given.dtype.kind == "f" else np.dtype(np.float64)
    largest = float(np.abs(given.diagonal()).max(initial=0.0))
    return math.sqrt(float(np.finfo(precision).eps)) * largest
