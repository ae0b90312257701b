"""What the estimators over a kernel do alike: before a fit, after it, and at a prediction."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from kpboost._sparse import well_formed

from .kernel_use import Kernel, is_precomputed, resolve_gamma, sparse_format
from .training_set import TrainingSet
from .weights import class_weights

FloatArray = NDArray[np.float64]
IndexArray = NDArray[np.intp]


def kernel_tags(tags: Tags, kernel: Kernel) -> Tags:
    """Tell scikit-learn whether X is a Gram matrix, and that otherwise it may be sparse."""
    tags.input_tags.sparse = not is_precomputed(kernel)
    tags.input_tags.pairwise = is_precomputed(kernel)
    return tags


def gamma_of(kernel: Kernel, gamma: float | str, data: TrainingSet) -> float | None:
    """Return the width that `gamma` stands for on the training set; None for other kernels."""
    return resolve_gamma(kernel, gamma, data.points, data.weight if data.is_weighted else None)


def bounds_of(
    C: float, class_weight: Mapping[Any, float] | str | None, data: TrainingSet
) -> FloatArray:
    """Return the upper bound of every training row's dual coefficient."""
    factors = class_weights(class_weight, data.classes, data.codes, data.weight)
    return np.asarray(C * factors[data.codes] * data.weight)


def remember_support(
    estimator: Any,
    data: TrainingSet,
    support: IndexArray,
    gamma: float | None,
    *,
    stale: Sequence[str] = (),
) -> None:
    """Set classes, width and support vectors as fitted attributes.

    Parameters
    ----------
    estimator : estimator
        With a parameter ``kernel``.
    data : TrainingSet
    support : ndarray of shape (n_SV,)
        Rows of `data` that support anything, class by class.
    gamma : float or None
        Width of the RBF kernel.
    stale : sequence of str
        More attributes that an earlier fit, with another kernel, may have left.
    """
    for name in ("gamma_", "support_vectors_", *stale):
        estimator.__dict__.pop(name, None)
    estimator.classes_ = data.classes
    estimator.support_ = data.rows[support]
    estimator.n_support_ = np.bincount(data.codes[support], minlength=data.classes.size)
    if gamma is not None:
        estimator.gamma_ = gamma
    if not is_precomputed(estimator.kernel):
        estimator.support_vectors_ = data.points[support]


def points_to_predict(estimator: Any, X: Any) -> Any:
    """Return points as the kernels read them, checked against those of a fit that has been."""
    check_is_fitted(estimator, "classes_")
    accepted = sparse_format(estimator.kernel)
    return validate_data(
        estimator, well_formed(X), reset=False, accept_sparse=accepted, dtype=np.float64
    )
