"""From the rounds' decision values to the ensemble's vote.

Values and votes of a problem are positive for one of its two classes. ``signs`` tells which of
the two is the positive (usually rarer) class of the boosting: it gets the points with f = 0, and
tied votes.
"""

import numpy as np
from numpy.typing import NDArray

from kpboost.problems.votes import one_vs_one_scores

FloatArray = NDArray[np.float64]

# A tied vote becomes the smallest normal number on the side of the positive class, so that the
# sign of a decision always is the prediction.
TIE = float(np.finfo(np.float64).tiny)

# Sums of the same weights in another order differ by rounding, some 1e-16 of their total. Below
# this share of it a vote is tied, so that no prediction depends on the order of summation.
TIED_SHARE = 1e-12

# Votes of several problems are compared by their share of the total weight. Where shares are
# equal the rounds' mean decision value decides, squeezed to this size.
CONFIDENCE_SIZE = 1e-6


def weighted_vote(values: FloatArray, weights: FloatArray, signs: FloatArray) -> FloatArray:
    """Sum of alpha_t h_t over the rounds, problem by problem.

    Parameters
    ----------
    values : ndarray of shape (n, n_problems, n_rounds)
        Decision values f_t.
    weights : ndarray of shape (n_problems, n_rounds)
        alpha_t.
    signs : ndarray of shape (n_problems,)
        Side of the positive class, -1 or +1.

    Returns
    -------
    ndarray of shape (n, n_problems)
        Never zero.
    """
    if not values.all():
        values = np.where(values == 0.0, signs[:, None], values)
    votes = np.einsum("npt,pt->np", np.copysign(1.0, values), weights)
    tied = np.abs(votes) <= TIED_SHARE * weights.sum(axis=1)
    return np.where(tied, TIE * signs, votes)


def confidence(values: FloatArray, weights: FloatArray, signs: FloatArray) -> FloatArray:
    """Vote as a share of the total weight, between -1 and 1, with equal shares told apart.

    Parameters and result are those of :func:`weighted_vote`, and so is the sign.
    """
    total = weights.sum(axis=1)
    share = weighted_vote(values, weights, signs) / total
    mean = np.einsum("npt,pt->np", values, weights) / total
    told_apart = share + CONFIDENCE_SIZE * mean / (1.0 + np.abs(mean))
    return np.asarray(np.where(np.sign(told_apart) == np.sign(share), told_apart, share))


def class_scores(
    values: FloatArray, weights: FloatArray, signs: FloatArray, n_classes: int, multi_class: str
) -> FloatArray:
    """Weighted votes as scores of the classes, in scikit-learn's form.

    Parameters
    ----------
    values, weights, signs : ndarray
        As for :func:`weighted_vote`.
    n_classes : int
    multi_class : {"one_vs_one", "one_vs_rest"}
        What the problems of more than two classes are.

    Returns
    -------
    ndarray of shape (n,) or (n, n_classes)
        For two classes the vote, positive for the second one. For more, the shares of the votes
        of the one-vs-rest ensembles, or the one-vs-one votes with ties ordered by those shares.
    """
    if n_classes == 2:
        return weighted_vote(values, weights, signs)[:, 0]
    shares = confidence(values, weights, signs)
    return shares if multi_class == "one_vs_rest" else one_vs_one_scores(shares, n_classes)
