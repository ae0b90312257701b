"""Where AdaBoost-SVM's kernel widths start and where they end, from the training points.

Weights count as repetitions: a point of weight 2 is the point twice.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kpboost import kernels

FloatArray = NDArray[np.float64]

# Distances from single rows to all others pass through blocks of at most this size.
BLOCK_BYTES = 32 * 2**20


def scatter_radius(X: Any, weight: FloatArray, rule: str) -> float:
    """Return the radius of the points about their mean.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n, n_features)
    weight : ndarray of shape (n,)
        Positive.
    rule : {"max", "rms"}
        The distance of the farthest point, or the root of the mean squared distance.

    Returns
    -------
    float
    """
    share = weight / weight.sum()
    center = np.atleast_2d(share @ X)
    squared = kernels.squared_distances(X, center)[:, 0]
    return float(np.sqrt(squared.max() if rule == "max" else share @ squared))


def mean_nearest_distance(X: Any, weight: FloatArray, squared: FloatArray | None = None) -> float:
    """Return the mean distance of a point to the nearest one elsewhere.

    Copies of a point do not count as its neighbours: they would make repetition and weight differ,
    and a set of pairs would have the width 0.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n, n_features)
    weight : ndarray of shape (n,)
        Positive.
    squared : ndarray of shape (n, n), optional
        Squared distances, if they are known already.

    Returns
    -------
    float
        0 if all points coincide.
    """
    nearest = np.empty(weight.size)
    step = max(1, BLOCK_BYTES // (8 * weight.size))
    for start in range(0, weight.size, step):
        rows = slice(start, start + step)
        block = kernels.squared_distances(X[rows], X) if squared is None else squared[rows]
        nearest[rows] = np.where(block > 0.0, block, np.inf).min(axis=1)
    if not np.isfinite(nearest).all():
        return 0.0
    return float(np.average(np.sqrt(nearest), weights=weight))
