"""New points under KPBoostROI: they inherit the perturbation of their nearest training point.

With Gamma the nearest training point of x, the transformation factor of x in round t is D_t(x) =
exp(-k_Gamma^t f_(t-1)(x)^2), so that for the sums g_t(x) = sum_i lambda_i y_i s_t,i K(x_i, x)

    f_t(x) = s_t(x) g_t(x) + b_t,     log s_t(x) = log s_(t-1)(x) - k_Gamma^t f_(t-1)(x)^2.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IndexArray = NDArray[np.intp]

# Distances to the training points are looked at in blocks of at most this many bytes, which stay in
# the processor's cache: several times as fast as blocks that do not.
BLOCK_BYTES = 2 * 2**20


def perturbed_values(
    sums: FloatArray, intercept: FloatArray, perturbation: FloatArray
) -> FloatArray:
    """Decision values of all rounds from the kernel sums, elementwise over the points.

    Parameters
    ----------
    sums : ndarray of shape (n, n_problems, n_rounds)
        g_t, without intercept.
    intercept : ndarray of shape (n_problems, n_rounds)
        b_t.
    perturbation : ndarray of shape (n, n_problems, n_rounds)
        k of each point's nearest training point.

    Returns
    -------
    ndarray of shape (n, n_problems, n_rounds)
    """
    values = np.empty_like(sums)
    log_scale = np.zeros(sums.shape[:2])
    before = np.zeros(sums.shape[:2])
    for t in range(sums.shape[2]):
        log_scale -= perturbation[:, :, t] * before**2
        before = np.exp(log_scale) * sums[:, :, t] + intercept[:, t]
        values[:, :, t] = before
    return values


def nearest_training_rows(
    squared_distances: Callable[[slice], FloatArray], n_points: int, rows: Sequence[IndexArray]
) -> IndexArray:
    """Nearest training row of every point, among the rows of each problem.

    Parameters
    ----------
    squared_distances : callable
        From a slice of the points to their squared distances from all training points, up to a
        constant per point.
    n_points : int
    rows : sequence of ndarray
        Training rows of each problem.

    Returns
    -------
    ndarray of shape (n_points, n_problems)
    """
    nearest = np.empty((n_points, len(rows)), dtype=np.intp)
    n_training = max(int(own.max()) for own in rows) + 1
    step = max(1, BLOCK_BYTES // (8 * n_training))
    for start in range(0, n_points, step):
        part = slice(start, min(start + step, n_points))
        squared = squared_distances(part)
        for problem, own in enumerate(rows):
            among = squared if own.size == squared.shape[1] else squared[:, own]
            nearest[part, problem] = own[among.argmin(axis=1)]
    return nearest
