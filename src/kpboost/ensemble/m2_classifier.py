"""What the classifiers over AdaBoost.M2 share: boosting, and from learners to labels."""

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from kpboost.problems.votes import predicted_codes

from .adaboost_m2 import Train, boost_m2
from .confidence_votes import class_votes, scores, shares, staged_class_votes
from .labelled_points import LabelledPoints, points_to_predict

FloatArray = NDArray[np.float64]


class M2Classifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # untyped bases
    """Votes of weak learners, for an estimator that trains them in a way of its own.

    n_estimators is an attribute of the estimator.
    """

    n_estimators: int

    def predict(self, X: Any) -> NDArray[Any]:
        """Labels with the highest votes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return self._labels(self.decision_function(X))

    def predict_proba(self, X: Any) -> FloatArray:
        """Shares of the classes in the votes: a weighted mean of the learners' confidences.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        return shares(self._votes(X))

    def decision_function(self, X: Any) -> FloatArray:
        """Votes, sum_t log(1 / beta_t) h_t(x, y).

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            For two classes the votes for ``classes_[1]`` less those for ``classes_[0]``.
        """
        return scores(self._votes(X))

    def staged_decision_function(self, X: Any) -> Iterator[FloatArray]:
        """Yield the votes after 1, 2, ... rounds; the last ones are ``decision_function``.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Yields
        ------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        check_is_fitted(self, "estimators_")
        stages = staged_class_votes(
            self.estimators_,
            self.estimator_errors_,
            points_to_predict(self, X),
            self.classes_.size,
        )
        return map(scores, stages)

    def staged_predict(self, X: Any) -> Iterator[NDArray[Any]]:
        """Yield the predicted labels after 1, 2, ... rounds.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Yields
        ------
        ndarray of shape (n_samples,)
        """
        return map(self._labels, self.staged_decision_function(X))

    def _boost(self, data: LabelledPoints, train: Train, *, stop_early: bool, advice: str) -> None:
        """Run AdaBoost.M2, keep what it found as fitted attributes, and warn if that is nothing.

        Parameters
        ----------
        data : LabelledPoints
        train : callable
            One round.
        stop_early : bool
            Whether a round no better than chance is the last.
        advice : str
            What may help where no round was better.
        """
        trace = boost_m2(
            data.codes,
            data.classes.size,
            data.weight,
            train,
            n_rounds=self.n_estimators,
            stop_early=stop_early,
        )
        self.classes_ = data.classes
        self.estimators_ = list(trace.learners)
        self.estimator_weights_ = trace.weights
        self.estimator_errors_ = trace.errors
        if not trace.better_than_chance:
            warnings.warn(
                f"No learner was better than chance (smallest pseudo-loss {trace.errors.min():.3g})"
                f"; the best of them decides alone. {advice}",
                stacklevel=3,
            )

    def _votes(self, X: Any) -> FloatArray:
        check_is_fitted(self, "estimators_")
        return class_votes(
            self.estimators_,
            self.estimator_weights_,
            points_to_predict(self, X),
            self.classes_.size,
        )

    def _labels(self, values: FloatArray) -> NDArray[Any]:
        return np.asarray(self.classes_[predicted_codes(values)])
