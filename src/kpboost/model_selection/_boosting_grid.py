"""KPBoost over a grid of candidates on one fold, sharing what candidates have in common.

All candidates of one kernel width read one Gram matrix and one block of test values. Round 1, the
plain SVM, does not depend on the perturbation step, so every value of C solves it once per
two-class problem. Each later round starts from its predecessor; starting it from the neighbouring
step's round instead was tried, and saves nothing.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from numbers import Integral
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.model_selection import check_cv

from kpboost._typing import FloatArray, IndexArray
from kpboost.ensemble import (
    AS_NEW,
    HARD,
    SOFT,
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
from kpboost.kernels import rbf_from_squared_distances, resolve_gamma
from kpboost.model_selection._folds import Split, folds_in_order
from kpboost.problems import (
    BinaryProblem,
    TrainingSet,
    binary_problems,
    class_weights,
    dense_source,
    positive_sides,
    predicted_codes,
    slot_table,
)
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
    graded : ndarray of the shape of `scores`, or None
        Scores by soft votes, whatever `scores` are; None if nobody asked for them.
    """

    scores: FloatArray
    classes: IndexArray
    fit_seconds: float
    score_seconds: float
    n_without_voters: int = 0
    graded: FloatArray | None = None

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
    voting: str = HARD,
    graded: bool = False,
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
    judge_rounds, voting : str
        As of :class:`~kpboost.ensemble.KPBoostSVC`.
    graded : bool, default=False
        Whether results have soft votes as well, from the same pass over the kernel.
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
    votings = (voting, SOFT) if graded else (voting,)
    nearest = _nearest(fold) if any(task.inherits for task in tasks) else None

    def one(candidate: Candidate, task: BoostingTask, stop: StopFlag) -> CandidateResult:
        begun = perf_counter()
        traces = [task.boost(p, first, stop) for p, first in enumerate(firsts[candidate.C])]
        if any(trace.interrupted for trace in traces):
            raise KeyboardInterrupt
        boosted = perf_counter()
        known = nearest if task.inherits else None
        predictor = _predictor(plan, table, traces, known)
        scores, *soft = predictor.scores_by(fold.test_kernel, votings)
        if on_candidate is not None:
            on_candidate()
        return CandidateResult(
            scores,
            plan.classes,
            fit_seconds=boosted - begun,
            score_seconds=perf_counter() - boosted,
            n_without_voters=sum(trace.rule == "best_only" for trace in traces),
            graded=soft[0] if soft else None,
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
        resolution_rule(roi_scale, sign * problem.target, problem.rows, between, keep=True)
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


# What cv=None means in scikit-learn.
DEFAULT_SPLITS = 5


def make_splits(cv: Any, X: Any, y: ArrayLike, data: TrainingSet) -> list[Split]:
    """Split, and return positions among the rows that count, those with a positive weight.

    Parameters
    ----------
    cv : int, None, splitter or iterable
        A number splits the rows that count. The others split the data as given; rows without
        weight are then left out of both parts.
    X, y
        The data as given.
    data : TrainingSet
        Their rows that count, in the order given.

    Returns
    -------
    list of (train, test)
    """
    if cv is None or isinstance(cv, Integral):
        n_splits = DEFAULT_SPLITS if cv is None else int(cv)
        return folds_in_order(data.classes[data.codes], n_splits)
    place = np.full(data.all_codes.size, -1, dtype=np.intp)
    place[data.rows] = np.arange(data.rows.size)
    splits = [
        (_part(train, place, "training"), _part(test, place, "test"))
        for train, test in check_cv(cv, y, classifier=True).split(X, y)
    ]
    if not splits:
        raise ValueError("cv has no splits; at least one is needed.")
    return splits


def plan_folds(
    splits: Sequence[Split],
    data: TrainingSet,
    *,
    multi_class: str,
    class_weight: Mapping[Any, float] | str | None,
    pos_label: Any,
) -> list[FoldPlan]:
    """Work out all of every fold that does not depend on the kernel.

    Parameters
    ----------
    splits : sequence of (train, test)
        Positions among the rows of `data`.
    data : TrainingSet
    multi_class, class_weight, pos_label
        As of :class:`~kpboost.ensemble.KPBoostSVC`.

    Returns
    -------
    list of FoldPlan
    """
    factors = class_weights(class_weight, data.classes, data.codes, data.weight)

    def plan(train: IndexArray, test: IndexArray) -> FoldPlan:
        present = np.unique(data.codes[train])
        if present.size < 2:
            raise ValueError("cv has a training set with one class; use fewer or other splits.")
        if present.size > 2:  # as KPBoostSVC has them: blocks of pairs are then contiguous
            train = train[np.argsort(data.codes[train], kind="stable")]
        codes, weight = np.searchsorted(present, data.codes[train]), data.weight[train]
        classes, own = data.classes[present], factors[present]
        if isinstance(class_weight, str):  # balanced within the fold
            own = class_weights(class_weight, classes, codes, weight)
        problems = list(binary_problems(codes, present.size, multi_class))
        return FoldPlan(
            train=train,
            test=test,
            codes=codes,
            classes=present,
            weight=weight,
            class_factor=own[codes],
            problems=problems,
            signs=positive_sides(problems, weight, classes, pos_label),
            multi_class=multi_class,
        )

    return [plan(train, test) for train, test in splits]


def folds_of_width(
    gamma: float | str, plans: Sequence[FoldPlan], squared: FloatArray, data: TrainingSet
) -> Iterator[Fold]:
    """Yield the folds of one kernel width: a number takes one exponential for all of them.

    Parameters
    ----------
    gamma : float, "scale" or "auto"
        Words are resolved on every training set.
    plans : sequence of FoldPlan
    squared : ndarray of shape (n, n)
        Squared distances of all points.
    data : TrainingSet

    Yields
    ------
    Fold
    """
    shared = None if isinstance(gamma, str) else rbf_from_squared_distances(squared, gamma)
    for plan in plans:
        among, across = np.ix_(plan.train, plan.train), np.ix_(plan.test, plan.train)
        if shared is None:
            weight = plan.weight if data.is_weighted else None
            width = resolve_gamma(gamma, data.points[plan.train], sample_weight=weight)
            gram = rbf_from_squared_distances(squared[among], width)
            test_kernel = rbf_from_squared_distances(squared[across], width)
        else:
            gram, test_kernel = shared[among], shared[across]
        yield Fold(plan=plan, gram=gram, test_kernel=test_kernel, squared=squared)


def check_all_tested(tests: Sequence[IndexArray], data: TrainingSet) -> None:
    """Refuse splits that never test some class: a trade-off would not know about it."""
    tested = np.unique(data.codes[np.concatenate(tests)])
    if tested.size < data.classes.size:
        missing = np.delete(data.classes, tested).tolist()
        raise ValueError(
            f"cv has no test point of the class(es) {missing}; the trade-off needs the recall of "
            "every class."
        )


def _part(rows: Any, place: IndexArray, name: str) -> IndexArray:
    """Return where rows of the given data stand among those that count."""
    numbers = np.asarray(rows)
    if numbers.dtype == np.bool_:
        numbers = np.flatnonzero(numbers)
    whole = numbers.ndim == 1 and (numbers.dtype.kind in "iu" or not numbers.size)
    if not whole or np.any(numbers < 0) or np.any(numbers >= place.size):
        raise ValueError(
            f"cv has a {name} set that is not a list of row numbers from 0 to {place.size - 1}."
        )
    kept = place[numbers.astype(np.intp)]
    if not np.any(kept >= 0):
        raise ValueError(f"cv has a {name} set without a row of positive weight.")
    return np.asarray(kept[kept >= 0])
