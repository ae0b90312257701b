"""The rows an estimator trains on, after weights have had their say."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from kpboost._sample_weight import check_sample_weight
from kpboost._sparse import well_formed

from .kernel_use import Kernel, is_precomputed, sparse_format
from .weights import weighted_classes

FloatArray = NDArray[np.float64]
IndexArray = NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class TrainingSet:
    """Rows with a positive weight, and what is known about them.

    Attributes
    ----------
    points : ndarray or CSR matrix
        The rows themselves; of a precomputed kernel, rows and columns.
    rows : ndarray of shape (n,)
        Where they stand in what the user gave.
    codes : ndarray of shape (n,)
        Number of each row's class.
    weight : ndarray of shape (n,)
        Sample weights, all positive.
    is_weighted : bool
        Whether the user gave weights.
    classes : ndarray of shape (n_classes,)
        Sorted labels.
    all_codes : ndarray of shape (n_samples,)
        Class numbers of all rows the user gave; -1 for those of a class without weight.
    """

    points: Any
    rows: IndexArray
    codes: IndexArray
    weight: FloatArray
    is_weighted: bool
    classes: NDArray[Any]
    all_codes: IndexArray


def training_set(
    estimator: Any, X: Any, y: ArrayLike, sample_weight: ArrayLike | None, kernel: Kernel
) -> TrainingSet:
    """Check what `fit` was given, for `estimator`, and keep the rows that count.

    Rows of weight zero are absent. With several classes the others come class by class (unless
    the kernel is precomputed), so that the Gram blocks of pairs are contiguous.
    """
    X, labels = validate_data(
        estimator, well_formed(X), y, accept_sparse=sparse_format(kernel), dtype=np.float64
    )
    check_classification_targets(labels)
    if is_precomputed(kernel) and X.shape[0] != X.shape[1]:
        raise ValueError(f"A precomputed kernel must be a square matrix; X has shape {X.shape}.")
    weight = check_sample_weight(sample_weight, labels.size)
    classes, codes = weighted_classes(labels, weight)
    rows = np.flatnonzero(weight)
    if classes.size > 2 and not is_precomputed(kernel):
        rows = rows[np.argsort(codes[rows], kind="stable")]
    return TrainingSet(
        points=_take(X, rows, kernel),
        rows=rows,
        codes=codes[rows],
        weight=weight[rows],
        is_weighted=sample_weight is not None,
        classes=classes,
        all_codes=codes,
    )


def _take(X: Any, rows: IndexArray, kernel: Kernel) -> Any:
    """Take rows, and columns of a Gram matrix; no copy if all stay where they are."""
    if np.array_equal(rows, np.arange(X.shape[0])):
        return X
    return X[np.ix_(rows, rows)] if is_precomputed(kernel) else X[rows]
