"""KPBoost over a grid of candidates on one fold, sharing what candidates have in common.

All candidates of one kernel width read one Gram matrix and one block of test values. Round 1, the
plain SVM, does not depend on the perturbation step, so every value of C solves it once per
two-class problem. Each later round starts from its predecessor; starting it from the neighbouring
step's round instead was tried, and saves nothing. Regions of influence do not depend on the kernel
width, and are found once per split.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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
    BoostingTrials,
    RegionsOfInfluence,
    Threads,
    TrialProblem,
    TriedStep,
    asks_as_new,
    class_scores,
    outside_regions,
    row_blocks,
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
)
from kpboost.solvers import DenseGram, DualProblem, DualSolution, StopFlag


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
    """

    plan: FoldPlan
    gram: FloatArray
    test_kernel: FloatArray


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


# By scale of the regions of influence, those of every problem; None for every one without a scale.
Influence = Mapping[float | None, Sequence[RegionsOfInfluence | None]]


def influence(plan: FoldPlan, roi_scales: Iterable[float | None], squared: FloatArray) -> Influence:
    """Find the regions of influence of one split; they do not depend on the kernel width.

    Parameters
    ----------
    plan : FoldPlan
    roi_scales : iterable of float or None
        Those of all candidates.
    squared : ndarray of shape (n, n)
        Squared distances of all points of the data set.

    Returns
    -------
    mapping
    """
    rows = [plan.train[problem.rows] for problem in plan.problems]
    wanted = set(roi_scales)
    scales = {scale for scale in wanted if scale is not None}
    nearest = [squared[np.ix_(plan.test, own)].argmin(axis=1) for own in rows if scales]

    def regions(scale: float, p: int) -> RegionsOfInfluence:
        def between(i: IndexArray, j: IndexArray) -> FloatArray:
            return np.asarray(squared[np.ix_(rows[p][i], rows[p][j])])

        rule = outside_regions(plan.signs[p] * plan.problems[p].target, scale, between)
        return RegionsOfInfluence(rule.regions(), nearest[p])

    found: dict[float | None, Sequence[RegionsOfInfluence | None]] = {
        scale: [regions(scale, p) for p in range(len(rows))] for scale in scales
    }
    return found | ({None: [None] * len(rows)} if None in wanted else {})


def influence_source(
    plans: Sequence[FoldPlan], roi_scales: Iterable[float | None], squared: FloatArray
) -> Callable[[FoldPlan], Influence]:
    """Return the regions of influence by split, for all kernel widths.

    They are found once and kept, unless their bits take more memory than the distances: then they
    are found again when asked for.

    Parameters
    ----------
    plans : sequence of FoldPlan
    roi_scales, squared
        As of :func:`influence`.

    Returns
    -------
    callable
    """
    scales = set(roi_scales)
    pairs = sum(problem.rows.size**2 for plan in plans for problem in plan.problems)
    if len(scales - {None}) * pairs / BITS_PER_BYTE > squared.nbytes:
        return lambda plan: influence(plan, scales, squared)
    kept = {plan: influence(plan, scales, squared) for plan in plans}
    return kept.__getitem__


BITS_PER_BYTE = 8

# A two-class problem with its bounds, and its plain SVM.
Machine = tuple[DualProblem, DualSolution]


