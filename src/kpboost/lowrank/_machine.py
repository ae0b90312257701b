"""One round's machine: a linear SVM with a smoothed hinge, by Newton's method.

It minimises over v and b, for rows z_i under scales s_i, targets y_i = -1 or +1 and costs c_i,

    1/2 |v|^2 + sum_i c_i h(1 - y_i f_i),    f_i = s_i z_i'v + b,

    h(r) = 0 (r <= 0),    r^2 / (2 delta) (0 < r < delta),    r - delta / 2 (r >= delta),

the hinge for delta -> 0. The intercept is not in the penalty. With u_i = clip(r_i / delta, 0, 1)

    gradient    v - sum_i s_i z_i y_i c_i u_i,    -sum_i y_i c_i u_i,
    Hessian     I + sum over the band 0 < r_i < delta of (c_i / delta) (s_i z_i, 1)(s_i z_i, 1)'

so rows outside of the band cost nothing. Along a direction the slope of the objective is monotone
and piecewise linear in the step; its zero is found exactly by Newton's method in one variable,
which needs the rows' f_i and their changes, not their features.

The rows are in blocks. Functions of one block come first, then the loop over the two verbs. The
features are in single precision; sums over blocks, decision values and slopes are in double.
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import linalg
from sklearn.exceptions import ConvergenceWarning

from kpboost._typing import FloatArray

from ._engine import Blocks
from ._features import Features, Single

# Curvature in b that is added where the band has none: a share of what all rows could give.
LEAST_CURVATURE = 1e-6

# The zero of the slope is exact where it lies on the same linear piece as the last guess. These
# end the search where pieces are so small that rounding decides.
SLOPE_TOLERANCE, SLOPE_STEPS = 1e-9, 60


class Posed(NamedTuple):
    """Targets and costs of the rows of a block in a two-class problem.

    Attributes
    ----------
    y : ndarray of shape (n,)
        -1 or +1; 0 for rows that take no part.
    cost : ndarray of shape (n,)
        c; 0 for rows that take no part.
    weight : ndarray of shape (n,)
        For rates of correct answers.
    """

    y: FloatArray
    cost: FloatArray
    weight: FloatArray


def posed(features: Features, sides: FloatArray, factors: FloatArray) -> Posed:
    """Pose a two-class problem to the rows of a block.

    Parameters
    ----------
    features : Features
    sides : ndarray of shape (n_classes,)
        -1, 0 or +1.
    factors : ndarray of shape (n_classes,)
        C times the class weights.

    Returns
    -------
    Posed
    """
    y = sides[features.codes]
    own = np.where(y == 0.0, 0.0, features.weight)
    return Posed(y, factors[features.codes] * own, own)


class Answers(NamedTuple):
    """What a machine says of the rows of a block, or how that changes along a direction.

    Attributes
    ----------
    product : ndarray of shape (n,)
        z_i'v; with b, the answer that a row would get as a new point.
    f : ndarray of shape (n,)
        s_i z_i'v + b.
    """

    product: FloatArray
    f: FloatArray


def answers(features: Features, log_scale: FloatArray, v: FloatArray, b: float) -> Answers:
    """Answers of a machine, from the features."""
    product = (features.Z @ v.astype(np.float32)).astype(np.float64)
    return Answers(product, np.exp(log_scale) * product + b)


def rescaled(known: Answers, log_scale: FloatArray, b: float) -> Answers:
    """Answers of the same machine under other scales, without another look at the features."""
    return Answers(known.product, np.exp(log_scale) * known.product + b)


def one_more(known: Answers) -> Answers:
    """Return how answers change with b."""
    return Answers(np.zeros(known.f.size), np.ones(known.f.size))


def newton_sums(
    features: Features, posed: Posed, log_scale: FloatArray, known: Answers, delta: float
) -> tuple[float, FloatArray, FloatArray]:
    """Loss of a block, its gradient and its Hessian, in (v, b)."""
    r = 1.0 - posed.y * known.f
    u = np.clip(r / delta, 0.0, 1.0)
    loss = float(posed.cost @ (u * (r - 0.5 * delta * u)))
    pull = posed.y * posed.cost * u
    scale = np.exp(log_scale)
    gradient = np.append(_pulled(features.Z, scale * pull), pull.sum())
    band = np.flatnonzero((u > 0.0) & (u < 1.0) & (posed.cost > 0.0))
    root = np.sqrt(posed.cost[band] / delta)
    return loss, -gradient, _outer(features.Z[band], scale[band] * root, root)


def _pulled(Z: Single, pull: FloatArray) -> Single:
    """Sum of the rows of Z, each times its pull; where most pulls are 0, of the others alone."""
    active = np.flatnonzero(pull)
    if 2 * active.size > pull.size:
        return np.asarray(pull.astype(np.float32) @ Z)
    return np.asarray(pull[active].astype(np.float32) @ Z[active])


def _outer(Z: Single, factor: FloatArray, root: FloatArray) -> FloatArray:
    """Sum of the outer products of the rows (factor_i z_i, root_i)."""
    n_features = Z.shape[1]
    rows = Z * factor.astype(np.float32)[:, None]
    hessian = np.empty((n_features + 1, n_features + 1))
    hessian[:-1, :-1] = rows.T @ rows
    hessian[-1, :-1] = hessian[:-1, -1] = root.astype(np.float32) @ rows
    hessian[-1, -1] = root @ root
    return hessian


def slopes(
    known: Answers, change: Answers, posed: Posed, step: float, delta: float
) -> tuple[float, float]:
    """Slope and curvature of a block's loss along a direction, at a step."""
    u = (1.0 - posed.y * (known.f + step * change.f)) / delta
    pull = posed.cost * posed.y * change.f
    band = (u > 0.0) & (u < 1.0)
    bend = posed.cost[band] * change.f[band] ** 2
    return -float(pull @ np.clip(u, 0.0, 1.0)), float(bend.sum()) / delta


