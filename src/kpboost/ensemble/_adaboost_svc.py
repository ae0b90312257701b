"""AdaBoost-SVM and its diverse variant, for two or more classes."""

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Self

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from kpboost import _validation as parameters, kernels
from kpboost._typing import FloatArray, IndexArray
from kpboost._validation import well_formed
from kpboost.problems import (
    BinaryProblem,
    TrainingSet,
    binary_problems,
    bounds_of,
    fits_dense,
    positive_sides,
    predicted_codes,
    training_set,
    union_of_support,
)
from kpboost.solvers import DenseGram, StopFlag

from ._ensembles import run_in_threads
from ._voting import class_scores
from ._width_boosting import MOST_FAILURES, WidthPlan, WidthTrace, boost_widths

# Distances from single rows to all others pass through blocks of at most this size.
DISTANCE_BYTES = 32 * 2**20


def scatter_radius(X: Any, weight: FloatArray, rule: str) -> float:
    """Return the radius of the points about their mean.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n, n_features)
    weight : ndarray of shape (n,)
        Positive.
    rule : {"max", "rms"}
        The distance of the farthest point, or the root of the mean squared distance.

    Returns
    -------
    float
    """
    share = weight / weight.sum()
    center = np.atleast_2d(share @ X)
    squared = kernels.squared_distances(X, center)[:, 0]
    return float(np.sqrt(squared.max() if rule == "max" else share @ squared))


