"""What a solve of the SVM dual gives back: one small record of arrays and numbers."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


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
        computed afresh.
    """

    dual_coef: NDArray[np.float64]
    intercept: float
    decision: NDArray[np.float64]
    objective: float
    gap: float
    n_iter: int
    status: str
    rounding: float = 0.0

    @property
    def support(self) -> NDArray[np.intp]:
        """Indices of the support vectors: the points with a coefficient other than zero."""
        return np.flatnonzero(self.dual_coef)
