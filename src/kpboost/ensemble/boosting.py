"""The boosting loop: one SVM per round on a Gram matrix between two diagonals.

Round t solves the SVM dual with the kernel K^t = D_t K^(t-1) D_t, where D_t(x_i) =
exp(-k_i^t f_(t-1)(x_i)^2) and k_i grows by one step whenever the rule says that point i loses
resolution. The products telescope, K^t = diag(s_t) K^0 diag(s_t) with

    log s_t = log s_(t-1) - k^t f_(t-1)^2,        log s_1 = 0,

so every round is the first Gram matrix under another ``scale``, and nothing n x n is copied. The
logarithm is kept because the products underflow.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kpboost.solvers import DualProblem, DualSolution, StopFlag
from kpboost.solvers.rescaled_start import CarriedStart, carried_start

from .resolution import ResolutionRule, correctly_classified
from .rounds import ClassRates, ClassWeights, select_rounds

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]

# With a larger k, products with squared decision values could overflow. exp(-k f^2) is 0 long
# before, unless f is.
LARGEST_PERTURBATION = 1e100


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
    tpr, tnr, errors : ndarray of shape (n_rounds,)
        Rates of correct answers on the training points, and eps.
    weights : ndarray of shape (n_rounds,)
        alpha; zero for the rounds that were not kept.
    kept : ndarray of shape (n_rounds,)
        Whether the round is in the set T.
    rule : str
        Which rule chose the rounds, see :class:`~kpboost.ensemble.rounds.Selection`.
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
    tpr: FloatArray
    tnr: FloatArray
    errors: FloatArray
    weights: FloatArray
    kept: BoolArray
    rule: str
    gap: FloatArray
    n_iter: NDArray[np.intp]
    interrupted: bool


@dataclass(frozen=True, slots=True, eq=False)
class _Round:
    solution: DualSolution
    decision: FloatArray
    log_scale: FloatArray
    perturbation: FloatArray
    rates: ClassRates


def boost(
    gram: Any,
    y: FloatArray,
    bounds: FloatArray,
    *,
    step: float,
    n_rounds: int,
    rule: ResolutionRule = correctly_classified,
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
    positive = y > 0
    class_weights = ClassWeights(y, np.ones(y.size) if weight is None else weight)
    log_scale, perturbation = np.zeros(y.size), np.zeros(y.size)
    rounds: list[_Round] = []
    start: CarriedStart | FloatArray | None = None
    try:
        for t in range(n_rounds):
            if t == 0 and first is not None:
                solution = first
            elif stop is not None and stop.is_set():  # short solves never look at it
                raise KeyboardInterrupt
            else:
                scale = np.exp(log_scale) if t else None
                solution = problem.solve(
                    scale=scale, start=start, tol=tol, max_iter=max_iter, stop=stop
                )
            on_margin = _on_margin(solution, bounds, tol)
            decision = np.where(on_margin, y, solution.decision)
            correct = (decision >= 0) == positive
            rates = class_weights.rates(correct)
            rounds.append(_Round(solution, decision, log_scale, perturbation, rates))
            if on_round is not None and solution is not first:
                on_round()
            if t + 1 == n_rounds:
                break
            perturbation = np.minimum(perturbation + step * rule(correct), LARGEST_PERTURBATION)
            loss = perturbation * decision**2
            log_scale = log_scale - loss
            start = carried_start(solution, -loss, on_margin)
    except KeyboardInterrupt:
        if not rounds:
            raise
        if stop is not None:  # one Ctrl-C is for all problems, also for those still to come
            stop.set()
    return _trace(rounds, interrupted=len(rounds) < n_rounds)


def _on_margin(solution: DualSolution, bounds: FloatArray, tol: float) -> BoolArray:
    """Tell which points are support vectors between their bounds, where f = y up to `tol`.

    Counting them as exactly there, as the exact solution has them, they all lose resolution
    alike, and the next round can start where it will end. After a failed solve, or where rounding
    alone keeps a point from its bound, f may be anything.
    """
    size = np.abs(solution.dual_coef)
    near = np.abs(np.sign(solution.dual_coef) * solution.decision - 1.0) <= tol
    return np.asarray((size > 0) & (size < bounds) & near)


def first_round_only(first: DualSolution, y: FloatArray, weight: FloatArray) -> BoostingTrace:
    """Return the trace of an interruption after round 1, without a Gram matrix."""
    correct = (first.decision >= 0) == (y > 0)
    zero = np.zeros(y.size)
    only = _Round(first, first.decision, zero, zero, ClassWeights(y, weight).rates(correct))
    return _trace([only], interrupted=True)


def _trace(rounds: list[_Round], interrupted: bool) -> BoostingTrace:
    errors = np.array([each.rates.error for each in rounds])
    tpr = np.array([each.rates.tpr for each in rounds])
    selection = select_rounds(errors, tpr)
    return BoostingTrace(
        dual_coef=np.array([each.solution.dual_coef for each in rounds]),
        intercept=np.array([each.solution.intercept for each in rounds]),
        log_scale=np.array([each.log_scale for each in rounds]),
        perturbation=np.array([each.perturbation for each in rounds]),
        decision=np.array([each.decision for each in rounds]),
        tpr=tpr,
        tnr=np.array([each.rates.tnr for each in rounds]),
        errors=errors,
        weights=selection.weights,
        kept=selection.kept,
        rule=selection.rule,
        gap=np.array([each.solution.gap for each in rounds]),
        n_iter=np.array([each.solution.n_iter for each in rounds], dtype=np.intp),
        interrupted=interrupted,
    )