def try_candidates(
    fold: Fold,
    candidates: Sequence[Candidate],
    regions: Influence,
    *,
    n_rounds: int,
    tol: float,
    judge_rounds: str = AS_NEW,
    voting: str = HARD,
    graded: bool = False,
    threads: Threads | None = None,
    on_candidate: Callable[[], None] | None = None,
) -> list[CandidateResult]:
    """Boost every candidate on the training points, and score the test points.

    Parameters
    ----------
    fold : Fold
    candidates : sequence of Candidate
    regions : Influence
        Of the split, with the scales of all candidates.
    n_rounds : int
    tol : float
        Violation gap of every solve.
    judge_rounds, voting : str
        As of :class:`~kpboost.ensemble.KPBoostSVC`.
    graded : bool, default=False
        Whether results have soft votes as well, from the same pass over the kernel.
    threads : Threads, optional
        As many candidates are tried at a time; by default one. The result does not depend on it.
    on_candidate : callable, optional
        Called after every candidate.

    Returns
    -------
    list of CandidateResult
    """
    run = (Threads(1) if threads is None else threads).run
    machines = _first_rounds(fold, list(dict.fromkeys(each.C for each in candidates)), tol, run)

    def shared(C: float, roi_scale: float | None) -> BoostingTrials:
        problems = _trial_problems(fold.plan, machines[C], regions[roi_scale])
        as_new = asks_as_new(judge_rounds, roi_scale)
        return BoostingTrials(problems, fold.test_kernel, as_new=as_new, n_rounds=n_rounds, tol=tol)

    trials = {own: shared(*own) for own in {(each.C, each.roi_scale) for each in candidates}}
    votings = (voting, SOFT) if graded else (voting,)

    def one(candidate: Candidate, stop: StopFlag) -> CandidateResult:
        begun = perf_counter()
        own = trials[candidate.C, candidate.roi_scale]
        tried = own.run(candidate.perturbation_step, stop)
        boosted = perf_counter()
        scores, *soft = _scores(fold.plan, tried, votings)
        if on_candidate is not None:
            on_candidate()
        return CandidateResult(
            scores,
            fold.plan.classes,
            fit_seconds=boosted - begun,
            score_seconds=perf_counter() - boosted,
            n_without_voters=tried.n_without_voters,
            graded=soft[0] if soft else None,
        )

    return run([partial(one, each) for each in candidates])


def _first_rounds(
    fold: Fold, Cs: Sequence[float], tol: float, run: Callable[..., list[list[Machine]]]
) -> dict[float, list[Machine]]:
    """Solve the plain SVM of every C and problem, those of one C in one task: they are short."""
    plan = fold.plan
    source = dense_source(DenseGram(fold.gram, check=False))
    grams = [source(problem.rows) for problem in plan.problems]
    targets = [sign * each.target for sign, each in zip(plan.signs, plan.problems, strict=True)]

    def solved(C: float, stop: StopFlag) -> list[Machine]:
        if stop.is_set():  # short solves never look at it
            raise KeyboardInterrupt
        bounds = C * plan.class_factor * plan.weight
        rows = (problem.rows for problem in plan.problems)
        duals = [
            DualProblem(gram, target, bounds[own])
            for gram, target, own in zip(grams, targets, rows, strict=True)
        ]
        return [(dual, dual.solve(tol=tol, stop=stop)) for dual in duals]

    return dict(zip(Cs, run([partial(solved, C) for C in Cs]), strict=True))


def _trial_problems(
    plan: FoldPlan, machines: Sequence[Machine], regions: Sequence[RegionsOfInfluence | None]
) -> list[TrialProblem]:
    """Put together what candidates with one C and one scale of regions share."""
    rows = [problem.rows for problem in plan.problems]
    return [
        TrialProblem(dual, first, plan.weight[own], own, near)
        for (dual, first), own, near in zip(machines, rows, regions, strict=True)
    ]


def _scores(plan: FoldPlan, tried: TriedStep, votings: Sequence[str]) -> list[FloatArray]:
    """Scores of the classes at the test points, by several ways of voting."""
    sides = plan.signs[:, None]
    votes = plan.signs, plan.classes.size, plan.multi_class
    parts = [
        [
            class_scores(sides * tried.values[part], tried.weights, *votes, voting)
            for voting in votings
        ]
        for part in row_blocks(len(tried.values), tried.weights.size)
    ]
    return [np.concatenate(each) for each in zip(*parts, strict=True)]


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
        yield Fold(plan=plan, gram=gram, test_kernel=test_kernel)


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
