"""The trade-off measure: which of some candidates comes closest to the best in every class.

    mu(h) = sum_c ( r_c(h) - min r_c ) / ( max r_c - min r_c )

with the recall r_c(h) of candidate h on class c, and the extremes over all candidates. A candidate
that is best in every class gets the number of classes, one that is worst in every class gets 0.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]

# Means over folds that should be equal differ by rounding, some 1e-16. Two real recalls of a class
# with n points differ by 1 / n or more, so below this spread there is nothing to tell apart; and
# without it a spread of pure rounding would be blown up to the full range from 0 to 1.
SAME_RECALL = 1e-12


def tradeoff_score(recalls: ArrayLike) -> FloatArray:
    """Trade-off measure of every candidate.

    Parameters
    ----------
    recalls : array-like of shape (n_candidates, n_classes)
        Recall of each class by each candidate. A row with NaN is a candidate that failed: its score
        is NaN, and it takes no part in the extremes.

    Returns
    -------
    ndarray of shape (n_candidates,)
        Scores between 0 and n_classes. A class in which all candidates are equal adds 0. mu

    Examples
    --------
    >>> from kpboost.model_selection import tradeoff_score
    >>> tradeoff_score([[0.4, 0.8], [0.67, 0.67], [0.875, 0.515], [0.9, 0.5]]).round(4)
    array([1.    , 1.1067, 1.    , 1.    ])
    """
    table = np.asarray(recalls, dtype=np.float64)
    if table.ndim != 2 or table.size == 0:
        raise ValueError(
            f"recalls has shape {table.shape}; one row per candidate and one column per class are "
            "needed."
        )
    if np.any(np.isinf(table)):
        raise ValueError("recalls has infinite values; recalls are numbers between 0 and 1.")
    complete = ~np.isnan(table).any(axis=1)
    if not np.any(complete):
        raise ValueError("recalls has no complete row: no candidate has a recall for every class.")
    lowest, highest = table[complete].min(axis=0), table[complete].max(axis=0)
    telling = highest - lowest > SAME_RECALL
    shares = (table - lowest)[:, telling] / (highest - lowest)[telling]
    return np.where(complete, shares.sum(axis=1), np.nan)
