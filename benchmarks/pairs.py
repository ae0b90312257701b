"""All 1,369 pairs of decays of AKS on one fold: ours, and a product per pair on top of SVC.

Both train one machine. The obvious way then scales the coefficients for every pair and multiplies
them with the test block, as the method is stated; its kernel blocks are there already, while ours
starts from the points and ends with the final fit on all of them.

python benchmarks/pairs.py            a minute
python benchmarks/pairs.py --quick    some seconds
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from time import process_time

import numpy as np
from numpy.typing import NDArray
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

import report
from kpboost.kernels import length_scale_to_gamma, rbf_kernel
from kpboost.metrics import class_recalls
from kpboost.model_selection import (
    AsymmetricKernelScalingSVCCV,
    mean_class_recalls,
    paper_grid,
)
from options import choose_problems, parser_of
from problems import Problem, load
from searches import one_fold

Array = NDArray[np.float64]

SIZES = (500, 1000, 2000)
QUICK_SIZES = (1000,)
QUICK_REAL_DATA = ("breast_cancer",)
DECAYS = paper_grid().perturbation_steps
C = 100.0
LENGTH_SCALE = 3.0
# The smallest of so many times counts.
REPEATS = 3


@dataclass(frozen=True)
class PairsCell:
    """Seconds of processor time for one problem, and the mean recall over all pairs."""

    problem: str
    n: int
    ours: float
    obvious: float
    recall_ours: float
    recall_obvious: float


def main() -> None:
    parser = parser_of(__doc__)
    options = parser.parse_args()
    choose_problems(options, sizes=SIZES, quick_sizes=QUICK_SIZES, quick_data=QUICK_REAL_DATA)
    print(f"{'problem':<16}{'n':>6}{'ours s':>9}{'obvious s':>11}{'ratio':>8}{'recall':>9}")
    with threadpool_limits(limits=1):
        names = [f"generated-{n}" for n in options.sizes] + list(options.data)
        cells = [measure(name) for name in names]
    if options.json:
        report.write_json(options.json, {"cells": [asdict(cell) for cell in cells]})


def measure(name: str) -> PairsCell:
    """Time both ways, and print a line."""
    problem = load(name)
    ours, recall_ours = fastest([ours_once(problem) for _ in range(REPEATS)])
    obvious, recall_obvious = fastest([obvious_once(problem) for _ in range(REPEATS)])
    print(
        f"{name:<16}{problem.n:>6}{ours:>9.3f}{obvious:>11.3f}{obvious / ours:>8.1f}"
        f"{recall_ours:>9.4f}{recall_obvious:>9.4f}",
        flush=True,
    )
    return PairsCell(name, problem.n, ours, obvious, recall_ours, recall_obvious)


def fastest(runs: Sequence[tuple[float, float]]) -> tuple[float, float]:
    return min(runs)


def ours_once(problem: Problem) -> tuple[float, float]:
    """Seconds of the whole search, and the mean recall over classes and pairs."""
    gamma = float(length_scale_to_gamma(LENGTH_SCALE))
    search = AsymmetricKernelScalingSVCCV((C,), gammas=(gamma,), cv=[one_fold(problem)])
    begun = process_time()
    search.fit(problem.X, problem.y)
    return process_time() - begun, float(mean_class_recalls(search.cv_results_).mean())


def obvious_once(problem: Problem) -> tuple[float, float]:
    """Seconds of one fit and a product per pair, and the mean recall over classes and pairs."""
    train, test = one_fold(problem)
    gamma, y = float(length_scale_to_gamma(LENGTH_SCALE)), problem.y[train]
    gram = rbf_kernel(problem.X[train], gamma=gamma)
    cross = rbf_kernel(problem.X[test], problem.X[train], gamma=gamma)
    begun = process_time()
    answers = obvious_answers(gram, cross, y)
    seconds = process_time() - begun
    return seconds, float(np.mean([class_recalls(problem.y[test], each) for each in answers]))


def obvious_answers(gram: Array, cross: Array, y: Array) -> list[Array]:
    side = 1.0 if np.sum(y) <= 0 else -1.0  # the rarer class is positive
    machine = SVC(C=C, kernel="precomputed").fit(gram, side * y)
    coef = np.zeros(y.size)
    coef[machine.support_] = machine.dual_coef_[0]
    f, f_new = machine.decision_function(gram), machine.decision_function(cross)
    answers = []
    for decay_pos in DECAYS:
        for decay_neg in DECAYS:
            factor = np.exp(-np.where(f >= 0, decay_pos, decay_neg) * f**2)
            factor_new = np.exp(-np.where(f_new >= 0, decay_pos, decay_neg) * f_new**2)
            values = factor_new * (cross @ (coef * factor)) + machine.intercept_[0]
            answers.append(side * np.where(values >= 0, 1.0, -1.0))
    return answers


if __name__ == "__main__":
    main()
