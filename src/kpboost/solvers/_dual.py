"""The SVM dual on a Gram matrix: exact, warm-started, interruptible, bounded.

The problem is stated in :mod:`kpboost.solvers.optimality`; the algorithm, block SMO with an
active-set Newton path, is in the C++ sources under ``cpp/solver``.
"""

from __future__ import annotations

import math
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from numbers import Real
from typing import Any

import numpy as np
from joblib import cpu_count, effective_n_jobs
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from kpboost import _core
from kpboost._core import StopFlag
from kpboost._typing import FloatArray
from kpboost._validation import check_n_jobs
from kpboost.solvers import optimality


class DenseGram(_core.DenseRows):
    """A symmetric Gram matrix that has passed its checks.

    :func:`~kpboost.solvers.solve_dual` checks a plain array at every call. To solve many problems
    on one matrix (rounds, folds, values of C), wrap it once; threads may share it.

    Parameters
    ----------
    gram : array-like of shape (n, n)
        Kernel values, finite and symmetric. A C-contiguous float64 array is not copied and must
        not be changed while in use.
    check : bool, default=True
        False for a C-contiguous float64 array that is known to be finite and symmetric, such as
        what :func:`kpboost.kernels.rbf_kernel` returns or a block of a matrix already checked.

    Attributes
    ----------
    array : ndarray of shape (n, n)
        The matrix.

    See Also
    --------
    solve_dual : Solves a dual on it.
    kpboost.kernels.RBFRows : Rows on demand, for a matrix that does not fit.

    Examples
    --------
    >>> from kpboost.solvers import DenseGram, solve_dual
    >>> gram = DenseGram([[1.0, 0.5], [0.5, 1.0]])
    >>> [solve_dual(gram, [1, -1], C=C).status for C in (1.0, 10.0)]
    ['converged', 'converged']
    """

    def __init__(self, gram: Any, *, check: bool = True) -> None:
        self.array: NDArray[np.float64] = _square(gram) if check else gram
        super().__init__(self.array)
        if check:
            self._check_symmetry(_allowed_asymmetry(np.asarray(gram)))

    def __repr__(self) -> str:
        return f"DenseGram({len(self.array):,} points)"

    def product(self, vectors: NDArray[np.float64]) -> NDArray[np.float64]:
        """Multiply several vectors, the rows of an array (n_vectors, n), by the matrix."""
        return np.asarray(vectors @ self.array.T)

    def _check_symmetry(self, allowed: float) -> None:
        if self.weighted_asymmetry() <= allowed:  # fast, and enough for nearly every matrix
            return
        asymmetry = _core.asymmetry(self.array)
        if math.isnan(asymmetry):
            raise ValueError("gram contains NaN or infinity; every entry must be a finite number.")
        if asymmetry > allowed:
            raise ValueError(
                f"gram is not symmetric: entries (i, j) and (j, i) differ by up to {asymmetry:.3g}."
            )


def _square(gram: Any) -> NDArray[np.float64]:
    if sparse.issparse(gram):
        raise ValueError("gram is sparse; it must be a dense array, such as gram.toarray().")
    given = np.asarray(gram)
    if given.ndim != 2 or given.shape[0] != given.shape[1]:
        raise ValueError(f"gram has shape {given.shape}; a Gram matrix must be square.")
    if given.dtype.kind not in "fiub":
        raise ValueError(f"gram has dtype {given.dtype}; it must hold real numbers.")
    return np.ascontiguousarray(given, dtype=np.float64)


def _allowed_asymmetry(given: NDArray[Any]) -> float:
    """Return sqrt(eps) of the precision the matrix came in, times its largest diagonal entry."""
    precision = given.dtype if given.dtype.kind == "f" else np.dtype(np.float64)
    largest = float(np.abs(given.diagonal()).max(initial=0.0))
    return math.sqrt(float(np.finfo(precision).eps)) * largest


