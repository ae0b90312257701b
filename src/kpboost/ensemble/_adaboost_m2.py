"""AdaBoost.M2, the boosting of class confidences: pure functions and one loop.

A weak learner answers with a confidence h(x, y) in [0, 1] for every class y. The distribution D
lives on mislabels (i, y), y != y_i, and a learner is judged by its pseudo-loss

    eps = 1/2 sum_(i,y) D(i, y) (1 - h(x_i, y_i) + h(x_i, y)),        beta = eps / (1 - eps),

after which D(i, y) is multiplied by beta^((1 + h(x_i, y_i) - h(x_i, y)) / 2). The ensemble answers
argmax_y sum_t log(1 / beta_t) h_t(x, y). It is Freund and Schapire's algorithm; with two classes
and confidences of 0 and 1 it is ordinary AdaBoost.
"""

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.utils.validation import has_fit_parameter

from kpboost._typing import FloatArray, IndexArray
from kpboost.problems import DecisionClassifier, TrainingSet, points_to_predict

# From P(i), the weight of each training point, to a learner and its confidences (n, n_classes).
Train = Callable[[FloatArray], tuple[Any, FloatArray]]

# A learner without loss, or with nothing but loss, would vote with an infinite weight; this caps
# the vote at about 23.
SMALLEST_LOSS = 1e-10
# A learner that knows nothing has a pseudo-loss of 1/2, but for rounding, which must not decide.
CHANCE = 0.5 - 1e-12
# The vote of the only learner, if none was better than chance.
LONE_VOTE = 1.0


@dataclass(frozen=True, slots=True, eq=False)
class M2Trace:
    """The rounds of AdaBoost.M2.

    Attributes
    ----------
    learners : tuple
        One weak learner per round.
    errors : ndarray of shape (n_rounds,)
        Pseudo-losses. eps_t
    weights : ndarray of shape (n_rounds,)
        Votes, 0 for learners no better than chance. log(1 / beta_t)
    better_than_chance : bool
        Whether any learner was; otherwise the best one has the only vote.
    """

    learners: tuple[Any, ...]
    errors: FloatArray
    weights: FloatArray
    better_than_chance: bool


def boost_m2(
    codes: IndexArray,
    n_classes: int,
    weight: FloatArray,
    train: Train,
    *,
    n_rounds: int,
    stop_early: bool,
) -> M2Trace:
    """Run AdaBoost.M2.

    Parameters
    ----------
    codes : ndarray of shape (n,)
        Number of each point's class.
    n_classes : int
    weight : ndarray of shape (n,)
        Sample weights, all positive: the first distribution, up to a factor.
    train : callable
        From the marginal P(i) = sum_y D(i, y), which sums to 1, to a weak learner and its
        confidences at all training points.
    n_rounds : int
        T.
    stop_early : bool
        Whether the loop ends at a learner no better than chance, or one without loss. If not, the
        former is left out of the vote, D stays as it is, and the loop goes on.

    Returns
    -------
    M2Trace
    """
    mislabels = first_mislabels(codes, n_classes, weight)
    learners, errors = [], []
    for _ in range(n_rounds):
        learner, confidence = train(mislabels.sum(axis=1))
        error = pseudo_loss(mislabels, confidence, codes)
        learners.append(learner)
        errors.append(error)
        if stop_early and (error >= CHANCE or error < SMALLEST_LOSS):
            break
        if error < CHANCE:
            mislabels = next_mislabels(mislabels, confidence, codes, error)
    votes = round_votes(np.array(errors))
    return M2Trace(tuple(learners), np.array(errors), votes, bool(min(errors) < CHANCE))


def first_mislabels(codes: IndexArray, n_classes: int, weight: FloatArray) -> FloatArray:
    """Spread each point's weight evenly over the wrong classes; 0 at its own; total 1.

    Returns
    -------
    ndarray of shape (n, n_classes)
    """
    mislabels = np.repeat(weight[:, None] / (weight.sum() * (n_classes - 1)), n_classes, axis=1)
    mislabels[np.arange(codes.size), codes] = 0.0
    return mislabels


def pseudo_loss(mislabels: FloatArray, confidence: FloatArray, codes: IndexArray) -> float:
    """Half the expected advantage of the wrong class over the right one, moved into [0, 1]."""
    return float(0.5 * np.sum(mislabels * (1.0 - _advantage(confidence, codes))))


def next_mislabels(
    mislabels: FloatArray, confidence: FloatArray, codes: IndexArray, error: float
) -> FloatArray:
    """Lower the weight of mislabels that the learner tells from the truth; total 1."""
    log_beta = -_vote(np.array(error))
    changed = mislabels * np.exp(log_beta * 0.5 * (1.0 + _advantage(confidence, codes)))
    return np.asarray(changed / changed.sum())


def round_votes(errors: FloatArray) -> FloatArray:
    """Votes log(1 / beta_t); 0 where no better than chance; the best one alone if all are so."""
    votes = np.where(errors < CHANCE, _vote(errors), 0.0)
    if not votes.any():
        votes[errors.argmin()] = LONE_VOTE
    return votes


