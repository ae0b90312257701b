"""KPBoost-SVM and KPBoostROI-SVM for two or more classes."""

import math
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from math import ceil
from threading import Lock
from time import perf_counter
from typing import Any, Protocol, Self

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from kpboost import _validation as parameters
from kpboost._typing import FloatArray, IndexArray
from kpboost.problems import (
    BinaryProblem,
    DecisionClassifier,
    Kernel,
    TrainingSet,
    binary_problems,
    bounds_of,
    gamma_of,
    gram_source,
    is_precomputed,
    points_to_predict,
    positive_sides,
    remember_support,
    slot_table,
    spread,
    training_set,
)

from ._boosting import (
    AS_NEW,
    HALF_OF_LARGEST,
    JUDGES,
    BoostingTrace,
    ResolutionRule,
    asks_as_new,
    resolution_rule,
    select_rounds,
    training_distances,
)
from ._ensembles import BoostingTask, Ensembles, boost_problems, gather
from ._voting import HARD, Inheritance, RoundPredictor, nearest_in_training

# From here on a fit is worth a word before it starts: it takes a minute, or hours.
MANY_ROWS = 50_000
# Sizes of the trial fits. Together they cost a few percent of the smallest fit that is warned of.
TRIAL_ROWS = (2_500, 5_000, 10_000)
# Time was seen to grow with these powers of the number of rows once the kernel matrix no longer
# fits the cache; the trials, where it fits, may show less.
LEAST_GROWTH, MOST_GROWTH = 2.0, 3.0
MINUTE, HOUR = 60, 3600


class NoVotingRoundWarning(UserWarning):
    """No round of a two-class problem met the conditions for voting, or their vote is poor.

    A category of its own, so that a search over many candidates can be told to keep quiet:
    ``warnings.simplefilter("ignore", NoVotingRoundWarning)``.

    See Also
    --------
    KPBoostSVC : Warns so.
    """


class LongFitWarning(UserWarning):
    """A fit to many rows is about to begin; the message estimates its time.

    See Also
    --------
    KPBoostSVC : Warns so.
    NystroemKPBoostSVC : Takes many samples.
    """


class JudgedRounds(Protocol):
    """What a warning needs to know of the rounds of a two-class problem."""

    @property
    def interrupted(self) -> bool: ...
    @property
    def n_rounds(self) -> int: ...
    @property
    def rule(self) -> str: ...
    @property
    def vote_tpr(self) -> float: ...
    @property
    def vote_tnr(self) -> float: ...


def warn_of(traces: Sequence[JudgedRounds]) -> None:
    """Warn of an interruption, and of problems without a round that may vote or a good vote."""
    if any(each.interrupted for each in traces):
        done = min(each.n_rounds for each in traces)
        warnings.warn(
            f"fit was interrupted; the ensemble has its first rounds only, at least {done} "
            "of every problem.",
            stacklevel=3,
        )
    words = _of_poor_rounds(traces) or _of_poor_votes(traces)
    if words:
        advice = "another C, gamma or class_weight may help."
        warnings.warn(f"{words}; {advice}", NoVotingRoundWarning, stacklevel=3)


def _of_poor_rounds(traces: Sequence[JudgedRounds]) -> str:
    """Say that there is no round that may vote; nothing if there is one everywhere."""
    poor = [each for each in traces if each.rule == "best_only"]
    if not poor:
        return ""
    return (
        f"No round met the conditions for voting in {len(poor)} of {len(traces)} two-class "
        "problem(s): already the plain SVM errs by more than half of what is possible. The single "
        f"best round is used, {_worst_rates(poor)}"
    )


def _of_poor_votes(traces: Sequence[JudgedRounds]) -> str:
    """Say that rounds which are good alone are not so together; nothing if they are."""
    poor = [each for each in traces if _vote_error(each) > HALF_OF_LARGEST]
    if not poor:
        return ""
    return (
        f"The rounds that vote outvote each other in {len(poor)} of {len(traces)} two-class "
        f"problem(s): together they err by more than half of what is possible, {_worst_rates(poor)}"
    )


def _worst_rates(poor: Sequence[JudgedRounds]) -> str:
    worst = max(poor, key=_vote_error)
    rates = f"with tpr {worst.vote_tpr:.2f} and tnr {worst.vote_tnr:.2f} on the training points"
    return rates if len(poor) == 1 else f"{rates} in the worst of them"


