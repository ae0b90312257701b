"""Recall of every class: the numbers that the other scores are made of."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .points import Points, scored_points

FloatArray = NDArray[np.float64]


def class_recalls(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> FloatArray:
    """Share of each class's points that are predicted correctly.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted labels.
    labels : array-like of shape (n_classes,), optional
        Classes in the order wanted; those of ``y_true``, sorted, by default.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the points; 0 or more.

    Returns
    -------
    ndarray of shape (n_classes,)
        Recalls; NaN for a class of ``labels`` without any points. m'_c / m_c

    Examples
    --------
    >>> from kpboost.metrics import class_recalls
    >>> class_recalls([0, 0, 0, 0, 1, 1], [0, 0, 0, 1, 1, 0])
    array([0.75, 0.5 ])
    """
    points = scored_points(y_true, y_pred, sample_weight)
    recalls = recalls_of(points)
    if labels is None:
        return recalls
    known: dict[Any, float] = dict(zip(points.classes.tolist(), recalls.tolist(), strict=True))
    wanted = np.asarray(labels).tolist()
    return np.array([known.get(label, np.nan) for label in wanted], dtype=np.float64)


def recalls_of(points: Points) -> FloatArray:
    """Recalls of the classes that have points, in sorted order of their labels."""
    total = np.bincount(points.codes, weights=points.weight)
    right = np.bincount(points.codes, weights=points.weight * points.hit)
    return np.asarray(right / total)
