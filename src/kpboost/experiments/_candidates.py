"""Scores of all candidates of a job on one split."""

from dataclasses import dataclass

import numpy as np
from scipy.special import logsumexp

from kpboost._typing import FloatArray, IndexArray


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """Scores by candidate.

    Attributes
    ----------
    recalls : ndarray of shape (n_candidates, n_classes)
        NaN for classes without test points.
    gmean, auc, gsdi : ndarray of shape (n_candidates,)
        NaN for a candidate that failed, and for an AUC with one class alone.
    """

    recalls: FloatArray
    gmean: FloatArray
    auc: FloatArray
    gsdi: FloatArray


def score_all(
    truth: IndexArray,
    answers: IndexArray,
    *,
    n_classes: int,
    disjuncts: IndexArray,
    disjunct_sizes: IndexArray,
) -> Scores:
    """Score every row of answers.

    Parameters
    ----------
    truth : ndarray of shape (n_test,)
        Class numbers.
    answers : ndarray of shape (n_candidates, n_test)
        Predicted class numbers; a row that begins with a negative one failed.
    n_classes : int
    disjuncts : ndarray of shape (n_test,)
        Disjuncts of the test points.
    disjunct_sizes : ndarray
        Sizes of all disjuncts of the data set.
    """
    hits = np.where(answers[:, :1] < 0, np.nan, (answers == truth).astype(np.float64))
    tested = np.unique(truth)
    recalls = np.full((len(answers), n_classes), np.nan)
    recalls[:, tested] = _shares(hits, np.searchsorted(tested, truth))
    seen = recalls[:, tested]
    with np.errstate(divide="ignore"):
        gmean = np.exp(np.log(seen).mean(axis=1))
    gsdi = _gsdi(hits, np.searchsorted(tested, truth), disjuncts, disjunct_sizes)
    return Scores(recalls, gmean, _auc(seen), gsdi)


def _shares(hits: FloatArray, groups: IndexArray) -> FloatArray:
    """Return the share of hits in every group; groups are numbered without gaps."""
    members = np.eye(groups.max() + 1)[groups]
    return np.asarray(hits @ members / members.sum(axis=0))


def _auc(recalls: FloatArray) -> FloatArray:
    """Hand and Till's mean over pairs of classes, which on labels is one of the mean recall."""
    n_classes = recalls.shape[1]
    if n_classes < 2:
        return np.full(len(recalls), np.nan)
    return np.asarray((1.0 + (n_classes * recalls.mean(axis=1) - 1.0) / (n_classes - 1)) / 2.0)


def _gsdi(
    hits: FloatArray, classes: IndexArray, disjuncts: IndexArray, sizes: IndexArray
) -> FloatArray:
    """Geometric mean over classes of the disjuncts' recalls, weighted with exp(-size)."""
    numbers, first, groups = np.unique(disjuncts, return_index=True, return_inverse=True)
    recalls = _shares(hits, groups)
    owner, log_weight = classes[first], -sizes[numbers].astype(np.float64)
    logs = [
        _log_means(recalls[:, owner == code], log_weight[owner == code])
        for code in range(classes.max() + 1)
    ]
    return np.asarray(np.exp(np.mean(logs, axis=0)))


def _log_means(values: FloatArray, log_weight: FloatArray) -> FloatArray:
    """Logarithms of weighted means of values between 0 and 1, row by row."""
    shifted = log_weight - log_weight.max()
    with np.errstate(divide="ignore"):
        weighted = np.log(values) + shifted
    means = logsumexp(weighted, axis=1) - logsumexp(shifted)
    return np.asarray(np.minimum(means, 0.0))  # rounding could lift a mean of ones above 1
