"""KPBoost-SVM and KPBoostROI-SVM for two or more classes."""

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Self

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from kpboost import _parameters as parameters
from kpboost import kernels
from kpboost.problems.binary_problems import BinaryProblem, binary_problems
from kpboost.problems.gram_blocks import GramSource
from kpboost.problems.kernel_use import (
    Kernel,
    gram_source,
    is_precomputed,
    kernel_sums,
    resolve_gamma,
    sparse_format,
)
from kpboost.problems.sides import positive_sides
from kpboost.problems.training_set import TrainingSet, training_set
from kpboost.problems.votes import predicted_codes
from kpboost.problems.weights import class_weights
from kpboost.solvers import StopFlag

from .boosting import BoostingTrace, boost
from .gather import Ensembles, gather
from .progress import progress
from .regions import nearest_training_rows, perturbed_values
from .resolution import ResolutionRule, correctly_classified, outside_regions
from .rounds import select_rounds
from .threads import run_in_threads
from .voting import class_scores

FloatArray = NDArray[np.float64]
IndexArray = NDArray[np.intp]

# Rows are answered in blocks whose decision values, over all problems and rounds, take at most this
# many bytes.
BLOCK_BYTES = 4 * 2**20

# What only some kernels, or only the regions of influence, leave behind.
KERNEL_STATE = (
    "gamma_",
    "support_vectors_",
    "_perturbation",
    "_problem_rows",
    "_training_points",
    "_training_rows",
)


