"""A rare class in real data: find more of it, and solve exactly.

Handwritten digits, with most of the eights taken away: can an SVM still tell an eight from the
other digits? The script compares scikit-learn's SVC with KernelSVC, with and without class weights,
and with boosted machines whose C and step are chosen by cross-validation (45 fits of ten rounds);
then it follows the solution over three paths of C, with and without warm starts.
"""

import time
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.datasets import load_digits
from sklearn.metrics import recall_score
from sklearn.model_selection import train_test_split
from sklearn.svm import SVC

from kpboost import KPBoostSVCCV
from kpboost.kernels import rbf_kernel, resolve_gamma
from kpboost.solvers import DenseGram, DualSolution, solve_dual
from kpboost.solvers.optimality import dual_objective, field
from kpboost.svm import KernelSVC

Array = NDArray[np.float64]

RARE_DIGIT = 8
N_RARE_IN_TRAINING = 30
# Neighbours on the first two paths are far apart, on the last one they are close.
PATHS_OF_C = [np.geomspace(0.01, 10, 13), np.geomspace(1, 1000, 13), np.geomspace(100, 200, 13)]


def main() -> None:
    """Run both comparisons."""
    X_train, X_test, y_train, y_test = rare_digit()
    n_rare = int((y_train == 1).sum())
    print(f"Digits: {len(y_train)} training points, {n_rare} of them an '{RARE_DIGIT}'.\n")
    compare_machines(X_train, X_test, y_train, y_test)
    compare_starts(X_train, y_train)


def rare_digit() -> tuple[Array, Array, Array, Array]:
    """Split the digits in two halves and keep few eights (class 1) in the training half."""
    X, digit = load_digits(return_X_y=True)
    y = np.where(digit == RARE_DIGIT, 1.0, -1.0)
    X_train, X_test, y_train, y_test = train_test_split(
        X, y, test_size=0.5, stratify=y, random_state=0
    )
    rare = np.flatnonzero(y_train == 1)
    kept = np.delete(np.arange(len(y_train)), rare[N_RARE_IN_TRAINING:])
    return X_train[kept], X_test, y_train[kept], y_test


def compare_machines(X_train: Array, X_test: Array, y_train: Array, y_test: Array) -> None:
    """Print recall, time and objective of machines, some of which solve the same problem."""
    machines = {
        "SVC": SVC(),
        "KernelSVC": KernelSVC(),
        "SVC, balanced": SVC(class_weight="balanced"),
        "KernelSVC, balanced": KernelSVC(class_weight="balanced"),
        "KPBoostSVCCV": KPBoostSVCCV(),
    }
    times = shortest([partial(model.fit, X_train, y_train) for model in machines.values()])
    gram = rbf_kernel(X_train, gamma=resolve_gamma("scale", X_train))
    print(f"{'machine':<24}{'recall rest':>12}{'recall rare':>12}{'fit ms':>9}{'objective':>18}")
    for (name, model), ms in zip(machines.items(), times, strict=True):
        rest, rare = recall_score(y_test, model.predict(X_test), average=None)
        single = not isinstance(model, KPBoostSVCCV)  # ten rounds have ten objectives
        value = f"{objective(model, gram, y_train):.9f}" if single else ""
        print(f"{name:<24}{rest:>12.3f}{rare:>12.3f}{ms:>9.1f}{value:>18}")
    print("The same problem has the same optimum; the lower objective is the closer one.\n")


def compare_starts(X: Array, y: Array) -> None:
    """Solve for paths of C, from nothing and from the neighbour's solution."""
    gram = DenseGram(rbf_kernel(X, gamma=resolve_gamma("scale", X)))
    print(f"{'path of C':<24}{'solves':>12}{'cold ms':>12}{'warm ms':>9}{'difference':>18}")
    for path in PATHS_OF_C:
        cold, warm = cold_path(gram, y, path), warm_path(gram, y, path)
        cold_ms, warm_ms = shortest([partial(run, gram, y, path) for run in (cold_path, warm_path)])
        apart = max(np.abs(a.decision - b.decision).max() for a, b in zip(cold, warm, strict=True))
        ends = f"{path[0]:g} to {path[-1]:g}"
        print(f"{ends:<24}{len(path):>12}{cold_ms:>12.1f}{warm_ms:>9.1f}{apart:>18.1e}")
    print("A warm start changes the time, not the answer; it pays when the neighbour is close.")


def cold_path(gram: DenseGram, y: Array, path: Array) -> list[DualSolution]:
    """Solve every C from nothing."""
    return [solve_dual(gram, y, C) for C in path]


def warm_path(gram: DenseGram, y: Array, path: Array) -> list[DualSolution]:
    """Start each C from the solution of the C before it."""
    solutions: list[DualSolution] = []
    for C in path:
        solutions.append(solve_dual(gram, y, C, start=solutions[-1] if solutions else None))
    return solutions


def objective(model: ClassifierMixin, gram: Array, y: Array) -> float:
    """Value of the dual that the machine minimised; SVC and KernelSVC name its parts alike."""
    coef = np.zeros_like(y)
    coef[model.support_] = model.dual_coef_[0]
    return dual_objective(field(gram, coef), y, coef)


def shortest(works: Sequence[Callable[[], object]], repeats: int = 15) -> list[float]:
    """Milliseconds of each one's fastest run; they take turns, so that no one has a bad moment."""
    times: list[list[float]] = [[] for _ in works]
    for _ in range(repeats):
        for work, own in zip(works, times, strict=True):
            start = time.perf_counter()
            work()
            own.append(1e3 * (time.perf_counter() - start))
    return [min(own) for own in times]


if __name__ == "__main__":
    main()
