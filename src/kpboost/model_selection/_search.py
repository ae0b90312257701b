"""What searches over kernel widths share: checks, folds, the walk over the widths, the table.

Squared distances are computed once for the data set; a width takes one exponential over them.
"""

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from inspect import signature
from numbers import Real
from time import perf_counter
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import rankdata
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import get_scorer, get_scorer_names
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits

from kpboost import _validation as parameters
from kpboost._typing import FloatArray, IndexArray
from kpboost.ensemble import progress
from kpboost.metrics import group_recalls
from kpboost.problems import (
    DecisionClassifier,
    TrainingSet,
    fits_dense,
    predicted_codes,
    training_set,
)

from ._boosting_grid import (
    CandidateResult,
    Fold,
    FoldPlan,
    check_all_tested,
    folds_of_width,
    make_splits,
    plan_folds,
)
from ._folds import check_splitting
from ._grids import Gamma
from ._tradeoff import PREFIX, best_tradeoff, mean_over_folds, tested_classes, tradeoff_score

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


class FoldClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # untyped base classes
    """A candidate's scores on one fold as the fitted classifier that a scorer expects.

    Parameters
    ----------
    classes : ndarray
        Sorted labels of the classes that were in training.
    scores : ndarray of shape (n_test,) or (n_test, n_classes)
        What the candidate's decision function gives.
    points : ndarray or CSR matrix
        The test points.
    """

    def __init__(self, classes: NDArray[Any], scores: FloatArray, points: Any) -> None:
        self.classes = classes
        self.scores = scores
        self.points = points

    @property
    def classes_(self) -> NDArray[Any]:
        """Labels of the classes that were in training."""
        return self.classes

    def decision_function(self, X: Any) -> FloatArray:
        """Return the scores of the test points; other points have none."""
        if X is not self.points:
            raise ValueError("a scorer can ask about the test points of a fold only, all at once")
        return self.scores

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the labels of the test points."""
        return np.asarray(self.classes[predicted_codes(self.decision_function(X))])


@dataclass(frozen=True, slots=True, eq=False)
class HeldOut:
    """The test points of a fold, and what is true of them.

    Attributes
    ----------
    points : ndarray or CSR matrix of shape (n_test, n_features)
    codes : ndarray of shape (n_test,)
        Class numbers in the whole data set.
    weight : ndarray of shape (n_test,) or None
        Sample weights; None where the user gave none.
    classes : ndarray of shape (n_classes,)
        Sorted labels of the data set.
    """

    points: Any
    codes: IndexArray
    weight: FloatArray | None
    classes: NDArray[Any]

    def recalls(self, predicted: IndexArray) -> FloatArray:
        """Recalls of all classes for predicted class numbers (..., n_test); NaN without points."""
        return group_recalls(predicted == self.codes, self.codes, self.classes.size, self.weight)

    def score(self, result: CandidateResult, scorer: Scorer) -> float:
        """Return what a scorer says of a candidate; weights are for those that take them."""
        model = FoldClassifier(self.classes[result.classes], result.scores, self.points)
        labels = self.classes[self.codes]
        if self.weight is None or not takes_weights(scorer):
            return float(scorer(model, self.points, labels))
        return float(scorer(model, self.points, labels, sample_weight=self.weight))


def held_out(plan: FoldPlan, data: TrainingSet) -> HeldOut:
    """Return the test points of a fold."""
    weight = data.weight[plan.test] if data.is_weighted else None
    return HeldOut(data.points[plan.test], data.codes[plan.test], weight, data.classes)


def check_scorer(
    name: Any, scorer: Scorer, plans: Sequence[FoldPlan], tests: Sequence[HeldOut]
) -> None:
    """Try a scorer on made-up scores, so that it does not fail after hours of work.

    Parameters
    ----------
    name : object
        What the user called it.
    scorer : callable
    plans, tests : sequence of FoldPlan, sequence of HeldOut
        The folds.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of constant scores; real ones may be fine
            for plan, test in zip(plans, tests, strict=True):
                test.score(constant_result(plan), scorer)
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


