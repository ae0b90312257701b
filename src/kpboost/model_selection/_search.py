"""What searches over kernel widths share: their checks, their folds, the walk over the widths.

Squared distances are computed once for the data set; a width takes one exponential over them.
"""

import warnings
from collections.abc import Callable, Mapping, Sequence
from inspect import signature
from numbers import Real
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import rankdata
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import get_scorer, get_scorer_names

from kpboost import _validation as parameters
from kpboost._typing import FloatArray
from kpboost.ensemble import progress
from kpboost.kernels import squared_distances
from kpboost.problems import TrainingSet, fits_dense, predicted_codes

from ._boosting_grid import CandidateResult, Fold, FoldPlan
from ._folds import check_all_tested, folds_of_width, make_splits, plan_folds
from ._grids import Gamma
from ._splitters import check_splitting
from ._tradeoff import PREFIX, best_tradeoff, tradeoff_score

Scorer = Callable[..., float]

TRADEOFF = "tradeoff"


def check_scoring(scoring: Any) -> None:
    """Refuse anything but "tradeoff", the name of a scorer, or a callable."""
    known = isinstance(scoring, str) and scoring in (TRADEOFF, *get_scorer_names())
    if not (known or callable(scoring)):
        raise ValueError(
            f"scoring={scoring!r} is not allowed; it must be {TRADEOFF!r}, a name of "
            "sklearn.metrics.get_scorer_names(), or a callable of estimator, X and y."
        )


def named_scorer(scoring: Any) -> Scorer | None:
    """Return the scorer; None for the trade-off, which compares all candidates at once."""
    if callable(scoring):
        return scoring  # type: ignore[no-any-return]
    return None if scoring == TRADEOFF else get_scorer(scoring)


def takes_weights(scorer: Scorer) -> bool:
    """Tell whether a scorer says that it takes sample weights; those of scikit-learn all do."""
    return "sample_weight" in signature(scorer).parameters


