"""The samples an estimator trains on: those of positive weight, with their classes and bounds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import InputTags, Tags, get_tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from kpboost._notebook import NotebookMixin
from kpboost._typing import BaseEstimator, ClassifierMixin, FloatArray, IndexArray
from kpboost._validation import check_sample_weight, well_formed
from kpboost.kernels import all_finite, resolve_gamma

from ._gram import Kernel, is_precomputed
from ._multiclass import predicted_codes


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
    estimator: Any,
    X: Any,
    y: ArrayLike,
    sample_weight: ArrayLike | None,
    *,
    by_class: bool = True,
) -> TrainingSet:
    """Check what `fit` was given, for `estimator`, and keep the rows that count.

    The estimator's tags say whether X may be sparse, have missing values, or is a Gram matrix.
    Rows of weight zero are absent. With several classes the others come class by class (unless X is
    a Gram matrix, or `by_class` is False), so that the Gram blocks of pairs are contiguous.
    """
    tags = get_tags(estimator).input_tags
    X, labels = _checked(estimator, X, y, tags)
    if tags.pairwise and X.shape[0] != X.shape[1]:
        raise ValueError(f"A precomputed kernel must be a square matrix; X has shape {X.shape}.")
    weight = check_sample_weight(sample_weight, labels.size)
    classes, codes = weighted_classes(labels, weight)
    rows = np.flatnonzero(weight)
    if by_class and classes.size > 2 and not tags.pairwise:
        rows = _by_class(rows, codes)
    return TrainingSet(
        points=_take(X, rows, tags.pairwise),
        rows=rows,
        codes=codes[rows],
        weight=weight[rows],
        is_weighted=sample_weight is not None,
        classes=classes,
        all_codes=codes,
    )


def points_to_predict(estimator: Any, X: Any) -> Any:
    """Return new points, checked as those of the fit were."""
    fitted = vars(estimator)
    if (
        _is_sound(X)
        and X.shape[1] == fitted.get("n_features_in_")
        and "classes_" in fitted
        and "feature_names_in_" not in fitted
    ):
        return X
    check_is_fitted(estimator, "classes_")
    tags = get_tags(estimator).input_tags
    return validate_data(estimator, well_formed(X), reset=False, **_admitted(tags))


# scikit-learn's validation takes longer than a small model needs for a row to predict, and a fifth
# of a fit to some hundred rows. What is seen at a glance to pass it without a word is spared it.


def _is_sound(X: Any) -> bool:
    """Tell whether scikit-learn would return these points as they are."""
    return (
        type(X) is np.ndarray
        and X.ndim == 2
        and X.dtype == np.float64
        and X.flags.c_contiguous
        and X.size > 0
        and all_finite(X)
    )


# Up to here every whole number is a float of its own.
LARGEST_LABEL = 2**53


def _are_sound(labels: Any, n_samples: int) -> bool:
    """Tell whether scikit-learn would take these for classes: whole numbers, most more than once.

    Where there are nearly as many classes as samples, it warns that they may be measurements.
    """
    if type(labels) is not np.ndarray or labels.shape != (n_samples,):
        return False
    whole = labels.dtype.kind in "biu" or (
        labels.dtype == np.float64
        and bool((np.abs(labels) < LARGEST_LABEL).all())
        and np.array_equal(labels, np.rint(labels))
    )
    return whole and 2 * np.unique(labels).size <= n_samples


def _checked(estimator: Any, X: Any, y: Any, tags: InputTags) -> tuple[Any, NDArray[Any]]:
    """Return points and labels that a classifier can be trained on; remember the columns."""
    if _is_sound(X) and _are_sound(y, len(X)):
        vars(estimator).pop("feature_names_in_", None)  # of an earlier fit
        estimator.n_features_in_ = X.shape[1]
        return X, y
    X, labels = validate_data(estimator, well_formed(X), y, **_admitted(tags))
    check_classification_targets(labels)
    return X, labels


def _admitted(tags: InputTags) -> dict[str, Any]:
    """Return what scikit-learn's validation shall let pass."""
    return {
        "accept_sparse": "csr" if tags.sparse else False,
        "ensure_all_finite": "allow-nan" if tags.allow_nan else True,
        "dtype": np.float64,
    }