Trial = TypeVar("Trial")


class SearchSetup(NamedTuple):
    """What is known of a search before the first trial.

    ``scorer`` is None for the trade-off, which compares all candidates at once.
    """

    data: TrainingSet
    plans: list[FoldPlan]
    tests: list[HeldOut]
    scorer: Scorer | None


class WidthSearch(DecisionClassifier):
    """What searches over kernel widths share, whatever their candidates.

    The parameters below are attributes of the search. A search has a class of candidates, says what
    to do with too many points, and has ``_check_parameters`` for the axes of its grid, ``_try_all``
    for trials by kernel width and fold, and ``_table`` for the table of all candidates.
    """

    _candidate_class: ClassVar[type]
    _instead: ClassVar[str]

    best_estimator_: Any
    cv: Any
    scoring: Any
    multi_class: str
    class_weight: Any
    pos_label: Any
    tol: float
    cache_size: float
    n_jobs: int | None
    verbose: int

    if TYPE_CHECKING:  # every search has its own

        def _check_parameters(self) -> dict[str, list[Any]]: ...
        def _try_all(self, setup: Any, axes: Mapping[str, list[Any]]) -> Any: ...
        def _table(self, axes: Mapping[str, list[Any]], trials: Any, setup: Any) -> Any: ...

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Try all candidates on all folds, choose, and fit the choice on all data.

        Ctrl-C ends the trials: the choice is then among the kernel widths that are complete on
        all folds, with a warning; before the first is, KeyboardInterrupt is raised.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training points.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,), optional
            Factors of C, one per sample; 0 or more. They count in the recalls and in scores that
            can use them, so that weight 2 equals the sample twice.

        Returns
        -------
        self : KPBoostSVCCV or AsymmetricKernelScalingSVCCV
        """
        axes = self._check_parameters()
        setup = self._set_up(X, y, sample_weight)
        with threadpool_limits(limits=1, user_api="blas"):
            trials = self._try_all(setup, axes)
        chosen = self._keep_best(self._table(axes, trials, setup), setup.data.classes)
        estimator, given = self._candidate_class(), self.get_params(deep=False)
        shared = given.keys() & estimator.get_params(deep=False).keys() - {"verbose"}
        estimator.set_params(**{name: given[name] for name in shared}, **chosen)
        self.n_splits_, start = len(setup.plans), perf_counter()
        self.best_estimator_ = estimator.fit(X, y, sample_weight)
        self.refit_time_ = perf_counter() - start
        return self

    @property
    def best_params_(self) -> dict[str, Any]:
        """The chosen values by the names of the estimator's parameters, as of GridSearchCV."""
        check_is_fitted(self)
        return dict(self.cv_results_["params"][self.best_index_])

    def decision_function(self, X: Any) -> FloatArray:
        """Scores by the chosen candidate, those of the ``decision_function`` of its class.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        check_is_fitted(self)
        return np.asarray(self.best_estimator_.decision_function(X))

    def _check_search(self) -> None:
        """Refuse bad values of the shared parameters."""
        check_splitting(self.cv)
        check_scoring(self.scoring)
        parameters.check_shared(self)

    def _set_up(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None) -> SearchSetup:
        """Check the data and plan the folds."""
        data = training_set(self, X, y, sample_weight, by_class=False)
        self._check_size(data.codes.size)
        plans = plan_folds(
            make_splits(self.cv, X, y, data),
            data,
            multi_class=self.multi_class,
            class_weight=self.class_weight,
            pos_label=self.pos_label,
        )
        tests = [held_out(plan, data) for plan in plans]
        scorer = named_scorer(self.scoring)
        if scorer is None:
            check_all_tested([plan.test for plan in plans], data)
        else:
            check_scorer(self.scoring, scorer, plans, tests)
        return SearchSetup(data, plans, tests, scorer)

    def _check_size(self, n: int) -> None:
        """Refuse data whose squared distances do not fit."""
        if not fits_dense(n, self.cache_size):
            raise ValueError(
                f"The squared distances of {n} points take {8 * n * n / 2**20:.0f} MB, above "
                f"cache_size={self.cache_size!r}; raise it, or {self._instead}, which needs no "
                "distances."
            )

    def _keep_best(self, table: dict[str, Any], classes: NDArray[Any]) -> dict[str, Any]:
        """Choose from the table, set what is known of the choice, and return its parameters."""
        self.classes_ = classes
        self.cv_results_ = table
        self.best_index_ = best_candidate(table, self.scoring)
        self.best_score_ = float(table["mean_test_score"][self.best_index_])
        chosen: dict[str, Any] = table["params"][self.best_index_]
        for name, value in chosen.items():
            setattr(self, f"{name}_", value)
        return chosen


def over_widths(
    gammas: Sequence[Gamma],
    plans: Sequence[FoldPlan],
    squared: FloatArray,
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
    squared : ndarray of shape (n, n)
        Squared distances of all points.
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
    results: Sequence[Sequence[CandidateResult]],
    tests: Sequence[HeldOut],
    scorer: Scorer | None,
) -> dict[str, Any]:
    """Table of all candidates; None for a scorer is the trade-off.

    Parameters
    ----------
    grid : sequence of mappings
        Parameters of the candidates.
    results : sequence of sequences of CandidateResult
        By candidate and fold.
    tests : sequence of HeldOut
        By fold.
    scorer : callable or None

    Returns
    -------
    dict
    """

    def over_all(read: Callable[[HeldOut, CandidateResult], Any]) -> NDArray[Any]:
        return np.array([list(map(read, tests, folds)) for folds in results])

    recalls = [
        test.recalls(np.array([result.predicted() for result in fold]))
        for test, fold in zip(tests, zip(*results, strict=True), strict=True)
    ]
    table = table_of_scores(
        grid,
        np.stack(recalls, axis=1),
        None if scorer is None else over_all(lambda test, result: test.score(result, scorer)),
        {
            "fit": over_all(lambda test, result: result.fit_seconds),
            "score": over_all(lambda test, result: result.score_seconds),
        },
        tests[0].classes,
    )
    table["n_without_voters"] = over_all(lambda test, result: result.n_without_voters).sum(axis=1)
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
    tradeoff = tradeoff_score(tested_classes(mean_over_folds(recalls)))
    if scores is None:
        _add_scores(table, _tradeoffs(recalls), tradeoff)
    else:
        _add_scores(table, scores, scores.mean(axis=1))
    _add_recalls(table, recalls, classes)
    table["mean_test_tradeoff"] = tradeoff
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
    by_split = [tradeoff_score(tested_classes(recalls[:, split])) for split in _range(recalls)]
    return np.column_stack(by_split)


def _range(recalls: FloatArray) -> range:
    return range(recalls.shape[1])


def _add_times(table: dict[str, Any], seconds: Mapping[str, FloatArray]) -> None:
    for name in ("fit", "score"):
        table[f"mean_{name}_time"] = seconds[name].mean(axis=1)
        table[f"std_{name}_time"] = seconds[name].std(axis=1)


def _add_recalls(table: dict[str, Any], recalls: FloatArray, classes: NDArray[Any]) -> None:
    mean = mean_over_folds(recalls)
    spread = np.sqrt(mean_over_folds((recalls - mean[:, None]) ** 2))
    for code, label in enumerate(classes.tolist()):
        name = f"{PREFIX}{label}"
        for split in _range(recalls):
            table[f"split{split}_test_{name}"] = recalls[:, split, code]
        table[f"mean_test_{name}"] = mean[:, code]
        table[f"std_test_{name}"] = spread[:, code]
