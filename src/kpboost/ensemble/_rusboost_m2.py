"""RUSBoost: AdaBoost.M2 whose learners see a random undersample."""

from math import floor
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import Tags, check_random_state, get_tags

from kpboost import _validation as parameters
from kpboost._typing import FloatArray, IndexArray
from kpboost.problems import TrainingSet, training_set
from kpboost.tree import C45Classifier

from ._adaboost_m2 import (
    M2Classifier,
    Train,
    check_classifier,
    confidence,
    fit_weighted,
    fresh_learner,
)


def check_minority_share(value: Any) -> None:
    """Refuse anything but a number strictly between 0 and 1."""
    if not (parameters.is_positive(value) and value < 1):
        raise parameters.refusal("minority_share", value, "a number above 0 and below 1")


def sizes_to_keep(sizes: IndexArray, minority_share: float) -> IndexArray:
    """Numbers of points to keep of each class.

    Parameters
    ----------
    sizes : ndarray of shape (n_classes,)
        Numbers of points, all positive.
    minority_share : float
        Of two classes the smaller one is kept whole, and so many points of the larger one that
        the smaller makes up this share; or all of them, if that takes more than there are. More
        classes are cut to the size of the smallest.

    Returns
    -------
    ndarray of shape (n_classes,)
    """
    smallest = int(sizes.min())
    if sizes.size > 2:
        return np.full(sizes.size, smallest)
    beside = max(1, floor(smallest * (1.0 - minority_share) / minority_share + 0.5))
    kept = np.minimum(sizes, beside)
    kept[sizes.argmin()] = smallest
    return kept


def undersample(codes: IndexArray, minority_share: float, rng: np.random.RandomState) -> IndexArray:
    """Rows of a random undersample, drawn without replacement and uniformly, in order.

    Parameters
    ----------
    codes : ndarray of shape (n,)
        Number of each point's class; every class has points.
    minority_share : float
        See :func:`sizes_to_keep`.
    rng : RandomState

    Returns
    -------
    ndarray
    """
    kept = sizes_to_keep(np.bincount(codes), minority_share)
    rows = [
        rng.choice(np.flatnonzero(codes == code), size=size, replace=False)
        for code, size in enumerate(kept)
    ]
    return np.sort(np.concatenate(rows))


# Where no learner is better than chance.
ADVICE = "Another estimator or minority_share may help."


class RUSBoostM2Classifier(M2Classifier):
    """Boosting in which every learner is trained on a random undersample.

    Each round keeps all points of the smaller class and draws points of the larger one, uniformly
    and without replacement; a weak learner is trained on them with the weights of AdaBoost.M2, and
    judged by its pseudo-loss on all points. This is the algorithm as published, with class
    confidences in place of labels.

    Parameters
    ----------
    estimator : classifier or None, default=None
        Weak learner; None is ``C45Classifier()``, pruned C4.5 with Laplace confidences. A
        classifier without ``predict_proba`` is boosted on its labels; one whose ``fit`` takes no
        ``sample_weight`` gets a resample, drawn by the weights.
    n_estimators : int, default=10
        Number of boosting rounds. T
    minority_share : float, default=0.5
        Share of the smaller class in the undersample of two classes; the paper tries 0.35, 0.5 and
        0.65. More than two classes are cut to the size of the smallest. p
    random_state : int, RandomState or None, default=None
        Seed of the draws, and of learners that have a ``random_state``.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Sorted labels of the classes with a positive weight.
    estimators_ : list of classifiers
        Weak learners, trained on class numbers.
    estimator_weights_ : ndarray of shape (n_rounds,)
        Votes, 0 for learners no better than chance. log(1 / beta_t)
    estimator_errors_ : ndarray of shape (n_rounds,)
        Pseudo-losses on all training points. eps_t
    n_features_in_ : int
        Number of columns of the training data.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where the training data had names.

    See Also
    --------
    AdaBoostMLPClassifier : The same boosting of neural networks on all samples.

    Notes
    -----
    Our reading of the article: the pseudo-loss has the factor 1/2 of AdaBoost.M2, which the
    article's print lacks. It has no stopping rule; here a learner no better than chance is left
    out of the vote and changes no weights, and if all are so, the best one decides alone and a
    warning says so. For several classes the mislabel distribution of AdaBoost.M2 replaces the
    weights of points.

    Sample weights are the distribution that boosting starts from. The undersample counts points,
    not weights; a point of weight 0 is absent.

    References
    ----------
    C. Seiffert, T. M. Khoshgoftaar, J. Van Hulse, A. Napolitano, "RUSBoost: A Hybrid Approach to
    Alleviating Class Imbalance", IEEE Transactions on Systems, Man, and Cybernetics A 40 (2010).

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from kpboost.ensemble import RUSBoostM2Classifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> RUSBoostM2Classifier(random_state=0).fit(X, y).predict(X[:3])
    array([0, 0, 0])
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 10,
        minority_share: float = 0.5,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.minority_share = minority_share
        self.random_state = random_state

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Train the learners.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training points. Missing values (NaN) and sparse matrices pass where the weak learner
            takes them.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,), optional
            Where boosting starts; 0 or more.

        Returns
        -------
        self : RUSBoostM2Classifier
        """
        parameters.check_shared(self)
        check_minority_share(self.minority_share)
        check_classifier(self._prototype())
        data = training_set(self, X, y, sample_weight, by_class=False)
        self._boost(data, self._training(data), stop_early=False, advice=ADVICE)
        return self

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        learner = get_tags(self._prototype()).input_tags
        tags.input_tags.sparse = learner.sparse
        tags.input_tags.allow_nan = learner.allow_nan
        return tags

    def _prototype(self) -> Any:
        return C45Classifier() if self.estimator is None else self.estimator

    def _training(self, data: TrainingSet) -> Train:
        """One round: draw, train on what was drawn, answer at all points."""
        rng = check_random_state(self.random_state)
        prototype = self._prototype()

        def train(weight: FloatArray) -> tuple[Any, FloatArray]:
            rows = undersample(data.codes, self.minority_share, rng)
            learner = fresh_learner(prototype, rng)
            fit_weighted(learner, data.points[rows], data.codes[rows], weight[rows], rng)
            return learner, confidence(learner, data.points, data.classes.size)

        return train
