r"""How good is a candidate solution of the SVM dual? Answers in O(n), from the field alone.

The problem, for labels y in {-1, +1}, a Gram matrix K and a diagonal scaling D = diag(scale)::

    minimise    1/2 a'Qa - 1'a      with Q = (yy') * (scale scale') * K
    subject to  0 <= a_i <= C_i  and  y'a = 0

In the signed coefficients beta = y * a ("dual_coef") it reads::

    minimise    1/2 beta' D K D beta - y'beta
    subject to  L_i <= beta_i <= U_i  and  sum(beta) = 0,   L = min(0, yC),  U = max(0, yC)

Everything here follows from the field D K D beta, the decision function without its intercept, and
from the residual e = y - field, minus the gradient of the second form. Raising beta_i at
the cost of beta_j lowers the objective at the rate e_i - e_j, so a feasible beta is optimal exactly
when one number b, the intercept, separates the two sides::

    e_i <= b  where beta_i can rise (beta_i < U_i),    e_i >= b  where it can fall (beta_i > L_i)

scikit-learn's ``SVC`` uses the same signs: ``dual_coef_`` is y * a, and the decision function is
the field plus ``intercept_``. libsvm prints the objective as minimised here. ``C`` is one number or
one per point; a point with C_i = 0 can move neither way and takes no part.
"""

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
Bound = float | FloatArray

# A coefficient this close to a bound, in units of C_i, is there up to rounding: y'a = 0 has to hold
# for bounds whose sums differ in the last digits, and some point takes up the difference.
BOUND_MARGIN = 1e-10


def field(gram: FloatArray, dual_coef: FloatArray, scale: FloatArray | None = None) -> FloatArray:
    """Decision function without its intercept, at the training points: D K D beta.

    Parameters
    ----------
    gram : ndarray of shape (n, n)
        Gram matrix K.
    dual_coef : ndarray of shape (n,)
        Signed coefficients beta = y * a.
    scale : ndarray of shape (n,), optional
        Diagonal of D. The scaled matrix is not formed.

    Returns
    -------
    ndarray of shape (n,)
    """
    if scale is None:
        return np.asarray(gram @ dual_coef)
    return np.asarray(scale * (gram @ (scale * dual_coef)))


def violation_gap(field: FloatArray, y: FloatArray, C: Bound, dual_coef: FloatArray) -> float:
    """Largest e_i - e_j over the pairs that can still move, max e - min e over the two sides.

    Zero for an optimal solution, and where no pair can move at all (one class, or C = 0).

    Parameters
    ----------
    field, y, dual_coef : ndarray of shape (n,)
        Field, labels in {-1, +1} and signed coefficients.
    C : float or ndarray of shape (n,)
        Upper bounds of a.

    Returns
    -------
    float
    """
    residual = y - field
    can_rise, can_fall = _movable(y, C, dual_coef)
    highest, lowest = _extremes(residual, can_rise, can_fall)
    return max(0.0, highest - lowest)


def intercept_of(field: FloatArray, y: FloatArray, C: Bound, dual_coef: FloatArray) -> float:
    """Intercept b that fits the coefficients: mean residual of the free points.

    Without a free point every value between the two extremes is optimal, and the middle is taken;
    if one side is empty, the other extreme; if both are, zero. Points within rounding of a bound
    count as bounded, so that the middle is not given up for one point's residual by accident.

    Parameters
    ----------
    field, y, dual_coef : ndarray of shape (n,)
        Field, labels in {-1, +1} and signed coefficients.
    C : float or ndarray of shape (n,)
        Upper bounds of a.

    Returns
    -------
    float
    """
    residual = y - field
    can_rise, can_fall = _movable(y, C, dual_coef, BOUND_MARGIN)
    free = residual[can_rise & can_fall]
    if free.size:
        return float(np.add.reduce(free)) / free.size
    highest, lowest = _extremes(residual, can_rise, can_fall)
    ends = [end for end in (highest, lowest) if np.isfinite(end)]
    return sum(ends) / len(ends) if ends else 0.0


def dual_objective(field: FloatArray, y: FloatArray, dual_coef: FloatArray) -> float:
    """Value of the minimised dual, 1/2 a'Qa - 1'a = 1/2 beta'field - y'beta.

    Parameters
    ----------
    field, y, dual_coef : ndarray of shape (n,)
        Field, labels in {-1, +1} and signed coefficients.

    Returns
    -------
    float
    """
    return float((0.5 * field - y) @ dual_coef)


def duality_gap(
    field: FloatArray, y: FloatArray, C: Bound, dual_coef: FloatArray, intercept: float
) -> float:
    """Primal minus dual value: a bound on how far the objective is from its optimum.

    The primal value is 1/2 beta'field + sum C_i max(0, 1 - y_i (field_i + b)); the dual value is
    minus :func:`dual_objective`. Never negative, up to rounding, for feasible coefficients.

    Parameters
    ----------
    field, y, dual_coef : ndarray of shape (n,)
        Field, labels in {-1, +1} and signed coefficients.
    C : float or ndarray of shape (n,)
        Upper bounds of a.
    intercept : float
        Intercept b.

    Returns
    -------
    float
    """
    slack = np.maximum(1.0 - y * (field + intercept), 0.0)
    return float((field - y) @ dual_coef + np.add.reduce(C * slack))


def _movable(
    y: FloatArray, C: Bound, dual_coef: FloatArray, margin: float = 0.0
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Where beta is below its upper and above its lower bound, by more than margin * C."""
    far_end, room = y * C, margin * C
    can_rise = dual_coef < np.maximum(far_end, 0.0) - room
    can_fall = dual_coef > np.minimum(far_end, 0.0) + room
    return can_rise, can_fall


def _extremes(
    residual: FloatArray, can_rise: NDArray[np.bool_], can_fall: NDArray[np.bool_]
) -> tuple[float, float]:
    """Highest residual that can rise and lowest that can fall; -inf and +inf for empty sides."""
    highest = np.maximum.reduce(residual, where=can_rise, initial=-np.inf)
    lowest = np.minimum.reduce(residual, where=can_fall, initial=np.inf)
    return float(highest), float(lowest)
