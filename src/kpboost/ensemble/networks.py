"""One small network trained by the weights of boosting, in three versions.

The versions of Schwenk and Bengio differ in how the weights P(i) reach the training: "R" draws one
resample by P for all epochs, "E" a fresh one before every epoch, and "W" multiplies the loss of
point i by n P(i).
"""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
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