def mean_nearest_distance(X: Any, weight: FloatArray, squared: FloatArray | None = None) -> float:
    """Return the mean distance of a point to the nearest one elsewhere.

    Copies of a point do not count as its neighbours: they would make repetition and weight differ,
    and a set of pairs would have the width 0.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n, n_features)
    weight : ndarray of shape (n,)
        Positive.
    squared : ndarray of shape (n, n), optional
        Squared distances, if they are known already.

    Returns
    -------
    float
        0 if all points coincide.
    """
    nearest = np.empty(weight.size)
    step = max(1, DISTANCE_BYTES // (8 * weight.size))
    for start in range(0, weight.size, step):
        rows = slice(start, start + step)
        block = kernels.squared_distances(X[rows], X) if squared is None else squared[rows]
        nearest[rows] = np.where(block > 0.0, block, np.inf).min(axis=1)
    if not np.isfinite(nearest).all():
        return 0.0
    return float(np.average(np.sqrt(nearest), weights=weight))


# The distances and one Gram matrix are in memory at a time.
MATRICES = 2


def shared_distances(X: Any, cache_size: float) -> FloatArray | None:
    """Squared distances between all rows of X; None where they do not fit in the cache.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n, n_features)
    cache_size : float
        Memory in MB for the distances and a Gram matrix.

    Returns
    -------
    ndarray of shape (n, n) or None
    """
    if not fits_dense(X.shape[0], cache_size / MATRICES):
        return None
    return kernels.squared_distances(X)


def width_grams(X: Any, squared: FloatArray | None, cache_size: float) -> Callable[[float], Any]:
    """Return a function from a width sigma to the Gram matrix of the rows of X.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n, n_features)
    squared : ndarray of shape (n, n) or None
        Squared distances. Without them rows of the matrix are computed on demand.
    cache_size : float
        Memory for those rows, in MB.

    Returns
    -------
    callable
        Its result for one width is overwritten when asked for the next.
    """
    if squared is None:
        return lambda sigma: kernels.RBFRows(X, kernels.length_scale_to_gamma(sigma), cache_size)
    kernel = np.empty_like(squared)

    def gram(sigma: float) -> DenseGram:
        gamma = kernels.length_scale_to_gamma(sigma)
        kernels.rbf_from_squared_distances(squared, gamma, out=kernel)
        return DenseGram(kernel, check=False)

    return gram


@dataclass(frozen=True, slots=True, eq=False)
class WidthMachines:
    """Machines of all problems; the first axis is the problem, the second the round.

    Positive values speak for the target +1 of a problem. Where a problem has fewer rounds than
    others the rest have weight 0, coefficients 0, and NaN for error and width.

    Attributes
    ----------
    support : ndarray of shape (n_SV,)
        Training rows that support any machine, class by class.
    dual_coef : ndarray of shape (n_problems, n_rounds, n_SV)
    intercept, length_scales, errors, weights : ndarray of shape (n_problems, n_rounds)
    """

    support: IndexArray
    dual_coef: FloatArray
    intercept: FloatArray
    length_scales: FloatArray
    errors: FloatArray
    weights: FloatArray


def gather_machines(
    traces: Sequence[WidthTrace], rows: Sequence[IndexArray], signs: FloatArray, codes: IndexArray
) -> WidthMachines:
    """Put the traces of all problems side by side.

    Parameters
    ----------
    traces : sequence of WidthTrace
    rows : sequence of ndarray
        Training rows of each problem.
    signs : ndarray of shape (n_problems,)
        +1 where the trace's positive class is the target +1 of the problem, else -1.
    codes : ndarray of shape (n,)
        Number of each row's class.

    Returns
    -------
    WidthMachines
    """
    n_rounds = max(trace.errors.size for trace in traces)

    def padded(name: str, missing: float) -> FloatArray:
        full = np.full((len(traces), n_rounds), missing)
        for problem, trace in enumerate(traces):
            full[problem, : trace.errors.size] = getattr(trace, name)
        return full

    used = [own[trace.dual_coef.any(axis=0)] for trace, own in zip(traces, rows, strict=True)]
    support = union_of_support(used, codes)
    dual_coef = np.zeros((len(traces), n_rounds, support.size))
    for problem, (trace, own) in enumerate(zip(traces, rows, strict=True)):
        full = np.zeros((trace.errors.size, codes.size))
        full[:, own] = signs[problem] * trace.dual_coef
        dual_coef[problem, : trace.errors.size] = full[:, support]
    return WidthMachines(
        support=support,
        dual_coef=dual_coef,
        intercept=signs[:, None] * padded("intercept", 0.0),
        length_scales=padded("length_scales", np.nan),
        errors=padded("errors", np.nan),
        weights=padded("weights", 0.0),
    )


def machine_values(
    X: Any,
    support_vectors: Any,
    dual_coef: FloatArray,
    intercept: FloatArray,
    length_scales: FloatArray,
) -> FloatArray:
    """Decision values of all machines; those of one problem and width share a pass.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n, n_features)
    support_vectors : ndarray or CSR matrix of shape (n_SV, n_features)
    dual_coef : ndarray of shape (n_problems, n_rounds, n_SV)
    intercept, length_scales : ndarray of shape (n_problems, n_rounds)
        A width of NaN stands for a machine that is not there; its values are 0.

    Returns
    -------
    ndarray of shape (n, n_problems, n_rounds)
    """
    values = np.zeros((X.shape[0], *intercept.shape))
    for problem, rounds, width in _passes(length_scales):
        coef = dual_coef[problem, rounds]
        used = np.flatnonzero(coef.any(axis=0))
        if used.size == 0:  # one side so light that nothing was learned
            values[:, problem, rounds] = intercept[problem, rounds]
            continue
        values[:, problem, rounds] = kernels.rbf_decision(
            X,
            support_vectors[used],
            gamma=kernels.length_scale_to_gamma(width),
            coef=coef[:, used],
            intercept=intercept[problem, rounds],
        )
    return values


def _passes(length_scales: FloatArray) -> Iterator[tuple[int, IndexArray, float]]:
    """Yield problem, rounds and width of all machines that share both."""
    for problem, widths in enumerate(length_scales):
        for width in np.unique(widths[np.isfinite(widths)]):
            yield problem, np.flatnonzero(widths == width), float(width)


# Rows are answered in blocks whose decision values, over all problems and rounds, take at most this
# many bytes.
BLOCK_BYTES = 4 * 2**20
# Where all points coincide every width gives the same kernel.
ANY_WIDTH = 1.0


class AdaBoostSVC(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # untyped base classes
    """AdaBoost over SVMs whose RBF kernel starts wide and narrows when a machine fails.

    A wide kernel makes a weak machine. Rounds go on with the same width while the machines err by
    less than 1/2 of the weights; a machine that does not is dropped, and the width loses one step.

    Parameters
    ----------
    C : float, default=50.0
        Price of a margin violation, times n w_i for a point of weight w_i in AdaBoost.
    n_estimators : int, default=40
        Most machines to keep. T
    length_scale_step : float, default=1.0
        What the width loses when a machine is dropped, in the units of the features; the paper
        tries 1, 2 and 3. sigma_step
    diverse : bool, default=False
        Whether to drop machines also for agreeing too much with those before.
    diversity : float in (0, 1], default=0.7
        Share of the largest diversity so far that a machine must not fall below; used if
        ``diverse``. eta
    initial_length_scale : {"max", "rms"} or float, default="max"
        First width: the distance of the farthest point from the mean, the root of the mean squared
        distance, or a number. sigma_ini
    min_length_scale : "nearest" or float, default="nearest"
        Width at which to stop: the mean distance to the nearest other point, or a number. sigma_min
    multi_class : {"one_vs_one", "one_vs_rest"}, default="one_vs_one"
        How more than two classes become two-class problems, each with widths of its own. OVO / OVA
    class_weight : dict, "balanced" or None, default=None
        Factor of ``C`` per class: by label, or inversely proportional to the classes' total weight.
    pos_label : label or None, default=None
        The class that gets tied votes. None takes the rarer class, or the first on a tie. With more
        than two classes it must be None: the rarer side of every two-class problem is positive. +1
    tol : float, default=1e-6
        Violation gap at which a solve ends, in the units of the decision function.
    cache_size : float, default=1000
        Memory in MB for distances and kernel values. Where they do not fit, rows of the kernel are
        computed when needed.
    n_jobs : int or None, default=None
        Number of threads for the two-class problems of more than two classes; -1 uses all
        processors. The result does not depend on it.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Sorted labels of the classes with a positive weight.
    pos_label_ : label
        The positive class; only for two classes.
    estimator_weights_ : ndarray of shape (n_rounds,)
        Votes of the machines that were kept. alpha_t
    estimator_errors_ : ndarray of shape (n_rounds,)
        Weight of the training points that they misclassify. e_t
    length_scales_ : ndarray of shape (n_rounds,)
        Widths of their kernels. sigma
    n_failures_ : ndarray of shape (n_problems,)
        Number of machines that were dropped.
    dual_coef_ : ndarray of shape (n_rounds, n_SV)
        Signed dual coefficients. lambda y
    intercept_ : ndarray of shape (n_rounds,)
        Offsets of the decision functions. b
    support_ : ndarray of shape (n_SV,)
        Rows of the training set that support any machine, class by class.
    support_vectors_ : ndarray or CSR matrix of shape (n_SV, n_features)
        Those rows.
    n_support_ : ndarray of shape (n_classes,)
        Number of support vectors of each class.
    n_features_in_ : int
        Number of columns of the training data.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where the training data had names.

    Notes
    -----
    Our reading of the article, which was not at hand in full: the value of ``C``, the meaning of
    "scatter radius", and what happens at the edges. A machine without error is kept and ends the
    loop. If the widths run out before any machine was kept the step is halved, up to 20 times;
    if there is still none, a single machine of the last width decides, and a warning says so.
    Copies of a point do not count as its nearest neighbours. In the diverse variant the diversity
    of the first round is 0, and "largest so far" is over machines that were kept.

    Widths are in the units of the features, so standardise them. The step in particular
    has no meaning otherwise; after 200 failures in a row the loop ends with a warning.

    With more than two classes the arrays of rounds have a leading axis of problems, padded with
    weights of 0 where a problem has fewer rounds: one-vs-one in the order (0, 1), (0, 2), ...,
    (1, 2), ..., where positive values speak for the later class of the pair; one-vs-rest in the
    order of ``classes_``. A sample of weight 2 equals the sample twice.

    References
    ----------
    X. Li, L. Wang, E. Sung, "AdaBoost with SVM-based component classifiers", Engineering
    Applications of Artificial Intelligence 21 (2008).

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from kpboost.ensemble import AdaBoostSVC
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> AdaBoostSVC().fit(scale(X), y).predict(scale(X)[:3])
    array([0, 0, 0])
    """

    def __init__(
        self,
        C: float = 50.0,
        *,
        n_estimators: int = 40,
        length_scale_step: float = 1.0,
        diverse: bool = False,
        diversity: float = 0.7,
        initial_length_scale: float | str = "max",
        min_length_scale: float | str = "nearest",
        multi_class: str = "one_vs_one",
        class_weight: Mapping[Any, float] | str | None = None,
        pos_label: Any = None,
        tol: float = 1e-6,
        cache_size: float = 1000,
        n_jobs: int | None = None,
    ) -> None:
        self.C = C
        self.n_estimators = n_estimators
        self.length_scale_step = length_scale_step
        self.diverse = diverse
        self.diversity = diversity
        self.initial_length_scale = initial_length_scale
        self.min_length_scale = min_length_scale
        self.multi_class = multi_class
        self.class_weight = class_weight
        self.pos_label = pos_label
        self.tol = tol
        self.cache_size = cache_size
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Train the machines.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training points, standardised.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,), optional
            Where the weights of AdaBoost start, and factors of ``C``; 0 or more.

        Returns
        -------
        self : AdaBoostSVC
        """
        self._check_parameters()
        data = training_set(self, X, y, sample_weight, "rbf")
        problems = list(binary_problems(data.codes, data.classes.size, self.multi_class))
        signs = positive_sides(problems, data.weight, data.classes, self.pos_label)
        traces = self._boost_all(problems, signs, data)
        _warn_of(traces)
        machines = gather_machines(
            traces, [problem.rows for problem in problems], signs, data.codes
        )
        self._remember(machines, data, signs)
        self.n_failures_ = np.array([trace.n_failures for trace in traces], dtype=np.intp)
        return self

    def decision_function(self, X: Any) -> FloatArray:
        """Weighted votes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            For two classes the sum of alpha_t h_t, positive for ``classes_[1]`` and never zero.
            For more, one score per class: shares of the votes of the one-vs-rest ensembles, or
            the one-vs-one votes with ties ordered by those shares.
        """
        X = self._checked(X)
        weights = self._stacked("estimator_weights_")
        step = max(1, BLOCK_BYTES // (8 * weights.size))
        parts = [X[start : start + step] for start in range(0, X.shape[0], step)]
        return np.concatenate([self._scores(self._values(part), weights) for part in parts])

    def predict(self, X: Any) -> NDArray[Any]:
        """Labels with the highest votes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return self._labels(self.decision_function(X))

    def staged_decision_function(self, X: Any) -> Iterator[FloatArray]:
        """Yield the votes after 1, 2, ... rounds; stage t is what ``n_estimators=t`` would give.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Yields
        ------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        values = self._values(self._checked(X))
        weights = self._stacked("estimator_weights_")
        for t in range(1, weights.shape[1] + 1):
            yield self._scores(values[:, :, :t], weights[:, :t])

    def staged_predict(self, X: Any) -> Iterator[NDArray[Any]]:
        """Yield the predicted labels after 1, 2, ... rounds.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Yields
        ------
        ndarray of shape (n_samples,)
        """
        return map(self._labels, self.staged_decision_function(X))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _check_parameters(self) -> None:
        parameters.check_positive("C", self.C)
        parameters.check_count("n_estimators", self.n_estimators)
        parameters.check_positive("length_scale_step", self.length_scale_step)
        parameters.check_flag("diverse", self.diverse)
        parameters.check_positive_or_word(
            "initial_length_scale", self.initial_length_scale, ("max", "rms")
        )
        parameters.check_positive_or_word("min_length_scale", self.min_length_scale, ("nearest",))
        parameters.check_choice("multi_class", self.multi_class, ("one_vs_one", "one_vs_rest"))
        parameters.check_class_weight(self.class_weight)
        parameters.check_positive("tol", self.tol)
        parameters.check_positive("cache_size", self.cache_size)
        parameters.check_n_jobs(self.n_jobs)
        parameters.check_share("diversity", self.diversity)

    def _boost_all(
        self, problems: Sequence[BinaryProblem], signs: FloatArray, data: TrainingSet
    ) -> list[WidthTrace]:
        bounds = bounds_of(self.C, self.class_weight, data)
        n_threads = min(effective_n_jobs(self.n_jobs), len(problems))
        squared = shared_distances(data.points, self.cache_size)
        tasks = [
            partial(self._boost_one, problem, sign, data, squared, bounds, n_threads)
            for problem, sign in zip(problems, signs, strict=True)
        ]
        return run_in_threads(tasks, n_threads)

    def _boost_one(
        self,
        problem: BinaryProblem,
        sign: float,
        data: TrainingSet,
        squared: FloatArray | None,
        bounds: FloatArray,
        n_threads: int,
        stop: StopFlag,
    ) -> WidthTrace:
        rows = problem.rows
        points, weight = data.points[rows], data.weight[rows]
        if squared is not None and rows.size < data.codes.size:
            squared = squared[np.ix_(rows, rows)]
        return boost_widths(
            width_grams(points, squared, self.cache_size / n_threads),
            sign * problem.target,
            bounds[rows],
            weight,
            self._plan(points, weight, squared),
            n_rounds=self.n_estimators,
            tol=self.tol,
            stop=stop,
        )

    def _plan(self, points: Any, weight: FloatArray, squared: FloatArray | None) -> WidthPlan:
        first, last = self.initial_length_scale, self.min_length_scale
        if isinstance(first, str):
            first = scatter_radius(points, weight, first)
        if isinstance(last, str):
            last = mean_nearest_distance(points, weight, squared) or ANY_WIDTH
        share = self.diversity if self.diverse else None
        return WidthPlan(float(first), float(last), float(self.length_scale_step), share)

    def _remember(self, machines: WidthMachines, data: TrainingSet, signs: FloatArray) -> None:
        # Two classes make one problem, whose axis is left out.
        first = 0 if data.classes.size == 2 else slice(None)
        self.classes_ = data.classes
        self.estimator_weights_ = machines.weights[first]
        self.estimator_errors_ = machines.errors[first]
        self.length_scales_ = machines.length_scales[first]
        self.dual_coef_ = machines.dual_coef[first]
        self.intercept_ = machines.intercept[first]
        self.support_ = data.rows[machines.support]
        self.support_vectors_ = data.points[machines.support]
        self.n_support_ = np.bincount(data.codes[machines.support], minlength=data.classes.size)
        self._signs = signs
        self.__dict__.pop("pos_label_", None)
        if data.classes.size == 2:
            self.pos_label_ = data.classes[1 if signs[0] > 0 else 0]

    def _stacked(self, name: str) -> FloatArray:
        """Return a fitted array with its axis of problems, also for two classes."""
        values = np.asarray(getattr(self, name))
        return values[None] if self.classes_.size == 2 else values

    def _checked(self, X: Any) -> Any:
        check_is_fitted(self, "dual_coef_")
        return validate_data(
            self, well_formed(X), reset=False, accept_sparse="csr", dtype=np.float64
        )

    def _values(self, X: Any) -> FloatArray:
        return machine_values(
            X,
            self.support_vectors_,
            self._stacked("dual_coef_"),
            self._stacked("intercept_"),
            self._stacked("length_scales_"),
        )

    def _scores(self, values: FloatArray, weights: FloatArray) -> FloatArray:
        return class_scores(values, weights, self._signs, self.classes_.size, self.multi_class)

    def _labels(self, scores: FloatArray) -> NDArray[Any]:
        return np.asarray(self.classes_[predicted_codes(scores)])


def _warn_of(traces: Sequence[WidthTrace]) -> None:
    """Say what the user should know about the widths; once for all problems."""
    alone = sum(trace.ending == "none_kept" for trace in traces)
    if alone:
        warnings.warn(
            f"No machine was better than chance in {alone} of {len(traces)} two-class problem(s), "
            "or the first width was not above the last; a single machine of the last width decides "
            "there. Standardise the features, or set initial_length_scale and min_length_scale.",
            stacklevel=3,
        )
    if any(trace.ending == "patience" for trace in traces):
        warnings.warn(
            f"Boosting ended after {MOST_FAILURES} widths in a row without a machine better than "
            "chance; standardise the features or raise length_scale_step.",
            stacklevel=3,
        )
