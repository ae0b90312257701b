"""Distances in the feature space of a perturbed kernel, and widths made of them.

With K_t(x, z) = s(x) K_0(x, z) s(z) and K_0(x, x) = 1 the squared distance of two images is

    delta2(x, z) = K_t(x, x) + K_t(z, z) - 2 K_t(x, z) = s(x)^2 + s(z)^2 - 2 s(x) K_0(x, z) s(z).
"""

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]


def squared_feature_distances(kernel: FloatArray, scale: FloatArray) -> FloatArray:
    """Squared distances between the images of some points.

    Parameters
    ----------
    kernel : ndarray of shape (n, n)
        K_0 between them.
    scale : ndarray of shape (n,)
        s.

    Returns
    -------
    ndarray of shape (n, n)
    """
    squares = scale**2
    cross = scale[:, None] * kernel * scale
    return np.asarray(np.maximum(squares[:, None] + squares - 2.0 * cross, 0.0))


def mean_of_near(squared: FloatArray, candidates: BoolArray, middle: FloatArray) -> FloatArray:
    """Mean over the candidates nearer than a middle, row by row; the nearest where none is.

    Parameters
    ----------
    squared : ndarray of shape (n, m)
    candidates : ndarray of bool of shape (n, m)
        At least one in every row.
    middle : ndarray of shape (n,)

    Returns
    -------
    ndarray of shape (n,)
    """
    near = candidates & (squared < middle[:, None])
    count = near.sum(axis=1)
    nearest = np.where(candidates, squared, np.inf).min(axis=1)
    total = np.where(near, squared, 0.0).sum(axis=1)
    return np.asarray(np.where(count > 0, total / np.maximum(count, 1), nearest))


def middle_of(squared: FloatArray, candidates: BoolArray) -> FloatArray:
    """Return the mean of the smallest and the largest value among the candidates of each row."""
    smallest = np.where(candidates, squared, np.inf).min(axis=1)
    largest = np.where(candidates, squared, -np.inf).max(axis=1)
    return np.asarray(0.5 * (smallest + largest))


def positive_widths(widths: FloatArray) -> FloatArray | None:
    """Replace widths of zero by the smallest positive one; None where there is none.

    Points that coincide leave a width of zero, which is no width.
    """
    positive = widths[widths > 0]
    if positive.size == 0:
        return None
    return np.where(widths > 0, widths, positive.min())
