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
from kpboost.solvers import DenseGram, DualSolution, solve_dual
from kpboost.solvers.optimality import dual_objective, field
from kpboost.svm import KernelSVC
from problems import Problem

Array = NDArray[np.float64]

N_ROUNDS = 10
# A middling value of the steps that the paper tries (1e-4 to 1).
PERTURBATION_STEP = 0.01


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


class OnRounds:
    """Ten solves on one Gram matrix between ten diagonal scalings, as boosting needs them."""

    def __init__(
        self,
        solve: Callable[[Array, Array, float, list[Array]], Array],
        problem: Problem,
        length_scale: float,
    ) -> None:
        self.solve = solve
        self.gram = rbf_kernel(problem.X, gamma=_gamma(length_scale))
        self.y = problem.y

    def prepare(self, C: float) -> None:
        """Work out the scalings, the same for every contender."""
        self.scales = scales_of_rounds(self.gram, self.y, C)

    def fit(self, C: float) -> None:
        """Solve the ten problems."""
        self.coef = self.solve(self.gram, self.y, C, self.scales)

    def objective(self) -> float:
        """Value of the last round's objective."""
        return dual_objective(field(self.gram, self.coef, self.scales[-1]), self.y, self.coef)


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
    model = SVC(C=C, kernel="precomputed").fit(gram, y)
    coef = np.zeros_like(y)
    coef[model.support_] = model.dual_coef_[0]
    return coef


def rounds_ours(gram: Array, y: Array, C: float, scales: list[Array]) -> Array:
    """Check the matrix once; start each round from the one before."""
    checked = DenseGram(gram)
    solution: DualSolution | None = None
    for scale in scales:
        solution = solve_dual(checked, y, C, scale=scale, start=solution)
    assert solution is not None
    return solution.dual_coef


def rounds_libsvm(gram: Array, y: Array, C: float, scales: list[Array]) -> Array:
    """Do the obvious: scale a copy of the Gram matrix and fit it, ten times."""
    for scale in scales:
        scaled = np.outer(scale, scale)
        scaled *= gram
        coef = solve_libsvm(scaled, y, C)
    return coef


def intelex_on_points(problem: Problem, length_scale: float) -> OnPoints:
    # Imported here, in this contender's own process: nothing of scikit-learn is patched elsewhere.
    import sklearnex.svm as intelex
    from daal4py import daalinit

    daalinit(1)  # its threads come from a pool that the usual environment variables do not reach
    return OnPoints(intelex.SVC, problem, length_scale)


CONTENDERS: dict[str, Callable[[Problem, float], Contender]] = {
    "ours_gram": partial(OnGram, solve_ours),
    "svc_gram": partial(OnGram, solve_libsvm),
    "ours_rbf": partial(OnPoints, KernelSVC),
    "svc_rbf": partial(OnPoints, SVC),
    "intelex_rbf": intelex_on_points,
    "ours_rounds": partial(OnRounds, rounds_ours),
    "svc_rounds": partial(OnRounds, rounds_libsvm),
}


def scales_of_rounds(gram: Array, y: Array, C: float) -> list[Array]:
    """Scalings of ten rounds of boosting by kernel perturbation.

    A point that the last round classified correctly has its exponent k raised by the step; then
    every point's scale shrinks by exp(-k f^2). Logarithms are kept because products underflow.
    """
    checked = DenseGram(gram)
    exponent, log_scale = np.zeros_like(y), np.zeros_like(y)
    scales: list[Array] = []
    solution: DualSolution | None = None
    for _ in range(N_ROUNDS):
        scales.append(np.exp(log_scale))
        solution = solve_dual(checked, y, C, scale=scales[-1], start=solution)
        exponent[solution.decision * y > 0] += PERTURBATION_STEP
        log_scale -= exponent * solution.decision**2
    return scales


def _gamma(length_scale: float) -> float:
    return float(length_scale_to_gamma(length_scale))
