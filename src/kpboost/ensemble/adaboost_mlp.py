"""AdaBoost-MLP: AdaBoost.M2 over small neural networks."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import Tags, check_random_state

from kpboost import _parameters as parameters

from .adaboost_m2 import Train
from .labelled_points import LabelledPoints, labelled_points
from .m2_classifier import M2Classifier
from .networks import NetworkDesign, check_version, train_network
from .weak_learners import confidence

FloatArray = NDArray[np.float64]

# Where no learner is better than chance.
ADVICE = "Standardise the features, or try more epochs or hidden units."


class AdaBoostMLPClassifier(M2Classifier):
    """Boosted multi-layer perceptrons.

    AdaBoost.M2 over networks with one hidden layer of tanh units. The weights of boosting reach a
    network in one of three ways, the ``version``: as probabilities of a resample (R, E), or as
    factors of the loss (W).

    Parameters
    ----------
    hidden_units : int, default=10
        Units of the hidden layer; the paper tries 10, 15 and 20.
    n_estimators : int, default=10
        Most boosting rounds. T
    version : {"E", "R", "W"}, default="E"
        "R" draws one resample per network, "E" a fresh one for every epoch, "W" weighs the loss of
        every point and needs scikit-learn 1.7 or newer.
    n_epochs : int, default=100
        Passes over the sample per network.
    learning_rate_init : float, default=0.01
        Step size of the optimiser, Adam.
    alpha : float, default=1e-4
        Strength of the L2 penalty of the networks' weights.
    random_state : int, RandomState or None, default=None
        Seed of the resamples and of the networks.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Sorted labels of the classes with a positive weight.
    estimators_ : list of MLPClassifier
        Networks, trained on class numbers.
    estimator_weights_ : ndarray of shape (n_rounds,)
        Votes, 0 for a network no better than chance. log(1 / beta_t)
    estimator_errors_ : ndarray of shape (n_rounds,)
        Pseudo-losses on the training points. eps_t
    n_features_in_ : int
        Number of columns of the training data.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where the training data had names.

    Notes
    -----
    Our reading of the article: its networks minimise the squared error, scikit-learn's the log
    loss. Rounds, epochs and step size are not given for the paper's experiments; the defaults are
    ours. Boosting ends early at a network no better than chance, which has no vote, or at one
    without loss. If already the first is no better than chance it decides alone, and a warning
    says so. Standardise the features first; networks need it.

    Sample weights are the distribution that boosting starts from; a point of weight 0 is absent.

    References
    ----------
    H. Schwenk, Y. Bengio, "Boosting Neural Networks", Neural Computation 12 (2000).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.preprocessing import scale
    >>> from kpboost.ensemble import AdaBoostMLPClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> AdaBoostMLPClassifier(random_state=0).fit(scale(X), y).predict(scale(X)[:3])
    array([0, 0, 0])
    """

    def __init__(
        self,
        hidden_units: int = 10,
        *,
        n_estimators: int = 10,
        version: str = "E",
        n_epochs: int = 100,
        learning_rate_init: float = 0.01,
        alpha: float = 1e-4,
        random_state: Any = None,
    ) -> None:
        self.hidden_units = hidden_units
        self.n_estimators = n_estimators
        self.version = version
        self.n_epochs = n_epochs
        self.learning_rate_init = learning_rate_init
        self.alpha = alpha
        self.random_state = random_state

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Train the networks.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training points.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,), optional
            Where boosting starts; 0 or more.

        Returns
        -------
        self : AdaBoostMLPClassifier
        """
        self._check_parameters()
        data = labelled_points(self, X, y, sample_weight)
        self._boost(data, self._training(data), stop_early=True, advice=ADVICE)
        return self

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _check_parameters(self) -> None:
        parameters.check_count("hidden_units", self.hidden_units)
        parameters.check_count("n_estimators", self.n_estimators)
        check_version(self.version)
        parameters.check_count("n_epochs", self.n_epochs)
        parameters.check_positive("learning_rate_init", self.learning_rate_init)
        parameters.check_not_negative("alpha", self.alpha)

    def _training(self, data: LabelledPoints) -> Train:
        """One round: a network trained by the weights, and its answers at all points."""
        rng = check_random_state(self.random_state)
        design = NetworkDesign(self.hidden_units, self.learning_rate_init, self.alpha)

        def train(weight: FloatArray) -> tuple[Any, FloatArray]:
            network = train_network(
                design, data.points, data.codes, weight, rng, self.version, self.n_epochs
            )
            return network, confidence(network, data.points, data.classes.size)

        return train
