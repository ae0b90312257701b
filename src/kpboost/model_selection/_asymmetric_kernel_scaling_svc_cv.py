"""AsymmetricKernelScalingSVC with its hyper-parameters chosen by cross-validation."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from time import perf_counter
from typing import Any

import numpy as np
from joblib import effective_n_jobs

from kpboost import _validation as parameters
from kpboost._typing import FloatArray, IndexArray
from kpboost.ensemble import run_in_threads
from kpboost.kernels import squared_distances
from kpboost.problems import dense_source
from kpboost.solvers import DenseGram, StopFlag, solve_dual
from kpboost.svm import AsymmetricKernelScalingSVC, PairSums, pair_sums

from ._boosting_grid import CandidateResult, Fold
from ._grids import Gamma, check_axis, paper_grid
from ._search import (
    HeldOut,
    Scorer,
    SearchSetup,
    WidthSearch,
    held_out,
    over_widths,
    table_of_scores,
)


@dataclass(frozen=True, slots=True, eq=False)
class PairTrial:
    """What all pairs of decays reach on one fold, with one kernel width and one C.

    Attributes
    ----------
    recalls : ndarray of shape (n_decays_pos, n_decays_neg, n_classes)
        NaN for classes without test points.
    scores : ndarray of shape (n_decays_pos, n_decays_neg) or None
        By a scorer, where there is one.
    fit_seconds, score_seconds : float
        For a single pair: its share of the machine that all of them use, and of the answers.
    """

    recalls: FloatArray
    scores: FloatArray | None
    fit_seconds: float
    score_seconds: float


def try_pairs(
    fold: Fold,
    test: HeldOut,
    Cs: Sequence[float],
    decays_pos: FloatArray,
    decays_neg: FloatArray,
    *,
    scorer: Scorer | None,
    tol: float,
    n_threads: int = 1,
    on_machine: Callable[[], None] | None = None,
) -> list[PairTrial]:
    """Train one machine per C and try all pairs of decays on the test points.

    Parameters
    ----------
    fold : Fold
    test : HeldOut
    Cs : sequence of float
    decays_pos, decays_neg : ndarray
    scorer : callable or None
    tol : float
        Violation gap of every solve.
    n_threads : int, default=1
        Values of C tried at a time; the result does not depend on it.
    on_machine : callable, optional
        Called after every C.

    Returns
    -------
    list of PairTrial
        By C.
    """
    source = dense_source(DenseGram(fold.gram, check=False))
    grams = [source(problem.rows) for problem in fold.plan.problems]

    def one(C: float, stop: StopFlag) -> PairTrial:
        begun = perf_counter()
        sums = _sums(fold, grams, C, decays_pos, decays_neg, tol, stop)
        trained = perf_counter()
        recalls, scores = _scored(sums, fold.plan.classes, test, scorer)
        n_pairs = decays_pos.size * decays_neg.size
        if on_machine is not None:
            on_machine()
        return PairTrial(
            recalls, scores, (trained - begun) / n_pairs, (perf_counter() - trained) / n_pairs
        )

    return run_in_threads([partial(one, C) for C in Cs], n_threads)


def _sums(
    fold: Fold,
    grams: Sequence[DenseGram],
    C: float,
    decays_pos: FloatArray,
    decays_neg: FloatArray,
    tol: float,
    stop: StopFlag,
) -> PairSums:
    """Train the machines of all problems, and sum for all pairs."""
    plan = fold.plan
    coef = np.zeros((len(plan.problems), plan.codes.size))
    decision, intercept = np.zeros_like(coef), np.zeros(len(plan.problems))
    for p, problem in enumerate(plan.problems):
        rows = problem.rows
        bounds = C * plan.class_factor[rows] * plan.weight[rows]
        target = plan.signs[p] * problem.target
        solution = solve_dual(grams[p], target, bounds, tol=tol, stop=stop)
        coef[p, rows], decision[p, rows] = solution.dual_coef, solution.decision
        intercept[p] = solution.intercept
    return pair_sums(
        lambda rows: np.asarray(fold.test_kernel @ rows.T),
        coef,
        decision,
        intercept,
        plan.signs,
        decays_pos,
        decays_neg,
        n_classes=plan.classes.size,
        multi_class=plan.multi_class,
    )


def _scored(
    sums: PairSums, classes: IndexArray, test: HeldOut, scorer: Scorer | None
) -> tuple[FloatArray, FloatArray | None]:
    """Recalls of all pairs, and their scores; the predictions themselves are not kept."""
    recalls, scores = [], []
    for by_decay_neg in sums.scores():
        own = by_decay_neg > 0 if classes.size == 2 else by_decay_neg.argmax(axis=-1)
        recalls.append(test.recalls(classes[own.astype(np.intp)]))
        if scorer is not None:
            results = [CandidateResult(each, classes, 0.0, 0.0) for each in by_decay_neg]
            scores.append([test.score(result, scorer) for result in results])
    return np.array(recalls), None if scorer is None else np.array(scores)


# By kernel width, fold and C.
Trials = Sequence[Sequence[Sequence[PairTrial]]]


class AsymmetricKernelScalingSVCCV(WidthSearch):
    """AsymmetricKernelScalingSVC with cross-validated C, gamma and decays.

    Does what ``GridSearchCV(AsymmetricKernelScalingSVC(), ...)`` does, with the same choice, at the
    price of one machine per fold, gamma and C: all pairs of decays follow from it by two matrix
    products. The best candidate is refitted on all data.

    Parameters
    ----------
    Cs : sequence of float, default=(1.0, 10.0, 100.0)
        Values of C. C_r
    gammas : sequence of float, "scale" or "auto"; or "paper"; default=("scale",)
        Kernel widths; words are resolved on every training fold. "paper" is the paper's grid for
        the plain SVM. sigma
    decays_pos, decays_neg : sequence of float or "paper", default="paper"
        Decays on the two sides; "paper" is the paper's 37 values, which make 1,369 pairs. k+, k-
    ordered : bool, default=False
        Whether only pairs with decay_pos < decay_neg are tried. The KPBoost paper states the
        condition in one place and varies both decays freely in another.
    cv : int, splitter or iterable of splits, default=5
        As in scikit-learn; a number means stratified folds, by
        :class:`~kpboost.model_selection.RareClassKFold` where a class has fewer members.
        Samples of weight 0 are left out: before a number splits, after anything else does.
    scoring : "tradeoff", str or callable, default="tradeoff"
        What the choice maximises: the trade-off between the classes' recalls (see
        :func:`~kpboost.model_selection.tradeoff_score`), or a scikit-learn scorer, which is
        called for every single pair and takes most of the time then. mu
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
        Number of threads, for values of C; -1 uses all processors. The result does not depend
        on it.
    verbose : int, default=0
        1 shows a progress bar over machines.

    Attributes
    ----------
    C_, gamma_, decay_pos_, decay_neg_
        The chosen values; ``gamma_`` as it was given.
    best_params_ : dict
        The same, by the names of the estimator's parameters.
    best_estimator_ : AsymmetricKernelScalingSVC
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
        As of :class:`~kpboost.model_selection.KPBoostSVCCV`, in the order of GridSearchCV. Times
        are a candidate's share of what all pairs have in common.
    classes_ : ndarray of shape (n_classes,)
        Sorted labels.
    n_features_in_ : int
        Number of columns of the training data.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where the training data had names.

    See Also
    --------
    kpboost.AsymmetricKernelScalingSVC : The classifier with fixed parameters.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from kpboost.model_selection import AsymmetricKernelScalingSVCCV
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> search = AsymmetricKernelScalingSVCCV(Cs=(1.0, 10.0)).fit(scale(X), y)
    >>> len(search.cv_results_["params"])
    2738
    """

    best_estimator_: AsymmetricKernelScalingSVC
    C_: float
    gamma_: float | str
    decay_pos_: float
    decay_neg_: float

    _candidate_class = AsymmetricKernelScalingSVC
    _instead = "use decay_pair_predictions with folds of your own"

    def __init__(
        self,
        Cs: Sequence[float] = (1.0, 10.0, 100.0),
        *,
        gammas: Sequence[Gamma] | str = ("scale",),
        decays_pos: Sequence[float] | str = "paper",
        decays_neg: Sequence[float] | str = "paper",
        ordered: bool = False,
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
        self.decays_pos = decays_pos
        self.decays_neg = decays_neg
        self.ordered = ordered
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
        steps, positive = paper_grid().perturbation_steps, parameters.check_positive
        axes = {
            "C": check_axis("Cs", self.Cs, positive),
            "decay_neg": check_axis("decays_neg", self.decays_neg, positive, steps),
            "decay_pos": check_axis("decays_pos", self.decays_pos, positive, steps),
            "gamma": check_axis("gammas", self.gammas, parameters.check_gamma, paper_grid().gammas),
        }
        parameters.check_flag("ordered", self.ordered)
        if self.ordered and min(axes["decay_pos"]) >= max(axes["decay_neg"]):
            raise ValueError("ordered=True leaves no pair: no decay_pos is below any decay_neg.")
        self._check_search()
        return axes

    def _try_all(
        self, setup: SearchSetup, axes: Mapping[str, list[Any]]
    ) -> list[list[list[PairTrial]]]:
        """Trials by kernel width, fold and C; of the complete widths, if interrupted."""
        total = len(axes["gamma"]) * len(setup.plans) * len(axes["C"])
        n_pairs = len(axes["decay_pos"]) * len(axes["decay_neg"])

        def try_fold(fold: Fold, on_machine: Callable[[], None]) -> list[PairTrial]:
            return try_pairs(
                fold,
                held_out(fold.plan, setup.data),
                axes["C"],
                np.array(axes["decay_pos"], dtype=np.float64),
                np.array(axes["decay_neg"], dtype=np.float64),
                scorer=setup.scorer,
                tol=self.tol,
                n_threads=min(effective_n_jobs(self.n_jobs), len(axes["C"])),
                on_machine=on_machine,
            )

        return over_widths(
            axes["gamma"],
            setup.plans,
            squared_distances(setup.data.points),
            setup.data,
            try_fold,
            verbose=self.verbose,
            title=f"AKS: {total} machines, {n_pairs} pairs",
            steps_per_fold=len(axes["C"]),
        )

    def _table(
        self, axes: Mapping[str, list[Any]], trials: Trials, setup: SearchSetup
    ) -> dict[str, Any]:
        complete = {**axes, "gamma": axes["gamma"][: len(trials)]}
        grid = [dict(zip(axes, values, strict=True)) for values in product(*complete.values())]
        tried = [not self.ordered or each["decay_pos"] < each["decay_neg"] for each in grid]
        scores = _scores(trials)
        return table_of_scores(
            [point for point, own in zip(grid, tried, strict=True) if own],
            _by_candidate(trials, lambda trial: trial.recalls)[tried],
            None if scores is None else scores[tried],
            {name: _seconds(trials, name)[tried] for name in ("fit", "score")},
            setup.data.classes,
        )


def _scores(trials: Trials) -> FloatArray | None:
    """Scores of all candidates, (candidate, fold); None for the trade-off."""
    if trials[0][0][0].scores is None:
        return None
    return _by_candidate(trials, lambda trial: np.asarray(trial.scores)[..., None])[:, :, 0]


def _by_candidate(trials: Trials, read: Callable[[PairTrial], FloatArray]) -> FloatArray:
    """Arrays (decay_pos, decay_neg, k) of all trials as (candidate, fold, k), gamma fastest."""
    stacked = np.array([[[read(trial) for trial in fold] for fold in width] for width in trials])
    ordered = stacked.transpose(2, 4, 3, 0, 1, 5)  # C, decay_neg, decay_pos, gamma, fold, k
    return ordered.reshape(-1, *ordered.shape[4:])


def _seconds(trials: Trials, name: str) -> FloatArray:
    """Seconds of all candidates, (candidate, fold): the pairs of a trial share them equally."""

    def read(trial: PairTrial) -> FloatArray:
        return np.full((*trial.recalls.shape[:2], 1), getattr(trial, f"{name}_seconds"))

    return _by_candidate(trials, read)[:, :, 0]
