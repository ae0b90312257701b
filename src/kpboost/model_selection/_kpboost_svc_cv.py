"""KPBoostSVC with its hyper-parameters chosen by cross-validation that shares its work."""

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any

from joblib import effective_n_jobs

from kpboost import _validation as parameters
from kpboost.ensemble import AS_NEW, HARD, JUDGES, KPBoostSVC, Threads
from kpboost.kernels import squared_distances

from ._boosting_grid import (
    Candidate,
    CandidateResult,
    Fold,
    Influence,
    influence_source,
    try_candidates,
)
from ._grids import Gamma, check_axis, paper_grid
from ._search import SearchSetup, WidthSearch, over_widths, results_table


class KPBoostSVCCV(WidthSearch):
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
    judge_rounds : {"as_new", "paper"}, default="as_new"
        How the rounds of every candidate are judged, see :class:`~kpboost.ensemble.KPBoostSVC`.
    voting : {"hard", "soft"}, default="hard"
        How the rounds vote, see :class:`~kpboost.ensemble.KPBoostSVC`. Candidates are compared by
        that decision; a ``scoring`` that ranks, such as "roc_auc", is better served by "soft".
    cv : int, splitter or iterable of splits, default=5
        As in scikit-learn; a number means stratified folds, by
        :class:`~kpboost.model_selection.RareClassKFold` where a class has fewer members.
        Samples of weight 0 are left out: before a number splits, after anything else does.
    scoring : "tradeoff", str or callable, default="tradeoff"
        What the choice maximises: the trade-off between the classes' recalls (see
        :func:`~kpboost.model_selection.tradeoff_score`), or a scikit-learn scorer. A callable
        ``scoring(estimator, X, y)`` gets the test points and an estimator that can `predict` them
        and has their `decision_function`. mu
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
        More points are refused.
    n_jobs : int or None, default=None
        Number of threads, for candidates; -1 uses all processors. The result does not depend
        on it.
    verbose : int, default=0
        1 shows a progress bar over candidates.

    Attributes
    ----------
    C_, gamma_, perturbation_step_, roi_scale_
        The chosen values; ``gamma_`` as it was given.
    best_params_ : dict
        The same, by the names of the estimator's parameters.
    best_estimator_ : KPBoostSVC
        The chosen candidate, fitted on all data.
    best_index_ : int
        Its place in ``cv_results_``.
    best_score_ : float
        Its mean score.
    n_splits_ : int
        Number of folds.
    refit_time_ : float
        Seconds that the fit of the choice on all data took.
    cv_results_ : dict of ndarray
        As of GridSearchCV, and in its order: ``params``, ``param_*``, ``split*_test_score``,
        ``mean_test_score``, ``std_test_score``, ``rank_test_score`` and times; besides, the
        recalls of the classes as ``split*_test_class_recall_<label>`` and
        ``mean_test_class_recall_<label>``, and ``mean_test_tradeoff``, mu of the mean recalls.
        ``n_without_voters`` counts, over the folds, the two-class problems of which no round met
        the conditions for voting; the search warns of them only where the choice has some.
        With ``scoring="tradeoff"`` that is also the mean score, while the scores of splits are mu
        within the split. Fit times cover the rounds of the candidate alone, without what is
        shared.
    classes_ : ndarray of shape (n_classes,)
        Sorted labels.
    n_features_in_ : int
        Number of columns of the training data.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where the training data had names.

    See Also
    --------
    kpboost.KPBoostSVC : The classifier with fixed parameters.
    NystroemKPBoostSVCCV : The search for many samples.
    best_tradeoff : The same rule of choice for GridSearchCV.

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

    best_estimator_: KPBoostSVC
    C_: float
    gamma_: float | str
    perturbation_step_: float
    roi_scale_: float | None

    _candidate_class = KPBoostSVC
    _instead = "search with GridSearchCV over KPBoostSVC"

    def __init__(
        self,
        Cs: Sequence[float] = (1.0, 10.0, 100.0),
        *,
        gammas: Sequence[Gamma] | str = ("scale",),
        perturbation_steps: Sequence[float] | str = (0.001, 0.01, 0.1),
        roi_scales: Sequence[float | None] = (None,),
        n_estimators: int = 10,
        judge_rounds: str = AS_NEW,
        voting: str = HARD,
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
        self.judge_rounds = judge_rounds
        self.voting = voting
        self.cv = cv
        self.scoring = scoring
        self.multi_class = multi_class
        self.class_weight = class_weight
        self.pos_label = pos_label
        self.tol = tol
        self.cache_size = cache_size
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _check_parameters(self) -> dict[str, list[Any]]:
        """Return the axes of the grid, in the order in which GridSearchCV lists them."""
        paper, positive = paper_grid(), parameters.check_positive
        steps = paper.perturbation_steps
        axes = {
            "C": check_axis("Cs", self.Cs, positive),
            "gamma": check_axis("gammas", self.gammas, parameters.check_gamma, paper.gammas),
            "perturbation_step": check_axis(
                "perturbation_steps", self.perturbation_steps, positive, steps
            ),
            "roi_scale": check_axis("roi_scales", self.roi_scales, parameters.check_roi_scale),
        }
        parameters.check_choice("judge_rounds", self.judge_rounds, JUDGES)
        self._check_search()
        return axes

    def _try_all(
        self, setup: SearchSetup, axes: Mapping[str, list[Any]]
    ) -> list[list[dict[Candidate, CandidateResult]]]:
        """Results by kernel width, fold and candidate; of the complete widths, if interrupted."""
        values = product(axes["C"], axes["perturbation_step"], axes["roi_scale"])
        candidates = list(dict.fromkeys(Candidate(*each) for each in values))
        total = len(axes["gamma"]) * len(candidates)
        squared = squared_distances(setup.data.points)
        regions = influence_source(setup.plans, axes["roi_scale"], squared)
        with Threads(min(effective_n_jobs(self.n_jobs), len(candidates))) as threads:
            return over_widths(
                axes["gamma"],
                setup.plans,
                squared,
                setup.data,
                lambda fold, report: self._try(
                    fold, candidates, regions(fold.plan), threads, report
                ),
                verbose=self.verbose,
                title=f"KPBoost: {total} candidates on {len(setup.plans)} folds",
                steps_per_fold=len(candidates),
            )

    def _try(
        self,
        fold: Fold,
        candidates: Sequence[Candidate],
        regions: Influence,
        threads: Threads,
        on_candidate: Callable[[], None],
    ) -> dict[Candidate, CandidateResult]:
        results = try_candidates(
            fold,
            candidates,
            regions,
            n_rounds=self.n_estimators,
            tol=self.tol,
            judge_rounds=self.judge_rounds,
            voting=self.voting,
            threads=threads,
            on_candidate=on_candidate,
        )
        return dict(zip(candidates, results, strict=True))

    def _table(
        self,
        axes: Mapping[str, list[Any]],
        trials: Sequence[Sequence[Mapping[Candidate, CandidateResult]]],
        setup: SearchSetup,
    ) -> dict[str, Any]:
        return results_table(*self._in_table_order(axes, trials), setup.tests, setup.scorer)

    def _in_table_order(
        self, axes: Mapping[str, list[Any]], trials: Sequence[Sequence[Mapping[Candidate, Any]]]
    ) -> tuple[list[dict[str, Any]], list[list[Any]]]:
        """Candidates in the order of GridSearchCV, and their results by fold."""
        tried = zip(axes["gamma"], trials, strict=False)  # after Ctrl-C some widths are missing
        points = product(axes["C"], tried, axes["perturbation_step"], axes["roi_scale"])
        grid, results = [], []
        for C, (gamma, folds), step, roi_scale in points:
            grid.append(dict(zip(axes, (C, gamma, step, roi_scale), strict=True)))
            results.append([fold[Candidate(C, step, roi_scale)] for fold in folds])
        return grid, results
