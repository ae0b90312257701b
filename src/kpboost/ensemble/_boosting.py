"""The boosting loop: one SVM per round on a Gram matrix between two diagonals.

Round t solves the SVM dual with the kernel K^t = D_t K^(t-1) D_t, where D_t(x_i) =
exp(-k_i^t f_(t-1)(x_i)^2) and k_i grows by one step whenever the rule says that point i loses
resolution. The products telescope, K^t = diag(s_t) K^0 diag(s_t) with

    log s_t = log s_(t-1) - k^t f_(t-1)^2,        log s_1 = 0,

so every round is the first Gram matrix under another ``scale``, and nothing n x n is copied. The
logarithm is kept because the products underflow. The rounds after the first run in compiled code
(``cpp/boosting``), one call for all of them, so that threads do not wait for Python in between.

New points have D = 1. What the training points get as new points is therefore K^0 (s_t * lambda y)
+ b_t, one product of the first Gram matrix with the coefficients of all rounds. Dividing the
decision values by s_t would save the product, but multiplies their error by 1 / s_t.
"""

import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kpboost import _core, kernels
from kpboost._typing import BoolArray, FloatArray, IndexArray
from kpboost.solvers import DEFAULT_MAX_ITER, DualProblem, DualSolution, StopFlag, warn_of_gap

from ._voting import HARD, class_scores

ResolutionRule = Callable[[BoolArray], BoolArray]
# Squared distances between training points, from[i] to to[j], by their row numbers.
SquaredDistances = Callable[[IndexArray, IndexArray], FloatArray]

# Distances are looked at in blocks of at most this many bytes.
BLOCK_BYTES = 32 * 2**20


def correctly_classified(correct: BoolArray) -> BoolArray:
    """KPBoost: every correctly classified point loses resolution."""
    return correct


@dataclass(frozen=True, slots=True, eq=False)
class OutsideRegions:
    """KPBoostROI: correctly classified points near a misclassified one keep their resolution.

    A misclassified positive protects the points within ROI+ of it, a misclassified negative
    those within ROI-.

    Attributes
    ----------
    squared_distances : callable
        Squared distances between training points.
    radius : ndarray of shape (n,)
        Radius of each point's class.
    """

    squared_distances: SquaredDistances
    radius: FloatArray

    def __call__(self, correct: BoolArray) -> BoolArray:
        """Return the correctly classified points outside all regions of influence."""
        losing = correct.copy()
        for wrong in _blocks(np.flatnonzero(~correct), correct.size):
            candidates = np.flatnonzero(losing)
            if not candidates.size:
                break
            near = _within(self.radius, wrong, candidates, self.squared_distances)
            losing[candidates[near.any(axis=0)]] = False
        return losing

    def regions(self) -> NDArray[np.uint8]:
        """Return all regions of influence, a bit for each pair of points.

        The bits of row i, of shape (n, ceil(n / 8)), are the points within the radius of point i.
        The compiled trials of a search apply the rule to them; finding them all pays for rules that
        are asked more than some thirty times.
        """
        every = np.arange(self.radius.size)
        blocks = _blocks(every, every.size)
        near = (_within(self.radius, own, every, self.squared_distances) for own in blocks)
        return np.concatenate([np.packbits(own, axis=1) for own in near])


def outside_regions(
    y: FloatArray, roi_scale: float, squared_distances: SquaredDistances
) -> OutsideRegions:
    """Build the rule with radii of `roi_scale` times the mean nearest-neighbour distance.

    The mean is taken inside each class; a class of one point has radius 0. A region of radius 0
    holds nothing but copies of its point.
    """
    radius = np.zeros(y.size)
    for side in (y > 0, y < 0):
        members = np.flatnonzero(side)
        radius[members] = roi_scale * _mean_nearest_distance(members, squared_distances)
    return OutsideRegions(squared_distances, radius)


def _within(
    radius: FloatArray, i: IndexArray, j: IndexArray, squared_distances: SquaredDistances
) -> BoolArray:
    """Tell which of the points j are in the region of influence of each of the points i."""
    # Roots, as in the radii: in a class of two each point is within the mean distance.
    return np.asarray(np.sqrt(squared_distances(i, j)) <= radius[i, None])


