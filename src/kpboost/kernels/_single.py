"""The RBF kernel of many rows against a few landmarks, in single precision where that is safe.

    exp(-gamma |x - l|^2) = 2^(-|x' - l'|^2),    x' = sqrt(gamma log2 e) (x - mean of the landmarks)

x' is computed in double precision and then rounded to a relative 2^-24. A row with a kernel value
that is not nearly 0 is about as far from the centre as its landmark. So an entry is wrong by no
more than about

    2^-22 + 2^-23 sqrt(d) max |l'|,

whatever the offset and the units of the data. Where that is too much, far apart clouds under a
narrow kernel, all is computed in double precision: which one, depends on the landmarks alone.
"""

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from kpboost import _core

from ._points import Dense, as_points, check_same_features, positive_gamma
from ._rbf import rbf_decision, rbf_kernel

# Largest entry of l' for which single precision is used: errors stay near 1e-5.
FARTHEST_LANDMARK = 32.0
# Rounding of a power of two and of sums of them.
ROUNDING = 2.0**-22
# Larger coefficients might overflow in single precision.
LARGEST_COEFFICIENT = 1e30


def single_rbf_kernel(X: Any, landmarks: Any, *, gamma: float) -> npt.NDArray[np.float32]:
    """RBF kernel between the rows of X and landmarks, in single precision.

    Parameters
    ----------
    X : array-like of shape (n, d)
    landmarks : array-like of shape (m, d)
    gamma : float
        Positive kernel coefficient, 1 / (2 sigma^2).

    Returns
    -------
    kernel : float32 array of shape (n, m)
        An entry depends on its row and the landmarks alone, bit for bit.
    """
    points, others, centre, reach = _placed(X, landmarks, gamma)
    if reach > FARTHEST_LANDMARK:
        return rbf_kernel(points, others, gamma=gamma).astype(np.float32)
    block = np.empty((len(points), len(others)), dtype=np.float32)
    _core.single_block(points, others, centre, float(gamma), block)
    return block


def signed_rbf_decision(
    X: Any, landmarks: Any, *, gamma: float, coef: Dense, intercept: Dense
) -> Dense:
    """Decision values of T machines with the signs of :func:`rbf_decision`, in less time.

    They are in single precision, and in double where that leaves a sign of the row in doubt.

    Parameters
    ----------
    X : array-like of shape (n, d)
    landmarks : array-like of shape (m, d)
    gamma : float
        Positive kernel coefficient, 1 / (2 sigma^2).
    coef : ndarray of shape (T, m)
    intercept : ndarray of shape (T,)

    Returns
    -------
    decision : array of shape (n, T)
        A row's values do not depend on the other rows, bit for bit.
    """
    points, others, centre, reach = _placed(X, landmarks, gamma)
    machines: dict[str, Any] = {"gamma": float(gamma), "coef": coef, "intercept": intercept}
    size = np.abs(coef).sum(axis=1)
    if reach > FARTHEST_LANDMARK or (size > LARGEST_COEFFICIENT).any():
        return rbf_decision(points, others, **machines)
    decision = np.empty((len(points), len(coef)))
    _core.single_decision(points, others, centre, float(gamma), coef, intercept, decision)
    error = ROUNDING + 0.5 * ROUNDING * math.sqrt(points.shape[1]) * reach
    doubtful = (np.abs(decision) <= error * size).any(axis=1)
    if doubtful.any():
        decision[doubtful] = rbf_decision(points[doubtful], others, **machines)
    return decision


def _placed(X: Any, landmarks: Any, gamma: float) -> tuple[Dense, Dense, Dense, float]:
    """Points, landmarks, their centre, and the largest entry of l'."""
    rate = positive_gamma(gamma)
    points, others = as_points(X, "X"), as_points(landmarks, "landmarks")
    check_same_features(points, others, "X and landmarks")
    with np.errstate(over="ignore", invalid="ignore"):  # of numbers too large for a mean
        centre = others.mean(axis=0)
        reach = math.sqrt(rate * math.log2(math.e)) * np.abs(others - centre).max()
    return points, others, centre, float(reach) if np.isfinite(reach) else math.inf
