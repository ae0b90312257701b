"""The same contract through libsvm: a second opinion, for tests and benchmarks.

Solves the problem stated in :mod:`kpboost.solvers.optimality` with scikit-learn's ``SVC``. It is
the reference, not a fast path: it forms the scaled matrix, always starts from zero, and
keeps its matrix in single precision inside, so its true gap may end above ``tol``.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.svm import SVC

from kpboost._core import StopFlag

from . import optimality
from ._dual import DualSolution, only_zero

FloatArray = NDArray[np.float64]

# SVC's word for "no limit".
NO_LIMIT = -1


def solve_dual(
    gram: ArrayLike,
    y: ArrayLike,
    C: ArrayLike,
    *,
    scale: ArrayLike | None = None,
    start: DualSolution | ArrayLike | None = None,
    tol: float = 1e-6,
    max_iter: int | None = None,
    stop: StopFlag | None = None,
    cache_size: float = 200,
) -> DualSolution:
    """Solve the SVM dual on a Gram matrix with libsvm.

    Parameters
    ----------
    gram : array-like of shape (n, n)
        Gram matrix K.
    y : array-like of shape (n,)
        Labels, -1 or +1.
    C : float or array-like of shape (n,)
        Upper bounds of the coefficients; a point with bound 0 is left out.
    scale : array-like of shape (n,), optional
        Diagonal scaling of the Gram matrix.
    start : DualSolution or array-like, optional
        Accepted and ignored: libsvm cannot continue from a solution.
    tol : float, default=1e-6
        Violation gap at which libsvm, by its own arithmetic, stops.
    max_iter : int, optional
        Limit of libsvm's iterations; None means no limit.
    stop : StopFlag, optional
        Accepted and ignored: libsvm cannot be stopped.
    cache_size : float, default=200
        Size of libsvm's cache in MB.

    Returns
    -------
    DualSolution
        Its gap and objective are computed again in double precision. Its status is "converged"
        or "iteration_limit", as libsvm sees it: libsvm does not notice that it has stalled, and
        returns its last state, not its best.
    """
    matrix = np.asarray(gram, dtype=np.float64)
    target = np.asarray(y, dtype=np.float64)
    bound = np.broadcast_to(np.asarray(C, dtype=np.float64), target.shape)
    if scale is not None:
        factor = np.asarray(scale, dtype=np.float64)
        matrix = factor[:, None] * matrix * factor
    kept = np.flatnonzero(bound)
    if np.unique(target[kept]).size < 2:
        return only_zero(target, bound)  # SVC refuses one class
    machine = SVC(
        kernel="precomputed",
        C=1.0,
        tol=tol,
        max_iter=NO_LIMIT if max_iter is None else max_iter,
        cache_size=cache_size,
    )
    machine.fit(matrix[np.ix_(kept, kept)], target[kept], sample_weight=bound[kept])
    return _read_solution(machine, kept, matrix, target, bound)


def _read_solution(
    machine: SVC, kept: NDArray[np.intp], matrix: FloatArray, y: FloatArray, C: FloatArray
) -> DualSolution:
    """Put the machine's coefficients in their places and judge them in double precision."""
    # The classes are sorted, -1 before +1, so SVC's coefficients carry the sign of y.
    dual_coef = np.zeros(y.size)
    dual_coef[kept[machine.support_]] = machine.dual_coef_[0]
    field = optimality.field(matrix, dual_coef)
    intercept = float(machine.intercept_[0])
    return DualSolution(
        dual_coef=dual_coef,
        intercept=intercept,
        decision=field + intercept,
        objective=optimality.dual_objective(field, y, dual_coef),
        gap=optimality.violation_gap(field, y, C, dual_coef),
        n_iter=int(machine.n_iter_[0]),
        status="iteration_limit" if machine.fit_status_ else "converged",
    )