class KPBoostSVC(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # untyped base classes
    """Support vector machines boosted by kernel perturbation.

    Round 1 is a plain SVM. Every later round lowers the resolution of the kernel around the points
    that are classified correctly, so that those still misclassified, often a rare part of a rare
    class, get relatively more of it. The rounds vote with weights that measure them on both
    classes alike. With ``roi_scale`` the neighbours of misclassified points keep their resolution
    too, and new points inherit that of their nearest training point.

    Parameters
    ----------
    C : float, default=1.0
        Price of a margin violation, the upper bound of the dual coefficients. C_r
    gamma : {"scale", "auto"} or float, default="scale"
        Width of the RBF kernel, 1 / (2 sigma^2). "scale" is 1 / (n_features * variance of X), with
        the sample weights in the variance; "auto" is 1 / n_features. sigma
    n_estimators : int, default=10
        Number of boosting rounds, the plain SVM included. T
    perturbation_step : float, default=0.01
        Growth of a point's perturbation parameter k when it is classified correctly. varsigma
    roi_scale : float in (0, 1] or None, default=None
        None is KPBoost-SVM. A number is KPBoostROI-SVM: the radius of the regions of influence in
        units of the mean nearest-neighbour distance of the class. vartheta
    kernel : {"rbf", "precomputed"} or callable, default="rbf"
        Kernel: exp(-gamma |x - x'|^2), a Gram matrix given as ``X``, or a function that takes two
        sets of rows and returns their kernel values. K^0
    multi_class : {"one_vs_one", "one_vs_rest"}, default="one_vs_one"
        How more than two classes become two-class problems. OVO / OVA
    class_weight : dict, "balanced" or None, default=None
        Factor of ``C`` per class: by label, or inversely proportional to the classes' total weight.
    pos_label : label or None, default=None
        The positive class, which gets ties and whose rate must not fall below that of round 1. None
        takes the rarer class, or the first on a tie. With more than two classes it must be None:
        the rarer side of every two-class problem is positive. +1
    tol : float, default=1e-6
        Violation gap at which a solve ends, in the units of the decision function.
    cache_size : float, default=1000
        Memory for kernel values in MB. Large problems compute them row by row, when first needed;
        rows that do not fit are computed again.
    n_jobs : int or None, default=None
        Number of threads for the two-class problems of more than two classes; -1 uses all
        processors. The result does not depend on it.
    verbose : int, default=0
        1 shows a progress bar over rounds and problems.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Sorted labels of the classes with a positive weight.
    pos_label_ : label
        The positive class; only for two classes.
    estimator_weights_ : ndarray of shape (n_rounds,)
        Weights of the rounds, zero for those that do not vote. alpha_t
    estimator_errors_ : ndarray of shape (n_rounds,)
        Distance of (tpr, tnr) from (1, 1) on the training points. eps_t
    estimator_tpr_, estimator_tnr_ : ndarray of shape (n_rounds,)
        Rates of correct answers for the positive and the negative class.
    selected_rounds_ : ndarray of bool of shape (n_rounds,)
        Which rounds vote. The set T
    dual_coef_ : ndarray of shape (n_rounds, n_SV)
        Signed dual coefficients. lambda y
    intercept_ : ndarray of shape (n_rounds,)
        Offsets of the rounds' decision functions. b
    log_scale_ : ndarray of shape (n_rounds, n_samples)
        Logarithm of the product of each training point's transformation factors. log s_t
    support_ : ndarray of shape (n_SV,)
        Rows of the training set that support any round, class by class.
    support_vectors_ : ndarray or CSR matrix of shape (n_SV, n_features)
        Those rows; absent for a precomputed kernel.
    n_support_ : ndarray of shape (n_classes,)
        Number of support vectors of each class.
    gamma_ : float
        Width parameter in use; absent for other kernels than "rbf".
    n_iter_ : ndarray of shape (n_rounds,)
        Iterations of each solve.
    n_features_in_ : int
        Number of columns of the training data.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where the training data had names.

    Notes
    -----
    With more than two classes the arrays of rounds have a leading axis of problems: one-vs-one in
    the order (0, 1), (0, 2), ..., (1, 2), ..., where positive values speak for the later class of
    the pair; one-vs-rest in the order of ``classes_``. Sample weights count in the SVMs, in the
    rates and in the choice of the rarer class, so that weight 2 equals the sample twice; only
    the mean nearest-neighbour distances of ``roi_scale`` ignore them.

    References
    ----------
    S. Datta, S. Nag, S. S. Mullick, S. Das, "Diversifying Support Vector Machines for Boosting
    using Kernel Perturbation: Applications to Class Imbalance and Small Disjuncts",
    arXiv:1712.08493. Algorithms 1 and S1.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from kpboost import KPBoostSVC
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = KPBoostSVC(perturbation_step=0.02).fit(scale(X), y)
    >>> model.pos_label_, model.selected_rounds_.size
    (np.int64(0), 10)
    """

    def __init__(
        self,
        C: float = 1.0,
        *,
        gamma: float | str = "scale",
        n_estimators: int = 10,
        perturbation_step: float = 0.01,
        roi_scale: float | None = None,
        kernel: Kernel = "rbf",
        multi_class: str = "one_vs_one",
        class_weight: Mapping[Any, float] | str | None = None,
        pos_label: Any = None,
        tol: float = 1e-6,
        cache_size: float = 1000,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.C = C
        self.gamma = gamma
        self.n_estimators = n_estimators
        self.perturbation_step = perturbation_step
        self.roi_scale = roi_scale
        self.kernel = kernel
        self.multi_class = multi_class
        self.class_weight = class_weight
        self.pos_label = pos_label
        self.tol = tol
        self.cache_size = cache_size
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Train the rounds.

        Ctrl-C keeps the rounds done so far, with a warning, if every two-class problem has
        finished its first one; otherwise it raises KeyboardInterrupt.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training points; with a precomputed kernel their Gram matrix.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,), optional
            Factors of ``C``, one per sample; 0 or more.

        Returns
        -------
        self : KPBoostSVC
        """
        self._check_parameters()
        data = training_set(self, X, y, sample_weight, self.kernel)
        problems = list(binary_problems(data.codes, data.classes.size, self.multi_class))
        signs = positive_sides(problems, data.weight, data.classes, self.pos_label)
        gamma = resolve_gamma(
            self.kernel, self.gamma, data.points, data.weight if data.is_weighted else None
        )
        traces = self._boost_all(problems, signs, data, gamma)
        _warn_of(traces)
        ensembles = gather(traces, [problem.rows for problem in problems], signs, data.codes)
        self._remember(ensembles, data, signs)
        self._remember_kernel(ensembles, data, problems, gamma)
        return self

    def decision_function(self, X: Any) -> FloatArray:
        """Weighted votes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Points; with a precomputed kernel their values against all training points.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            For two classes the sum of alpha_t h_t, positive for ``classes_[1]`` and never zero.
            For more, one score per class: shares of the votes of the one-vs-rest ensembles, or
            the one-vs-one votes with ties ordered by those shares.
        """
        kept = np.flatnonzero(self._stacked("selected_rounds_").any(axis=0))
        if self._is_roi:  # later rounds need the earlier ones
            kept = np.arange(kept[-1] + 1)
        weights = self._stacked("estimator_weights_")[:, kept]
        X = self._checked(X)
        step = max(1, BLOCK_BYTES // (8 * weights.size))
        parts = [X[start : start + step] for start in range(0, X.shape[0], step)]
        return np.concatenate([self._scores(self._values(part, kept), weights) for part in parts])

    def predict(self, X: Any) -> NDArray[Any]:
        """Labels with the highest votes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Points; with a precomputed kernel their values against all training points.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return self._labels(self.decision_function(X))

    def staged_decision_function(self, X: Any) -> Iterator[FloatArray]:
        """Yield the votes after 1, 2, ... rounds.

        Stage t is what ``n_estimators=t`` would give: rounds do not depend on later ones, and the
        rounds that vote are chosen among the first t. The last stage is ``decision_function``.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Points; with a precomputed kernel their values against all training points.

        Yields
        ------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        errors, tpr = self._stacked("estimator_errors_"), self._stacked("estimator_tpr_")
        values = self._values(self._checked(X), np.arange(errors.shape[1]))
        for t in range(1, errors.shape[1] + 1):
            weights = np.array(
                [_padded_weights(e[:t], r[:t]) for e, r in zip(errors, tpr, strict=True)]
            )
            yield self._scores(values[:, :, :t], weights)

    def staged_predict(self, X: Any) -> Iterator[NDArray[Any]]:
        """Yield the predicted labels after 1, 2, ... rounds.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Points; with a precomputed kernel their values against all training points.

        Yields
        ------
        ndarray of shape (n_samples,)
        """
        for scores in self.staged_decision_function(X):
            yield self._labels(scores)

    def round_decision_function(self, X: Any) -> FloatArray:
        """Decision values of the single rounds' machines, f_t.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Points; with a precomputed kernel their values against all training points.

        Returns
        -------
        ndarray of shape (n_samples, n_rounds) or (n_samples, n_problems, n_rounds)
            Positive for the later class of a problem. The three-dimensional form is for more
            than two classes.
        """
        rounds = np.arange(self._stacked("estimator_errors_").shape[1])
        values = self._values(self._checked(X), rounds)
        return values[:, 0] if self.classes_.size == 2 else values

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = not is_precomputed(self.kernel)
        tags.input_tags.pairwise = is_precomputed(self.kernel)
        return tags

    @property
    def _is_roi(self) -> bool:
        return hasattr(self, "_perturbation")

    def _check_parameters(self) -> None:
        parameters.check_positive("C", self.C)
        parameters.check_gamma(self.gamma)
        parameters.check_count("n_estimators", self.n_estimators)
        parameters.check_positive("perturbation_step", self.perturbation_step)
        parameters.check_share("roi_scale", self.roi_scale)
        parameters.check_kernel(self.kernel)
        parameters.check_choice("multi_class", self.multi_class, ("one_vs_one", "one_vs_rest"))
        parameters.check_class_weight(self.class_weight)
        parameters.check_positive("tol", self.tol)
        parameters.check_positive("cache_size", self.cache_size)
        parameters.check_n_jobs(self.n_jobs)
        parameters.check_verbose(self.verbose)

    def _boost_all(
        self,
        problems: Sequence[BinaryProblem],
        signs: FloatArray,
        data: TrainingSet,
        gamma: float | None,
    ) -> list[BoostingTrace]:
        factors = class_weights(self.class_weight, data.classes, data.codes, data.weight)
        bounds = self.C * factors[data.codes] * data.weight
        n_threads = min(effective_n_jobs(self.n_jobs), len(problems))
        gram = gram_source(
            self.kernel,
            data.points,
            gamma=gamma,
            cache_size=self.cache_size,
            n_threads=n_threads,
        )
        title = f"KPBoost: {self.n_estimators} rounds of {len(problems)} two-class problem(s)"
        with progress(self.verbose, title, len(problems) * self.n_estimators) as on_round:
            tasks = [
                partial(self._boost_one, problem, sign, data, gram, bounds, on_round)
                for problem, sign in zip(problems, signs, strict=True)
            ]
            return run_in_threads(tasks, n_threads)

    def _boost_one(
        self,
        problem: BinaryProblem,
        sign: float,
        data: TrainingSet,
        gram: GramSource,
        bounds: FloatArray,
        on_round: Callable[[], None],
        stop: StopFlag,
    ) -> BoostingTrace:
        y = sign * problem.target
        return boost(
            gram(problem.rows),
            y,
            bounds[problem.rows],
            step=self.perturbation_step,
            n_rounds=self.n_estimators,
            rule=self._rule(y, problem.rows, data),
            weight=data.weight[problem.rows],
            tol=self.tol,
            stop=stop,
            on_round=on_round,
        )

    def _rule(self, y: FloatArray, rows: IndexArray, data: TrainingSet) -> ResolutionRule:
        if self.roi_scale is None:
            return correctly_classified
        if is_precomputed(self.kernel):
            diagonal = data.points.diagonal()

            def squared_distances(i: IndexArray, j: IndexArray) -> FloatArray:
                cross = data.points[np.ix_(rows[i], rows[j])]
                squared = diagonal[rows[i], None] + diagonal[rows[j]] - 2.0 * cross
                return np.asarray(np.maximum(squared, 0.0))  # equal points, up to rounding

        else:

            def squared_distances(i: IndexArray, j: IndexArray) -> FloatArray:
                return kernels.squared_distances(data.points[rows[i]], data.points[rows[j]])

        return outside_regions(y, self.roi_scale, squared_distances)

    def _remember(self, ensembles: Ensembles, data: TrainingSet, signs: FloatArray) -> None:
        # Two classes make one problem, whose axis is left out.
        first = 0 if data.classes.size == 2 else slice(None)
        self.classes_ = data.classes
        self.estimator_weights_ = ensembles.weights[first]
        self.estimator_errors_ = ensembles.errors[first]
        self.estimator_tpr_ = ensembles.tpr[first]
        self.estimator_tnr_ = ensembles.tnr[first]
        self.selected_rounds_ = ensembles.kept[first]
        self.dual_coef_ = ensembles.dual_coef[first]
        self.intercept_ = ensembles.intercept[first]
        self.n_iter_ = ensembles.n_iter[first]
        self.log_scale_ = np.zeros((*ensembles.errors.shape, data.all_codes.size))[first]
        self.log_scale_[..., data.rows] = ensembles.log_scale[first]
        self.support_ = data.rows[ensembles.support]
        self.n_support_ = np.bincount(data.codes[ensembles.support], minlength=data.classes.size)
        self._signs = signs
        self.__dict__.pop("pos_label_", None)
        if data.classes.size == 2:
            self.pos_label_ = data.classes[1 if signs[0] > 0 else 0]

    def _remember_kernel(
        self,
        ensembles: Ensembles,
        data: TrainingSet,
        problems: Sequence[BinaryProblem],
        gamma: float | None,
    ) -> None:
        for name in KERNEL_STATE:
            self.__dict__.pop(name, None)  # of an earlier fit with another kernel or variant
        if gamma is not None:
            self.gamma_ = gamma
        if not is_precomputed(self.kernel):
            self.support_vectors_ = data.points[ensembles.support]
        # What multiplies the kernel values of new points: lambda_i y_i s_t,i.
        self._kernel_coef = ensembles.dual_coef * np.exp(
            ensembles.log_scale[:, :, ensembles.support]
        )
        if self.roi_scale is not None:
            self._remember_training_points(ensembles, data, problems)

    def _remember_training_points(
        self, ensembles: Ensembles, data: TrainingSet, problems: Sequence[BinaryProblem]
    ) -> None:
        self._perturbation = ensembles.perturbation
        self._problem_rows = np.array(
            [np.isin(np.arange(data.codes.size), problem.rows) for problem in problems]
        )
        if is_precomputed(self.kernel):
            self._training_points = data.points.diagonal().copy()
        else:
            self._training_points = data.points
        self._training_rows = data.rows

    def _stacked(self, name: str) -> NDArray[Any]:
        """Return a fitted array with its axis of problems, also for two classes."""
        check_is_fitted(self, "dual_coef_")
        values = np.asarray(getattr(self, name))
        return values[None] if self.classes_.size == 2 else values

    def _checked(self, X: Any) -> Any:
        """Return points to predict at as the kernels read them."""
        return validate_data(
            self, X, reset=False, accept_sparse=sparse_format(self.kernel), dtype=np.float64
        )

    def _values(self, X: Any, rounds: IndexArray) -> FloatArray:
        """Return f of some rounds, (n_samples, n_problems, n_rounds), by one kernel pass."""
        coef = self._kernel_coef[:, rounds]
        intercept = self._stacked("intercept_")[:, rounds]
        machines = coef.shape[0] * coef.shape[1]
        sums = kernel_sums(
            self.kernel,
            X,
            self.support_,
            getattr(self, "support_vectors_", None),
            gamma=getattr(self, "gamma_", None),
            coef=np.ascontiguousarray(coef.reshape(machines, -1)),
            intercept=np.zeros(machines) if self._is_roi else intercept.ravel(),
        ).reshape(-1, *intercept.shape)
        return self._perturbed(X, sums, intercept) if self._is_roi else sums

    def _perturbed(self, X: Any, sums: FloatArray, intercept: FloatArray) -> FloatArray:
        rows = [np.flatnonzero(own) for own in self._problem_rows]
        nearest = nearest_training_rows(self._distances_from(X), X.shape[0], rows)
        perturbation = np.empty_like(sums)
        for problem in range(sums.shape[1]):
            k = self._perturbation[problem][: sums.shape[2]]
            perturbation[:, problem] = k[:, nearest[:, problem]].T
        return perturbed_values(sums, intercept, perturbation)

    def _distances_from(self, X: Any) -> Callable[[slice], FloatArray]:
        """Squared distances from parts of X to the training points, up to a constant each."""
        if is_precomputed(self.kernel):
            return lambda part: np.asarray(
                self._training_points - 2.0 * X[part][:, self._training_rows]
            )
        return lambda part: kernels.squared_distances(X[part], self._training_points)

    def _scores(self, values: FloatArray, weights: FloatArray) -> FloatArray:
        return class_scores(values, weights, self._signs, self.classes_.size, self.multi_class)

    def _labels(self, scores: FloatArray) -> NDArray[Any]:
        return np.asarray(self.classes_[predicted_codes(scores)])


def _padded_weights(errors: FloatArray, tpr: FloatArray) -> FloatArray:
    """Weights of the rounds that were done, and zeros for those an interruption left out."""
    done = np.isfinite(errors)
    weights = np.zeros(errors.size)
    weights[done] = select_rounds(errors[done], tpr[done]).weights
    return weights


def _warn_of(traces: Sequence[BoostingTrace]) -> None:
    """Say what the user should know about the rounds; once for all problems."""
    if any(trace.interrupted for trace in traces):
        done = min(trace.errors.size for trace in traces)
        warnings.warn(
            f"fit was interrupted; the ensemble has its first rounds only, at least {done} "
            "of every problem.",
            stacklevel=3,
        )
    poor = sum(trace.rule == "best_only" for trace in traces)
    if poor:
        warnings.warn(
            f"No round met the conditions for voting in {poor} of {len(traces)} two-class "
            "problem(s): already the plain SVM errs by more than half of what is possible. The "
            "single best round is used; another C, gamma or class_weight may help.",
            stacklevel=3,
        )
