"""Labelled points for learners of any kind: checked, numbered, without those of weight zero."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from kpboost._sample_weight import check_sample_weight
from kpboost._sparse import well_formed
from kpboost.problems.weights import weighted_classes

FloatArray = NDArray[np.float64]
IndexArray = NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class LabelledPoints:
    """Training points of positive weight.

    Attributes
    ----------
    points : ndarray or CSR matrix of shape (n, n_features)
    codes : ndarray of shape (n,)
        Number of each point's class.
    weight : ndarray of shape (n,)
        Sample weights, all positive.
    classes : ndarray of shape (n_classes,)
        Sorted labels.
    """

    points: Any
    codes: IndexArray
    weight: FloatArray
    classes: NDArray[Any]


def labelled_points(
    estimator: Any, X: Any, y: ArrayLike, sample_weight: ArrayLike | None
) -> LabelledPoints:
    """Check what `fit` was given; sparse and missing values pass where the tags say so."""
    accept_sparse, finite = _admitted(estimator)
    X, labels = validate_data(
        estimator,
        well_formed(X),
        y,
        accept_sparse=accept_sparse,
        dtype=np.float64,
        ensure_all_finite=finite,
    )
    check_classification_targets(labels)
    weight = check_sample_weight(sample_weight, labels.size)
    classes, codes = weighted_classes(labels, weight)
    rows = np.flatnonzero(weight)
    if rows.size == labels.size:
        return LabelledPoints(X, codes, weight, classes)
    return LabelledPoints(X[rows], codes[rows], weight[rows], classes)


def points_to_predict(estimator: Any, X: Any) -> Any:
    """Check points for `predict` as those for `fit` were."""
    accept_sparse, finite = _admitted(estimator)
    return validate_data(
        estimator,
        well_formed(X),
        reset=False,
        accept_sparse=accept_sparse,
        dtype=np.float64,
        ensure_all_finite=finite,
    )


def _admitted(estimator: Any) -> tuple[str | bool, str | bool]:
    tags = estimator.__sklearn_tags__().input_tags
    return ("csr" if tags.sparse else False), ("allow-nan" if tags.allow_nan else True)
