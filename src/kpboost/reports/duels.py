"""Every method against every other: on how many data sets it wins, ties and loses."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .signed_rank import DIGITS


@dataclass(frozen=True)
class Duels:
    """Counts of data sets for every ordered pair of methods.

    Attributes
    ----------
    wins, ties, losses : ndarray of shape (n_methods, n_methods)
        Row against column; the diagonal holds ties alone.
    """

    wins: NDArray[np.intp]
    ties: NDArray[np.intp]
    losses: NDArray[np.intp]


def duels(scores: ArrayLike) -> Duels:
    """Count wins, ties and losses of all pairs.

    Parameters
    ----------
    scores : array-like of shape (n_datasets, n_methods)
        Scores, the higher the better.

    Returns
    -------
    Duels

    Examples
    --------
    >>> from kpboost.reports.duels import duels
    >>> duels([[0.9, 0.8], [0.5, 0.5], [0.4, 0.6]]).wins.tolist()
    [[0, 1], [1, 0]]
    """
    table = np.asarray(scores, dtype=np.float64)
    gaps = np.round(table[:, :, np.newaxis] - table[:, np.newaxis, :], DIGITS)
    return Duels((gaps > 0).sum(axis=0), (gaps == 0).sum(axis=0), (gaps < 0).sum(axis=0))
