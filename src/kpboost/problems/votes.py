"""From the values of pairwise machines to one score per class."""

import numpy as np
from numpy.typing import NDArray

from .binary_problems import class_pairs

# Summed confidences are squeezed into (-1/3, 1/3): two classes one vote apart then differ by more
# than 1/3, so confidences order tied classes and never overrule a vote.
CONFIDENCE_RANGE = 1.0 / 3.0


def one_vs_one_scores(values: NDArray[np.float64], n_classes: int) -> NDArray[np.float64]:
    """Votes per class, with ties ordered by the machines' summed confidences.

    This is the aggregation scikit-learn publishes for one-vs-one machines: each machine votes for
    one class of its pair; the sum of a class's confidences, s, enters as s / (3 (|s| + 1)).

    Parameters
    ----------
    values : ndarray of shape (n, n_classes * (n_classes - 1) / 2)
        Decision values in the order of :func:`~kpboost.problems.binary_problems.class_pairs`; a
        positive value speaks for the later class of the pair.
    n_classes : int
        Number of classes.

    Returns
    -------
    ndarray of shape (n, n_classes)
        Scores; the largest one is the predicted class.
    """
    earlier, later = _membership(n_classes)
    for_later = (values > 0.0).astype(np.float64)
    votes = for_later @ later + (1.0 - for_later) @ earlier
    confidence = values @ (later - earlier)
    return np.asarray(votes + CONFIDENCE_RANGE * confidence / (np.abs(confidence) + 1.0))


def predicted_codes(scores: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the number of the predicted class: by sign for two, else by the largest score."""
    if scores.ndim == 1:
        return (scores > 0).astype(np.intp)
    return np.asarray(scores.argmax(axis=1))


def _membership(n_classes: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Mark the earlier and the later class of each pair, in two matrices (pairs, classes)."""
    identity = np.eye(n_classes)
    pairs = class_pairs(n_classes)
    return identity[pairs[:, 0]], identity[pairs[:, 1]]
