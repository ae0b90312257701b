"""Choosing among all candidates of a method by the trade-off of their recalls."""

import numpy as np
from numpy.typing import NDArray

from kpboost.model_selection import best_tradeoff

FloatArray = NDArray[np.float64]


class NoChoiceError(ValueError):
    """There is no candidate that could be tried on all folds."""


def choose(recalls: FloatArray) -> int:
    """Return the candidate with the best trade-off of its mean recalls.

    Parameters
    ----------
    recalls : ndarray of shape (n_candidates, n_folds, n_classes)
        NaN for a class without test points, and all along for a candidate that failed on a fold:
        such a candidate cannot win.

    Returns
    -------
    int
        The largest mu; among equals the largest geometric mean, then the first. mu
    """
    failed = np.any(np.all(np.isnan(recalls), axis=2), axis=1)
    if failed.all():
        raise NoChoiceError("Every candidate failed on some fold.")
    n_folds, n_classes = recalls.shape[1:]
    table = {
        f"split{fold}_test_class_recall_{code}": recalls[:, fold, code]
        for fold in range(n_folds)
        for code in range(n_classes)
        if not np.isnan(recalls[~failed, fold, code]).any()
    }
    return best_tradeoff(table)
