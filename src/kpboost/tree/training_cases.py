"""The cases a tree is grown from: those with a weight, and their classes."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

FloatArray = NDArray[np.float64]


class TrainingCases(NamedTuple):
    """Cases of positive weight.

    ``X`` holds NaN where a value is missing, ``codes`` the position of each case's label in
    ``classes``, which are sorted.
    """

    X: FloatArray
    codes: NDArray[np.int32]
    weight: FloatArray
    classes: NDArray[Any]


def training_cases(
    estimator: Any, X: Any, y: ArrayLike, sample_weight: ArrayLike | None
) -> TrainingCases:
    """Check what ``fit`` was given, for ``estimator``, and keep the cases that count.

    A case of weight 0 is absent, and so is a class without any weight.
    """
    X, labels = validate_data(estimator, X, y, dtype=np.float64, ensure_all_finite="allow-nan")
    check_classification_targets(labels)
    weight = _checked_weight(sample_weight, labels.size)
    kept = weight > 0
    classes, codes = np.unique(labels[kept], return_inverse=True)
    return TrainingCases(X[kept], codes.astype(np.int32), weight[kept], classes)


def _checked_weight(sample_weight: ArrayLike | None, n_samples: int) -> FloatArray:
    if sample_weight is None:
        return np.ones(n_samples)
    weight = np.asarray(sample_weight, dtype=np.float64)
    if weight.ndim == 0:
        weight = np.full(n_samples, weight)
    if weight.shape != (n_samples,):
        raise ValueError(
            f"sample_weight has shape {weight.shape}; one weight per sample is needed, "
            f"({n_samples},)."
        )
    if not np.all(np.isfinite(weight)) or np.any(weight < 0):
        raise ValueError("sample_weight has negative or non-finite values; 0 or more is allowed.")
    if not np.any(weight):
        raise ValueError("sample_weight is zero for every sample; some must be positive.")
    return weight
