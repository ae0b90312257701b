"""From the weak learners of AdaBoost.M2 to votes, scores and shares of the classes."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .adaboost_m2 import round_votes, summed_votes
from .weak_learners import confidence

FloatArray = NDArray[np.float64]


def class_votes(learners: Sequence[Any], weights: FloatArray, X: Any, n_classes: int) -> FloatArray:
    """Return sum_t log(1 / beta_t) h_t(x, y), asking only the learners that vote.

    Parameters
    ----------
    learners : sequence of classifiers
    weights : ndarray of shape (n_rounds,)
        Votes, some positive.
    X : ndarray or CSR matrix of shape (n, n_features)
    n_classes : int

    Returns
    -------
    ndarray of shape (n, n_classes)
    """
    voting = np.flatnonzero(weights).tolist()
    confidences = (confidence(learners[t], X, n_classes) for t in voting)
    return summed_votes(confidences, weights[voting])


def staged_class_votes(
    learners: Sequence[Any], errors: FloatArray, X: Any, n_classes: int
) -> Iterator[FloatArray]:
    """Yield the votes after 1, 2, ... rounds, each as a run of so many rounds would give it."""
    confidences: list[FloatArray] = []
    for t, learner in enumerate(learners, start=1):
        confidences.append(confidence(learner, X, n_classes))
        yield summed_votes(confidences, round_votes(errors[:t]))


def scores(votes: FloatArray) -> FloatArray:
    """Votes in scikit-learn's form: one difference for two classes, else one score per class."""
    return votes[:, 1] - votes[:, 0] if votes.shape[1] == 2 else votes


def shares(votes: FloatArray) -> FloatArray:
    """Votes divided by their sum, point by point: weighted means of the confidences."""
    return np.asarray(votes / votes.sum(axis=1, keepdims=True))
