"""A grid of perturbation steps and C on one fold: ours, and the obvious way with SVC.

`fit` is what is timed; its C is ignored, since the grid has values of its own. Ours is all of
KPBoostSVCCV.fit: distances, kernel, 74 candidates, scores and the final fit on all points. The
obvious way finds its kernel blocks ready, and tries a sample of the candidates.
"""

from collections.abc import Callable
from functools import partial

import numpy as np
from joblib import parallel_config
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import SVC

from boosters import N_ROUNDS
from contenders import Contender
from kpboost import KPBoostSVCCV
from kpboost.ensemble._boosting import class_rates, select_rounds
from kpboost.kernels import length_scale_to_gamma, rbf_kernel
from kpboost.metrics import class_recalls
from kpboost.model_selection import mean_class_recalls, paper_grid
from problems import SEED, Problem

Array = NDArray[np.float64]

CS = paper_grid().Cs
STEPS = paper_grid().perturbation_steps
N_CANDIDATES = len(CS) * len(STEPS)
# Every sixth step, first and last included: what the obvious way is timed on.
SAMPLE_EVERY = 6
SAMPLED_STEPS = STEPS[::SAMPLE_EVERY]
N_SAMPLED = len(CS) * len(SAMPLED_STEPS)
# One fold of five.
N_SPLITS = 5


class SharedSearch:
    """KPBoostSVCCV."""

    def __init__(self, n_jobs: int, problem: Problem, length_scale: float) -> None:
        self.problem = problem
        self.search = KPBoostSVCCV(
            CS,
            gammas=(float(length_scale_to_gamma(length_scale)),),
            perturbation_steps=STEPS,
            n_estimators=N_ROUNDS,
            cv=[one_fold(problem)],
            n_jobs=n_jobs,
        )

    def prepare(self, C: float) -> None:
        """Nothing to do."""

    def fit(self, C: float) -> None:
        """Search."""
        # Contenders run in daemon processes, where joblib would allow one thread by default.
        with parallel_config(backend="threading"):
            self.search.fit(self.problem.X, self.problem.y)

    def objective(self) -> float:
        """Mean recall over classes and the sampled candidates."""
        sampled = np.isin(self.search.cv_results_["param_perturbation_step"], SAMPLED_STEPS)
        return float(mean_class_recalls(self.search.cv_results_)[sampled].mean())


class ObviousSearch:
    """Ten rescaled copies of the Gram matrix and of the test block for every candidate."""

    def __init__(self, problem: Problem, length_scale: float) -> None:
        train, test = one_fold(problem)
        gamma = float(length_scale_to_gamma(length_scale))
        self.gram = rbf_kernel(problem.X[train], gamma=gamma)
        self.test_kernel = rbf_kernel(problem.X[test], problem.X[train], gamma=gamma)
        self.y, self.y_test = problem.y[train], problem.y[test]

    def prepare(self, C: float) -> None:
        """Nothing to do."""

    def fit(self, C: float) -> None:
        """Try the sampled candidates."""
        self.tried = [self._rounds(own, step) for own in CS for step in SAMPLED_STEPS]

    def objective(self) -> float:
        """Mean recall over classes and the sampled candidates."""
        recalls = [class_recalls(self.y_test, self._votes(*tried)) for tried in self.tried]
        return float(np.mean(recalls))

    def _rounds(self, C: float, step: float) -> tuple[Array, Array]:
        """Follow Algorithm 1; decision values of all rounds on both sets of points."""
        kernel, test_kernel = self.gram, self.test_kernel
        decision, exponent = np.zeros_like(self.y), np.zeros_like(self.y)
        on_train, on_test = [], []
        for _ in range(N_ROUNDS):
            factor = np.exp(-exponent * decision**2)
            kernel, test_kernel = factor[:, None] * kernel * factor, test_kernel * factor
            machine = SVC(C=C, kernel="precomputed").fit(kernel, self.y)
            decision = machine.decision_function(kernel)
            exponent[(decision >= 0) == (self.y > 0)] += step
            on_train.append(decision)
            on_test.append(machine.decision_function(test_kernel))
        return np.array(on_train), np.array(on_test)

    def _votes(self, on_train: Array, on_test: Array) -> Array:
        side = 1.0 if np.sum(self.y) <= 0 else -1.0  # the rarer class is positive
        target = side * self.y
        correct = (side * on_train >= 0) == (target > 0)
        rates = class_rates(correct, target, np.ones_like(target))
        alpha = select_rounds(rates.error, rates.tpr).weights
        return side * np.where(alpha @ np.where(side * on_test >= 0, 1.0, -1.0) >= 0, 1.0, -1.0)


def one_fold(problem: Problem) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    folds = StratifiedKFold(N_SPLITS, shuffle=True, random_state=SEED)
    train, test = next(iter(folds.split(problem.X, problem.y)))
    return train, test


SEARCHES: dict[str, Callable[[Problem, float], Contender]] = {
    "ours_grid": partial(SharedSearch, 1),
    "ours_grid_two_threads": partial(SharedSearch, 2),
    "svc_grid": ObviousSearch,
}
