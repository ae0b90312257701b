"""The points a metric counts: their classes, whether they were hit, and what they weigh."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_consistent_length, column_or_1d
from sklearn.utils.multiclass import unique_labels

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Points:
    """Points of positive weight.

    Attributes
    ----------
    rows : ndarray of shape (n,)
        Where they stand in what the user gave.
    classes : ndarray of shape (n_classes,)
        Sorted labels of their true classes.
    codes : ndarray of shape (n,)
        Number of each point's true class.
    hit : ndarray of shape (n,)
        Whether the prediction is right.
    weight : ndarray of shape (n,)
        Sample weights, all positive.
    n_given : int
        Number of points that the user gave, with those of weight zero.
    """

    rows: NDArray[np.intp]
    classes: NDArray[Any]
    codes: NDArray[np.intp]
    hit: NDArray[np.bool_]
    weight: FloatArray
    n_given: int


def scored_points(
    y_true: ArrayLike, y_pred: ArrayLike, sample_weight: ArrayLike | None = None
) -> Points:
    """Check true and predicted labels, and leave out points of weight zero.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted labels.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the points; 0 or more. A point of weight 2 is the same as the point twice.

    Returns
    -------
    Points
    """
    true, predicted = column_or_1d(y_true), column_or_1d(y_pred)
    check_consistent_length(true, predicted)
    if true.size == 0:
        raise ValueError("y_true is empty; a metric needs at least one point.")
    unique_labels(true, predicted)  # refuses continuous targets, and strings beside numbers
    weight = _weights(sample_weight, true.size)
    rows = np.flatnonzero(weight)
    if rows.size == 0:
        raise ValueError("sample_weight is zero for every point; some must be positive.")
    classes, codes = np.unique(true[rows], return_inverse=True)
    return Points(rows, classes, codes, true[rows] == predicted[rows], weight[rows], true.size)


def _weights(sample_weight: ArrayLike | None, n_samples: int) -> FloatArray:
    if sample_weight is None:
        return np.ones(n_samples)
    weight = np.asarray(sample_weight, dtype=np.float64)
    if weight.shape != (n_samples,):
        raise ValueError(
            f"sample_weight has shape {weight.shape}; one weight per point is needed, "
            f"({n_samples},)."
        )
    if not np.all(np.isfinite(weight)) or np.any(weight < 0):
        raise ValueError("sample_weight has negative or non-finite values; 0 or more is allowed.")
    return weight