def _vote_error(trace: JudgedRounds) -> float:
    return math.hypot(1.0 - trace.vote_tpr, 1.0 - trace.vote_tnr)


def warn_of_time(estimator: Any, data: TrainingSet) -> None:
    """Warn of a fit to many rows, with an estimate of its time from fits to some of them.

    Parameters
    ----------
    estimator : KPBoostSVC
        With a kernel of points, not a precomputed one.
    data : TrainingSet
        What it is about to be trained on.
    """
    n_rows = data.codes.size
    if n_rows <= MANY_ROWS:
        return
    seconds = [_trial_seconds(estimator, data, size) for size in TRIAL_ROWS]
    growth = np.polyfit(np.log(TRIAL_ROWS), np.log(seconds), 1)[0]
    factor = (n_rows / TRIAL_ROWS[-1]) ** np.clip(growth, LEAST_GROWTH, MOST_GROWTH)
    expected = _duration(seconds[-1] * factor)
    warnings.warn(
        f"KPBoostSVC on {n_rows:,} rows may take roughly {expected}, judging by "
        f"{TRIAL_ROWS[-1]:,} of them; the time grows with the square of the rows or faster. "
        "Ctrl-C keeps the rounds that are done. NystroemKPBoostSVC is made for so many rows.",
        LongFitWarning,
        stacklevel=3,
    )


def _trial_seconds(estimator: Any, data: TrainingSet, size: int) -> float:
    """Time of a fit to rows spread evenly over the classes."""
    rows = _spread_rows(data.codes, size)
    trial = clone(estimator).set_params(verbose=0)
    start = perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        labels = data.classes[data.codes[rows]]
        trial.fit(data.points[rows], labels, sample_weight=data.weight[rows])
    if np.shape(trial.estimator_errors_)[-1] < estimator.n_estimators:
        raise KeyboardInterrupt  # a trial keeps its rounds on Ctrl-C; it was meant for the fit
    return perf_counter() - start


def _spread_rows(codes: NDArray[np.intp], size: int) -> NDArray[np.intp]:
    """Rows at even distances in the order of the classes, and one of every class at least."""
    by_class = np.argsort(codes, kind="stable")
    even = by_class[np.linspace(0, codes.size - 1, size).astype(np.intp)]
    return np.union1d(even, np.unique(codes, return_index=True)[1])


def _duration(seconds: float) -> str:
    """Return a time in the unit that a person would use."""
    if seconds < MINUTE:
        return f"{max(1, round(seconds))} s"
    return f"{seconds / MINUTE:.0f} min" if seconds < 2 * HOUR else f"{seconds / HOUR:.0f} hours"


# Plain lines are printed this many times in a run, at most.
PLAIN_LINES = 10


@contextmanager
def progress(verbose: int, title: str, total: int) -> Iterator[Callable[[], None]]:
    """Give a function to call after every step.

    Parameters
    ----------
    verbose : int
        0 shows nothing.
    title : str
        What is going on.
    total : int
        How many steps there will be altogether.

    Yields
    ------
    callable
        Takes nothing; may be called from several threads.
    """
    if not verbose:
        yield _nothing
        return
    try:
        from rich.console import Console
        from rich.progress import Progress
    except ImportError:
        yield _plain(title, total)
        return
    if not sys.stderr.isatty():  # a file or a notebook has no line that can be drawn again
        yield _plain(title, total)
        return
    with Progress(console=Console(stderr=True)) as bar:
        task = bar.add_task(title, total=total)
        yield lambda: bar.advance(task)


def _nothing() -> None:
    return None


def _plain(title: str, total: int) -> Callable[[], None]:
    done = 0
    lines_apart = ceil(total / PLAIN_LINES)
    lock = Lock()

    def after_step() -> None:
        nonlocal done
        with lock:
            done += 1
            if done == total or done % lines_apart == 0:
                print(f"{title}: {done} of {total} done", file=sys.stderr, flush=True)

    return after_step


