"""Where to start after the Gram matrix has been rescaled."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .solution import DualSolution

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]

# Beyond this exponent a warm start is cut by its upper bound anyway; before it, exp is finite.
LARGEST_EXPONENT = 600.0
# A field is carried over while no factor is beyond exp(10), with at most four digits lost.
LARGEST_CARRIED_EXPONENT = 10.0
EPSILON = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, slots=True, eq=False)
class CarriedStart:
    """Coefficients to start from, whose field under the new matrix is known without reading it.

    Attributes
    ----------
    dual_coef : ndarray of shape (n,)
        Signed coefficients, not necessarily feasible.
    field : ndarray of shape (n,)
        Q times them, with Q the rescaled matrix.
    rounding : float
        Bound on the error of the field.
    """

    dual_coef: FloatArray
    field: FloatArray
    rounding: float


def rescaled_start(dual_coef: FloatArray, log_factor: FloatArray) -> FloatArray:
    """Coefficients from which to start after K has become diag(D) K diag(D).

    Free support vectors lie on the margin, and often have about the same D. Where all of them do,
    the new matrix is D^2 times the old one there, and the old coefficients over D^2 solve it,
    until an upper bound cuts in.

    Parameters
    ----------
    dual_coef : ndarray of shape (..., n)
        Signed coefficients that solve the old problem.
    log_factor : ndarray of shape (n,)
        log D.

    Returns
    -------
    ndarray of shape (..., n)
        Finite; not necessarily within the bounds, which the solver sees to.
    """
    return np.asarray(dual_coef * np.exp(np.minimum(-2.0 * log_factor, LARGEST_EXPONENT)))


def carried_start(
    solution: DualSolution, log_factor: FloatArray, free: BoolArray
) -> CarriedStart | FloatArray:
    """Start like :func:`rescaled_start`, and with a known field where that can be had.

    The old field is q = diag(s) K diag(s) beta. With the coefficients beta / (D c) the new one is
    D q / c, for any number c: nothing n x n is read. With c the D that most free support vectors
    have, theirs are the coefficients of :func:`rescaled_start`.

    Parameters
    ----------
    solution : DualSolution
        Of the old problem.
    log_factor : ndarray of shape (n,)
        log D.
    free : ndarray of shape (n,)
        Mask of the free support vectors.

    Returns
    -------
    CarriedStart or ndarray of shape (n,)
    """
    support = np.flatnonzero(solution.dual_coef)
    log_c = _middle(log_factor[free])
    growth = -(log_factor[support] + log_c)
    if max(growth.max(initial=0.0), log_factor.max() - log_c) > LARGEST_CARRIED_EXPONENT:
        return rescaled_start(solution.dual_coef, log_factor)
    coef = np.zeros(log_factor.size)
    coef[support] = solution.dual_coef[support] * np.exp(growth)
    share = np.exp(log_factor - log_c)
    own_rounding = solution.rounding + EPSILON * abs(solution.intercept)
    return CarriedStart(
        coef,
        field=share * (solution.decision - solution.intercept),
        rounding=float(share.max()) * own_rounding,
    )


def _middle(values: FloatArray) -> float:
    """Return the median, and one of the values."""
    return float(np.partition(values, values.size // 2)[values.size // 2]) if values.size else 0.0
