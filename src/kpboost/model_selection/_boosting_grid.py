"""KPBoost over a grid of candidates on one fold, sharing what candidates have in common.

All candidates of one kernel width read one Gram matrix and one block of test values. Round 1, the
plain SVM, does not depend on the perturbation step, so every value of C solves it once per
two-class problem. Each later round starts from its predecessor; starting it from the neighbouring
step's round instead was tried, and saves nothing.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from time import perf_counter

import numpy as np

from kpboost._typing import FloatArray, IndexArray
from kpboost.ensemble import (
    AS_NEW,
    BoostingTask,
    BoostingTrace,
    Inheritance,
    ResolutionRule,
    RoundPredictor,
    asks_as_new,
    gather,
    nearest_training_rows,
    resolution_rule,
    run_in_threads,
)
from kpboost.problems import BinaryProblem, dense_source, predicted_codes, slot_table
from kpboost.solvers import DenseGram, DualSolution, StopFlag


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

    def predicted(self) -> IndexArray:
        """Predicted classes, by their numbers in the whole data set."""
        return np.asarray(self.classes[predicted_codes(self.scores)])


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
    plan = fold.plan
    table = slot_table(plan.classes.size, plan.multi_class)
    source = dense_source(DenseGram(fold.gram, check=False))
    grams = [source(problem.rows) for problem in plan.problems]
    rules = {scale: _rules(fold, scale) for scale in {each.roi_scale for each in candidates}}
    tasks = [
        BoostingTask(
            problems=plan.problems,
            signs=plan.signs,
            gram_of=grams.__getitem__,
            rule_of=rules[each.roi_scale].__getitem__,
            bounds=each.C * plan.class_factor * plan.weight,
            weight=plan.weight,
            as_new=asks_as_new(judge_rounds, each.roi_scale),
            step=each.perturbation_step,
            n_rounds=n_rounds,
            tol=tol,
            inherits=each.roi_scale is not None,
        )
        for each in candidates
    ]
    firsts = _first_rounds(
        {each.C: task for each, task in zip(candidates, tasks, strict=True)}, n_threads
    )
    nearest = _nearest(fold) if any(task.inherits for task in tasks) else None

    def one(candidate: Candidate, task: BoostingTask, stop: StopFlag) -> CandidateResult:
        begun = perf_counter()
        traces = [task.boost(p, first, stop) for p, first in enumerate(firsts[candidate.C])]
        if any(trace.interrupted for trace in traces):
            raise KeyboardInterrupt
        boosted = perf_counter()
        known = nearest if task.inherits else None
        scores = _predictor(plan, table, traces, known).scores(fold.test_kernel)
        if on_candidate is not None:
            on_candidate()
        return CandidateResult(
            scores,
            plan.classes,
            fit_seconds=boosted - begun,
            score_seconds=perf_counter() - boosted,
            n_without_voters=sum(trace.rule == "best_only" for trace in traces),
        )

    runs = [partial(one, each, task) for each, task in zip(candidates, tasks, strict=True)]
    return run_in_threads(runs, n_threads)


def _first_rounds(
    tasks: Mapping[float, BoostingTask], n_threads: int
) -> dict[float, list[DualSolution]]:
    """Solve the plain SVM of every C and problem."""
    runs = [
        partial(task.first_round, p) for task in tasks.values() for p in range(len(task.problems))
    ]
    solutions = iter(run_in_threads(runs, n_threads))
    return {C: [next(solutions) for _ in task.problems] for C, task in tasks.items()}


def _rules(fold: Fold, roi_scale: float | None) -> list[ResolutionRule]:
    """Return the rule of every problem: which points lose resolution."""
    train = fold.plan.train

    def between(i: IndexArray, j: IndexArray) -> FloatArray:
        return np.asarray(fold.squared[np.ix_(train[i], train[j])])

    return [
        resolution_rule(roi_scale, sign * problem.target, problem.rows, between)
        for problem, sign in zip(fold.plan.problems, fold.plan.signs, strict=True)
    ]


def _predictor(
    plan: FoldPlan,
    table: IndexArray,
    traces: Sequence[BoostingTrace],
    nearest: IndexArray | None,
) -> RoundPredictor:
    """Return the rounds of one candidate, on kernel values of the test points."""
    rounds = gather(
        traces,
        [problem.rows for problem in plan.problems],
        plan.signs,
        plan.codes,
        table,
        inherits=nearest is not None,
    )
    inheritance = None
    if rounds.perturbation is not None and nearest is not None:
        slots = table[:, plan.codes]
        inheritance = Inheritance(rounds.perturbation, slots, lambda X, part: nearest[part])
    return RoundPredictor(
        kernel="precomputed",
        gamma=None,
        support=rounds.support,
        vectors=None,
        n_support=np.bincount(plan.codes[rounds.support], minlength=plan.classes.size),
        dual_coef=rounds.dual_coef,
        log_scale=rounds.log_scale[:, :, rounds.support],
        intercept=rounds.intercept,
        weights=rounds.weights,
        signs=plan.signs,
        table=table,
        multi_class=plan.multi_class,
        inheritance=inheritance,
    )


def _nearest(fold: Fold) -> IndexArray:
    """Nearest training row of every test point, by problem."""
    train, test = fold.plan.train, fold.plan.test
    rows = [problem.rows for problem in fold.plan.problems]
    return nearest_training_rows(
        lambda part: fold.squared[np.ix_(test[part], train)], test.size, rows
    )
