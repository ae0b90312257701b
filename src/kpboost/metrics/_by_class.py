"""Scores in which every class counts the same, however rare it is, and the recalls below them."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaincinv
from scipy.stats import rankdata
from sklearn.utils import check_consistent_length, column_or_1d
from sklearn.utils.multiclass import check_classification_targets, unique_labels

from kpboost._typing import FloatArray, IndexArray


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


# Scores agree to at most so many digits between machines.
TIE_DIGITS = 9


def average_ranks(scores: ArrayLike) -> NDArray[np.float64]:
    """Mean rank of every classifier over all data sets; 1 is the best, ties share their mean rank.

    Scores that agree to nine digits of the largest one are ties: means over folds differ in their
    last digits by rounding alone.

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
    largest = max(np.abs(table).max(), np.finfo(np.float64).tiny)
    return np.asarray(rankdata(-np.round(table / largest, TIE_DIGITS), axis=1).mean(axis=0))


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
    recalls = _recalls(points)
    if labels is None:
        return recalls
    known: dict[Any, float] = dict(zip(points.classes.tolist(), recalls.tolist(), strict=True))
    wanted = np.asarray(labels).tolist()
    return np.array([known.get(label, np.nan) for label in wanted], dtype=np.float64)


def _recalls(points: Points) -> FloatArray:
    return group_recalls(points.hit, points.codes, points.classes.size, points.weight)


def group_recalls(
    hit: NDArray[Any], groups: IndexArray, n_groups: int, weight: FloatArray | None = None
) -> FloatArray:
    """Share of correct predictions in every group of samples, such as classes or disjuncts.

    Parameters
    ----------
    hit : ndarray of shape (..., n_samples)
        Whether each prediction is correct, for one candidate or many; NaN where one failed.
    groups : ndarray of shape (n_samples,)
        Group of each sample, from 0 on.
    n_groups : int
    weight : ndarray of shape (n_samples,), optional

    Returns
    -------
    ndarray of shape (..., n_groups)
        NaN for a group without samples.
    """
    weight = np.ones(groups.size) if weight is None else weight
    total = np.bincount(groups, weight, n_groups)
    right = np.apply_along_axis(lambda row: np.bincount(groups, row, n_groups), -1, hit * weight)
    with np.errstate(invalid="ignore"):
        return np.asarray(right / total)


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
    return float(geometric_mean(class_recalls(y_true, y_pred, sample_weight=sample_weight)))


def geometric_mean(values: FloatArray) -> FloatArray:
    """Geometric mean over the last axis; through logarithms, as a product could underflow."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.exp(np.log(values).mean(axis=-1)))


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
    if points.classes.size < 2:
        raise ValueError("y_true has points of one class only; the hard AUC compares at least two.")
    return float(hard_auc(_recalls(points)))


def hard_auc(recalls: FloatArray) -> FloatArray:
    """Area under the ROC curve of hard labels, from recalls of shape (..., n_classes)."""
    n_classes = recalls.shape[-1]
    return np.asarray((1.0 + (n_classes * recalls.mean(axis=-1) - 1.0) / (n_classes - 1)) / 2.0)
