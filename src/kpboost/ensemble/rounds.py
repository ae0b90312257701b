"""How good a round is, what it weighs, and which rounds stay: the paper's eps, alpha and set T.

A round is judged by its answers to the training points. The paper takes those in the round's own
kernel, where a point has lost resolution; new points have all of it, D = 1, and may get other
answers. A round that is nearly perfect in its own kernel may answer one class to every new point.
So training points are asked as if they were new, unless the paper's rule is wanted.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]

# The distance of (tpr, tnr) = (0, 0) from (1, 1), and half of it: a round at or beyond that is no
# better than answering one class throughout.
LARGEST_ERROR = math.sqrt(2.0)
HALF_OF_LARGEST = LARGEST_ERROR / 2.0

# A round without error would have an infinite weight. The smallest error counted is machine
# epsilon, which makes the largest weight about 18.2.
SMALLEST_ERROR = float(np.finfo(np.float64).eps)

# tnr is recovered from eps and tpr, up to rounding.
ROUNDING = 1e-9

# How rounds are judged: by the answers that training points get as new points, or as in the paper.
AS_NEW, PAPER = "as_new", "paper"
JUDGES = (AS_NEW, PAPER)


def asks_as_new(judge_rounds: str, roi_scale: float | None) -> bool:
    """Tell whether the training points must be asked again, as new ones.

    With regions of influence they need not: a training point is the nearest one to itself, and
    inherits its own perturbation. As a new point it gets the answer of the round's own kernel.
    Copies of it have the same perturbation: while one of them is misclassified it protects the
    others, which are at distance 0.
    """
    return judge_rounds == AS_NEW and roi_scale is None


@dataclass(frozen=True, slots=True, eq=False)
class ClassRates:
    """Shares of the positive and of the negative points that are classified correctly, by round."""

    tpr: FloatArray
    tnr: FloatArray

    @property
    def error(self) -> FloatArray:
        """Distance from the ideal, sqrt((1 - tpr)^2 + (1 - tnr)^2): eps."""
        return np.hypot(1.0 - self.tpr, 1.0 - self.tnr)


class ClassWeights:
    """Weights of the points by class, to which every round's correct answers are compared.

    Parameters
    ----------
    y : ndarray of shape (n,)
        -1 and +1.
    weight : ndarray of shape (n,)
    """

    def __init__(self, y: FloatArray, weight: FloatArray) -> None:
        self.positive, self.negative = weight * (y > 0), weight * (y < 0)

    def rates(self, correct: BoolArray) -> ClassRates:
        """Weighted rates of correct answers, of shape (n_rounds, n), for y = +1 and y = -1."""
        # Sums first: with weights 1 they are exact, and equal counts give equal rates.
        right = correct.astype(np.float64)
        return ClassRates(
            tpr=(right * self.positive).sum(axis=-1) / self.positive.sum(),
            tnr=(right * self.negative).sum(axis=-1) / self.negative.sum(),
        )


def round_weights(errors: FloatArray) -> FloatArray:
    """Weights of the rounds before any is dropped: alpha = 1/2 log((sqrt 2 - eps) / eps)."""
    floored = np.clip(errors, SMALLEST_ERROR, LARGEST_ERROR - SMALLEST_ERROR)
    return np.asarray(0.5 * np.log((LARGEST_ERROR - floored) / floored))


@dataclass(frozen=True, slots=True, eq=False)
class Selection:
    """The rounds that vote, and with which weight.

    Attributes
    ----------
    kept : ndarray of shape (n_rounds,)
        Whether a round is in the set T.
    weights : ndarray of shape (n_rounds,)
        alpha, zero for the rounds left out.
    rule : str
        What chose them: "strict" (no worse than round 1 in eps and tpr, and eps at most
        1/sqrt 2), "relaxed" (without the comparison of eps), or "best_only" where both sets are
        empty or weigh nothing: the round with the smallest eps alone, with weight 1, of those
        that are no worse than guessing.
    """

    kept: BoolArray
    weights: FloatArray
    rule: str


def select_rounds(errors: FloatArray, tpr: FloatArray) -> Selection:
    """Choose the set T and set the other weights to zero.

    The paper holds that the relaxed set always contains round 1. That is so unless eps_1 exceeds
    1/sqrt 2, as it does for a machine that answers the majority class throughout; then the best
    round is kept alone (:func:`_best_round`). So it is where eps_1 equals 1/sqrt 2 and no round is
    better: the set is not empty, but all its weights are zero. The relaxed set in fact never adds a
    round: it differs from the strict one only if eps_1 is at most 1/sqrt 2, and then the strict one
    has round 1. It is kept because the algorithm states it.

    Parameters
    ----------
    errors, tpr : ndarray of shape (n_rounds,)
        eps and tpr of the rounds in order.

    Returns
    -------
    Selection
    """
    relaxed = (errors <= HALF_OF_LARGEST) & (tpr >= tpr[0])
    strict = relaxed & (errors <= errors[0])
    for rule, kept in (("strict", strict), ("relaxed", relaxed)):
        weights = np.where(kept, round_weights(errors), 0.0)
        if weights.any():
            return Selection(kept, weights, rule)
    best = np.arange(errors.size) == _best_round(errors, tpr)
    return Selection(best, best.astype(np.float64), "best_only")


def _best_round(errors: FloatArray, tpr: FloatArray) -> int:
    """Return the round with the smallest eps of those no worse than guessing, tpr + tnr >= 1.

    A round that is wrong more often than right in both classes together can have a smaller eps
    than one that answers a single class throughout; it is still the worse one. Where no round is
    as good as guessing, the first one, the plain SVM, is taken.
    """
    tnr = 1.0 - np.sqrt(np.maximum(errors**2 - (1.0 - tpr) ** 2, 0.0))
    guessing = tpr + tnr < 1.0 - ROUNDING
    return 0 if guessing.all() else int(np.argmin(np.where(guessing, np.inf, errors)))
