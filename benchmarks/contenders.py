"""The ways of solving a problem that are compared, behind one small interface.

All of them minimise 1/2 b'Kb - y'b with sum b = 0 and b_i between 0 and C y_i. `fit` is what is
timed; building a contender and `prepare` come before the clock starts.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.svm import SVC

from kpboost.kernels import length_scale_to_gamma, rbf_decision, rbf_kernel
from kpboost.solvers import solve_dual
from kpboost.solvers.optimality import dual_objective, field
from kpboost.svm import KernelSVC
from problems import Problem

# For rows of the kernel; the default of KernelSVC.
CACHE_MB = 1000
Array = NDArray[np.float64]


class Contender(Protocol):
    """One way of solving a problem."""

    def prepare(self, C: float) -> None:
        """Do what is not to be timed."""

    def fit(self, C: float) -> None:
        """Solve, from nothing."""

    def objective(self) -> float:
        """Value of the objective at the last solution."""


class OnGram:
    """One solve on a Gram matrix."""

    def __init__(
        self, solve: Callable[[Array, Array, float], Array], problem: Problem, length_scale: float
    ) -> None:
        self.solve = solve
        self.gram = rbf_kernel(problem.X, gamma=_gamma(length_scale))
        self.y = problem.y

    def prepare(self, C: float) -> None:
        """Nothing to do."""

    def fit(self, C: float) -> None:
        """Solve once."""
        self.coef = self.solve(self.gram, self.y, C)

    def objective(self) -> float:
        """Value of the objective at the last solution."""
        return dual_objective(field(self.gram, self.coef), self.y, self.coef)


class OnPoints:
    """An estimator with SVC's interface, which computes the RBF kernel itself."""

    def __init__(self, make: Callable[..., Any], problem: Problem, length_scale: float) -> None:
        self.make = make
        self.problem = problem
        self.gamma = _gamma(length_scale)

    def prepare(self, C: float) -> None:
        """Nothing to do."""

    def fit(self, C: float) -> None:
        """Fit on the points."""
        self.model = self.make(C=C, gamma=self.gamma).fit(self.problem.X, self.problem.y)

    def objective(self) -> float:
        """Value of the objective at the last solution, from the support vectors alone."""
        points, coef = self.model.support_vectors_, np.atleast_2d(self.model.dual_coef_)
        values = rbf_decision(points, points, gamma=self.gamma, coef=coef, intercept=np.zeros(1))
        return dual_objective(values[:, 0], np.sign(coef[0]), coef[0])


def solve_ours(gram: Array, y: Array, C: float) -> Array:
    return solve_dual(gram, y, C).dual_coef


def solve_libsvm(gram: Array, y: Array, C: float) -> Array:
    model = SVC(C=C, kernel="precomputed", cache_size=CACHE_MB).fit(gram, y)
    coef = np.zeros_like(y)
    coef[model.support_] = model.dual_coef_[0]
    return coef


def intelex_on_points(problem: Problem, length_scale: float) -> OnPoints:
    # Imported here, in this contender's own process: nothing of scikit-learn is patched elsewhere.
    import sklearnex.svm as intelex
    from daal4py import daalinit

    daalinit(1)  # its threads come from a pool that the usual environment variables do not reach
    return OnPoints(partial(intelex.SVC, cache_size=CACHE_MB), problem, length_scale)


MACHINES: dict[str, Callable[[Problem, float], Contender]] = {
    "ours_gram": partial(OnGram, solve_ours),
    "svc_gram": partial(OnGram, solve_libsvm),
    "ours_rbf": partial(OnPoints, KernelSVC),
    "svc_rbf": partial(OnPoints, partial(SVC, cache_size=CACHE_MB)),
    "intelex_rbf": intelex_on_points,
}


def _gamma(length_scale: float) -> float:
    return float(length_scale_to_gamma(length_scale))