class KPBoostSVC(DecisionClassifier):
    """Support vector machines boosted by kernel perturbation.

    Round 1 is a plain SVM. Every later round lowers the resolution of the kernel around the points
    that are classified correctly, so that those still misclassified, often a rare part of a rare
    class, get relatively more of it. The rounds vote with weights that measure them on both
    classes alike. With ``roi_scale`` the neighbours of misclassified points keep their resolution
    too, and new points inherit that of their nearest training point.

    Parameters
    ----------
    C : float, default=1.0
        Penalty of a margin violation, the upper bound of the dual coefficients. C_r
    gamma : {"scale", "auto"} or float, default="scale"
        Kernel coefficient, 1 / (2 sigma^2). "scale" is 1 / (n_features * variance of X), with
        the sample weights in the variance; "auto" is 1 / n_features. sigma
    n_estimators : int, default=10
        Number of boosting rounds, the plain SVM included. T
    perturbation_step : float, default=0.01
        Growth of a point's perturbation parameter k when it is classified correctly. varsigma
    roi_scale : float in [0, 1] or None, default=None
        None is KPBoost-SVM: new points have D = 1. A number is KPBoostROI-SVM: a new point takes k
        of its nearest training point, D_t(x) = exp(-k_t f_(t-1)(x)^2), and the number is the radius
        of the regions of influence in units of the mean nearest-neighbour distance of the class.
        With 0 there are no regions, and the rounds are those of KPBoost-SVM judged in their own
        kernels: the supplement's case 1, in which near points of two classes may inherit quite
        different factors. vartheta
    judge_rounds : {"as_new", "paper"}, default="as_new"
        Which predictions of the training points give the rates, the weights and the choice of the
        rounds. "as_new" takes those that the points would get as new ones, with D = 1; "paper"
        those in the round's own kernel, where they have lost resolution. There a round may seem
        perfect that predicts one class for all new points. With ``roi_scale`` a training point
        inherits its own k, and both are the same.
    voting : {"hard", "soft"}, default="hard"
        What the rounds add up. "hard" is the paper's: the sum of alpha_t sign(f_t), which has few
        different values. "soft" is graded: the sum of alpha_t f_t over the sum of alpha_t, a mean
        of the rounds' decision values at a new point; with one round that of the plain SVM. The
        rounds and their weights are the same, so that a fitted estimator can be set to either.
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
        Largest violation of the optimality conditions at which the solver stops, in units of the
        decision function.
    cache_size : float, default=1000
        Memory for kernel values in MB. Large problems compute them row by row, when first needed;
        rows that do not fit are computed again.
    n_jobs : int or None, default=None
        Number of threads: for the two-class problems of more than two classes, or, with two
        classes, to share the work of a fit to some thousand samples. -1 uses all processors. The
        result does not depend on it.
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
        Distance of (tpr, tnr) from (1, 1). eps_t
    estimator_tpr_, estimator_tnr_ : ndarray of shape (n_rounds,)
        Rates of correct predictions on the training points of the two classes:
        with ``judge_rounds="as_new"`` the signs of ``round_decision_function``, with "paper"
        those in the round's own kernel.
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

    See Also
    --------
    kpboost.KPBoostSVCCV : Chooses C, gamma and the perturbation step by cross-validation.
    NystroemKPBoostSVC : The same with a kernel of low rank, for many samples.
    kpboost.KernelSVC : Round 1 alone, the plain SVM.

    Notes
    -----
    With more than two classes the arrays of rounds have a leading axis of problems: one-vs-one in
    the order (0, 1), (0, 2), ..., (1, 2), ..., where positive values mean the later class of
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
    >>> int(model.pos_label_), model.selected_rounds_.size
    (0, 10)
    """

    support_: IndexArray
    n_support_: IndexArray
    support_vectors_: Any
    gamma_: float
    pos_label_: Any
    # What would take as long as a prediction is kept; models of earlier versions have none.
    _coef: FloatArray | None = None

    def __init__(
        self,
        C: float = 1.0,
        *,
        gamma: float | str = "scale",
        n_estimators: int = 10,
        perturbation_step: float = 0.01,
        roi_scale: float | None = None,
        judge_rounds: str = AS_NEW,
        voting: str = HARD,
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
        self.judge_rounds = judge_rounds
        self.voting = voting
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
        finished its first one, which all do before any goes on; otherwise it raises
        KeyboardInterrupt.

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
        data = training_set(self, X, y, sample_weight)
        problems = list(binary_problems(data.codes, data.classes.size, self.multi_class))
        signs = positive_sides(problems, data.weight, data.classes, self.pos_label)
        gamma = gamma_of(self.kernel, self.gamma, data)
        if not is_precomputed(self.kernel):
            warn_of_time(self, data)
        traces = self._boost_all(problems, signs, data, gamma)
        warn_of(traces)
        ensembles = gather(
            traces,
            [problem.rows for problem in problems],
            signs,
            data.codes,
            slot_table(data.classes.size, self.multi_class),
            inherits=self.roi_scale is not None,
        )
        self._remember(ensembles, data, signs, gamma)
        return self

    def decision_function(self, X: Any) -> FloatArray:
        """Weighted votes, hard or soft as ``voting`` says; their sign is the prediction.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Points; with a precomputed kernel their values against all training points.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            For two classes the sum of alpha_t sign(f_t), or the mean of f_t weighted by alpha_t;
            positive for ``classes_[1]`` and never zero. For more, one score per class: shares of
            the hard votes of the one-vs-rest ensembles, or their soft votes; one-vs-one the votes
            of the ensembles, with ties ordered by those shares or soft votes.
        """
        points = points_to_predict(self, X)
        parameters.check_voting("voting", self.voting)
        return self._predictor().scores(points, self.voting)

    def staged_decision_function(self, X: Any) -> Iterator[FloatArray]:
        """Yield the votes after 1, 2, ... rounds.

        Stage t is what ``n_estimators=t`` would give: rounds do not depend on later ones, and the
        rounds that vote are chosen among the first t, as ``judge_rounds`` says. The last stage is
        ``decision_function``. All stages are computed before the first one is given, in one pass
        over the kernel.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Points; with a precomputed kernel their values against all training points.

        Yields
        ------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        points = points_to_predict(self, X)
        parameters.check_voting("voting", self.voting)
        errors, tpr = self._stacked("estimator_errors_"), self._stacked("estimator_tpr_")
        numbers = range(1, errors.shape[1] + 1)
        stages = [stage_weights(errors[:, :t], tpr[:, :t]) for t in numbers]
        yield from self._predictor().staged_scores(points, stages, self.voting)

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
        return map(self._labels, self.staged_decision_function(X))

    def round_decision_function(self, X: Any) -> FloatArray:
        """Decision values of the single rounds' machines, f_t.

        All points count as new, also training points: D = 1, or with ``roi_scale`` the D of the
        nearest training point.

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
        points = points_to_predict(self, X)
        values = self._predictor().values(points)
        return values[:, 0] if self.classes_.size == 2 else values

    @property
    def dual_coef_(self) -> FloatArray:
        """Signed dual coefficients; for more than two classes the array is made when asked for."""
        return self._by_problem(
            "_dual_coef", np.repeat(np.arange(self.classes_.size), self.n_support_)
        )

    @property
    def log_scale_(self) -> FloatArray:
        """Logarithms of the training points' scales; made like ``dual_coef_``."""
        return self._by_problem("_log_scale", self._codes)

    @property
    def _is_roi(self) -> bool:
        return hasattr(self, "_perturbation")

    def _check_parameters(self) -> None:
        parameters.check_shared(self)
        parameters.check_positive("perturbation_step", self.perturbation_step)
        parameters.check_roi_scale("roi_scale", self.roi_scale)
        parameters.check_choice("judge_rounds", self.judge_rounds, JUDGES)
        parameters.check_kernel("kernel", self.kernel)

    def _boost_all(
        self,
        problems: Sequence[BinaryProblem],
        signs: FloatArray,
        data: TrainingSet,
        gamma: float | None,
    ) -> list[BoostingTrace]:
        n_threads = effective_n_jobs(self.n_jobs)
        bounds = bounds_of(self.C, self.class_weight, data)
        grams = gram_source(
            self.kernel,
            data.points,
            gamma=gamma,
            cache_size=self.cache_size,
            n_threads=min(n_threads, len(problems)),
        )
        between = training_distances(data.points, precomputed=is_precomputed(self.kernel))

        def rule_of(p: int) -> ResolutionRule:
            target = signs[p] * problems[p].target
            return resolution_rule(self.roi_scale, target, problems[p].rows, between)

        task = BoostingTask(
            problems=problems,
            signs=signs,
            gram_of=lambda p: grams(problems[p].rows),
            rule_of=rule_of,
            bounds=bounds,
            weight=data.weight,
            as_new=asks_as_new(self.judge_rounds, self.roi_scale),
            step=self.perturbation_step,
            n_rounds=self.n_estimators,
            tol=self.tol,
            inherits=self.roi_scale is not None,
            voting=self.voting,
        )
        title = f"KPBoost: {self.n_estimators} rounds of {len(problems)} two-class problem(s)"
        with progress(self.verbose, title, len(problems) * self.n_estimators) as on_round:
            return boost_problems(replace(task, on_round=on_round), n_threads=n_threads)

    def _remember(
        self, ensembles: Ensembles, data: TrainingSet, signs: FloatArray, gamma: float | None
    ) -> None:
        # Two classes make one problem, whose axis is left out.
        first = 0 if data.classes.size == 2 else slice(None)
        remember_support(self, data, ensembles.support, gamma, signs)
        self.estimator_weights_ = ensembles.weights[first]
        self.estimator_errors_ = ensembles.errors[first]
        self.estimator_tpr_ = ensembles.tpr[first]
        self.estimator_tnr_ = ensembles.tnr[first]
        self.selected_rounds_ = ensembles.kept[first]
        self.intercept_ = ensembles.intercept[first]
        self.n_iter_ = ensembles.n_iter[first]
        self._signs = signs
        self._codes, self._rows = data.all_codes, data.rows
        self._table = slot_table(data.classes.size, self.multi_class)
        self._dual_coef = ensembles.dual_coef
        self._log_scale = _at_given_rows(ensembles.log_scale, data)
        self._coef = self._scaled_coef()
        for name in ("_perturbation", "_training_points"):  # of an earlier fit
            self.__dict__.pop(name, None)
        if ensembles.perturbation is not None:
            self._perturbation = ensembles.perturbation
            precomputed = is_precomputed(self.kernel)
            self._training_points = data.points.diagonal().copy() if precomputed else data.points

    def _by_problem(self, name: str, codes: IndexArray) -> FloatArray:
        """Return values by slot and row as the user knows them: by problem and row."""
        slots: FloatArray = getattr(self, name)
        return slots[0] if self.classes_.size == 2 else spread(slots, self._table, codes)

    def _predictor(self) -> RoundPredictor:
        """Return what predicts, from the fitted attributes, which alone are saved."""
        return RoundPredictor(
            kernel=self.kernel,
            gamma=getattr(self, "gamma_", None),
            support=self.support_,
            vectors=getattr(self, "support_vectors_", None),
            n_support=self.n_support_,
            coef=self._scaled_coef() if self._coef is None else self._coef,
            intercept=self._stacked("intercept_"),
            weights=self._stacked("estimator_weights_"),
            signs=self._signs,
            table=self._table,
            multi_class=self.multi_class,
            inheritance=self._inheritance() if self._is_roi else None,
        )

    def _scaled_coef(self) -> FloatArray:
        """Return what multiplies the kernel, lambda_i y_i s_t,i: (n_slots, n_rounds, n_SV)."""
        return self._dual_coef * np.exp(self._log_scale.take(self.support_, axis=2))

    def _inheritance(self) -> Inheritance:
        slots = self._table[:, self._codes[self._rows]]
        nearest = nearest_in_training(self.kernel, self._training_points, self._rows, slots)
        return Inheritance(self._perturbation, slots, nearest)


def _at_given_rows(values: FloatArray, data: TrainingSet) -> FloatArray:
    """Spread values of the rows that count over all rows given, if those are more or others."""
    if np.array_equal(data.rows, np.arange(data.all_codes.size)):
        return values
    full = np.zeros((*values.shape[:2], data.all_codes.size))
    full[:, :, data.rows] = values
    return full


def stage_weights(errors: FloatArray, tpr: FloatArray) -> FloatArray:
    """Weights of all problems' rounds; zeros for those an interruption left out."""
    weights = np.zeros(errors.shape)
    for own, own_errors, own_tpr in zip(weights, errors, tpr, strict=True):
        done = np.isfinite(own_errors)
        own[done] = select_rounds(own_errors[done], own_tpr[done]).weights
    return weights
