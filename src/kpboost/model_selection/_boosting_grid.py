"""KPBoost over a grid of candidates on one fold, sharing what candidates have in common.

All candidates of one kernel width read one Gram matrix and one block of test values. Round 1, the
plain SVM, does not depend on the perturbation step, so every value of C solves it once per
two-class problem. Each later round starts from its predecessor; starting it from the neighbouring
step's round instead was tried, and saves nothing.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from time import perf_counter

import numpy as np

from kpboost._typing import FloatArray, IndexArray
from kpboost.ensemble import (
    AS_NEW,
    BoostingTrace,
    ResolutionRule,
    SquaredDistances,
    asks_as_new,
    boost,
    class_scores,
    correctly_classified,
    nearest_training_rows,
    outside_regions,
    perturbed_values,
    run_in_threads,
)
from kpboost.problems import BinaryProblem, dense_source
from kpboost.solvers import DenseGram, DualSolution, StopFlag, solve_dual


@dataclass(frozen=True, slots=True)
class Candidate:
    """What is tried, apart from the kernel width."""

    C: float
    perturbation_step: float
    roi_scale: float | None


@dataclass(frozen=True, slots=True, eq=False)
class FoldPlan:
    """What one split of the data is before the kernel width is known.

    Attributes
    ----------
    train, test : ndarray of shape (n_train,), (n_test,)
        Rows of the data set.
    codes : ndarray of shape (n_train,)
        Class numbers of the training points, from 0 without gaps.
    classes : ndarray
        The numbers of these classes in the whole data set, which may have more.
    weight, class_factor : ndarray of shape (n_train,)
        Sample weights, and class weights by point: bounds are C times both.
    problems : sequence of BinaryProblem
    signs : ndarray of shape (n_problems,)
        Side of the positive class.
    multi_class : str
    """

    train: IndexArray
    test: IndexArray
    codes: IndexArray
    classes: IndexArray
    weight: FloatArray
    class_factor: FloatArray
    problems: Sequence[BinaryProblem]
    signs: FloatArray
    multi_class: str


@dataclass(frozen=True, slots=True, eq=False)
class Fold:
    """One split of the data with one kernel width.

    Attributes
    ----------
    plan : FoldPlan
    gram : ndarray of shape (n_train, n_train)
        K^0 of the training points.
    test_kernel : ndarray of shape (n_test, n_train)
        Kernel values of the test points.
    squared : ndarray of shape (n, n)
        Squared distances of all points of the data set; for regions of influence.
    """

    plan: FoldPlan
    gram: FloatArray
    test_kernel: FloatArray
    squared: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class CandidateResult:
    """What a candidate says about the test points.

    Attributes
    ----------
    scores : ndarray of shape (n_test,) or (n_test, n_classes)
        As KPBoostSVC.decision_function gives them.
    classes : ndarray
        Numbers of the classes that the scores speak of.
    fit_seconds, score_seconds : float
        Time for the candidate's own rounds, and for its scores.
    n_without_voters : int
        Number of two-class problems in which no round met the conditions for voting.
    """

    scores: FloatArray
    classes: IndexArray
    fit_seconds: float
    score_seconds: float
    n_without_voters: int = 0


def try_candidates(
    fold: Fold,
    candidates: Sequence[Candidate],
    *,
    n_rounds: int,
    tol: float,
    judge_rounds: str = AS_NEW,
    n_threads: int = 1,
    on_candidate: Callable[[], None] | None = None,
) -> list[CandidateResult]:
    """Boost every candidate on the training points, and score the test points.

    Parameters
    ----------
    fold : Fold
    candidates : sequence of Candidate
    n_rounds : int
    tol : float
        Violation gap of every solve.
    judge_rounds : {"as_new", "paper"}, default="as_new"
        As of :class:`~kpboost.ensemble.KPBoostSVC`.
    n_threads : int, default=1
        Candidates tried at a time; the result does not depend on it.
    on_candidate : callable, optional
        Called after every candidate.

    Returns
    -------
    list of CandidateResult
    """
    source = dense_source(DenseGram(fold.gram, check=False))
    grams = [source(problem.rows) for problem in fold.plan.problems]
    firsts = _first_rounds(fold, grams, sorted({each.C for each in candidates}), tol, n_threads)
    nearest = _nearest(fold) if any(each.roi_scale is not None for each in candidates) else None
    rules = {scale: _rules(fold, scale) for scale in {each.roi_scale for each in candidates}}

    def one(candidate: Candidate, stop: StopFlag) -> CandidateResult:
        begun = perf_counter()
        traces = [
            boost(
                grams[p],
                fold.plan.signs[p] * problem.target,
                _bounds(fold, problem, candidate.C),
                step=candidate.perturbation_step,
                n_rounds=n_rounds,
                rule=rules[candidate.roi_scale][p],
                as_new=asks_as_new(judge_rounds, candidate.roi_scale),
                weight=fold.plan.weight[problem.rows],
                first=firsts[candidate.C][p],
                tol=tol,
                stop=stop,
            )
            for p, problem in enumerate(fold.plan.problems)
        ]
        if any(trace.interrupted for trace in traces):
            raise KeyboardInterrupt
        boosted = perf_counter()
        scores = _test_scores(fold, traces, None if candidate.roi_scale is None else nearest)
        if on_candidate is not None:
            on_candidate()
        return CandidateResult(
            scores,
            fold.plan.classes,
            fit_seconds=boosted - begun,
            score_seconds=perf_counter() - boosted,
            n_without_voters=sum(trace.rule == "best_only" for trace in traces),
        )

    return run_in_threads([partial(one, candidate) for candidate in candidates], n_threads)


def _bounds(fold: Fold, problem: BinaryProblem, C: float) -> FloatArray:
    return np.asarray(C * fold.plan.class_factor[problem.rows] * fold.plan.weight[problem.rows])


def _first_rounds(
    fold: Fold, grams: Sequence[DenseGram], Cs: Sequence[float], tol: float, n_threads: int
) -> dict[float, list[DualSolution]]:
    """Solve the plain SVM of every C and problem."""

    def one(C: float, p: int, stop: StopFlag) -> DualSolution:
        problem = fold.plan.problems[p]
        target = fold.plan.signs[p] * problem.target
        return solve_dual(grams[p], target, _bounds(fold, problem, C), tol=tol, stop=stop)

    pairs = [(C, p) for C in Cs for p in range(len(grams))]
    solutions = iter(run_in_threads([partial(one, C, p) for C, p in pairs], n_threads))
    return {C: [next(solutions) for _ in grams] for C in Cs}


def _rules(fold: Fold, roi_scale: float | None) -> list[ResolutionRule]:
    """Return the rule of every problem: which points lose resolution."""
    if roi_scale is None:
        return [correctly_classified for _ in fold.plan.problems]

    def between(rows: IndexArray) -> SquaredDistances:
        own = fold.plan.train[rows]
        return lambda i, j: np.asarray(fold.squared[np.ix_(own[i], own[j])])

    return [
        outside_regions(sign * problem.target, roi_scale, between(problem.rows))
        for problem, sign in zip(fold.plan.problems, fold.plan.signs, strict=True)
    ]


def _test_scores(
    fold: Fold, traces: Sequence[BoostingTrace], nearest: IndexArray | None
) -> FloatArray:
    """Score the test points by one product of kernel values and the coefficients of all rounds."""
    plan = fold.plan
    coef = [trace.dual_coef * np.exp(trace.log_scale) for trace in traces]
    sides = plan.signs[:, None]
    intercept = sides * np.array([trace.intercept for trace in traces])
    weights = np.array([trace.weights for trace in traces])
    rounds = sides[:, :, None] * _at_all_rows(plan, coef)
    sums = fold.test_kernel @ rounds.reshape(-1, plan.codes.size).T
    values = sums.reshape(-1, *intercept.shape)
    if nearest is None:
        values += intercept
    else:
        k = _at_all_rows(plan, [trace.perturbation for trace in traces])
        inherited = np.stack([own[:, nearest[:, p]].T for p, own in enumerate(k)], axis=1)
        values = perturbed_values(values, intercept, inherited)
    return class_scores(values, weights, plan.signs, plan.classes.size, plan.multi_class)


def _at_all_rows(plan: FoldPlan, values: Sequence[FloatArray]) -> FloatArray:
    """Arrays (n_rounds, n_own) of the problems over all training rows, 0 elsewhere."""
    full = np.zeros((len(values), values[0].shape[0], plan.codes.size))
    for problem, of_problem, own in zip(plan.problems, values, full, strict=True):
        own[:, problem.rows] = of_problem
    return full


def _nearest(fold: Fold) -> IndexArray:
    """Nearest training row of every test point, by problem."""
    train, test = fold.plan.train, fold.plan.test
    rows = [problem.rows for problem in fold.plan.problems]
    return nearest_training_rows(
        lambda part: fold.squared[np.ix_(test[part], train)], test.size, rows
    )
