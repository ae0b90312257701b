"""How wide the bumps around boundary points are: by the points that lie near, in feature space.

tau_b^2 is the mean squared distance of x_b from the near ones of some points: those nearer than the
middle M_b between the nearest and the farthest. The points are the support vectors, or the other
boundary points. The inner products of boundary points are again sums of kernel values:

    <Phi(x_b), Phi(v)> = (1 - beta) K(p, v) + beta K(q, v).
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from .feature_space import mean_of_near, middle_of
from .perturbation import row_blocks

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]
IndexArray = NDArray[np.intp]
# From some boundary points to squared distances from all candidates, and which of these count.
Neighbours = Callable[[slice], tuple[FloatArray, BoolArray]]

SUPPORT_VECTORS, BOUNDARY = "support_vectors", "boundary"


def squared_boundary_distances(
    cross: FloatArray,
    diagonal: FloatArray,
    first: IndexArray,
    second: IndexArray,
    beta: float,
    squared_norms: FloatArray,
) -> FloatArray:
    """delta2(x, x_b) from kernel values.

    Parameters
    ----------
    cross : ndarray of shape (n, n_vectors)
        K(x, v) for the support vectors v.
    diagonal : ndarray of shape (n,)
        K(x, x).
    first, second : ndarray of shape (n_boundary,)
        Rows of p and q.
    beta : float
    squared_norms : ndarray of shape (n_boundary,)

    Returns
    -------
    ndarray of shape (n, n_boundary)
    """
    inner = (1.0 - beta) * cross[:, first] + beta * cross[:, second]
    return np.asarray(np.maximum(diagonal[:, None] - 2.0 * inner + squared_norms, 0.0))


def boundary_widths(
    kernel: FloatArray,
    first: IndexArray,
    second: IndexArray,
    beta: float,
    squared_norms: FloatArray,
    scope: str,
) -> FloatArray:
    """tau_b^2 of all boundary points, in blocks of bounded memory.

    Parameters
    ----------
    kernel : ndarray of shape (n_vectors, n_vectors)
        K between the support vectors.
    first, second : ndarray of shape (n_boundary,)
        Rows of p and q.
    beta : float
    squared_norms : ndarray of shape (n_boundary,)
    scope : {"support_vectors", "boundary"}
        What is near. A single boundary point has no others, and is measured by support vectors.

    Returns
    -------
    ndarray of shape (n_boundary,)
        Some may be 0, where points coincide.
    """

    def to_vectors(part: slice) -> tuple[FloatArray, BoolArray]:
        squared = squared_boundary_distances(
            kernel, kernel.diagonal(), first[part], second[part], beta, squared_norms[part]
        ).T
        return squared, np.ones(squared.shape, dtype=bool)

    def to_others(part: slice) -> tuple[FloatArray, BoolArray]:
        cross = (1.0 - beta) * kernel[first[part]] + beta * kernel[second[part]]
        squared = squared_boundary_distances(
            cross, squared_norms[part], first, second, beta, squared_norms
        )
        return squared, np.arange(first.size)[part, None] != np.arange(first.size)

    if scope == BOUNDARY and first.size > 1:
        return _near_means(to_others, first.size, first.size)
    return _near_means(to_vectors, first.size, len(kernel))


def _near_means(neighbours: Neighbours, n_boundary: int, n_candidates: int) -> FloatArray:
    widths = np.empty(n_boundary)
    for part in row_blocks(n_boundary, n_candidates):
        squared, candidates = neighbours(part)
        widths[part] = mean_of_near(squared, candidates, middle_of(squared, candidates))
    return widths
