"""The kernel that perturbation starts from: 1 on its diagonal, and falling with a distance."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.metrics.pairwise import manhattan_distances

from kpboost import kernels
from kpboost.problems.gram_blocks import GramSource
from kpboost.problems.kernel_use import gram_source, kernel_sums

FloatArray = NDArray[np.float64]

RBF, LAPLACIAN = "rbf", "laplacian"
SQUARED_EUCLIDEAN, L1 = "sqeuclidean", "l1"


def distances(X: Any, Y: Any, kind: str) -> FloatArray:
    """Squared Euclidean or L1 distances between the rows of X and the rows of Y."""
    if kind == SQUARED_EUCLIDEAN:
        return kernels.squared_distances(X, Y)
    return np.asarray(manhattan_distances(_narrow(X), _narrow(Y)))


def _narrow(X: Any) -> Any:
    """Return sparse points with 32-bit indices, the only ones that scikit-learn's L1 reads."""
    if not sparse.issparse(X):
        return X
    parts = (X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32))
    return sparse.csr_matrix(parts, shape=X.shape)


@dataclass(frozen=True, slots=True)
class BaseKernel:
    """exp(-gamma |x - x'|^2), or for "laplacian" exp(-gamma |x - x'|_1).

    Attributes
    ----------
    name : {"rbf", "laplacian"}
    gamma : float
    """

    name: str
    gamma: float

    def __call__(self, X: Any, Y: Any) -> FloatArray:
        """Kernel values between the rows of X and the rows of Y."""
        if self.name == RBF:
            return kernels.rbf_kernel(X, Y, gamma=self.gamma)
        return np.exp(-self.gamma * distances(X, Y, L1))

    def grams(self, points: Any, cache_size: float) -> GramSource:
        """Return the Gram matrices of subsets of the points; a Laplacian one is held whole."""
        if self.name == RBF:
            return gram_source(RBF, points, gamma=self.gamma, cache_size=cache_size)
        return gram_source(self, points, gamma=None, cache_size=cache_size)

    def sums(self, X: Any, vectors: Any, coef: FloatArray) -> FloatArray:
        """Kernel sums of several machines over shared vectors, (n, n_machines).

        Parameters
        ----------
        X : ndarray or CSR matrix of shape (n, d)
        vectors : ndarray or CSR matrix of shape (n_SV, d)
        coef : ndarray of shape (n_machines, n_SV)

        Returns
        -------
        ndarray of shape (n, n_machines)
        """
        is_rbf = self.name == RBF
        return kernel_sums(
            RBF if is_rbf else self,
            X,
            np.arange(vectors.shape[0]),
            vectors,
            gamma=self.gamma if is_rbf else None,
            coef=np.ascontiguousarray(coef),
            intercept=np.zeros(coef.shape[0]),
        )
