"""Two scores in which every class counts the same, however rare it is."""

import numpy as np
from numpy.typing import ArrayLike

from .points import scored_points
from .recalls import class_recalls, recalls_of


def geometric_mean_score(
    y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> float:
    """Geometric mean of the classes' recalls: (r_1 r_2 ... r_C)^(1/C).

    One class that is never recognised makes it 0. Classes without true points do not count.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted labels.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the points; 0 or more.

    Returns
    -------
    float
        Between 0 and 1, the best. Gmean

    Examples
    --------
    >>> from kpboost.metrics import geometric_mean_score
    >>> geometric_mean_score([0, 0, 0, 0, 1], [0, 1, 1, 1, 1])
    0.5
    """
    return geometric_mean(class_recalls(y_true, y_pred, sample_weight=sample_weight))


def geometric_mean(values: ArrayLike) -> float:
    """Geometric mean of numbers of at least 0; through logarithms, as a product could underflow."""
    numbers = np.asarray(values, dtype=np.float64)
    if not np.all(numbers):
        return 0.0
    return float(np.exp(np.mean(np.log(numbers))))


def hard_auc_score(
    y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> float:
    """Area under the ROC curve of hard labels.

    For two classes it is (1 + tpr - fpr) / 2, which is the balanced accuracy. For C classes it is
    Hand and Till's mean over all pairs of classes, which on labels depends on the mean recall r
    alone: (1 + (C r - 1) / (C - 1)) / 2. A prediction outside the classes of ``y_true`` is an error
    like any other.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted labels; ``y_true`` must hold at least two classes.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the points; 0 or more.

    Returns
    -------
    float
        At most 1; 0.5 is the score of a classifier that knows one answer only. AUC

    Examples
    --------
    >>> from kpboost.metrics import hard_auc_score
    >>> hard_auc_score([0, 0, 0, 0, 1, 1], [0, 0, 0, 1, 1, 0])
    0.625
    """
    points = scored_points(y_true, y_pred, sample_weight)
    n_classes = points.classes.size
    if n_classes < 2:
        raise ValueError("y_true has points of one class only; the hard AUC compares at least two.")
    mean = float(np.mean(recalls_of(points)))
    return (1.0 + (n_classes * mean - 1.0) / (n_classes - 1)) / 2.0