def _take(X: Any, rows: IndexArray, is_gram: bool) -> Any:
    """Take rows, and columns of a Gram matrix; no copy if all stay where they are."""
    if np.array_equal(rows, np.arange(X.shape[0])):
        return X
    return X[np.ix_(rows, rows)] if is_gram else X[rows]


class DecisionClassifier(NotebookMixin, ClassifierMixin, BaseEstimator):
    """A classifier whose labels follow from its decision function.

    X may be sparse, or a Gram matrix where the estimator has a kernel and it is precomputed.
    """

    if TYPE_CHECKING:  # every classifier has its own

        def decision_function(self, X: Any) -> FloatArray: ...

    def predict(self, X: Any) -> NDArray[Any]:
        """Labels of the highest scores.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Points; with a precomputed kernel their values against all training points.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return self._labels(self.decision_function(X))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = is_precomputed(getattr(self, "kernel", "rbf"))
        tags.input_tags.sparse = not tags.input_tags.pairwise
        return tags

    def _labels(self, scores: FloatArray) -> NDArray[Any]:
        return np.asarray(self.classes_[predicted_codes(scores)])

    def _stacked(self, name: str) -> NDArray[Any]:
        """Return a fitted array with its axis of problems, which two classes leave out."""
        values = np.asarray(getattr(self, name))
        return values[None] if self.classes_.size == 2 else values


def width_of(gamma: float | str, data: TrainingSet) -> float:
    """Return the width that `gamma` stands for on the training set."""
    weight = data.weight if data.is_weighted else None
    return resolve_gamma(gamma, data.points, sample_weight=weight)


def gamma_of(kernel: Kernel, gamma: float | str, data: TrainingSet) -> float | None:
    """Return the width of the RBF kernel; None for other kernels."""
    return width_of(gamma, data) if kernel == "rbf" else None


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
    signs: FloatArray | None = None,
) -> None:
    """Set classes, width and support vectors as fitted attributes.

    Parameters
    ----------
    estimator : estimator
    data : TrainingSet
    support : ndarray of shape (n_SV,)
        Rows of `data` that support anything, class by class.
    gamma : float or None
        Coefficient of the RBF kernel.
    signs : ndarray of shape (n_problems,), optional
        Sides of the positive classes; that of two classes is remembered.
    """
    for name in ("gamma_", "support_vectors_", "pos_label_"):  # of an earlier fit
        estimator.__dict__.pop(name, None)
    estimator.classes_ = data.classes
    estimator.support_ = data.rows[support]
    estimator.n_support_ = np.bincount(data.codes[support], minlength=data.classes.size)
    if gamma is not None:
        estimator.gamma_ = gamma
    if not is_precomputed(getattr(estimator, "kernel", "rbf")):
        estimator.support_vectors_ = data.points[support]
    if signs is not None and data.classes.size == 2:
        estimator.pos_label_ = data.classes[1 if signs[0] > 0 else 0]


def over_support(
    coefs: Sequence[FloatArray], rows: Sequence[IndexArray], codes: IndexArray
) -> tuple[IndexArray, list[FloatArray]]:
    """Coefficients of several problems over the union of their support vectors.

    Parameters
    ----------
    coefs : sequence of ndarray of shape (..., n_own)
    rows : sequence of ndarray of shape (n_own,)
        Training rows of each problem.
    codes : ndarray of shape (n,)
        Number of each row's class.

    Returns
    -------
    support : ndarray of shape (n_SV,)
        Rows with any coefficient, class by class, ascending within a class.
    coefs : list of ndarray of shape (..., n_SV)
    """
    used = np.zeros(codes.size, dtype=bool)
    for coef, own in zip(coefs, rows, strict=True):
        used[own] |= coef.reshape(-1, own.size).any(axis=0)
    support = _by_class(np.flatnonzero(used), codes)
    column = np.zeros(codes.size, dtype=np.intp)
    column[support] = np.arange(support.size)
    gathered = []
    for coef, own in zip(coefs, rows, strict=True):
        kept = used[own]
        full = np.zeros((*coef.shape[:-1], support.size))
        full[..., column[own[kept]]] = coef[..., kept]
        gathered.append(full)
    return support, gathered


def _by_class(rows: IndexArray, codes: IndexArray) -> IndexArray:
    return np.asarray(rows[np.argsort(codes[rows], kind="stable")])
