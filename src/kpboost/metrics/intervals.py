"""Exact confidence intervals of a share.

Clopper and Pearson's interval holds every p under which a result as extreme as k of n, on either
side, has a chance of more than (1 - confidence) / 2. It is never too short, which matters for the
few test points of a small disjunct. Its ends are quantiles of beta distributions.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaincinv

FloatArray = NDArray[np.float64]


def clopper_pearson(
    n_correct: ArrayLike, n_points: ArrayLike, *, confidence_level: float = 0.95
) -> tuple[FloatArray, FloatArray]:
    """Interval of the probability behind ``n_correct`` successes in ``n_points`` trials.

    Parameters
    ----------
    n_correct : array-like of int
        Successes.
    n_points : array-like of int
        Trials, at least 1.
    confidence_level : float, default=0.95
        Probability with which the interval covers the truth, at least; between 0 and 1.

    Returns
    -------
    low, high : ndarray
        Ends of the intervals; 0 where nothing succeeded, 1 where all did.

    Examples
    --------
    >>> from kpboost.metrics import clopper_pearson
    >>> low, high = clopper_pearson([0, 3], [3, 3])
    >>> high.round(3)
    array([0.708, 1.   ])
    """
    check_confidence_level(confidence_level)
    right, total = np.asarray(n_correct, np.float64), np.asarray(n_points, np.float64)
    if np.any(total < 1) or np.any(right < 0) or np.any(right > total):
        raise ValueError("n_correct must lie between 0 and n_points, and n_points be at least 1.")
    tail = (1.0 - confidence_level) / 2.0
    # Where an end needs no quantile the beta distribution does not exist; 1 stands in for its 0.
    low = betaincinv(np.maximum(right, 1.0), total - right + 1.0, tail)
    high = betaincinv(right + 1.0, np.maximum(total - right, 1.0), 1.0 - tail)
    return np.where(right == 0, 0.0, low), np.where(right == total, 1.0, high)


def check_confidence_level(value: float) -> None:
    """Refuse anything but a number strictly between 0 and 1."""
    if not 0.0 < value < 1.0:
        raise ValueError(f"confidence_level={value!r} is not allowed; it must be in (0, 1).")
