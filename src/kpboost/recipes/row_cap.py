"""A classifier trained on at most so many rows, with weights that restore the classes' shares.

Kernel machines need time and memory that grow with the square of the rows. Above the cap, rare
classes keep their rows and the others share the room that is left. A row is weighted by the number
of rows it stands for, so that the machine still sees the classes in their true proportions, and
the weights are divided by their mean: a weight multiplies C, and C is to mean the same with and
without the cap.
"""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils import Tags, check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from kpboost import _parameters as parameters

FloatArray = NDArray[np.float64]
IndexArray = NDArray[np.intp]

# Kernel machines of the recipes train within seconds on so many rows.
MAX_ROWS = 2500


class RowCapClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # untyped bases
    """Train a classifier on at most ``max_rows`` rows.

    Parameters
    ----------
    estimator : classifier
        What is trained; it must take ``sample_weight`` in ``fit``.
    max_rows : int, default=2500
        Most rows to train on. With fewer, this is the estimator itself. Above, the rows drawn are
        weighted by the shares of their classes; the mean weight is 1, so that parameters such as C
        keep their meaning.
    random_state : int, RandomState instance or None, default=None
        Seed of the sample.

    Attributes
    ----------
    estimator_ : classifier
        Fitted.
    classes_ : ndarray of shape (n_classes,)
        Sorted labels.
    n_rows_ : int
        Number of rows that it was trained on.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where the data had names.

    Examples
    --------
    >>> import numpy as np
    >>> from kpboost.recipes import RowCapClassifier
    >>> from sklearn.svm import SVC
    >>> X, y = np.arange(100.0).reshape(-1, 1), np.repeat([0, 1], [90, 10])
    >>> RowCapClassifier(SVC(), max_rows=40, random_state=0).fit(X, y).n_rows_
    40
    """

    def __init__(
        self, estimator: Any, max_rows: int = MAX_ROWS, *, random_state: Any = None
    ) -> None:
        self.estimator = estimator
        self.max_rows = max_rows
        self.random_state = random_state

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Draw the rows and train.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training points.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,), optional
            Weights; each goes along with its row.

        Returns
        -------
        self : RowCapClassifier
        """
        parameters.check_count("max_rows", self.max_rows)
        X, labels = validate_data(self, X, y, accept_sparse="csr")
        check_classification_targets(labels)
        self.classes_, codes = np.unique(labels, return_inverse=True)
        rows, weight = capped_rows(codes, self.max_rows, check_random_state(self.random_state))
        if sample_weight is not None:
            weight = weight * _checked_weights(sample_weight, codes.size)[rows]
        plain = bool(np.all(weight == 1))
        fresh = clone(self.estimator)
        self.estimator_ = (
            fresh.fit(X[rows], labels[rows])
            if plain
            else fresh.fit(X[rows], labels[rows], sample_weight=weight)
        )
        self.n_rows_ = int(rows.size)
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Labels of points.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Points.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", reset=False)
        return np.asarray(self.estimator_.predict(X))

    def decision_function(self, X: Any) -> FloatArray:
        """Scores of points, as the estimator gives them.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Points.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", reset=False)
        return np.asarray(self.estimator_.decision_function(X))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _checked_weights(sample_weight: ArrayLike, n_samples: int) -> FloatArray:
    given = np.asarray(sample_weight, dtype=np.float64)
    if given.shape != (n_samples,):
        raise ValueError(
            f"sample_weight has shape {given.shape}; one weight per row is needed, ({n_samples},)."
        )
    return given


def capped_rows(
    codes: IndexArray, max_rows: int, random: np.random.RandomState
) -> tuple[IndexArray, FloatArray]:
    """Rows to train on, ascending, and weights that restore the shares of the classes.

    Parameters
    ----------
    codes : ndarray of shape (n_samples,)
        Number of each row's class.
    max_rows : int
        Most rows; every class keeps at least one all the same.
    random : RandomState
        Source of the draws.

    Returns
    -------
    rows : ndarray of int
        Row numbers.
    weight : ndarray of float
        One per row: how many rows it stands for, divided by the mean of that.
    """
    if codes.size <= max_rows:
        return np.arange(codes.size), np.ones(codes.size)
    sizes = np.bincount(codes)
    kept = _shares(sizes, max_rows)
    rows = np.sort(
        np.concatenate(
            [
                random.choice(np.flatnonzero(codes == code), size, replace=False)
                for code, size in enumerate(kept.tolist())
                if size
            ]
        )
    )
    weight = (sizes / np.maximum(kept, 1))[codes[rows]]
    return rows, weight / weight.mean()


def _shares(sizes: IndexArray, room: int) -> IndexArray:
    """Rows of each class: the smallest are served first, and what they leave goes to the others."""
    kept = np.zeros_like(sizes)
    order = np.argsort(sizes, kind="stable")
    order = order[sizes[order] > 0]
    for place, code in enumerate(order):
        fair = max(1, (room - int(kept.sum())) // (order.size - place))
        kept[code] = min(int(sizes[code]), fair)
    return kept
