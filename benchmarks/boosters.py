"""Ten rounds of boosting by kernel perturbation: ours, and the obvious way with SVC.

`fit` is what is timed: the rounds on a Gram matrix, everything from the points on, or the
prediction of a machine that `prepare` trained.
"""

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics.pairwise import rbf_kernel as sklearn_rbf_kernel
from sklearn.svm import SVC

from contenders import Contender
from kpboost import KPBoostSVC
from kpboost.ensemble import NoVotingRoundWarning
from kpboost.ensemble._boosting import boost
from kpboost.kernels import length_scale_to_gamma, rbf_kernel
from kpboost.solvers import DenseGram
from kpboost.solvers.optimality import dual_objective, field
from problems import Problem

Array = NDArray[np.float64]
# From a Gram matrix, labels and C to the dual coefficients of the first round.
Rounds = Callable[[Array, Array, float], Array]

N_ROUNDS = 10
# A middling value of the steps that the paper tries (1e-4 to 1).
PERTURBATION_STEP = 0.01

# On very rare classes KPBoostSVC says so at every fit; the time is the same.
warnings.simplefilter("ignore", NoVotingRoundWarning)


class RoundsOnGram:
    """All rounds on a Gram matrix that exists already."""

    def __init__(self, rounds: Rounds, problem: Problem, length_scale: float) -> None:
        self.rounds = rounds
        self.gram = rbf_kernel(problem.X, gamma=_gamma(length_scale))
        self.y = problem.y

    def prepare(self, C: float) -> None:
        """Nothing to do."""

    def fit(self, C: float) -> None:
        """Run the rounds."""
        self.coef = self.rounds(self.gram, self.y, C)

    def objective(self) -> float:
        """Value of the first round's objective, the one problem that all contenders share."""
        return dual_objective(field(self.gram, self.coef), self.y, self.coef)


class RoundsOnPoints:
    """Kernel and all rounds, from the points on."""

    def __init__(self, fit: Callable[..., Any], problem: Problem, length_scale: float) -> None:
        self.train = partial(fit, problem, _gamma(length_scale))

    def prepare(self, C: float) -> None:
        """Nothing to do."""

    def fit(self, C: float) -> None:
        """Do it all."""
        self.train(C)

    def objective(self) -> float:
        """Not compared: the rounds on a Gram matrix show it."""
        return float("nan")


class Prediction:
    """Labels of the points by a machine that has been trained before."""

    def __init__(self, make: Callable[..., Any], problem: Problem, length_scale: float) -> None:
        self.make = partial(make, gamma=_gamma(length_scale))
        self.problem = problem

    def prepare(self, C: float) -> None:
        """Train."""
        self.machine = self.make(C=C).fit(self.problem.X, self.problem.y)

    def fit(self, C: float) -> None:
        """Predict."""
        self.machine.predict(self.problem.X)

    def objective(self) -> float:
        """Nothing is minimised."""
        return float("nan")


def rounds_ours(gram: Array, y: Array, C: float) -> Array:
    trace = boost(DenseGram(gram), y, np.full_like(y, C), step=PERTURBATION_STEP, n_rounds=N_ROUNDS)
    return np.asarray(trace.dual_coef[0])


def rounds_obvious(gram: Array, y: Array, C: float) -> Array:
    """Follow Algorithm 1 step by step: a new matrix and a new SVC in every round."""
    kernel = gram
    decision, exponent = np.zeros_like(y), np.zeros_like(y)
    first: Array | None = None
    for _ in range(N_ROUNDS):
        factor = np.exp(-exponent * decision**2)
        kernel = factor[:, None] * kernel * factor
        machine = SVC(C=C, kernel="precomputed").fit(kernel, y)
        decision = machine.decision_function(kernel)
        exponent[(decision >= 0) == (y > 0)] += PERTURBATION_STEP
        first = _all_coefficients(machine, y) if first is None else first
    assert first is not None
    return first


def fit_ours(problem: Problem, gamma: float, C: float) -> KPBoostSVC:
    machine = KPBoostSVC(C, gamma=gamma, n_estimators=N_ROUNDS, perturbation_step=PERTURBATION_STEP)
    return machine.fit(problem.X, problem.y)


def fit_obvious(problem: Problem, gamma: float, C: float) -> Array:
    return rounds_obvious(sklearn_rbf_kernel(problem.X, gamma=gamma), problem.y, C)


def _all_coefficients(machine: SVC, y: Array) -> Array:
    coef = np.zeros_like(y)
    coef[machine.support_] = machine.dual_coef_[0]
    return coef


def _gamma(length_scale: float) -> float:
    return float(length_scale_to_gamma(length_scale))


BOOSTERS: dict[str, Callable[[Problem, float], Contender]] = {
    "ours_rounds": partial(RoundsOnGram, rounds_ours),
    "svc_rounds": partial(RoundsOnGram, rounds_obvious),
    "ours_fit": partial(RoundsOnPoints, fit_ours),
    "svc_fit": partial(RoundsOnPoints, fit_obvious),
    "ours_predict": partial(
        Prediction,
        partial(KPBoostSVC, n_estimators=N_ROUNDS, perturbation_step=PERTURBATION_STEP),
    ),
    "svc_predict": partial(Prediction, SVC),
}
