"""The trade-off measure: which of some candidates comes closest to the best in every class.

    mu(h) = sum_c ( r_c(h) - min r_c ) / ( max r_c - min r_c )

with the recall r_c(h) of candidate h on class c, and the extremes over all candidates. A candidate
that is best in every class gets the number of classes, one that is worst in every class gets 0.
"""

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.metrics import make_scorer

from kpboost._typing import FloatArray
from kpboost.metrics import class_recalls

# Means over folds that should be equal differ by rounding, some 1e-16. Two real recalls of a class
# with n points differ by 1 / n or more, so below this spread there is nothing to tell apart; and
# without it a spread of pure rounding would be blown up to the full range from 0 to 1.
SAME_RECALL = 1e-12


def tradeoff_score(recalls: ArrayLike) -> FloatArray:
    """Trade-off measure of every candidate.

    Parameters
    ----------
    recalls : array-like of shape (n_candidates, n_classes)
        Recall of each class by each candidate. A row with NaN is a candidate that failed: its score
        is NaN, and it takes no part in the extremes.

    Returns
    -------
    ndarray of shape (n_candidates,)
        Scores between 0 and n_classes. A class in which all candidates are equal adds 0. mu

    Examples
    --------
    >>> from kpboost.model_selection import tradeoff_score
    >>> tradeoff_score([[0.4, 0.8], [0.67, 0.67], [0.875, 0.515], [0.9, 0.5]]).round(4)
    array([1.    , 1.1067, 1.    , 1.    ])
    """
    table = np.asarray(recalls, dtype=np.float64)
    if table.ndim != 2 or table.size == 0:
        raise ValueError(
            f"recalls has shape {table.shape}; one row per candidate and one column per class are "
            "needed."
        )
    if np.any(np.isinf(table)):
        raise ValueError("recalls has infinite values; recalls are numbers between 0 and 1.")
    complete = ~np.isnan(table).any(axis=1)
    if not np.any(complete):
        raise ValueError("recalls has no complete row: no candidate has a recall for every class.")
    lowest, highest = table[complete].min(axis=0), table[complete].max(axis=0)
    telling = highest - lowest > SAME_RECALL
    shares = (table - lowest)[:, telling] / (highest - lowest)[telling]
    return np.where(complete, shares.sum(axis=1), np.nan)


# Unlike "recall_", no scorer of scikit-learn starts with this.
PREFIX = "class_recall_"
SPLIT_KEY = re.compile(rf"split\d+_test_({PREFIX}.*)", re.DOTALL)

# Scores of mu that differ by less are equal but for rounding.
SAME_TRADEOFF = 1e-9


def class_recall_scorers(classes: ArrayLike) -> dict[str, Any]:
    """One scorer per class, for ``scoring=`` of GridSearchCV and cross_validate.

    Parameters
    ----------
    classes : array-like of shape (n_classes,)
        Labels of the classes, for example ``numpy.unique(y)``.

    Returns
    -------
    dict from str to scorer
        By the names "class_recall_" and label. A scorer gives NaN where a fold lacks its class.

    Examples
    --------
    >>> from kpboost.model_selection import class_recall_scorers
    >>> list(class_recall_scorers(["benign", "malignant"]))
    ['class_recall_benign', 'class_recall_malignant']
    """
    labels = np.asarray(classes)
    if labels.ndim != 1 or labels.size == 0:
        raise ValueError(f"classes has shape {labels.shape}; a list of labels is needed.")
    scorers = {f"{PREFIX}{label}": make_scorer(_recall, label=label) for label in labels.tolist()}
    if len(scorers) < labels.size:
        raise ValueError(f"classes={labels.tolist()!r} has labels that read the same.")
    return scorers


def best_tradeoff(cv_results: Mapping[str, Any]) -> int:
    """Candidate with the best trade-off between the classes, for ``refit=`` of GridSearchCV.

    Parameters
    ----------
    cv_results : mapping from str to array
        ``cv_results_`` of a search whose scoring holds :func:`class_recall_scorers`.

    Returns
    -------
    int
        Index of the candidate with the largest mu. Among equals the one with the largest geometric
        mean of recalls wins, then the first. mu
    """
    return largest_tradeoff(mean_class_recalls(cv_results))


def largest_tradeoff(recalls: FloatArray) -> int:
    """Place of the best of some candidates, from recalls of shape (n_candidates, n_classes)."""
    scores = tradeoff_score(recalls)
    tied = np.flatnonzero(scores >= np.nanmax(scores) - SAME_TRADEOFF)
    with np.errstate(divide="ignore"):  # a recall of 0 makes the mean 0, its logarithm -inf
        log_means = np.log(recalls[tied]).mean(axis=1)
    # Rounding must not order candidates with the same recalls in another sequence of classes.
    return int(tied[np.argmax(log_means >= log_means.max() - SAME_TRADEOFF)])


def mean_class_recalls(cv_results: Mapping[str, Any]) -> FloatArray:
    """Recall of every class by every candidate, averaged over the folds that have the class.

    Parameters
    ----------
    cv_results : mapping from str to array
        ``cv_results_`` of a search whose scoring holds :func:`class_recall_scorers`.

    Returns
    -------
    ndarray of shape (n_candidates, n_classes)
        In the order of the scorers; NaN for a candidate that failed on a fold, and for a class that
        is in no fold. :func:`tradeoff_score` of it is mu.
    """
    folds: dict[str, list[FloatArray]] = {}
    for key, values in cv_results.items():
        if match := SPLIT_KEY.fullmatch(key):
            folds.setdefault(match.group(1), []).append(np.asarray(values, dtype=np.float64))
    if not folds:
        raise ValueError(
            "cv_results has no recalls of classes; let scoring be class_recall_scorers(classes)."
        )
    return mean_over_folds(np.array(list(folds.values())).transpose(2, 1, 0))


def mean_over_folds(recalls: FloatArray) -> FloatArray:
    """Mean recalls, each over the folds that test the class.

    Parameters
    ----------
    recalls : ndarray of shape (n_candidates, n_folds, n_classes)
        A class that a fold does not test is NaN there for all candidates; NaN for some of them
        means that they failed.

    Returns
    -------
    ndarray of shape (n_candidates, n_classes)
        NaN for a candidate that failed on a fold, and for a class that no fold tests.
    """
    tested = ~np.isnan(recalls).all(axis=0)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(tested, recalls, 0.0).sum(axis=1) / tested.sum(axis=0))


def tested_classes(recalls: FloatArray) -> FloatArray:
    """Leave out the classes that are NaN for all candidates: no fold tests them."""
    return recalls[:, ~np.isnan(recalls).all(axis=0)]


def _recall(
    y_true: ArrayLike, y_pred: ArrayLike, *, label: Any, sample_weight: ArrayLike | None = None
) -> float:
    """Recall of one class; a function of the module, so that processes can share its scorer."""
    return float(class_recalls(y_true, y_pred, labels=[label], sample_weight=sample_weight)[0])
