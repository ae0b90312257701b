"""How unequal the classes are."""

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import check_classification_targets


def imbalance_ratio(y: ArrayLike) -> float:
    """Size of the largest class divided by the size of the smallest.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Labels.

    Returns
    -------
    float
        At least 1; 1 if all classes have the same size. IR

    Examples
    --------
    >>> from kpboost.metrics import imbalance_ratio
    >>> imbalance_ratio(["no", "no", "no", "yes"])
    3.0
    """
    labels = column_or_1d(y)
    if labels.size == 0:
        raise ValueError("y is empty; an imbalance ratio needs at least one point.")
    check_classification_targets(labels)
    sizes = np.unique(labels, return_counts=True)[1]
    return float(sizes.max() / sizes.min())