@dataclass(frozen=True, slots=True, eq=False)
class DualSolution:
    """A solution of the SVM dual, with what is known about its quality.

    The problem and its signs are stated in :mod:`kpboost.solvers.optimality`. The record is
    compared by identity; its arrays belong to the caller.

    Attributes
    ----------
    dual_coef : ndarray of shape (n,)
        One signed coefficient per training point, in the units of ``C``: lambda_i y_i. Zero
        where the point is not a support vector.
    intercept : float
        Offset of the decision function, in the units of the labels: b.
    decision : ndarray of shape (n,)
        Values of the decision function at the training points: f.
    objective : float
        Value of the minimised dual, 1/2 a'Qa - 1'a (never positive at a solution).
    gap : float
        Largest violation of the optimality conditions by a pair of points, in the units of the
        decision function; what ``tol`` bounds.
    n_iter : int
        Iterations of the solver. Comparable within one solver, not between solvers.
    status : str
        How the solve ended, as a word: "converged", "iteration_limit" or "stalled". After the last
        two the gap may be above ``tol``; it is the smallest that the solver has looked at.
    rounding : float
        Bound on what rounding has added to the values of ``decision`` since they were last
        computed again.

    See Also
    --------
    solve_dual : Returns one.
    kpboost.solvers.optimality : Judges one.

    Examples
    --------
    >>> from kpboost.solvers import solve_dual
    >>> solution = solve_dual([[1.0, 0.5], [0.5, 1.0]], [1, -1], C=10.0)
    >>> solution.dual_coef.round(6).tolist(), solution.support.tolist()
    ([2.0, -2.0], [0, 1])
    """

    dual_coef: NDArray[np.float64] = field(repr=False)
    intercept: float
    decision: NDArray[np.float64] = field(repr=False)
    objective: float
    gap: float
    n_iter: int
    status: str
    rounding: float = 0.0

    @property
    def support(self) -> NDArray[np.intp]:
        """Indices of the support vectors: the points with a coefficient other than zero."""
        return np.flatnonzero(self.dual_coef)


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

    See Also
    --------
    solve_dual : Solves one once.

    Examples
    --------
    >>> from kpboost.solvers import DualProblem
    >>> problem = DualProblem([[1.0, 0.5], [0.5, 1.0]], [1, -1], C=10.0)
    >>> first = problem.solve()
    >>> problem.solve(scale=[0.5, 0.5], start=first).status
    'converged'
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
            return only_zero(self.target, self.bound)
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


@contextmanager
def several_threads(n_jobs: int | None) -> Iterator[None]:
    """Have several threads share the solves that this one does meanwhile.

    Long passes over a matrix are split, and so are kernel values, factors and checks. No number
    depends on where, so that results are the same, bit for bit. It pays from some thousand points
    on. Where the other processors are busy, this thread works alone.

    Parameters
    ----------
    n_jobs : int or None
        Number of threads, at most one a processor; None is one unless joblib's context says
        otherwise, -1 uses all processors.

    Examples
    --------
    >>> from kpboost.solvers import several_threads, solve_dual
    >>> with several_threads(2):
    ...     solve_dual([[1.0, 0.5], [0.5, 1.0]], [1, -1], C=10.0).status
    'converged'
    """
    check_n_jobs(n_jobs)
    team = _core.Team(_threads_of(n_jobs))
    try:
        _teams.begin(team)
        yield
    finally:
        _teams.end(team)


def _threads_of(n_jobs: int | None) -> int:
    """At most one a processor. To count those takes as long as a fit to a hundred points."""
    wanted = int(effective_n_jobs(n_jobs))
    return min(wanted, cpu_count()) if wanted > 1 else 1


class _Teams(threading.local):
    """The teams of a thread, the one in use last; the list keeps alive what the core points to."""

    def __init__(self) -> None:
        self.all: list[_core.Team] = []

    def begin(self, team: _core.Team) -> None:
        self.all.append(team)
        _core.use_team(team)

    def end(self, team: _core.Team) -> None:
        """Leave it wherever it stands: generators may end their blocks in any order."""
        if team in self.all:
            self.all.remove(team)
            _core.use_team(self.all[-1] if self.all else None)
            team.end()


_teams = _Teams()


def only_zero(y: FloatArray, C: FloatArray) -> DualSolution:
    """Return the solution for one class: y'a = 0 leaves a = 0 alone."""
    zero = np.zeros(y.size)
    intercept = optimality.intercept_of(zero, y, C, zero)
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


# Beyond this exponent a warm start is cut by its upper bound anyway; before it, exp is finite.
LARGEST_EXPONENT = 600.0


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
