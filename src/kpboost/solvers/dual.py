"""The SVM dual on a Gram matrix: exact, warm-started, interruptible, bounded.

The problem is stated in :mod:`kpboost.solvers.optimality`; the algorithm, block SMO with an
active-set Newton path, is in the C++ sources under ``cpp/solver``.
"""

from __future__ import annotations

import math
import warnings
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning

from kpboost import _core
from kpboost._core import StopFlag

from . import optimality
from .gram import DenseGram
from .solution import DualSolution

FloatArray = NDArray[np.float64]

# libsvm's own limit. Problems that fit in memory take between a few and a few hundred thousand
# steps; this many, on a thousand points, take some ten seconds.
DEFAULT_MAX_ITER = 10_000_000
# Decision values beyond this have no digits left for the margin, and would meet the marks by which
# the compiled core closes points (1e30).
LARGEST_DECISION = 1e25
# What the compiled core can count to, with room to spare.
LARGEST_MAX_ITER = 2**62

_ADVICE = {
    "iteration_limit": "raise max_iter or tol, or lower C",
    "stalled": "nothing improves any more, as at the limits of rounding; raise tol or lower C",
}


def solve_dual(
    gram: ArrayLike | _core.GramRows,
    y: ArrayLike,
    C: ArrayLike,
    *,
    scale: ArrayLike | None = None,
    start: DualSolution | ArrayLike | None = None,
    tol: float = 1e-6,
    max_iter: int | None = None,
    stop: StopFlag | None = None,
) -> DualSolution:
    """Solve the SVM dual: min 1/2 a'Qa - 1'a, 0 <= a_i <= C_i, y'a = 0.

    Here Q = yy' * (scale scale') * gram, elementwise. Ctrl-C stops a solve within a second and
    raises KeyboardInterrupt. Solves may run in threads on one shared matrix.

    Parameters
    ----------
    gram : array-like of shape (n, n), DenseGram or RBFRows
        The Gram matrix: finite, symmetric and positive semi-definite. An array is checked for
        the first two at every call, a :class:`DenseGram` was checked when it was made.
    y : array-like of shape (n,)
        Labels, -1 or +1.
    C : float or array-like of shape (n,)
        Upper bounds. One per point carries class weights and exact sample weights: a point with
        twice the bound equals the point twice, a point with bound 0 takes no part.
    scale : array-like of shape (n,), optional
        Diagonal scaling of the Gram matrix; the scaled matrix is never formed.
    start : DualSolution or array-like of shape (n,), optional
        An earlier solution, or its ``dual_coef``, to start from. It need not be feasible: it is
        cut to the box and made to sum to zero.
    tol : float, default=1e-6
        Violation gap at which to stop.
    max_iter : int, optional
        Most pair steps and Newton steps to take; None means 10 million.
    stop : StopFlag, optional
        A flag by which another thread can end this solve with KeyboardInterrupt; Python hands
        Ctrl-C itself to the main thread only.

    Returns
    -------
    DualSolution
        With status "converged", or, together with a ConvergenceWarning that names the gap,
        "iteration_limit" or "stalled": nothing improves any more, which happens at the limits of
        floating-point precision. Both return the state with the smallest gap that was looked at.
    """
    return DualProblem(gram, y, C).solve(
        scale=scale, start=start, tol=tol, max_iter=max_iter, stop=stop
    )


