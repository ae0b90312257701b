"""KPBoostSVC with its hyper-parameters chosen by cross-validation that shares its work."""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any, Self

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import get_scorer
from sklearn.model_selection import check_cv
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits

from kpboost.ensemble import KPBoostSVC
from kpboost.ensemble.progress import progress
from kpboost.ensemble.sides import positive_sides
from kpboost.kernels import rbf_from_squared_distances, resolve_gamma, squared_distances
from kpboost.problems import parameters
from kpboost.problems.binary_problems import binary_problems
from kpboost.problems.gram_blocks import fits_dense
from kpboost.problems.training_set import TrainingSet, training_set
from kpboost.problems.weights import class_weights

from .boosting_grid import Candidate, CandidateResult, Fold, try_candidates
from .paper_grid import paper_grid
from .rare_class_kfold import RareClassKFold
from .search_results import Answers, best_candidate, results_table

FloatArray = NDArray[np.float64]
IndexArray = NDArray[np.intp]
Gamma = float | str


class KPBoostSVCCV(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # untyped base classes
    """KPBoostSVC with cross-validated C, gamma, perturbation step and ROI scale.

    Does what ``GridSearchCV(KPBoostSVC(), ...)`` does, with the same choice, in a fraction of the
    time: squared distances are computed once, every kernel width takes one exponential over them,
    the plain SVM of round 1 is shared by all perturbation steps, and candidates run in threads on
    one Gram matrix. The best candidate is refitted on all data.

    Parameters
    ----------
    Cs : sequence of float, default=(1.0, 10.0, 100.0)
        Values of C. C_r
    gammas : sequence of float, "scale" or "auto"; or "paper"; default=("scale",)
        Kernel widths; words are resolved on every training fold. "paper" is the paper's grid for
        the plain SVM. sigma
    perturbation_steps : sequence of float or "paper", default=(0.001, 0.01, 0.1)
        Perturbation steps; "paper" is the paper's 37 values. varsigma
    roi_scales : sequence of float or None, default=(None,)
        ROI scales; None stands for KPBoost-SVM. vartheta
    n_estimators : int, default=10
        Number of boosting rounds. T
    cv : int, splitter or iterable of splits, default=5
        As in scikit-learn; a number means stratified folds, by
        :class:`~kpboost.model_selection.RareClassKFold` where a class has fewer members.
    scoring : "tradeoff", str or callable, default="tradeoff"
        What the choice maximises: the trade-off between the classes' recalls (see
        :func:`~kpboost.model_selection.tradeoff_score`), or a scikit-learn scorer. mu
    multi_class : {"one_vs_one", "one_vs_rest"}, default="one_vs_one"
        How more than two classes become two-class problems. OVO / OVA
    class_weight : dict, "balanced" or None, default=None
        Factor of C per class.
    pos_label : label or None, default=None
        The positive class of two; None takes the rarer one.
    tol : float, default=1e-6
        Violation gap at which a solve ends.
    cache_size : float, default=1000
        Memory for the squared distances of all points in MB; about three times as much is used.
    n_jobs : int or None, default=None
        Number of threads, for candidates; -1 uses all processors. The result does not depend
        on it.
    verbose : int, default=0
        1 shows a progress bar over candidates.

    Attributes
    ----------
    C_, gamma_, perturbation_step_, roi_scale_
        The chosen values; ``gamma_`` as it was given.
    best_estimator_ : KPBoostSVC
        The chosen candidate, fitted on all data.
    best_index_ : int
        Its place in ``cv_results_``.
    best_score_ : float
        Its mean score.
    cv_results_ : dict of ndarray
        As of GridSearchCV: ``params``, ``param_*``, ``split*_test_score``, ``mean_test_score``,
        ``std_test_score``, ``rank_test_score`` and times; besides, the recalls of the classes as
        ``split*_test_class_recall_<label>`` and ``mean_test_class_recall_<label>``, and
        ``mean_test_tradeoff``, mu of the mean recalls. With ``scoring="tradeoff"`` that is also
        the mean score, while the scores of splits are mu within the split. Fit times cover the
        rounds of the candidate alone, without what is shared.
    classes_ : ndarray of shape (n_classes,)
        Sorted labels.
    n_features_in_ : int
        Number of columns of the training data.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where the training data had names.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from kpboost import KPBoostSVCCV
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> search = KPBoostSVCCV(Cs=(1, 10), perturbation_steps=(0.01, 0.1)).fit(scale(X), y)
    >>> len(search.cv_results_["params"])
    4
    """

    def __init__(
        self,
        Cs: Sequence[float] = (1.0, 10.0, 100.0),
        *,
        gammas: Sequence[Gamma] | str = ("scale",),
        perturbation_steps: Sequence[float] | str = (0.001, 0.01, 0.1),
        roi_scales: Sequence[float | None] = (None,),
        n_estimators: int = 10,
        cv: Any = 5,
        scoring: Any = "tradeoff",
        multi_class: str = "one_vs_one",
        class_weight: Mapping[Any, float] | str | None = None,
        pos_label: Any = None,
        tol: float = 1e-6,
        cache_size: float = 1000,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.Cs = Cs
        self.gammas = gammas
        self.perturbation_steps = perturbation_steps
        self.roi_scales = roi_scales
        self.n_estimators = n_estimators
        self.cv = cv
        self.scoring = scoring
        self.multi_class = multi_class
        self.class_weight = class_weight
        self.pos_label = pos_label
        self.tol = tol
        self.cache_size = cache_size
        self.n_jobs = n_jobs
        self.verbose = verbose

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
            Factors of C, one per sample; 0 or more. Scores do not use them.

        Returns
        -------
        self : KPBoostSVCCV
        """
        gammas, candidates = self._check_parameters()
        data = _in_given_order(training_set(self, X, y, sample_weight, "rbf"))
        self._check_size(data.codes.size)
        splits = self._splits(data)
        with threadpool_limits(limits=1, user_api="blas"):
            trials = self._try_all(data, gammas, candidates, splits)
        done = gammas[: len(trials)]
        grid = [_parameters(gamma, each) for gamma in done for each in candidates]
        answers = [folds for widths in trials for folds in zip(*widths, strict=True)]
        self.classes_ = data.classes
        self._choose(grid, answers, [test for _, test in splits], data)
        self.best_estimator_ = self._estimator().set_params(**grid[self.best_index_])
        self.best_estimator_.fit(X, y, sample_weight)
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Labels by the chosen candidate.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        return np.asarray(self.best_estimator_.predict(X))

    def decision_function(self, X: Any) -> FloatArray:
        """Weighted votes by the chosen candidate, see :class:`~kpboost.ensemble.KPBoostSVC`.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        check_is_fitted(self)
        return np.asarray(self.best_estimator_.decision_function(X))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _estimator(self) -> KPBoostSVC:
        return KPBoostSVC(
            n_estimators=self.n_estimators,
            multi_class=self.multi_class,
            class_weight=self.class_weight,
            pos_label=self.pos_label,
            tol=self.tol,
            cache_size=self.cache_size,
            n_jobs=self.n_jobs,
        )

    def _check_parameters(self) -> tuple[list[Gamma], list[Candidate]]:
        paper = paper_grid()
        gammas = _values("gammas", self.gammas, paper.gammas)
        steps = _values("perturbation_steps", self.perturbation_steps, paper.perturbation_steps)
        Cs = _values("Cs", self.Cs, None)
        scales = _values("roi_scales", self.roi_scales, None)
        for gamma in gammas:
            parameters.check_gamma(gamma)
        for C in Cs:
            parameters.check_positive("Cs", C)
        for step in steps:
            parameters.check_positive("perturbation_steps", step)
        for scale in scales:
            parameters.check_share("roi_scales", scale)
        parameters.check_count("n_estimators", self.n_estimators)
        parameters.check_choice("multi_class", self.multi_class, ("one_vs_one", "one_vs_rest"))
        parameters.check_class_weight(self.class_weight)
        parameters.check_positive("tol", self.tol)
        parameters.check_positive("cache_size", self.cache_size)
        parameters.check_n_jobs(self.n_jobs)
        parameters.check_verbose(self.verbose)
        if self.scoring != "tradeoff" and not callable(self.scoring):
            get_scorer(self.scoring)  # raises with the list of those there are
        return gammas, [Candidate(C, step, roi) for C, roi, step in product(Cs, scales, steps)]

    def _check_size(self, n: int) -> None:
        if not fits_dense(n, self.cache_size):
            raise ValueError(
                f"The squared distances of {n} points take {8 * n * n / 2**20:.0f} MB, above "
                f"cache_size={self.cache_size!r}; raise it, or search with GridSearchCV over "
                "KPBoostSVC, which needs no distances."
            )

    def _splits(self, data: TrainingSet) -> list[tuple[IndexArray, IndexArray]]:
        labels = data.classes[data.codes]
        cv = self.cv
        if isinstance(cv, int) and np.bincount(data.codes).min() < cv:
            cv = RareClassKFold(n_splits=cv, random_state=0)
        else:
            cv = check_cv(cv, labels, classifier=True)
        return list(cv.split(np.zeros((labels.size, 1)), labels))

    def _try_all(
        self,
        data: TrainingSet,
        gammas: Sequence[Gamma],
        candidates: Sequence[Candidate],
        splits: Sequence[tuple[IndexArray, IndexArray]],
    ) -> list[list[list[CandidateResult]]]:
        """Results by kernel width, fold and candidate; of the complete widths, if interrupted."""
        squared = squared_distances(data.points)
        n_threads = min(effective_n_jobs(self.n_jobs), len(candidates))
        trials: list[list[list[CandidateResult]]] = []
        total = len(gammas) * len(splits) * len(candidates)
        title = f"KPBoost: {total // len(splits)} candidates on {len(splits)} folds"
        with progress(self.verbose, title, total) as on_candidate:
            try:
                for gamma in gammas:
                    trials.append(
                        [
                            try_candidates(
                                fold,
                                candidates,
                                n_rounds=self.n_estimators,
                                tol=self.tol,
                                n_threads=n_threads,
                                on_candidate=on_candidate,
                            )
                            for fold in self._folds(data, squared, gamma, splits)
                        ]
                    )
            except KeyboardInterrupt:
                if not trials:
                    raise
                warnings.warn(
                    f"fit was interrupted; the choice is among {len(trials)} of {len(gammas)} "
                    "kernel widths.",
                    stacklevel=3,
                )
        return trials

    def _folds(
        self,
        data: TrainingSet,
        squared: FloatArray,
        gamma: Gamma,
        splits: Sequence[tuple[IndexArray, IndexArray]],
    ) -> Iterator[Fold]:
        """Yield the folds of one kernel width: a number takes one exponential for all of them."""
        shared = None if isinstance(gamma, str) else rbf_from_squared_distances(squared, gamma)
        for train, test in splits:
            squared_train = squared[np.ix_(train, train)]
            squared_test = squared[np.ix_(test, train)]
            if shared is None:
                weight = data.weight[train] if data.is_weighted else None
                width = resolve_gamma(gamma, data.points[train], sample_weight=weight)
                gram = rbf_from_squared_distances(squared_train, width)
                test_kernel = rbf_from_squared_distances(squared_test, width)
            else:
                gram, test_kernel = shared[np.ix_(train, train)], shared[np.ix_(test, train)]
            yield self._fold(data, train, gram, test_kernel, squared_train, squared_test)

    def _fold(
        self,
        data: TrainingSet,
        train: IndexArray,
        gram: FloatArray,
        test_kernel: FloatArray,
        squared: FloatArray,
        test_squared: FloatArray,
    ) -> Fold:
        present, codes = np.unique(data.codes[train], return_inverse=True)
        if present.size < 2:
            raise ValueError("cv gives a training fold with one class; use fewer or other splits.")
        classes, weight = data.classes[present], data.weight[train]
        problems = list(binary_problems(codes, present.size, self.multi_class))
        factors = class_weights(self.class_weight, classes, codes, weight)
        return Fold(
            gram=gram,
            test_kernel=test_kernel,
            squared=squared,
            test_squared=test_squared,
            codes=codes,
            classes=present,
            weight=weight,
            class_factor=factors[codes],
            problems=problems,
            signs=positive_sides(problems, weight, classes, self.pos_label),
            multi_class=self.multi_class,
        )

    def _choose(
        self,
        grid: Sequence[Mapping[str, Any]],
        answers: Sequence[Sequence[CandidateResult]],
        tests: Sequence[IndexArray],
        data: TrainingSet,
    ) -> None:
        scorer = None
        if self.scoring != "tradeoff":
            scorer = self.scoring if callable(self.scoring) else get_scorer(self.scoring)
        labels = data.classes[data.codes]
        told = [
            [
                Answers(data.classes, result.classes, result.scores, labels[test], result)
                for result, test in zip(folds, tests, strict=True)
            ]
            for folds in answers
        ]
        self.cv_results_ = results_table(grid, told, data.classes, scorer)
        self.best_index_ = best_candidate(self.cv_results_, scorer is None)
        self.best_score_ = float(self.cv_results_["mean_test_score"][self.best_index_])
        chosen = grid[self.best_index_]
        self.C_, self.gamma_ = chosen["C"], chosen["gamma"]
        self.perturbation_step_ = chosen["perturbation_step"]
        self.roi_scale_ = chosen["roi_scale"]


def _values(name: str, given: Any, paper: Sequence[Any] | None) -> list[Any]:
    """Return the values of a grid's axis: what was given, or the paper's."""
    if isinstance(given, str):
        if given == "paper" and paper is not None:
            return list(paper)
        allowed = "a sequence of values" + (' or "paper"' if paper is not None else "")
        raise ValueError(f"{name}={given!r} is not allowed; it must be {allowed}.")
    values = list(given)
    if not values:
        raise ValueError(f"{name} is empty; at least one value is needed.")
    return values


def _in_given_order(data: TrainingSet) -> TrainingSet:
    """Undo the sorting by class, so that splits are those of the data as given."""
    order = np.argsort(data.rows)
    return TrainingSet(
        points=data.points[order],
        rows=data.rows[order],
        codes=data.codes[order],
        weight=data.weight[order],
        is_weighted=data.is_weighted,
        classes=data.classes,
        all_codes=data.all_codes,
    )


def _parameters(gamma: Gamma, candidate: Candidate) -> dict[str, Any]:
    return {
        "C": candidate.C,
        "gamma": gamma,
        "perturbation_step": candidate.perturbation_step,
        "roi_scale": candidate.roi_scale,
    }
