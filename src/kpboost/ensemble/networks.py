"""One small network trained by the weights of boosting, in three versions.

The versions of Schwenk and Bengio differ in how the weights P(i) reach the training: "R" draws one
resample by P for all epochs, "E" a fresh one before every epoch, and "W" multiplies the loss of
point i by n P(i).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.neural_network import MLPClassifier
from sklearn.utils.validation import has_fit_parameter

from kpboost import _parameters as parameters

from .weak_learners import LARGEST_SEED

FloatArray = NDArray[np.float64]
IndexArray = NDArray[np.intp]

VERSIONS = ("E", "R", "W")
# Points per step of the optimiser. scikit-learn's own 200 would leave small sets, which have rare
# classes more often than others, with one step per epoch.
BATCH_SIZE = 32


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
    if version == "W":
        for _ in range(n_epochs):
            network.partial_fit(X, codes, classes=classes, sample_weight=codes.size * share)
        return network
    for number in range(n_epochs):
        if version == "E" or number == 0:
            rows = rng.choice(codes.size, size=codes.size, p=share)
            sample, labels = X[rows], codes[rows]
        network.partial_fit(sample, labels, classes=classes)
    return network


def _new_network(
    design: NetworkDesign, batch_size: int, rng: np.random.RandomState
) -> MLPClassifier:
    return MLPClassifier(
        hidden_layer_sizes=(design.hidden_units,),
        activation="tanh",
        learning_rate_init=design.learning_rate_init,
        alpha=design.alpha,
        batch_size=batch_size,
        random_state=rng.randint(LARGEST_SEED),
    )