def summed_votes(confidences: Iterable[FloatArray], weights: FloatArray) -> FloatArray:
    """Sum of log(1 / beta_t) h_t(x, y) over the rounds, (n, n_classes).

    Parameters
    ----------
    confidences : iterable of ndarray of shape (n, n_classes)
        One per round, made when asked for.
    weights : ndarray of shape (n_rounds,)

    Returns
    -------
    ndarray of shape (n, n_classes)
    """
    parts = (weight * each for weight, each in zip(weights, confidences, strict=True))
    total = next(parts)
    for part in parts:
        total += part
    return np.asarray(total)


def _advantage(confidence: FloatArray, codes: IndexArray) -> FloatArray:
    """Confidence in the right class less that in each class."""
    return np.asarray(confidence[np.arange(codes.size), codes][:, None] - confidence)


def _vote(errors: FloatArray) -> FloatArray:
    clipped = np.clip(errors, SMALLEST_LOSS, 1.0 - SMALLEST_LOSS)
    return np.asarray(np.log((1.0 - clipped) / clipped))


LARGEST_SEED = np.iinfo(np.int32).max


def check_classifier(value: Any) -> None:
    """Refuse anything but a classifier of scikit-learn's kind, as an object."""
    instance = not isinstance(value, type) and hasattr(value, "get_params")
    if not (instance and is_classifier(value)):
        raise ValueError(
            f"estimator={value!r} is not allowed; it must be a classifier, such as "
            "DecisionTreeClassifier(), or None."
        )


def fresh_learner(prototype: Any, rng: np.random.RandomState) -> Any:
    """Clone a classifier and give every random state in it a seed of its own."""
    learner = clone(prototype)
    names = sorted(name for name in learner.get_params() if _is_random_state(name))
    return learner.set_params(**{name: rng.randint(LARGEST_SEED) for name in names})


def fit_weighted(
    learner: Any, X: Any, codes: IndexArray, weight: FloatArray, rng: np.random.RandomState
) -> Any:
    """Train on weighted points; by resampling, if the learner's `fit` knows no weights.

    Parameters
    ----------
    learner : classifier
    X : ndarray or CSR matrix of shape (n, n_features)
    codes : ndarray of shape (n,)
        Number of each point's class.
    weight : ndarray of shape (n,)
        Any positive total; the learner sees weights with a mean of 1, because trees compare them
        with numbers of points.
    rng : RandomState

    Returns
    -------
    classifier
        The learner itself, fitted.
    """
    share = weight / weight.sum()
    if has_fit_parameter(learner, "sample_weight"):
        return learner.fit(X, codes, sample_weight=share * share.size)
    rows = resample(codes, share, rng)
    return learner.fit(X[rows], codes[rows])


def resample(codes: IndexArray, share: FloatArray, rng: np.random.RandomState) -> IndexArray:
    """Draw as many points as there are, by their shares, with replacement.

    A class that was not drawn gets its heaviest point, since learners need two classes or more.
    """
    drawn = rng.choice(codes.size, size=codes.size, p=share)
    missing = np.setdiff1d(codes, codes[drawn])
    heaviest = [np.where(codes == code, share, -1.0).argmax() for code in missing]
    return np.concatenate([drawn, np.array(heaviest, dtype=np.intp)])


def confidence(learner: Any, X: Any, n_classes: int) -> FloatArray:
    """Class confidences in [0, 1], 0 for classes that the learner has not met.

    Parameters
    ----------
    learner : classifier
        Fitted on class numbers. Without `predict_proba` its labels count as certain.
    X : ndarray or CSR matrix of shape (n, n_features)
    n_classes : int

    Returns
    -------
    ndarray of shape (n, n_classes)
    """
    if not hasattr(learner, "predict_proba"):
        return np.asarray(np.eye(n_classes)[learner.predict(X)])
    full = np.zeros((X.shape[0], n_classes))
    full[:, learner.classes_] = learner.predict_proba(X)
    return full


def _is_random_state(name: str) -> bool:
    return name == "random_state" or name.endswith("__random_state")


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


class M2Classifier(DecisionClassifier):
    """Votes of weak learners, for an estimator that trains them in a way of its own.

    n_estimators is an attribute of the estimator.
    """

    n_estimators: int

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
        points, n_classes = points_to_predict(self, X), self.classes_.size
        stages = staged_class_votes(self.estimators_, self.estimator_errors_, points, n_classes)
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

    def _boost(self, data: TrainingSet, train: Train, *, stop_early: bool, advice: str) -> None:
        """Run AdaBoost.M2, keep what it found as fitted attributes, and warn if that is nothing.

        Parameters
        ----------
        data : TrainingSet
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
        points, n_classes = points_to_predict(self, X), self.classes_.size
        return class_votes(self.estimators_, self.estimator_weights_, points, n_classes)