class Answers(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # untyped base classes
    """A candidate's answers on one fold, dressed as the classifier a scorer expects.

    Parameters
    ----------
    all_classes : ndarray
        Sorted labels of the data set.
    result : CandidateResult
        What the candidate says about the test points.
    points : ndarray or CSR matrix
        The test points.
    y_true : ndarray
        Their labels.
    weight : ndarray or None
        Their weights; None where the user gave none.
    """

    def __init__(
        self,
        all_classes: NDArray[Any],
        result: CandidateResult,
        points: Any,
        y_true: NDArray[Any],
        weight: FloatArray | None,
    ) -> None:
        self.all_classes = all_classes
        self.result = result
        self.points = points
        self.y_true = y_true
        self.weight = weight

    @property
    def classes_(self) -> NDArray[Any]:
        """Labels of the classes that were in training."""
        return np.asarray(self.all_classes[self.result.classes])

    def decision_function(self, X: Any) -> FloatArray:
        """Return the scores of the test points; other points have none."""
        if X is not self.points:
            raise ValueError("a scorer can ask about the test points of a fold only, all at once")
        return self.result.scores

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the labels of the test points."""
        return np.asarray(self.classes_[predicted_codes(self.decision_function(X))])

    def recalls(self) -> FloatArray:
        """Return the recall of every class; NaN for those without test points."""
        weight = np.ones(self.y_true.size) if self.weight is None else self.weight
        right = self.predict(self.points) == self.y_true
        members = (self.y_true == self.all_classes[:, None]).astype(np.float64)
        with np.errstate(invalid="ignore"):
            return np.asarray(members @ (weight * right) / (members @ weight))

    def score_by(self, scorer: Scorer) -> float:
        """Return what a scorer says; weights are for those that take them."""
        if self.weight is None or not takes_weights(scorer):
            return float(scorer(self, self.points, self.y_true))
        return float(scorer(self, self.points, self.y_true, sample_weight=self.weight))


# From results by fold to answers by fold.
Dresser = Callable[[Sequence[CandidateResult]], list[Answers]]


def check_scorer(name: Any, scorer: Scorer, folds: Sequence[Answers]) -> None:
    """Try a scorer on made-up answers, so that it does not fail after hours of work.

    Parameters
    ----------
    name : object
        What the user called it.
    scorer : callable
    folds : sequence of Answers
        Whatever the answers, with the labels of the folds.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of constant answers; real ones may be fine
            for fold in folds:
                fold.score_by(scorer)
    except Exception as error:
        raise ValueError(
            f"scoring={name!r} does not work here ({error}); a scorer must return one number, and "
            "may use predict, decision_function and classes_ on the test points."
        ) from error


def constant_result(plan: FoldPlan) -> CandidateResult:
    """Make up a result that favours the last class everywhere."""
    n_classes = plan.classes.size
    scores = np.ones(plan.test.size)
    if n_classes > 2:
        scores = np.tile(np.arange(n_classes, dtype=np.float64), (plan.test.size, 1))
    return CandidateResult(scores, plan.classes, 0.0, 0.0)


def dresser(plans: Sequence[FoldPlan], data: TrainingSet) -> Dresser:
    """Return what turns the results on all folds into answers; test points are taken once."""
    labels = data.classes[data.codes]
    weight = [data.weight[plan.test] if data.is_weighted else None for plan in plans]
    tests = [
        (data.points[plan.test], labels[plan.test], own)
        for plan, own in zip(plans, weight, strict=True)
    ]
    return lambda results: [
        Answers(data.classes, result, *test) for result, test in zip(results, tests, strict=True)
    ]


def checked_scorer(scoring: Any, plans: Sequence[FoldPlan], data: TrainingSet) -> Scorer | None:
    """Return the scorer, known to work on these folds; None for the trade-off."""
    scorer = named_scorer(scoring)
    if scorer is None:
        check_all_tested([plan.test for plan in plans], data)
    else:
        made_up = dresser(plans, data)([constant_result(plan) for plan in plans])
        check_scorer(scoring, scorer, made_up)
    return scorer


Trial = TypeVar("Trial")


class WidthSearch(Protocol):
    """An estimator with the parameters that all these searches have."""

    cv: Any
    scoring: Any
    multi_class: str
    class_weight: Any
    pos_label: Any
    tol: float
    cache_size: float
    n_jobs: int | None
    verbose: int


def check_search(search: WidthSearch) -> None:
    """Refuse bad values of these parameters."""
    check_splitting(search.cv)
    check_scoring(search.scoring)
    parameters.check_choice("multi_class", search.multi_class, ("one_vs_one", "one_vs_rest"))
    parameters.check_class_weight(search.class_weight)
    parameters.check_positive("tol", search.tol)
    parameters.check_positive("cache_size", search.cache_size)
    parameters.check_n_jobs(search.n_jobs)
    parameters.check_verbose(search.verbose)


def check_size(search: WidthSearch, n: int, instead: str) -> None:
    """Refuse data whose squared distances do not fit; `instead` is what to do about it."""
    if not fits_dense(n, search.cache_size):
        raise ValueError(
            f"The squared distances of {n} points take {8 * n * n / 2**20:.0f} MB, above "
            f"cache_size={search.cache_size!r}; raise it, or {instead}, which needs no distances."
        )


def search_plans(search: WidthSearch, X: Any, y: ArrayLike, data: TrainingSet) -> list[FoldPlan]:
    """Return what every split of the data is before the kernel width is known."""
    return plan_folds(
        make_splits(search.cv, X, y, data),
        data,
        multi_class=search.multi_class,
        class_weight=search.class_weight,
        pos_label=search.pos_label,
    )


def over_widths(
    gammas: Sequence[Gamma],
    plans: Sequence[FoldPlan],
    data: TrainingSet,
    try_fold: Callable[[Fold, Callable[[], None]], Trial],
    *,
    verbose: int,
    title: str,
    steps_per_fold: int,
) -> list[list[Trial]]:
    """Try every kernel width on every fold.

    Parameters
    ----------
    gammas : sequence of float, "scale" or "auto"
        Kernel widths.
    plans : sequence of FoldPlan
        The splits.
    data : TrainingSet
        All points.
    try_fold : callable
        From a fold, and what to call after each of its steps, to what is known of it then.
    verbose, title
        Of the progress that is shown.
    steps_per_fold : int
        How often `try_fold` calls back.

    Returns
    -------
    list of lists
        By width and fold. Ctrl-C leaves the widths that are complete on all folds, with a warning;
        before the first is, KeyboardInterrupt is raised.
    """
    squared = squared_distances(data.points)
    trials: list[list[Trial]] = []
    with progress(verbose, title, len(gammas) * len(plans) * steps_per_fold) as on_step:
        try:
            for gamma in gammas:
                folds = folds_of_width(gamma, plans, squared, data)
                trials.append([try_fold(fold, on_step) for fold in folds])
        except KeyboardInterrupt:
            if not trials:
                raise
            warnings.warn(
                f"fit was interrupted; the choice is among {len(trials)} of "
                f"{len(gammas)} kernel widths.",
                stacklevel=4,  # here, the search's own method, its fit, who called it
            )
    return trials


def results_table(
    grid: Sequence[Mapping[str, Any]],
    answers: Sequence[Sequence[Answers]],
    classes: NDArray[Any],
    scorer: Scorer | None,
) -> dict[str, Any]:
    """Table of all candidates; None for a scorer is the trade-off.

    Parameters
    ----------
    grid : sequence of mappings
        Parameters of the candidates.
    answers : sequence of sequences of Answers
        By candidate and fold.
    classes : ndarray
        Sorted labels.
    scorer : callable or None

    Returns
    -------
    dict
    """
    recalls = np.array([[fold.recalls() for fold in folds] for folds in answers])
    scores = None
    if scorer is not None:
        scores = np.array([[fold.score_by(scorer) for fold in folds] for folds in answers])
    table = table_of_scores(grid, recalls, scores, _seconds(answers), classes)
    table["n_without_voters"] = np.array(
        [sum(fold.result.n_without_voters for fold in folds) for folds in answers]
    )
    return table


def table_of_scores(
    grid: Sequence[Mapping[str, Any]],
    recalls: FloatArray,
    scores: FloatArray | None,
    seconds: Mapping[str, FloatArray],
    classes: NDArray[Any],
) -> dict[str, Any]:
    """Table of all candidates from what they reached on every fold.

    Parameters
    ----------
    grid : sequence of mappings
        Parameters of the candidates.
    recalls : ndarray of shape (n_candidates, n_folds, n_classes)
        NaN for classes without test points in the fold.
    scores : ndarray of shape (n_candidates, n_folds) or None
        By a scorer; None is the trade-off.
    seconds : mapping from "fit" and "score" to ndarray of shape (n_candidates, n_folds)
    classes : ndarray
        Sorted labels.

    Returns
    -------
    dict
    """
    table: dict[str, Any] = {}
    _add_times(table, seconds)
    _add_parameters(table, grid)
    if scores is None:
        scores = _tradeoffs(recalls)
        mean = tradeoff_score(_tested(_mean(recalls)))
    else:
        mean = scores.mean(axis=1)
    _add_scores(table, scores, mean)
    _add_recalls(table, recalls, classes)
    table["mean_test_tradeoff"] = tradeoff_score(_tested(_mean(recalls)))
    return table


def best_candidate(table: Mapping[str, Any], scoring: Any) -> int:
    """Return the place of the chosen candidate: the best trade-off, or the first of the best."""
    if isinstance(scoring, str) and scoring == TRADEOFF:
        return best_tradeoff(table)
    if not np.all(np.isfinite(table["mean_test_score"])):
        warnings.warn("Some scores are not finite; their candidates come last.", stacklevel=4)
    return int(np.argmin(table["rank_test_score"]))


def _add_parameters(table: dict[str, Any], grid: Sequence[Mapping[str, Any]]) -> None:
    """Add a column per parameter: numbers as numbers, anything else as objects."""
    for name in grid[0]:
        values = [point[name] for point in grid]
        numeric = all(isinstance(value, Real) for value in values)
        column = np.array(values, dtype=None if numeric else object)
        table[f"param_{name}"] = np.ma.MaskedArray(column, mask=False)
    table["params"] = [dict(point) for point in grid]


def _add_scores(table: dict[str, Any], scores: FloatArray, mean: FloatArray) -> None:
    for split, column in enumerate(scores.T):
        table[f"split{split}_test_score"] = column
    table["mean_test_score"] = mean
    table["std_test_score"] = scores.std(axis=1)
    comparable = np.where(np.isnan(mean), -np.inf, mean)
    table["rank_test_score"] = rankdata(-comparable, method="min").astype(np.int32)


def _tradeoffs(recalls: FloatArray) -> FloatArray:
    """Return mu within each split, over the classes that it tests: (n_candidates, n_splits)."""
    by_split = [tradeoff_score(_tested(recalls[:, split])) for split in _range(recalls)]
    return np.column_stack(by_split)


def _range(recalls: FloatArray) -> range:
    return range(recalls.shape[1])


def _mean(recalls: FloatArray) -> FloatArray:
    """Mean over the folds that have the class; NaN where none has it."""
    tested = ~np.isnan(recalls)
    total = np.where(tested, recalls, 0.0).sum(axis=1)
    with np.errstate(invalid="ignore"):
        return np.asarray(total / tested.sum(axis=1))


def _spread(recalls: FloatArray) -> FloatArray:
    """Return the standard deviation over the same folds."""
    return np.sqrt(_mean((recalls - _mean(recalls)[:, None]) ** 2))


def _tested(recalls: FloatArray) -> FloatArray:
    """Leave out the classes without test points."""
    return recalls[:, ~np.isnan(recalls).any(axis=0)]


def _seconds(answers: Sequence[Sequence[Answers]]) -> dict[str, FloatArray]:
    return {
        name: np.array(
            [[getattr(fold.result, f"{name}_seconds") for fold in folds] for folds in answers]
        )
        for name in ("fit", "score")
    }


def _add_times(table: dict[str, Any], seconds: Mapping[str, FloatArray]) -> None:
    for name in ("fit", "score"):
        table[f"mean_{name}_time"] = seconds[name].mean(axis=1)
        table[f"std_{name}_time"] = seconds[name].std(axis=1)


def _add_recalls(table: dict[str, Any], recalls: FloatArray, classes: NDArray[Any]) -> None:
    mean, spread = _mean(recalls), _spread(recalls)
    for code, label in enumerate(classes.tolist()):
        name = f"{PREFIX}{label}"
        for split in _range(recalls):
            table[f"split{split}_test_{name}"] = recalls[:, split, code]
        table[f"mean_test_{name}"] = mean[:, code]
        table[f"std_test_{name}"] = spread[:, code]