class DualProblem:
    """An SVM dual whose matrix, labels and bounds are checked once, to be solved many times.

    Parameters
    ----------
    gram, y, C
        Of :func:`solve_dual`.
    """

    def __init__(self, gram: ArrayLike | _core.GramRows, y: ArrayLike, C: ArrayLike) -> None:
        self.gram = gram if isinstance(gram, _core.GramRows) else DenseGram(gram)
        self.target = _labels(y, len(self.gram))
        self.bound = _bounds(C, self.target.size)
        self.largest_field = _largest_diagonal(self.gram) * float(self.bound.sum())
        signed = self.target * self.bound
        self.one_side_is_empty = bool(signed.max() <= 0 or signed.min() >= 0)

    def solve(
        self,
        *,
        scale: ArrayLike | None = None,
        start: DualSolution | ArrayLike | None = None,
        tol: float = 1e-6,
        max_iter: int | None = None,
        stop: StopFlag | None = None,
    ) -> DualSolution:
        """Solve it under a diagonal scaling; all parameters are those of :func:`solve_dual`."""
        n = self.target.size
        factor = None if scale is None else _vector(scale, n, "scale")
        given = start.dual_coef if isinstance(start, DualSolution) else start
        wanted = None if given is None else _vector(given, n, "start")
        tolerance, limit = _positive(tol, "tol"), _step_limit(max_iter)
        if not (stop is None or isinstance(stop, StopFlag)):
            raise ValueError(f"stop is {stop!r}; it must be a StopFlag or None.")
        self._check_magnitude(factor)
        if self.one_side_is_empty:
            return self._trivial_solution()
        solution = DualSolution(
            *_core.solve_dual(
                self.gram, self.target, self.bound, factor, wanted, tolerance, limit, stop
            )
        )
        if solution.status != "converged":
            warn_of_gap(solution.status, solution.n_iter, solution.gap, tol)
        return solution

    def _check_magnitude(self, scale: FloatArray | None) -> None:
        """Refuse numbers so large that decision values would leave the range of the solver."""
        largest = self.largest_field
        if scale is not None:
            largest *= max(float(scale.max()), -float(scale.min())) ** 2
        if not largest < LARGEST_DECISION:
            raise ValueError(
                f"The largest kernel value times the sum of C is {largest:.3g}; it must stay "
                f"below {LARGEST_DECISION:g}. Scale the kernel, or the features it is made of, "
                f"down."
            )

    def _trivial_solution(self) -> DualSolution:
        """Return the only feasible point, zero."""
        zero = np.zeros(self.target.size)
        intercept = optimality.intercept_of(zero, self.target, self.bound, zero)
        return DualSolution(zero, intercept, zero + intercept, 0.0, 0.0, 0, "converged")


def warn_of_gap(status: str, n_iter: int, gap: float, tol: float) -> None:
    """Say that a solve has not converged, how far it came and what may help."""
    warnings.warn(
        f"The solver stopped with status {status!r} after {n_iter} iterations "
        f"at a gap of {gap:.3g}, above tol={tol:g}; {_ADVICE[status]}. "
        f"A Gram matrix that is not positive semi-definite can cause this too.",
        ConvergenceWarning,
        stacklevel=4,
    )


def _numbers(values: Any, name: str) -> FloatArray:
    if isinstance(values, np.ndarray) and values.dtype == np.float64:  # the common case
        return values
    try:
        given = np.asarray(values)
        if given.dtype.kind in "fiub":
            return given.astype(np.float64)
    except ValueError:  # lists of several lengths
        given = np.empty(0, dtype=object)
    raise ValueError(f"{name} has dtype {given.dtype}; it must hold real numbers.")


def _vector(values: Any, n: int, name: str) -> FloatArray:
    vector = np.ascontiguousarray(_numbers(values, name))
    if vector.shape != (n,):
        raise ValueError(f"{name} has shape {vector.shape}; it must be ({n},), one per point.")
    if not _core.all_finite(vector):
        raise ValueError(f"{name} contains NaN or infinity; every value must be finite.")
    return vector


def _labels(y: ArrayLike, n: int) -> FloatArray:
    target = _vector(y, n, "y")
    if n == 0:
        raise ValueError("gram is empty; at least one point is needed.")
    if not (np.abs(target) == 1.0).all():
        raise ValueError("y must hold -1 and +1 only.")
    return target


def _bounds(C: ArrayLike, n: int) -> FloatArray:
    bound = _numbers(C, "C")
    if bound.ndim == 0:
        if not 0 < bound < np.inf:
            raise ValueError(f"C is {C!r}; it must be a positive number or one per point.")
        return np.full(n, float(bound))
    bound = _vector(bound, n, "C")
    if bound.min() < 0:
        raise ValueError(f"C holds {bound.min():g}; no bound may be negative.")
    return bound


def _largest_diagonal(rows: _core.GramRows) -> float:
    """Largest kernel value; of rows on demand it is at most 1."""
    return float(np.abs(rows.array.diagonal()).max()) if isinstance(rows, DenseGram) else 1.0


def _positive(value: Any, name: str) -> float:
    if not _is_number(value) or not 0 < float(value) < math.inf:
        raise ValueError(f"{name} is {value!r}; it must be a positive number.")
    return float(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _step_limit(max_iter: Any) -> int:
    if max_iter is None:
        return DEFAULT_MAX_ITER
    whole = _is_number(max_iter) and math.isfinite(max_iter) and int(max_iter) == max_iter
    if not (whole and 1 <= max_iter <= LARGEST_MAX_ITER):
        raise ValueError(
            f"max_iter is {max_iter!r}; it must be a whole number from 1 to 2**62, or None."
        )
    return int(max_iter)
