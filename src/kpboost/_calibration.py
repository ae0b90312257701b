"""From a score to log-odds by a logistic regression that few samples cannot lead astray."""

from typing import Any

import numpy as np

from ._typing import BoolArray, FloatArray

# Log-odds at an output of 1, and at 0, before any sample has been seen: those of two normal classes
# whose means are two standard deviations apart, at a score of one deviation, are 2.8 and 0.
FIRST_GUESS = (3.0, 0.0)
# Newton's steps on a smooth convex function of two variables; some ten are taken.
MOST_STEPS = 100
# A decrement below this share of the loss is rounding.
CONVERGED = 1e-12
# What a step must gain of what its slope promises (Armijo).
SUFFICIENT = 1e-4


def shrunken_logit(
    score: FloatArray,
    is_positive: BoolArray,
    weight: FloatArray,
    *,
    centre: tuple[float, float],
    shrinkage: float,
) -> tuple[float, float]:
    """Slope and intercept of log-odds that are linear in a score, drawn towards a prior guess.

    Minimises sum_i v_i log(1 + exp(-y_i (a f_i + b))) + shrinkage / 2 ((a - a0)^2 + (b - b0)^2)
    over a >= 0 and b: strictly convex, so that there is one answer, however few samples there are.

    Parameters
    ----------
    score : ndarray of shape (n,)
        f, finite.
    is_positive : ndarray of bool of shape (n,)
        Whether y is +1 rather than -1.
    weight : ndarray of shape (n,)
        v, not negative.
    centre : tuple of float
        a0 and b0.
    shrinkage : float
        Weight of the guess, in samples.

    Returns
    -------
    slope, intercept : float

    Examples
    --------
    >>> import numpy as np
    >>> from kpboost._calibration import shrunken_logit
    >>> nothing = np.empty(0)
    >>> shrunken_logit(nothing, nothing > 0, nothing, centre=(3.0, 0.0), shrinkage=1.0)
    (3.0, 0.0)
    """
    sign = np.where(is_positive, 1.0, -1.0)
    columns = np.stack([score, np.ones_like(score)])
    guess = np.array(centre)
    found = _newton(columns, sign, weight, guess, shrinkage)
    if found[0] < 0:  # of a convex function the best allowed slope is then at the boundary
        found = np.append(0.0, _newton(columns[1:], sign, weight, guess[1:], shrinkage))
    return float(found[0]), float(found[1])


def corrected_share(share: FloatArray, prior: Any) -> FloatArray:
    """Return a share as a number from -1 to 1 that is 0 where it equals the prior one."""
    towards, against = share * (1.0 - prior), prior * (1.0 - share)
    return np.asarray((towards - against) / (towards + against))


def balancing_weights(is_own: BoolArray, weight: FloatArray) -> FloatArray:
    """Return weights by which a class and the rest weigh as much as the smaller has samples."""
    n_own = int(is_own.sum())
    fewer = min(n_own, is_own.size - n_own)
    factors = np.where(is_own, fewer / weight[is_own].sum(), fewer / weight[~is_own].sum())
    return np.asarray(weight * factors)


def summing_to_one(shares: FloatArray) -> FloatArray:
    """Return probabilities of one class against the rest each as one distribution per row."""
    total = shares.sum(axis=1, keepdims=True)
    return np.asarray(shares / np.maximum(total, np.finfo(np.float64).tiny))


def _newton(
    columns: FloatArray, sign: FloatArray, weight: FloatArray, guess: FloatArray, shrinkage: float
) -> FloatArray:
    """Minimise over the coefficients of the columns, by Newton's method with a line search."""

    def loss(at: FloatArray) -> float:
        margin = sign * (at @ columns)
        away = at - guess
        return float(weight @ np.logaddexp(0.0, -margin) + shrinkage / 2 * (away @ away))

    coefficients, value = guess, loss(guess)
    for _ in range(MOST_STEPS):
        wrong = 1.0 / (1.0 + np.exp(np.clip(sign * (coefficients @ columns), -700.0, 700.0)))
        gradient = columns @ (-sign * weight * wrong) + shrinkage * (coefficients - guess)
        curvature = (columns * (weight * wrong * (1.0 - wrong))) @ columns.T
        step = np.linalg.solve(curvature + shrinkage * np.eye(guess.size), -gradient)
        slope = float(gradient @ step)
        if -slope <= CONVERGED * max(value, 1.0):
            break
        length = 1.0
        while loss(coefficients + length * step) > value + SUFFICIENT * length * slope:
            length /= 2
        coefficients = coefficients + length * step
        value = loss(coefficients)
    return coefficients
