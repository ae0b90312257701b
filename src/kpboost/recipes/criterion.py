"""What recipes choose parameters by: balanced accuracy, the mean of the classes' recalls.

scikit-learn's own would warn of every split without a class of one row; here that is as it should
be.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike


def mean_recall(
    estimator: Any, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None
) -> float:
    """Score a fitted classifier, as ``scoring`` of a search.

    Parameters
    ----------
    estimator : classifier
        Fitted.
    X : array-like of shape (n_samples, n_features)
        Points.
    y : array-like of shape (n_samples,)
        Their labels.
    sample_weight : array-like of shape (n_samples,), optional
        Their weights.

    Returns
    -------
    float
        Mean over the classes that are in ``y``.
    """
    labels = np.asarray(y)
    codes = np.unique(labels, return_inverse=True)[1]
    weight = np.ones(labels.size) if sample_weight is None else np.asarray(sample_weight)
    right = np.asarray(estimator.predict(X)) == labels
    return float(np.mean(np.bincount(codes, weight * right) / np.bincount(codes, weight)))
