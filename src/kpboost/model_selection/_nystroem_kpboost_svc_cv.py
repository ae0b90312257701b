"""NystroemKPBoostSVC with C and gamma chosen on folds of its sample."""

import warnings
from collections.abc import Mapping, Sequence
from itertools import product
from time import perf_counter
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits

from kpboost import _validation as parameters
from kpboost._shares import even_shares
from kpboost._typing import FloatArray
from kpboost.ensemble import (
    HARD,
    NystroemKPBoostSVC,
    PreparedRows,
    TrialSetup,
    progress,
    try_widths,
)
from kpboost.lowrank import CLASS_KMEANS, Sample, standing_for
from kpboost.problems import DecisionClassifier

from ._folds import check_splitting, make_folds
from ._grids import check_axis
from ._search import TRADEOFF, best_candidate, table_of_scores

# Widths beside "scale", as factors of it.
AROUND_SCALE = "around_scale"
FACTORS_OF_SCALE = (1 / 16, 1 / 4, 1.0, 4.0, 16.0)
BALANCED_ACCURACY = "balanced_accuracy"


class NystroemKPBoostSVCCV(DecisionClassifier):
    """NystroemKPBoostSVC with cross-validated C and gamma, at little more than the cost of one fit.

    The search stays inside of the sample that a fit draws anyway, or a part of it. All candidates
    share landmarks, and distances to them; a width takes one exponential over these, and each C
    begins where the last one ended. Candidates are compared by round 1, the plain machine, and the
    best is fitted to all rows, with all its rounds.

    Parameters
    ----------
    Cs : sequence of float, default=(0.01, 0.1, 1.0, 10.0, 100.0)
        Values of C. C_r
    gammas : sequence of float, "scale" or "auto"; or "around_scale"; default="around_scale"
        Kernel widths; "around_scale" is "scale" times 1/16, 1/4, 1, 4 and 16. sigma
    cv : int or splitter, default=3
        Folds of the sample of the search; a number means stratified folds. Splits that are given
        as rows are refused: the sample has rows of its own.
    scoring : {"balanced_accuracy", "tradeoff"}, default="balanced_accuracy"
        What the choice maximises: the mean of the classes' recalls, or their trade-off mu
        (see :func:`~kpboost.model_selection.tradeoff_score`), which counts each recall in the
        range that the candidates have.
    search_samples : int, default=20000
        Rows of the sample that the search uses, about; as many of each class as are there, up to
        an even share.
    n_estimators, perturbation_step, n_landmarks, landmarks, loss_width, max_samples : optional
        Of :class:`~kpboost.NystroemKPBoostSVC`.
    n_iter_no_change, class_weight, multi_class, voting, pos_label, tol, max_iter : optional
        Of :class:`~kpboost.NystroemKPBoostSVC`.
    batch_size, random_state, verbose : optional
        Of :class:`~kpboost.NystroemKPBoostSVC`; the seed is also that of the folds.

    Attributes
    ----------
    best_params_ : dict
        The chosen C and gamma, a number.
    C_, gamma_ : float
        The same.
    best_estimator_ : NystroemKPBoostSVC
        The chosen candidate, fitted to all rows.
    best_index_ : int
        Its place in ``cv_results_``.
    best_score_ : float
        Its mean score.
    n_splits_ : int
        Number of folds.
    refit_time_ : float
        Seconds that the fit of the choice on all data took.
    cv_results_ : dict of ndarray
        As of :class:`~kpboost.KPBoostSVCCV`, without times.
    n_iter_ : ndarray
        Steps of each round of the chosen candidate.
    n_samples_searched_ : int
        Rows that the search used.
    classes_ : ndarray of shape (n_classes,)
        Sorted labels.
    n_features_in_ : int
        Number of columns of the training data.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where the training data had names.

    See Also
    --------
    kpboost.NystroemKPBoostSVC : The classifier with fixed parameters.
    KPBoostSVCCV : The search with the exact kernel.

    Notes
    -----
    Landmarks are chosen once, from the whole sample, test rows of the folds included. They are a
    few centres of many rows and say nothing of single labels; still, ``best_score_`` is an
    estimate for choosing, not for reporting.

    Examples
    --------
    >>> import numpy as np
    >>> from kpboost import NystroemKPBoostSVCCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(2000, 2))
    >>> y = (np.hypot(*X.T) < 0.4).astype(int)
    >>> search = NystroemKPBoostSVCCV(n_landmarks=60, random_state=0).fit(X, y)
    >>> sorted(search.best_params_)
    ['C', 'gamma']
    """

    def __init__(
        self,
        Cs: Sequence[float] = (0.01, 0.1, 1.0, 10.0, 100.0),
        *,
        gammas: Sequence[float | str] | str = AROUND_SCALE,
        cv: Any = 3,
        scoring: str = BALANCED_ACCURACY,
        search_samples: int = 20_000,
        n_estimators: int = 10,
        perturbation_step: float = 0.01,
        n_landmarks: int = 500,
        landmarks: str = CLASS_KMEANS,
        loss_width: float = 0.5,
        max_samples: int | str | None = "auto",
        n_iter_no_change: int | None = 3,
        class_weight: Mapping[Any, float] | str | None = "balanced",
        multi_class: str = "one_vs_rest",
        voting: str = HARD,
        pos_label: Any = None,
        tol: float = 1e-4,
        max_iter: int = 40,
        batch_size: int = 8192,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.Cs = Cs
        self.gammas = gammas
        self.cv = cv
        self.scoring = scoring
        self.search_samples = search_samples
        self.n_estimators = n_estimators
        self.perturbation_step = perturbation_step
        self.n_landmarks = n_landmarks
        self.landmarks = landmarks
        self.loss_width = loss_width
        self.max_samples = max_samples
        self.n_iter_no_change = n_iter_no_change
        self.class_weight = class_weight
        self.multi_class = multi_class
        self.voting = voting
        self.pos_label = pos_label
        self.tol = tol
        self.max_iter = max_iter
        self.batch_size = batch_size
        self.random_state = random_state
        self.verbose = verbose

    def fit(
        self, X: Any, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Try all candidates on folds of the sample, choose, and fit the choice to all rows.

        Ctrl-C ends the trials: the choice is then among the kernel widths that are complete, with
        a warning; before the first is, KeyboardInterrupt is raised.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or iterable of blocks
            As for :meth:`kpboost.NystroemKPBoostSVC.fit`.
        y : array-like of shape (n_samples,), optional
            Labels.
        sample_weight : array-like of shape (n_samples,), optional
            Factors of C, one per sample; 0 or more. They count in the recalls.

        Returns
        -------
        self : NystroemKPBoostSVCCV
        """
        self._check_parameters()
        best = self._estimator()
        with threadpool_limits(1, "blas"):
            prepared = best._prepare(X, y, sample_weight)
            gammas = self._widths(best, prepared)
            recalls = self._try_all(best, prepared, gammas)
            # after Ctrl-C some widths are missing
            grid = [{"C": C, "gamma": g} for g, C in product(gammas[: len(recalls)], self.Cs)]
            self._choose(grid, np.concatenate(recalls), prepared)
            start = perf_counter()
            best.set_params(**self.best_params_)._fit_prepared(prepared)
            self.refit_time_ = perf_counter() - start
        self._remember(best)
        return self

    def decision_function(self, X: Any) -> FloatArray:
        """Scores by the chosen candidate.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        check_is_fitted(self)
        return np.asarray(self.best_estimator_.decision_function(X))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = False
        return tags

    def _estimator(self) -> NystroemKPBoostSVC:
        shared = NystroemKPBoostSVC().get_params()
        own = {name: value for name, value in self.get_params().items() if name in shared}
        # one seed for all that is random, also where a generator is given
        own["random_state"] = int(check_random_state(self.random_state).randint(2**31 - 1))
        return NystroemKPBoostSVC(**own)

    def _check_parameters(self) -> None:
        check_axis("Cs", self.Cs, parameters.check_positive)
        if isinstance(self.gammas, str):
            parameters.check_choice("gammas", self.gammas, (AROUND_SCALE,))
        else:
            check_axis("gammas", self.gammas, parameters.check_gamma)
        check_splitting(self.cv, is_optional=False)
        if not (parameters.is_count(self.cv) or hasattr(self.cv, "split")):
            allowed = "a number of folds or a splitter, as the sample has rows of its own"
            raise parameters.refusal("cv", self.cv, allowed)
        parameters.check_choice("scoring", self.scoring, (BALANCED_ACCURACY, TRADEOFF))
        parameters.check_count("search_samples", self.search_samples)

    def _widths(self, best: NystroemKPBoostSVC, prepared: PreparedRows) -> list[float]:
        """Return the widths as numbers."""
        if isinstance(self.gammas, str):
            scale = best.set_params(gamma="scale")._width(prepared.survey)
            return [factor * scale for factor in FACTORS_OF_SCALE]
        return [best.set_params(gamma=each)._width(prepared.survey) for each in self.gammas]

    def _try_all(
        self, best: NystroemKPBoostSVC, prepared: PreparedRows, gammas: Sequence[float]
    ) -> list[FloatArray]:
        """Recalls by width: (n_Cs, n_folds, n_classes); of the complete ones, if interrupted."""
        setup = self._setup(best, prepared)
        self.n_samples_searched_ = setup.sample.codes.size
        self.n_splits_ = len(setup.folds)
        title = f"KPBoost: {len(gammas)} kernel widths on {len(setup.folds)} folds"
        recalls: list[FloatArray] = []
        with progress(self.verbose, title, len(gammas) * len(setup.folds)) as on_fold:
            try:
                recalls.extend(try_widths(setup, self.Cs, gammas, on_fold))
            except KeyboardInterrupt:
                if not recalls:
                    raise
                warnings.warn(
                    f"fit was interrupted; the choice is among {len(recalls)} of {len(gammas)} "
                    "kernel widths.",
                    stacklevel=3,
                )
        return recalls

    def _setup(self, best: NystroemKPBoostSVC, prepared: PreparedRows) -> TrialSetup:
        survey = prepared.survey
        sample = self._part(prepared.sample, survey.mass, best.random_state)
        sides, signs, factors = best.set_params(C=1.0)._problems(survey)
        return TrialSetup(
            sample=sample,
            landmarks=prepared.landmarks,
            folds=make_folds(sample.codes, self.cv, best.random_state),
            sides=sides,
            signs=signs,
            factors=factors,
            multi_class=self.multi_class,
            delta=self.loss_width,
            tol=self.tol,
            max_iter=self.max_iter,
            batch_size=self.batch_size,
        )

    def _part(self, sample: Sample, mass: FloatArray, seed: int) -> Sample:
        """Return the part of the sample that the search uses, standing for all rows."""
        sizes = np.bincount(sample.codes, minlength=mass.size)
        chances = even_shares(sizes, self.search_samples) / sizes
        if (chances == 1.0).all():
            return sample
        numbers = np.random.default_rng(seed).random(sample.codes.size)
        return standing_for(sample.take(numbers < chances[sample.codes]), mass)

    def _choose(
        self, grid: Sequence[Mapping[str, Any]], recalls: FloatArray, prepared: PreparedRows
    ) -> None:
        """Choose from the recalls, (n_candidates, n_folds, n_classes)."""
        by_scorer = None if self.scoring == TRADEOFF else np.nanmean(recalls, axis=2)
        no_times = np.full(recalls.shape[:2], np.nan)
        seconds = {"fit": no_times, "score": no_times}
        table = table_of_scores(grid, recalls, by_scorer, seconds, prepared.survey.labels)
        table = {name: values for name, values in table.items() if not name.endswith("_time")}
        self.cv_results_ = table
        self.best_index_ = self._best_index(table)
        self.best_score_ = float(table["mean_test_score"][self.best_index_])
        self.best_params_ = dict(grid[self.best_index_])

    def _best_index(self, table: Mapping[str, Any]) -> int:
        """Return the chosen candidate; of equal ones that nearest to the middle of the grid.

        At its edges machines are nearly constant, and good on some folds by luck.
        """
        best = best_candidate(table, self.scoring)
        tied = np.flatnonzero(table["mean_test_score"] == table["mean_test_score"][best])
        logs = np.log([table[f"param_{name}"].astype(np.float64) for name in ("C", "gamma")])
        middle = (logs.min(axis=1) + logs.max(axis=1)) / 2
        return int(tied[np.abs(logs[:, tied] - middle[:, None]).sum(axis=0).argmin()])

    def _remember(self, best: NystroemKPBoostSVC) -> None:
        self.best_estimator_ = best
        self.C_, self.gamma_ = self.best_params_["C"], self.best_params_["gamma"]
        self.classes_, self.n_features_in_ = best.classes_, best.n_features_in_
        self.n_iter_ = best.n_iter_
        self.__dict__.pop("feature_names_in_", None)  # of an earlier fit
        if hasattr(best, "feature_names_in_"):
            self.feature_names_in_ = best.feature_names_in_
