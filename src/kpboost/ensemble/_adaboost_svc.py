"""AdaBoost-SVM and its diverse variant, for two or more classes."""

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Self

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import ArrayLike, NDArray

from kpboost import _validation as parameters, kernels
from kpboost._typing import FloatArray, IndexArray
from kpboost.problems import (
    BinaryProblem,
    DecisionClassifier,
    TrainingSet,
    binary_problems,
    bounds_of,
    fits_dense,
    over_support,
    points_to_predict,
    positive_sides,
    remember_support,
    training_set,
)
from kpboost.solvers import DenseGram, StopFlag

from ._ensembles import run_in_threads
from ._voting import HARD, class_scores
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


def padded(traces: Sequence[WidthTrace], name: str, missing: float) -> FloatArray:
    """Numbers of all problems' rounds, (n_problems, n_rounds); `missing` where one has fewer."""
    full = np.full((len(traces), max(trace.errors.size for trace in traces)), missing)
    for line, trace in zip(full, traces, strict=True):
        line[: trace.errors.size] = getattr(trace, name)
    return full


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


class AdaBoostSVC(DecisionClassifier):
    """AdaBoost over SVMs whose RBF kernel starts wide and narrows when a machine fails.

    A wide kernel makes a weak machine. Rounds go on with the same width while the machines err by
    less than 1/2 of the weights; a machine that does not is dropped, and the width loses one step.

    Parameters
    ----------
    C : float, default=50.0
        Penalty of a margin violation, times n w_i for a point of AdaBoost weight w_i. The article
        asks for a value between 10 and 100. The KPBoost paper prints none; its figures fit 1, with
        which little but the first, widest machine decides.
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
    voting : {"hard", "soft"}, default="hard"
        What the machines add up. "hard" is the article's: the sum of alpha_t sign(f_t). "soft" is
        graded: the sum of alpha_t f_t over the sum of alpha_t, a mean of the machines' decision
        values. The machines are the same, so that a fitted estimator can be set to either.
    multi_class : {"one_vs_one", "one_vs_rest"}, default="one_vs_one"
        How more than two classes become two-class problems, each with widths of its own. OVO / OVA
    class_weight : dict, "balanced" or None, default=None
        Factor of ``C`` per class: by label, or inversely proportional to the classes' total weight.
    pos_label : label or None, default=None
        The class that gets tied votes. None takes the rarer class, or the first on a tie. With more
        than two classes it must be None: the rarer side of every two-class problem is positive. +1
    tol : float, default=1e-6
        Largest violation of the optimality conditions at which the solver stops, in units of the
        decision function.
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

    See Also
    --------
    KPBoostSVC : Boosts SVMs by perturbing their kernel instead of their width.

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
    (1, 2), ..., where positive values mean the later class of the pair; one-vs-rest in the
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

    support_: IndexArray
    n_support_: IndexArray
    support_vectors_: Any
    pos_label_: Any

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
        voting: str = HARD,
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
        self.voting = voting
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
        data = training_set(self, X, y, sample_weight)
        problems = list(binary_problems(data.codes, data.classes.size, self.multi_class))
        signs = positive_sides(problems, data.weight, data.classes, self.pos_label)
        traces = self._boost_all(problems, signs, data)
        _warn_of(traces)
        self._remember(traces, [problem.rows for problem in problems], signs, data)
        return self

    def decision_function(self, X: Any) -> FloatArray:
        """Weighted votes, hard or soft as ``voting`` says; their sign is the prediction.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            For two classes the sum of alpha_t sign(f_t), or the mean of f_t weighted by alpha_t;
            positive for ``classes_[1]`` and never zero. For more, one score per class: shares of
            the hard votes of the one-vs-rest ensembles, or their soft votes; one-vs-one the votes
            of the ensembles, with ties ordered by those shares or soft votes.
        """
        X = points_to_predict(self, X)
        weights = self._stacked("estimator_weights_")
        step = max(1, BLOCK_BYTES // (8 * weights.size))
        parts = [X[start : start + step] for start in range(0, X.shape[0], step)]
        return np.concatenate([self._scores(self._values(part), weights) for part in parts])

    def staged_decision_function(self, X: Any) -> Iterator[FloatArray]:
        """Yield the votes after 1, 2, ... rounds; stage t is what ``n_estimators=t`` would give.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Yields
        ------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        values = self._values(points_to_predict(self, X))
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

    def _check_parameters(self) -> None:
        parameters.check_shared(self)
        parameters.check_positive("length_scale_step", self.length_scale_step)
        parameters.check_flag("diverse", self.diverse)
        parameters.check_share("diversity", self.diversity)
        parameters.check_positive_or_word(
            "initial_length_scale", self.initial_length_scale, ("max", "rms")
        )
        parameters.check_positive_or_word("min_length_scale", self.min_length_scale, ("nearest",))

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

    def _remember(
        self,
        traces: Sequence[WidthTrace],
        rows: Sequence[IndexArray],
        signs: FloatArray,
        data: TrainingSet,
    ) -> None:
        """Put the problems side by side; those of fewer rounds have weights and coefficients 0."""
        # Two classes make one problem, whose axis is left out.
        first = 0 if data.classes.size == 2 else slice(None)
        support, coefs = over_support([trace.dual_coef for trace in traces], rows, data.codes)
        remember_support(self, data, support, None, signs)
        self.estimator_weights_ = padded(traces, "weights", 0.0)[first]
        self.estimator_errors_ = padded(traces, "errors", np.nan)[first]
        self.length_scales_ = padded(traces, "length_scales", np.nan)[first]
        intercept = signs[:, None] * padded(traces, "intercept", 0.0)
        dual_coef = np.zeros((*intercept.shape, support.size))
        for own, sign, coef in zip(dual_coef, signs, coefs, strict=True):
            own[: len(coef)] = sign * coef
        self.intercept_, self.dual_coef_ = intercept[first], dual_coef[first]
        self.n_failures_ = np.array([trace.n_failures for trace in traces], dtype=np.intp)
        self._signs = signs

    def _values(self, X: Any) -> FloatArray:
        return machine_values(
            X,
            self.support_vectors_,
            self._stacked("dual_coef_"),
            self._stacked("intercept_"),
            self._stacked("length_scales_"),
        )

    def _scores(self, values: FloatArray, weights: FloatArray) -> FloatArray:
        parameters.check_voting("voting", self.voting)
        n_classes = self.classes_.size
        return class_scores(values, weights, self._signs, n_classes, self.multi_class, self.voting)


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
