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

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kpboost import _core
from kpboost.solvers import DEFAULT_MAX_ITER, DualProblem, DualSolution, StopFlag
from kpboost.solvers.dual import warn_of_gap

from .resolution import ResolutionRule, correctly_classified
from .rounds import ClassWeights, select_rounds
from .voting import weighted_vote

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]
# Of the compiled rounds: dual_coef, decision, log_scale and perturbation of shape (n_rounds, n),
# then intercepts, gaps, iterations and how each round ended.
Columns = tuple[
    FloatArray, FloatArray, FloatArray, FloatArray, list[float], list[float], list[int], list[str]
]


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
        Which rule chose the rounds, see :class:`~kpboost.ensemble.rounds.Selection`.
    vote_tpr, vote_tnr : float
        Rates of correct answers of the vote.
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


def boost(
    gram: Any,
    y: FloatArray,
    bounds: FloatArray,
    *,
    step: float,
    n_rounds: int,
    rule: ResolutionRule = correctly_classified,
    as_new: bool = True,
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
    *_, gaps, n_iters, ends = columns
    for gap, n_iter, end in zip(gaps, n_iters, ends, strict=True):
        if end != "converged":
            warn_of_gap(end, n_iter, gap, tol)
    interrupted = len(ends) < n_rounds
    if interrupted:
        stop.set()  # one Ctrl-C is for all problems, also for those still to come
    judged = _as_new_points(problem.gram, columns, stop) if as_new else columns[1]
    own_weight = np.ones(y.size) if weight is None else weight
    return _trace(columns, judged, y, own_weight, interrupted)


def first_round_only(first: DualSolution, y: FloatArray, weight: FloatArray) -> BoostingTrace:
    """Return the trace of an interruption after round 1, whose kernel is that of new points."""
    coef, decision, zero = first.dual_coef[None], first.decision[None], np.zeros((1, y.size))
    numbers = [first.intercept], [first.gap], [first.n_iter], [first.status]
    columns = (coef, decision, zero, zero, *numbers)
    return _trace(columns, decision, y, weight, interrupted=True)


def _as_new_points(gram: Any, columns: Columns, stop: StopFlag) -> FloatArray:
    """Decision values of all rounds at the training points, as new points get them."""
    coef, _, log_scale, _, intercept, *_ = columns
    weights = coef * np.exp(log_scale)
    try:
        sums = gram.product(weights)
    except KeyboardInterrupt:  # one Ctrl-C ends the rounds, which are there, and not this
        stop.set()
        sums = gram.product(weights)
    return np.asarray(sums + np.array(intercept)[:, None])


def _trace(
    columns: Columns,
    judged: FloatArray,
    y: FloatArray,
    weight: FloatArray,
    interrupted: bool,
) -> BoostingTrace:
    coef, decision, log_scale, perturbation, intercept, gap, n_iter, _ = columns
    classes = ClassWeights(y, weight)
    rates = classes.rates((judged >= 0) == (y > 0))
    selection = select_rounds(rates.error, rates.tpr)
    votes = weighted_vote(judged.T[:, None], selection.weights[None], np.ones(1))[:, 0]
    voted = classes.rates((votes > 0) == (y > 0))
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
        rule=selection.rule,
        vote_tpr=float(voted.tpr),
        vote_tnr=float(voted.tnr),
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
