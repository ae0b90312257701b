"""The trade-off measure inside a grid search: its scorers, and the choice at the end.

``GridSearchCV(estimator, grid, scoring=class_recall_scorers(classes), refit=best_tradeoff)`` keeps
each class's recall on every fold, averages them, and refits the candidate with the largest mu.
"""

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import make_scorer

from kpboost.metrics import class_recalls

from .tradeoff import tradeoff_score

FloatArray = NDArray[np.float64]

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
    recalls = mean_class_recalls(cv_results)
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
    return np.column_stack([_mean_of_folds(np.array(scores)) for scores in folds.values()])


def _mean_of_folds(scores: FloatArray) -> FloatArray:
    """Mean per candidate of (n_folds, n_candidates); a fold without the class is NaN for all."""
    tested = scores[~np.isnan(scores).all(axis=1)]
    if tested.size == 0:
        return np.full(scores.shape[1], np.nan)
    return np.asarray(tested.mean(axis=0))


def _recall(
    y_true: ArrayLike, y_pred: ArrayLike, *, label: Any, sample_weight: ArrayLike | None = None
) -> float:
    """Recall of one class; a function of the module, so that processes can share its scorer."""
    return float(class_recalls(y_true, y_pred, labels=[label], sample_weight=sample_weight)[0])
