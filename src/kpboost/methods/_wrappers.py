"""What a method puts around an estimator: labels as numbers, and a threshold."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from kpboost._typing import BaseEstimator, ClassifierMixin, FloatArray
from kpboost.model_selection import OperatingPointClassifier


@dataclass(frozen=True, slots=True)
class Threshold:
    """How a threshold is set: as the field does it, however few samples a class has.

    Attributes
    ----------
    rule : {"gmean", "prior"}
        The best geometric mean of the recalls; or a probability equal to the class's own share.
    cv : int or "oob"
        Folds of the scores that it is set on, or the estimator's own out-of-bag scores.
    """

    rule: str
    cv: int | str

    def of(self, model: Any, seed: int) -> Any:
        """Wrap an estimator."""
        return OperatingPointClassifier(
            model, rule=self.rule, cv=self.cv, min_to_tune=1, random_state=seed
        )


class CodedLabelsClassifier(ClassifierMixin, BaseEstimator):
    """A classifier that knows its classes as numbers from 0 on, made to take any labels.

    Parameters
    ----------
    estimator : classifier
        It has ``predict_proba``.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Sorted labels.
    estimator_ : classifier
        Trained on the numbers of the classes.
    """

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    def fit(self, X: FloatArray, y: NDArray[Any]) -> Self:
        """Train on the numbers of the classes.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features)
        y : ndarray of shape (n_samples,)

        Returns
        -------
        self : CodedLabelsClassifier
        """
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.estimator_ = clone(self.estimator).fit(X, codes)
        self.n_features_in_ = X.shape[1]
        return self

    def predict(self, X: FloatArray) -> NDArray[Any]:
        """Labels of the highest probabilities.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])

    def predict_proba(self, X: FloatArray) -> FloatArray:
        """Probabilities of the classes.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        return np.asarray(self.estimator_.predict_proba(X), dtype=np.float64)
