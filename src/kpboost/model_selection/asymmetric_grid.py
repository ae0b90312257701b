"""Asymmetric kernel scaling over a grid of decays on one fold: one machine per C, all pairs."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from kpboost.ensemble.threads import run_in_threads
from kpboost.problems.gram_blocks import dense_source
from kpboost.solvers import DenseGram, StopFlag, solve_dual
from kpboost.svm.decay_pairs import PairSums, pair_sums

from .boosting_grid import CandidateResult, Fold

FloatArray = NDArray[np.float64]
IndexArray = NDArray[np.intp]
Judge = Callable[[CandidateResult], float]


@dataclass(frozen=True, slots=True, eq=False)
class PairTrial:
    """What all pairs of decays reach on one fold, with one kernel width and one C.

    Attributes
    ----------
    recalls : ndarray of shape (n_decays_pos, n_decays_neg, n_classes)
        NaN for classes without test points.
    scores : ndarray of shape (n_decays_pos, n_decays_neg) or None
        By a scorer, where there is one.
    fit_seconds, score_seconds : float
        For a single pair: its share of the machine that all of them use, and of the answers.
    """

    recalls: FloatArray
    scores: FloatArray | None
    fit_seconds: float
    score_seconds: float


@dataclass(frozen=True, slots=True, eq=False)
class FoldTruth:
    """What is true of the test points of a fold.

    Attributes
    ----------
    codes : ndarray of shape (n_test,)
        Class numbers in the whole data set.
    weight : ndarray of shape (n_test,)
    n_classes : int
        Number of classes of the whole data set.
    """

    codes: IndexArray
    weight: FloatArray
    n_classes: int

    def recalls(self, predicted: IndexArray) -> FloatArray:
        """Weighted recalls of all classes for predictions (..., n_test)."""
        members = self.weight * (self.codes == np.arange(self.n_classes)[:, None])
        right = (predicted == self.codes).astype(np.float64)
        with np.errstate(invalid="ignore"):
            return np.asarray(right @ members.T / members.sum(axis=1))


def try_pairs(
    fold: Fold,
    truth: FoldTruth,
    Cs: Sequence[float],
    decays_pos: FloatArray,
    decays_neg: FloatArray,
    *,
    judge: Judge | None,
    tol: float,
    n_threads: int = 1,
    on_machine: Callable[[], None] | None = None,
) -> list[PairTrial]:
    """Train one machine per C and try all pairs of decays on the test points.

    Parameters
    ----------
    fold : Fold
    truth : FoldTruth
    Cs : sequence of float
    decays_pos, decays_neg : ndarray
    judge : callable or None
        From what a candidate says about the test points to its score.
    tol : float
        Violation gap of every solve.
    n_threads : int, default=1
        Values of C tried at a time; the result does not depend on it.
    on_machine : callable, optional
        Called after every C.

    Returns
    -------
    list of PairTrial
        By C.
    """
    source = dense_source(DenseGram(fold.gram, check=False))
    grams = [source(problem.rows) for problem in fold.plan.problems]

    def one(C: float, stop: StopFlag) -> PairTrial:
        begun = perf_counter()
        sums = _sums(fold, grams, C, decays_pos, decays_neg, tol, stop)
        trained = perf_counter()
        recalls, scores = _judged(sums, fold, truth, judge)
        n_pairs = decays_pos.size * decays_neg.size
        if on_machine is not None:
            on_machine()
        return PairTrial(
            recalls, scores, (trained - begun) / n_pairs, (perf_counter() - trained) / n_pairs
        )

    return run_in_threads([partial(one, C) for C in Cs], n_threads)


def _sums(
    fold: Fold,
    grams: Sequence[DenseGram],
    C: float,
    decays_pos: FloatArray,
    decays_neg: FloatArray,
    tol: float,
    stop: StopFlag,
) -> PairSums:
    """Train the machines of all problems, and sum for all pairs."""
    plan = fold.plan
    coef = np.zeros((len(plan.problems), plan.codes.size))
    decision, intercept = np.zeros_like(coef), np.zeros(len(plan.problems))
    for p, problem in enumerate(plan.problems):
        rows = problem.rows
        bounds = C * plan.class_factor[rows] * plan.weight[rows]
        target = plan.signs[p] * problem.target
        solution = solve_dual(grams[p], target, bounds, tol=tol, stop=stop)
        coef[p, rows], decision[p, rows] = solution.dual_coef, solution.decision
        intercept[p] = solution.intercept
    return pair_sums(
        lambda rows: np.asarray(fold.test_kernel @ rows.T),
        coef,
        decision,
        intercept,
        plan.signs,
        decays_pos,
        decays_neg,
        n_classes=plan.classes.size,
        multi_class=plan.multi_class,
    )


def _judged(
    sums: PairSums, fold: Fold, truth: FoldTruth, judge: Judge | None
) -> tuple[FloatArray, FloatArray | None]:
    """Recalls of all pairs, and their scores; the answers themselves are not kept."""
    classes = fold.plan.classes
    recalls, scores = [], []
    for by_decay_neg in sums.scores():
        own = by_decay_neg > 0 if classes.size == 2 else by_decay_neg.argmax(axis=-1)
        recalls.append(truth.recalls(classes[own.astype(np.intp)]))
        if judge is not None:
            results = [CandidateResult(each, classes, 0.0, 0.0) for each in by_decay_neg]
            scores.append([judge(result) for result in results])
    return np.array(recalls), None if judge is None else np.array(scores)
