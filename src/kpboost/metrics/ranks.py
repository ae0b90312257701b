"""Average ranks: many classifiers on many data sets in one row of numbers."""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import rankdata


def average_ranks(scores: ArrayLike) -> NDArray[np.float64]:
    """Mean rank of every classifier over all data sets; 1 is the best, ties share their mean rank.

    Parameters
    ----------
    scores : array-like of shape (n_datasets, n_classifiers)
        Scores, the higher the better.

    Returns
    -------
    ndarray of shape (n_classifiers,)
        Average ranks. AR

    Examples
    --------
    >>> from kpboost.metrics import average_ranks
    >>> average_ranks([[0.9, 0.8, 0.7], [0.5, 0.5, 0.4]])
    array([1.25, 1.75, 3.  ])
    """
    table = np.asarray(scores, dtype=np.float64)
    if table.ndim != 2 or table.size == 0:
        raise ValueError(
            f"scores has shape {table.shape}; one row per data set and one column per classifier "
            "are needed."
        )
    if not np.all(np.isfinite(table)):
        raise ValueError("scores has values that are missing or not finite; ranks need all.")
    return np.asarray(rankdata(-table, axis=1).mean(axis=0))