def moved(known: Answers, change: Answers, step: float) -> Answers:
    """Answers of a block after a step."""
    return Answers(known.product + step * change.product, known.f + step * change.f)


def cost_sum(posed: Posed) -> float:
    """Sum of the costs of a block."""
    return float(posed.cost.sum())


@dataclass(frozen=True, slots=True, eq=False)
class Machine:
    """A solution.

    Attributes
    ----------
    v : ndarray of shape (r,)
    b : float
    objective : float
    decrement : float
        What the last Newton step promised to save, as a share of the objective.
    hessian : ndarray of shape (r + 1, r + 1)
        In (v, b), at the solution.
    n_iter : int
        Steps: one in b alone, then Newton's.
    """

    v: FloatArray
    b: float
    objective: float
    decrement: float
    hessian: FloatArray
    n_iter: int


def solve(
    features: Blocks,
    problem: Blocks,
    log_scale: Blocks,
    *,
    start: tuple[FloatArray, float],
    delta: float,
    tol: float,
    max_iter: int,
    known: Blocks | None = None,
) -> tuple[Machine, Blocks]:
    """Solve the machine of one round.

    Parameters
    ----------
    features, problem, log_scale : Blocks
        Of :class:`Features`, :class:`Posed` and log s.
    start : (ndarray of shape (r,), float)
        v and b to begin from; the first step then is one of b alone.
    delta : float
        Width of the smoothed corner of the hinge.
    tol : float
        Newton's decrement, as a share of the objective, at which to end.
    max_iter : int
        Most Newton steps.
    known : Blocks, optional
        :class:`Answers` of the machine to begin from, under any scales.

    Returns
    -------
    machine : Machine
    known : Blocks
        Its :class:`Answers` at the rows.
    """
    point = np.append(start[0], start[1])
    floor = LEAST_CURVATURE * problem.total(cost_sum) / delta
    if known is None:
        known = features.each(answers, log_scale, point[:-1], point[-1])
    else:
        known = known.each(rescaled, log_scale, point[-1])
    only_b = np.append(np.zeros(point.size - 1), 1.0)
    point, known = _along(only_b, known.each(one_more), point, problem, known, delta)
    for n_iter in range(max_iter + 1):
        loss, slope, bend = features.total(newton_sums, problem, log_scale, known, delta)
        objective, gradient, hessian = _penalised(point, loss, slope, bend, floor)
        direction = -linalg.cho_solve(linalg.cho_factor(hessian), gradient)
        decrement = -0.5 * float(gradient @ direction) / objective if objective > 0 else 0.0
        machine = Machine(point[:-1], float(point[-1]), objective, decrement, hessian, n_iter + 1)
        if decrement <= tol:
            return machine, known
        if n_iter < max_iter:
            change = features.each(answers, log_scale, direction[:-1], direction[-1])
            point, known = _along(direction, change, point, problem, known, delta)
    warnings.warn(
        f"The machine of a round did not converge in {max_iter} Newton steps; the last one "
        f"promised to lower its objective by a share of {decrement:.1e}, more than tol={tol:g}.",
        ConvergenceWarning,
        stacklevel=2,
    )
    return machine, known


def _penalised(
    point: FloatArray, loss: float, gradient: FloatArray, hessian: FloatArray, floor: float
) -> tuple[float, FloatArray, FloatArray]:
    """Add the penalty to the sums over the rows, and curvature in b where there is none."""
    v = point[:-1]
    hessian[np.diag_indices(v.size)] += 1.0
    hessian[-1, -1] += floor
    return loss + 0.5 * float(v @ v), gradient + np.append(v, 0.0), hessian


def _along(
    direction: FloatArray,
    change: Blocks,
    point: FloatArray,
    problem: Blocks,
    known: Blocks,
    delta: float,
) -> tuple[FloatArray, Blocks]:
    """Go to the minimum along a direction, in which the answers change so."""
    v, toward = point[:-1], direction[:-1]
    first, second = float(v @ toward), float(toward @ toward)

    def slope_at(step: float) -> tuple[float, float]:
        slope, curvature = known.total(slopes, change, problem, step, delta)
        return first + step * second + slope, second + curvature

    step = zero_of_slope(slope_at)
    return point + step * direction, known.each(moved, change, step)


def zero_of_slope(slope_at: Callable[[float], tuple[float, float]]) -> float:
    """Find where a non-decreasing, piecewise linear function is zero.

    Parameters
    ----------
    slope_at : callable
        From a number to the value there and its derivative.

    Returns
    -------
    float
        A zero; 0 if the function is zero there, and an end of the bracket if rounding hides it.
    """
    value, bend = slope_at(0.0)
    small = SLOPE_TOLERANCE * abs(value)
    low, high, step = -np.inf, np.inf, 0.0
    for _ in range(SLOPE_STEPS):
        if abs(value) <= small or low >= high:
            break
        low, high = (step, high) if value < 0 else (low, step)
        step = _next_guess(step, value, bend, low, high)
        value, bend = slope_at(step)
    return step


def _next_guess(step: float, value: float, bend: float, low: float, high: float) -> float:
    """Newton's guess if it stays inside of the bracket; else its middle, or farther out."""
    guess = step - value / bend if bend > 0 else np.nan
    if low < guess < high:
        return float(guess)
    if np.isinf(low) or np.isinf(high):
        return step + (-1.0 if value > 0 else 1.0) * max(1.0, abs(step))
    return 0.5 * (low + high)