def resolution_rule(
    roi_scale: float | None,
    y: FloatArray,
    rows: IndexArray,
    squared_distances: SquaredDistances,
) -> ResolutionRule:
    """Return the rule of a two-class problem.

    Parameters
    ----------
    roi_scale : float or None
        None is KPBoost, a number KPBoostROI.
    y, rows : ndarray of shape (n_own,)
        Targets and training rows of the problem.
    squared_distances : callable
        Between training points, by the rows of all of them.

    Returns
    -------
    callable
    """
    if roi_scale is None:
        return correctly_classified

    def among(i: IndexArray, j: IndexArray) -> FloatArray:
        return squared_distances(rows[i], rows[j])

    return outside_regions(y, roi_scale, among)


def training_distances(points: Any, *, precomputed: bool) -> SquaredDistances:
    """Squared distances between training points; precomputed, those of their Gram matrix."""
    if precomputed:
        return _distances_in_gram(points)
    return lambda i, j: kernels.squared_distances(points[i], points[j])


def _distances_in_gram(gram: FloatArray) -> SquaredDistances:
    diagonal = gram.diagonal()

    def squared_distances(i: IndexArray, j: IndexArray) -> FloatArray:
        squared = diagonal[i, None] + diagonal[j] - 2.0 * gram[np.ix_(i, j)]
        return np.asarray(np.maximum(squared, 0.0))  # equal points, up to rounding

    return squared_distances


def _mean_nearest_distance(members: IndexArray, squared_distances: SquaredDistances) -> float:
    if members.size < 2:
        return 0.0
    total = 0.0
    position = 0
    for block in _blocks(members, members.size):
        squared = squared_distances(block, members)
        own = np.arange(block.size)
        squared[own, position + own] = np.inf
        total += float(np.sqrt(squared.min(axis=1)).sum())
        position += block.size
    return total / members.size


