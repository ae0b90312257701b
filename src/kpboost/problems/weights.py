"""Sample and class weights as upper bounds of the dual coefficients, exactly.

The bound of point i is C_i = C * class_weight[y_i] * sample_weight_i. A point of weight 2 is then
the same as the point twice, and a point of weight 0 is as good as absent.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


def weighted_classes(y: NDArray[Any], weight: FloatArray) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Classes that have any weight, sorted, and the number of each sample's class.

    Parameters
    ----------
    y : ndarray of shape (n,)
        Labels.
    weight : ndarray of shape (n,)
        Sample weights, some positive; a class whose samples all weigh 0 is absent.

    Returns
    -------
    classes : ndarray
        Sorted labels of the classes present; at least two, or a ValueError says so.
    codes : ndarray of shape (n,)
        Position of each sample's label in ``classes``, -1 for those of an absent class.
    """
    classes = np.unique(y[weight > 0])
    if classes.size < 2:
        raise ValueError(
            f"y has {classes.size} class(es) with a positive sample weight; "
            "a classifier needs samples of at least 2 classes."
        )
    codes = np.searchsorted(classes, y).astype(np.intp)
    codes[codes == classes.size] = 0
    return classes, np.where(classes[codes] == y, codes, -1)


def class_weights(
    class_weight: Mapping[Any, float] | str | None,
    classes: NDArray[Any],
    codes: NDArray[np.intp],
    weight: FloatArray,
) -> FloatArray:
    """One positive factor per class.

    Parameters
    ----------
    class_weight : mapping from label to weight, "balanced" or None
        "balanced" gives every class the same total; labels missing from a mapping weigh 1.
    classes : ndarray of shape (n_classes,)
        Sorted labels.
    codes : ndarray of shape (n,)
        Number of each sample's class.
    weight : ndarray of shape (n,)
        Sample weights, which count in the totals of "balanced".

    Returns
    -------
    ndarray of shape (n_classes,)
    """
    if class_weight is None:
        return np.ones(classes.size)
    if isinstance(class_weight, str):
        totals = np.bincount(codes, weights=weight, minlength=classes.size)
        return np.asarray(weight.sum() / (classes.size * totals))
    return _named_weights(class_weight, classes.tolist())


def _named_weights(class_weight: Mapping[Any, float], labels: list[Any]) -> FloatArray:
    """Weights of a mapping in class order; a name that fits no class is suspect if one is unnamed.

    A mapping may name classes that a fold happens to miss. But a strange name beside a class
    without a name is most likely a slip of the pen, and is refused.
    """
    strange = [name for name in class_weight if name not in labels]
    unnamed = [label for label in labels if label not in class_weight]
    if strange and unnamed:
        raise ValueError(
            f"class_weight names {strange}, not among the classes, and leaves out {unnamed}; "
            "its keys must be labels of y."
        )
    factors = np.array([class_weight.get(label, 1.0) for label in labels], dtype=np.float64)
    if not np.all(np.isfinite(factors)) or np.any(factors <= 0):
        raise ValueError(f"class_weight={dict(class_weight)!r}: weights must be positive numbers.")
    return factors
