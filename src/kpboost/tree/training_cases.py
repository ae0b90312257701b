"""The cases a tree is grown from: those with a weight, and their classes."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from kpboost._sample_weight import check_sample_weight

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
    weight = check_sample_weight(sample_weight, labels.size)
    kept = weight > 0
    classes, codes = np.unique(labels[kept], return_inverse=True)
    return TrainingCases(X[kept], codes.astype(np.int32), weight[kept], classes)
