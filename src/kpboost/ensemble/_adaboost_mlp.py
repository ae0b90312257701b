"""AdaBoost-MLP: AdaBoost.M2 over small neural networks."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.neural_network import MLPClassifier
from sklearn.utils import check_random_state
from sklearn.utils.validation import has_fit_parameter

from kpboost import _validation as parameters
from kpboost._typing import FloatArray, IndexArray
from kpboost.problems import TrainingSet, training_set

from ._adaboost_m2 import (
    LARGEST_SEED,
    M2Classifier,
    Train,
    confidence,
)

VERSIONS = ("E", "R", "W")
# Points per step of the optimiser. scikit-learn's own 200 would leave small sets, which have rare
# classes more often than others, with one step per epoch.
BATCH_SIZE = 32
# Each call of `partial_fit` costs as much as several steps, so it gets as many epochs, in order, as
# copies of this many numbers hold.
BLOCK_ENTRIES = 2**21
# scikit-learn's network answers Ctrl-C with this warning, and returns.
INTERRUPTED = "Training interrupted by user"


@dataclass(frozen=True, slots=True)
class NetworkDesign:
    """What all networks of an ensemble have in common."""

    hidden_units: int
    learning_rate_init: float
    alpha: float


def check_version(version: Any) -> None:
    """Refuse an unknown version, and "W" where scikit-learn's networks take no weights."""
    parameters.check_choice("version", version, VERSIONS)
    if version == "W" and not has_fit_parameter(MLPClassifier, "sample_weight"):
        raise ValueError(
            "version='W' needs scikit-learn 1.7 or newer, where MLPClassifier takes sample "
            "weights; here use 'E' or 'R'."
        )


def train_network(
    design: NetworkDesign,
    X: Any,
    codes: IndexArray,
    weight: FloatArray,
    rng: np.random.RandomState,
    version: str,
    n_epochs: int,
) -> MLPClassifier:
    """Train a network, one pass over its sample per epoch.

    Parameters
    ----------
    design : NetworkDesign
    X : ndarray or CSR matrix of shape (n, n_features)
    codes : ndarray of shape (n,)
        Number of each point's class; every class has points.
    weight : ndarray of shape (n,)
        P(i), which sums to 1.
    rng : RandomState
        Of the resamples and of the network's seed.
    version : {"E", "R", "W"}
    n_epochs : int

    Returns
    -------
    MLPClassifier
    """
    network = _new_network(design, min(BATCH_SIZE, codes.size), rng)
    classes = np.unique(codes)
    share = weight / weight.sum()
    for rows in _blocks(_epochs(share, rng, version, n_epochs), X.shape[0] * X.shape[1]):
        with _interruptible():
            if version == "W":
                factor = codes.size * share[rows]
                network.partial_fit(X[rows], codes[rows], classes=classes, sample_weight=factor)
            else:
                network.partial_fit(X[rows], codes[rows], classes=classes)
    return network


def _epochs(
    share: FloatArray, rng: np.random.RandomState, version: str, n_epochs: int
) -> Iterator[IndexArray]:
    """Yield the points of each epoch, in the order in which the network sees them."""
    n = share.size
    sample = rng.choice(n, size=n, p=share) if version == "R" else np.arange(n)
    for _ in range(n_epochs):
        yield rng.choice(n, size=n, p=share) if version == "E" else rng.permutation(sample)


def _blocks(epochs: Iterator[IndexArray], entries_per_epoch: int) -> Iterator[IndexArray]:
    """Join epochs, one or more at a time, as many as BLOCK_ENTRIES hold."""
    together = max(1, BLOCK_ENTRIES // max(1, entries_per_epoch))
    while block := list(islice(epochs, together)):
        yield np.concatenate(block)


@contextmanager
def _interruptible() -> Iterator[None]:
    """Let Ctrl-C end the training of all networks, not of one."""
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message=INTERRUPTED)
        try:
            yield
        except UserWarning as warning:
            raise KeyboardInterrupt from warning


def _new_network(
    design: NetworkDesign, batch_size: int, rng: np.random.RandomState
) -> MLPClassifier:
    return MLPClassifier(
        hidden_layer_sizes=(design.hidden_units,),
        activation="tanh",
        learning_rate_init=design.learning_rate_init,
        alpha=design.alpha,
        batch_size=batch_size,
        shuffle=False,  # the epochs come shuffled
        random_state=rng.randint(LARGEST_SEED),
    )


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

    See Also
    --------
    RUSBoostM2Classifier : The same boosting of trees on balanced samples.
    KPBoostSVC : Boosts SVMs.

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
        data = training_set(self, X, y, sample_weight, by_class=False)
        self._boost(data, self._training(data), stop_early=True, advice=ADVICE)
        return self

    def _check_parameters(self) -> None:
        parameters.check_shared(self)
        parameters.check_count("hidden_units", self.hidden_units)
        check_version(self.version)
        parameters.check_count("n_epochs", self.n_epochs)
        parameters.check_positive("learning_rate_init", self.learning_rate_init)
        parameters.check_not_negative("alpha", self.alpha)

    def _training(self, data: TrainingSet) -> Train:
        """One round: a network trained by the weights, and its answers at all points."""
        rng = check_random_state(self.random_state)
        design = NetworkDesign(self.hidden_units, self.learning_rate_init, self.alpha)

        def train(weight: FloatArray) -> tuple[Any, FloatArray]:
            network = train_network(
                design, data.points, data.codes, weight, rng, self.version, self.n_epochs
            )
            return network, confidence(network, data.points, data.classes.size)

        return train
