"""The Geometric Small Disjunct Index: a geometric mean in which small disjuncts speak loudest.

    GSDI = ( prod_c  sum_i w_i r_i / sum_i w_i )^(1/C)

over the disjuncts i of each class c, with recall r_i and a weight w_i that falls with the size of
the disjunct. exp(-size) underflows from size 746 on, and a product of small class scores does so
much earlier, so weights, sums and product stay logarithms until the end.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logsumexp

from .disjunct_sizes import Sizes, log_size_weights
from .points import scored_points
from .tally import tally

FloatArray = NDArray[np.float64]


def gsdi_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    disjuncts: ArrayLike,
    disjunct_sizes: Sizes | None = None,
    size_weighting: str = "exp",
    sample_weight: ArrayLike | None = None,
) -> float:
    """Geometric Small Disjunct Index.

    Disjuncts without test points are skipped, and so are classes without test points.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted labels of the test points.
    disjuncts : array-like of shape (n_samples,)
        Disjunct of each test point; each disjunct is a part of one class. Delta
    disjunct_sizes : mapping, pandas series or array-like, optional
        Sizes of all disjuncts over the whole data set: by label, or as an array whose positions are
        the labels, like ``DisjunctFinder.disjunct_sizes_``. By default the test points are taken
        for the whole data set. |Delta|
    size_weighting : {"exp", "scaled_exp"}, default="exp"
        Weight of a disjunct: exp(-size), as published; or the milder one of the code released with
        the paper, which is 1 up to a size of 10 points (or a tenth of the data, if smaller) and
        falls to 1/10 at half of the data.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the points; 0 or more. They count in the recalls, and in the sizes where none
        are given.

    Returns
    -------
    float
        Between 0 and 1, the best. GSDI

    Notes
    -----
    exp(-size) is steep: a disjunct of 5 points weighs 148 times as much as one of 10, and 2e17
    times as much as one of 45. In practice the smallest disjuncts of each class decide.

    Examples
    --------
    >>> from kpboost.metrics import gsdi_score
    >>> y_true, y_pred = [0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 0]
    >>> round(gsdi_score(y_true, y_pred, disjuncts=[0, 0, 0, 1, 1, 2]), 4)
    0.5186
    """
    points = scored_points(y_true, y_pred, sample_weight)
    counts = tally(points, disjuncts, disjunct_sizes)
    log_weight = log_size_weights(counts.sizes, counts.total, size_weighting)
    recall = counts.n_correct / counts.n_points
    log_scores = [
        _log_mean(recall[own], log_weight[own])
        for own in (counts.class_codes == code for code in range(points.classes.size))
    ]
    return float(np.exp(np.mean(log_scores)))


def _log_mean(values: FloatArray, log_weight: FloatArray) -> float:
    """Logarithm of the weighted mean of values between 0 and 1."""
    if not np.any(values):
        return -np.inf
    seen = values > 0
    shifted = log_weight - log_weight.max()  # or the digits of a million would cost those of a mean
    mean = logsumexp(shifted[seen], b=values[seen]) - logsumexp(shifted)
    return min(float(mean), 0.0)  # rounding could lift a mean of ones above 1
