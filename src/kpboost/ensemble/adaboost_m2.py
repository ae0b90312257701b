"""AdaBoost.M2, the boosting of class confidences: pure functions and one loop.

A weak learner answers with a confidence h(x, y) in [0, 1] for every class y. The distribution D
lives on mislabels (i, y), y != y_i, and a learner is judged by its pseudo-loss

    eps = 1/2 sum_(i,y) D(i, y) (1 - h(x_i, y_i) + h(x_i, y)),        beta = eps / (1 - eps),

after which D(i, y) is multiplied by beta^((1 + h(x_i, y_i) - h(x_i, y)) / 2). The ensemble answers
argmax_y sum_t log(1 / beta_t) h_t(x, y). It is Freund and Schapire's algorithm; with two classes
and confidences of 0 and 1 it is ordinary AdaBoost.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IndexArray = NDArray[np.intp]
BoolArray = NDArray[np.bool_]
# From P(i), the weight of each training point, to a learner and its confidences (n, n_classes).
Train = Callable[[FloatArray], tuple[Any, FloatArray]]

# A learner without loss, or with nothing but loss, would vote with an infinite weight; this caps
# the vote at about 23.
SMALLEST_LOSS = 1e-10
# A learner that knows nothing has a pseudo-loss of 1/2, but for rounding, which must not decide.
CHANCE = 0.5 - 1e-12
# The vote of the only learner, if none was better than chance.
LONE_VOTE = 1.0


@dataclass(frozen=True, slots=True, eq=False)
class M2Trace:
    """The rounds of AdaBoost.M2.

    Attributes
    ----------
    learners : tuple
        One weak learner per round.
    errors : ndarray of shape (n_rounds,)
        Pseudo-losses. eps_t
    weights : ndarray of shape (n_rounds,)
        Votes, 0 for learners no better than chance. log(1 / beta_t)
    better_than_chance : bool
        Whether any learner was; otherwise the best one has the only vote.
    """

    learners: tuple[Any, ...]
    errors: FloatArray
    weights: FloatArray
    better_than_chance: bool


def boost_m2(
    codes: IndexArray,
    n_classes: int,
    weight: FloatArray,
    train: Train,
    *,
    n_rounds: int,
    stop_early: bool,
) -> M2Trace:
    """Run AdaBoost.M2.

    Parameters
    ----------
    codes : ndarray of shape (n,)
        Number of each point's class.
    n_classes : int
    weight : ndarray of shape (n,)
        Sample weights, all positive: the first distribution, up to a factor.
    train : callable
        From the marginal P(i) = sum_y D(i, y), which sums to 1, to a weak learner and its
        confidences at all training points.
    n_rounds : int
        T.
    stop_early : bool
        Whether the loop ends at a learner no better than chance, or one without loss. If not, the
        former is left out of the vote, D stays as it is, and the loop goes on.

    Returns
    -------
    M2Trace
    """
    mislabels = first_mislabels(codes, n_classes, weight)
    learners, errors = [], []
    for _ in range(n_rounds):
        learner, confidence = train(mislabels.sum(axis=1))
        error = pseudo_loss(mislabels, confidence, codes)
        learners.append(learner)
        errors.append(error)
        if stop_early and (error >= CHANCE or error < SMALLEST_LOSS):
            break
        if error < CHANCE:
            mislabels = next_mislabels(mislabels, confidence, codes, error)
    votes = round_votes(np.array(errors))
    return M2Trace(tuple(learners), np.array(errors), votes, bool(min(errors) < CHANCE))


def first_mislabels(codes: IndexArray, n_classes: int, weight: FloatArray) -> FloatArray:
    """Spread each point's weight evenly over the wrong classes; 0 at its own; total 1.

    Returns
    -------
    ndarray of shape (n, n_classes)
    """
    mislabels = np.repeat(weight[:, None] / (weight.sum() * (n_classes - 1)), n_classes, axis=1)
    mislabels[np.arange(codes.size), codes] = 0.0
    return mislabels


def pseudo_loss(mislabels: FloatArray, confidence: FloatArray, codes: IndexArray) -> float:
    """Half the expected advantage of the wrong class over the right one, moved into [0, 1]."""
    return float(0.5 * np.sum(mislabels * (1.0 - _advantage(confidence, codes))))


def next_mislabels(
    mislabels: FloatArray, confidence: FloatArray, codes: IndexArray, error: float
) -> FloatArray:
    """Lower the weight of mislabels that the learner tells from the truth; total 1."""
    log_beta = -_vote(np.array(error))
    changed = mislabels * np.exp(log_beta * 0.5 * (1.0 + _advantage(confidence, codes)))
    return np.asarray(changed / changed.sum())


def round_votes(errors: FloatArray) -> FloatArray:
    """Votes log(1 / beta_t); 0 where no better than chance; the best one alone if all are so."""
    votes = np.where(errors < CHANCE, _vote(errors), 0.0)
    if not votes.any():
        votes[errors.argmin()] = LONE_VOTE
    return votes


def summed_votes(confidences: Iterable[FloatArray], weights: FloatArray) -> FloatArray:
    """Sum of log(1 / beta_t) h_t(x, y) over the rounds, (n, n_classes).

    Parameters
    ----------
    confidences : iterable of ndarray of shape (n, n_classes)
        One per round, made when asked for.
    weights : ndarray of shape (n_rounds,)

    Returns
    -------
    ndarray of shape (n, n_classes)
    """
    parts = (weight * each for weight, each in zip(weights, confidences, strict=True))
    total = next(parts)
    for part in parts:
        total += part
    return np.asarray(total)


def _advantage(confidence: FloatArray, codes: IndexArray) -> FloatArray:
    """Confidence in the right class less that in each class."""
    return np.asarray(confidence[np.arange(codes.size), codes][:, None] - confidence)


def _vote(errors: FloatArray) -> FloatArray:
    clipped = np.clip(errors, SMALLEST_LOSS, 1.0 - SMALLEST_LOSS)
    return np.asarray(np.log((1.0 - clipped) / clipped))