def _blocks(rows: IndexArray, columns: int) -> list[IndexArray]:
    """Split row numbers so that a block of rows by columns stays within BLOCK_BYTES."""
    step = max(1, BLOCK_BYTES // (8 * columns))
    return [rows[start : start + step] for start in range(0, rows.size, step)]


# The distance of (tpr, tnr) = (0, 0) from (1, 1), and half of it: a round at or beyond that is no
# better than answering one class throughout.
LARGEST_ERROR = math.sqrt(2.0)
HALF_OF_LARGEST = LARGEST_ERROR / 2.0

# A round without error would have an infinite weight. The smallest error counted is machine
# epsilon, which makes the largest weight about 18.2.
SMALLEST_ERROR = float(np.finfo(np.float64).eps)

# tnr is recovered from eps and tpr, up to rounding.
ROUNDING = 1e-9

# How rounds are judged: by the answers that training points get as new points, or as in the paper.
AS_NEW, PAPER = "as_new", "paper"
JUDGES = (AS_NEW, PAPER)


def asks_as_new(judge_rounds: str, roi_scale: float | None) -> bool:
    """Tell whether the training points must be asked again, as new ones.

    With regions of influence they need not: a training point is the nearest one to itself, and
    inherits its own perturbation. As a new point it gets the answer of the round's own kernel.
    Copies of it have the same perturbation: while one of them is misclassified it protects the
    others, which are at distance 0.
    """
    return judge_rounds == AS_NEW and roi_scale is None


@dataclass(frozen=True, slots=True, eq=False)
class ClassRates:
    """Shares of the positive and of the negative points that are classified correctly, by round."""

    tpr: FloatArray
    tnr: FloatArray

    @property
    def error(self) -> FloatArray:
        """Distance from the ideal, sqrt((1 - tpr)^2 + (1 - tnr)^2): eps."""
        return np.hypot(1.0 - self.tpr, 1.0 - self.tnr)


def class_rates(correct: BoolArray, y: FloatArray, weight: FloatArray) -> ClassRates:
    """Weighted rates of correct answers for y = +1 and y = -1.

    Parameters
    ----------
    correct : ndarray of shape (n_rounds, n)
    y, weight : ndarray of shape (n,)
        -1 and +1, and sample weights.

    Returns
    -------
    ClassRates
        Exactly 1 where all answers are correct, whatever the weights.
    """
    own = map(np.ascontiguousarray, (y, weight))
    return ClassRates(*_core.class_rates(np.ascontiguousarray(correct), *own))


def round_weights(errors: FloatArray) -> FloatArray:
    """Weights of the rounds before any is dropped: alpha = 1/2 log((sqrt 2 - eps) / eps)."""
    floored = np.maximum(np.minimum(errors, LARGEST_ERROR - SMALLEST_ERROR), SMALLEST_ERROR)
    return np.asarray(0.5 * np.log((LARGEST_ERROR - floored) / floored))


@dataclass(frozen=True, slots=True, eq=False)
class Selection:
    """The rounds that vote, and with which weight.

    Attributes
    ----------
    kept : ndarray of shape (..., n_rounds)
        Whether a round is in the set T.
    weights : ndarray of shape (..., n_rounds)
        alpha, zero for the rounds left out.
    rule : ndarray of str of shape (...)
        What chose them: "strict" (no worse than round 1 in eps and tpr, and eps at most
        1/sqrt 2), "relaxed" (without the comparison of eps), or "best_only" where both sets are
        empty or weigh nothing: the round with the smallest eps alone, with weight 1, of those
        that are no worse than guessing.
    """

    kept: BoolArray
    weights: FloatArray
    rule: NDArray[np.str_]


def select_rounds(errors: FloatArray, tpr: FloatArray) -> Selection:
    """Choose the set T and set the other weights to zero.

    The paper holds that the relaxed set always contains round 1. That is so unless eps_1 exceeds
    1/sqrt 2, as it does for a machine that answers the majority class throughout; then the best
    round is kept alone (:func:`_best_round`). So it is where eps_1 equals 1/sqrt 2 and no round is
    better: the set is not empty, but all its weights are zero. The relaxed set in fact never adds a
    round: it differs from the strict one only if eps_1 is at most 1/sqrt 2, and then the strict one
    has round 1. It is kept because the algorithm states it.

    Parameters
    ----------
    errors, tpr : ndarray of shape (..., n_rounds)
        eps and tpr of the rounds in order, of one problem or of several.

    Returns
    -------
    Selection
    """
    relaxed = (errors <= HALF_OF_LARGEST) & (tpr >= tpr[..., :1])
    strict = relaxed & (errors <= errors[..., :1])
    alpha = round_weights(errors)
    weights = np.where(strict, alpha, 0.0)
    if weights.any(axis=-1).all():
        return Selection(strict, weights, np.full(errors.shape[:-1], "strict"))
    if errors.ndim > 1:
        return _one_by_one(errors, tpr)
    weights = np.where(relaxed, alpha, 0.0)
    if weights.any():
        return Selection(relaxed, weights, np.array("relaxed"))
    best = np.arange(errors.size) == _best_round(errors, tpr)
    return Selection(best, best.astype(np.float64), np.array("best_only"))


def _one_by_one(errors: FloatArray, tpr: FloatArray) -> Selection:
    """Choose for problems that not all have a strict set."""
    own = [select_rounds(*each) for each in zip(errors, tpr, strict=True)]
    return Selection(
        *(np.stack([getattr(each, name) for each in own]) for name in ("kept", "weights", "rule"))
    )


def _best_round(errors: FloatArray, tpr: FloatArray) -> int:
    """Return the round with the smallest eps of those no worse than guessing, tpr + tnr >= 1.

    A round that is wrong more often than right in both classes together can have a smaller eps
    than one that answers a single class throughout; it is still the worse one. Where no round is
    as good as guessing, the first one, the plain SVM, is taken.
    """
    tnr = 1.0 - np.sqrt(np.maximum(errors**2 - (1.0 - tpr) ** 2, 0.0))
    guessing = tpr + tnr < 1.0 - ROUNDING
    return 0 if guessing.all() else int(np.argmin(np.where(guessing, np.inf, errors)))


# Of the compiled rounds: dual_coef, decision, log_scale and perturbation of shape (n_rounds, n),
# then intercepts, gaps, iterations and how each round ended. Last, decision values at the training
# points as new points get them; NaN in rounds whose own values do not tell them.
_ByPoints = tuple[FloatArray, FloatArray, FloatArray, FloatArray]
_ByRounds = tuple[list[float], list[float], list[int], list[str]]
Columns = tuple[*_ByPoints, *_ByRounds, FloatArray]


@dataclass(frozen=True, slots=True, eq=False)
class BoostingTrace:
    """What happened, round by round; row t-1 of an array is the paper's round t.

    Attributes
    ----------
    dual_coef : ndarray of shape (n_rounds, n)
        Signed dual coefficients, lambda_i y_i.
    intercept : ndarray of shape (n_rounds,)
        b.
    log_scale : ndarray of shape (n_rounds, n)
        log s: the logarithm of the product of the transformation factors D up to the round.
    perturbation : ndarray of shape (n_rounds, n)
        k, the perturbation parameters that made the round's factors.
    decision : ndarray of shape (n_rounds, n)
        f at the training points, in the round's own kernel: -1 or 1 at free support vectors, up
        to the solver's precision elsewhere.
    judged : ndarray of shape (n_rounds, n)
        The values at the training points that the round is judged by: `decision`, or those that
        they get as new points.
    tpr, tnr, errors : ndarray of shape (n_rounds,)
        Rates of correct answers on the training points, by `judged`, and eps.
    weights : ndarray of shape (n_rounds,)
        alpha; zero for the rounds that were not kept.
    kept : ndarray of shape (n_rounds,)
        Whether the round is in the set T.
    rule : str
        Which rule chose the rounds, see :class:`~kpboost.ensemble._boosting.Selection`.
    vote_tpr, vote_tnr : float
        Rates of correct answers of the vote, hard or soft.
    gap : ndarray of shape (n_rounds,)
        Violation gap of each solve.
    n_iter : ndarray of shape (n_rounds,)
        Iterations of each solve.
    interrupted : bool
        Whether Ctrl-C ended the loop before its last round.
    """

    dual_coef: FloatArray
    intercept: FloatArray
    log_scale: FloatArray
    perturbation: FloatArray
    decision: FloatArray
    judged: FloatArray
    tpr: FloatArray
    tnr: FloatArray
    errors: FloatArray
    weights: FloatArray
    kept: BoolArray
    rule: str
    vote_tpr: float
    vote_tnr: float
    gap: FloatArray
    n_iter: NDArray[np.int64]
    interrupted: bool

    @property
    def n_rounds(self) -> int:
        """Number of rounds that were done."""
        return len(self.log_scale)


def boost(
    gram: Any,
    y: FloatArray,
    bounds: FloatArray,
    *,
    step: float,
    n_rounds: int,
    rule: ResolutionRule = correctly_classified,
    as_new: bool = True,
    voting: str = HARD,
    weight: FloatArray | None = None,
    first: DualSolution | None = None,
    tol: float = 1e-6,
    max_iter: int | None = None,
    stop: StopFlag | None = None,
    on_round: Callable[[], None] | None = None,
) -> BoostingTrace:
    """Run the rounds of KPBoost-SVM on one two-class problem.

    A point with f = 0 counts as positive. Ctrl-C after the first round ends the loop with the
    rounds done so far.

    Parameters
    ----------
    gram : DenseGram, RBFRows or array of shape (n, n)
        K^0.
    y : ndarray of shape (n,)
        -1 and +1; +1 is the class that matters more, usually the rarer one.
    bounds : ndarray of shape (n,)
        Upper bounds of the dual coefficients.
    step : float
        Perturbation step, varsigma.
    n_rounds : int
        T.
    rule : callable, default=correctly_classified
        From the mask of correctly classified points to the mask of those losing resolution.
    as_new : bool, default=True
        Whether rounds are judged, weighed and chosen by the answers that the training points get
        as new points; False takes those in the round's own kernel, as the paper. Who loses
        resolution is always decided in the round's own kernel.
    voting : {"hard", "soft"}, default="hard"
        Whose rates are ``vote_tpr`` and ``vote_tnr``; nothing else depends on it.
    weight : ndarray of shape (n,), optional
        Sample weights for tpr and tnr; ones by default.
    first : DualSolution, optional
        The solution of round 1, if it is known already: it does not depend on `step`. Then at
        least this round is returned.
    tol, max_iter
        Of :func:`~kpboost.solvers.solve_dual`.
    stop : StopFlag, optional
        Another thread may set it to end the loop like Ctrl-C; Ctrl-C here sets it for the others.
    on_round : callable, optional
        Called after every round that is solved here.

    Returns
    -------
    BoostingTrace
    """
    problem = DualProblem(gram, y, bounds)
    stop = StopFlag() if stop is None else stop
    report = None if on_round is None else _setting(stop, on_round)
    if first is None:
        if stop.is_set():  # short solves never look at it
            raise KeyboardInterrupt
        first = problem.solve(tol=tol, max_iter=max_iter, stop=stop)
        if report is not None:
            with suppress(KeyboardInterrupt):
                report()
    columns = _core.boost(
        problem.gram,
        problem.target,
        problem.bound,
        step,
        1 if stop.is_set() else n_rounds,
        None if rule is correctly_classified else rule,
        first.dual_coef,
        first.decision,
        first.intercept,
        first.gap,
        first.rounding,
        first.n_iter,
        tol,
        DEFAULT_MAX_ITER if max_iter is None else max_iter,
        stop,
        report,
    )
    *_, gaps, n_iters, ends, _ = columns
    for gap, n_iter, end in zip(gaps, n_iters, ends, strict=True):
        if end != "converged":
            warn_of_gap(end, n_iter, gap, tol)
    interrupted = len(ends) < n_rounds
    if interrupted:
        stop.set()  # one Ctrl-C is for all problems, also for those still to come
    judged = _as_new_points(problem.gram, columns, stop) if as_new else columns[1]
    own_weight = np.ones(y.size) if weight is None else weight
    return _trace(columns, judged, y, own_weight, voting, interrupted)


def first_round_only(first: DualSolution, y: FloatArray, weight: FloatArray) -> BoostingTrace:
    """Return the trace of an interruption after round 1, whose kernel is that of new points."""
    coef, decision, zero = first.dual_coef[None], first.decision[None], np.zeros((1, y.size))
    numbers = [first.intercept], [first.gap], [first.n_iter], [first.status]
    columns = (coef, decision, zero, zero, *numbers, decision)
    return _trace(columns, decision, y, weight, HARD, interrupted=True)


def _as_new_points(gram: Any, columns: Columns, stop: StopFlag) -> FloatArray:
    """Decision values of all rounds at the training points, as new points get them."""
    coef, _, log_scale, _, intercept, *_, values = columns
    unknown = np.flatnonzero(np.isnan(values[:, 0]))
    if unknown.size:
        weights = coef[unknown] * np.exp(log_scale[unknown])
        try:
            sums = gram.product(weights)
        except KeyboardInterrupt:  # one Ctrl-C ends the rounds, which are there, and not this
            stop.set()
            sums = gram.product(weights)
        values[unknown] = sums + np.array(intercept)[unknown, None]
    return values


def _trace(
    columns: Columns,
    judged: FloatArray,
    y: FloatArray,
    weight: FloatArray,
    voting: str,
    interrupted: bool,
) -> BoostingTrace:
    coef, decision, log_scale, perturbation, intercept, gap, n_iter, *_ = columns
    rates = class_rates((judged >= 0) == (y > 0), y, weight)
    selection = select_rounds(rates.error, rates.tpr)
    rounds = judged.T[:, None], selection.weights[None], np.ones(1)
    votes = class_scores(*rounds, n_classes=2, multi_class="one_vs_one", voting=voting)
    voted = class_rates((votes > 0)[None] == (y > 0), y, weight)
    return BoostingTrace(
        dual_coef=coef,
        intercept=np.array(intercept),
        log_scale=log_scale,
        perturbation=perturbation,
        decision=decision,
        judged=judged,
        tpr=rates.tpr,
        tnr=rates.tnr,
        errors=rates.error,
        weights=selection.weights,
        kept=selection.kept,
        rule=str(selection.rule),
        vote_tpr=float(voted.tpr[0]),
        vote_tnr=float(voted.tnr[0]),
        gap=np.array(gap),
        n_iter=np.array(n_iter),
        interrupted=interrupted,
    )


def _setting(stop: StopFlag, on_round: Callable[[], None]) -> Callable[[], None]:
    """Return the report of a round, which sets the flag if Ctrl-C comes meanwhile."""

    def report() -> None:
        try:
            on_round()
        except KeyboardInterrupt:
            stop.set()
            raise

    return report
