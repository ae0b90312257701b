"""The loop of AdaBoost-SVM: discrete AdaBoost over SVMs whose kernel narrows when they fail.

Round t solves the SVM dual with bounds proportional to the weights w of AdaBoost and a Gaussian of
width sigma. Its error is e = sum of w over the misclassified points. If e < 1/2 the machine is
kept, votes with alpha = 1/2 log((1 - e) / e), and w_i is multiplied by exp(-alpha y_i h(x_i)); the
width stays. Otherwise the machine is dropped, the weights stay, and sigma loses one step.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from kpboost._typing import FloatArray
from kpboost.solvers import DualSolution, StopFlag, solve_dual

# How often the step is halved if the widths run out before any machine was kept.
MOST_HALVINGS = 20


@dataclass(slots=True)
class WidthSchedule:
    """The current width, which only falls and never to the last one.

    Attributes
    ----------
    now : float or None
        Width to try, above ``last``; None when there is none left. sigma
    last : float
        Lower end, itself never tried. sigma_min
    step : float
        What a failure costs. sigma_step
    halvings : int
        How often the step was halved.
    """

    now: float | None
    last: float
    step: float
    halvings: int = 0

    def __post_init__(self) -> None:
        self._move_to(self.now)

    def narrow(self, *, urgent: bool) -> None:
        """Take one step down.

        Parameters
        ----------
        urgent : bool
            Whether no machine was kept so far. A step that would lead out of the range is halved
            then, at most MOST_HALVINGS times in all.
        """
        if self.now is None:
            return
        while urgent and self.now - self.step <= self.last and self.halvings < MOST_HALVINGS:
            self.step /= 2.0
            self.halvings += 1
        self._move_to(self.now - self.step)

    def _move_to(self, width: float | None) -> None:
        self.now = width if width is not None and width > self.last else None


class DiversityGate:
    """Admit machines that keep the ensemble diverse.

    The diversity of round t is the share of points where its machine contradicts the ensemble of
    the rounds before; that of the first round counts as 0. The mean over all rounds, with the
    candidate's, must not fall below a fraction of the largest mean so far.

    Parameters
    ----------
    fraction : float or None
        eta; None admits every machine.
    share : ndarray of shape (n,)
        Weights of the points, with a sum of 1.
    """

    def __init__(self, fraction: float | None, share: FloatArray) -> None:
        self.fraction = fraction
        self.share = share
        self.votes = np.zeros(share.size)
        self.n_rounds = 0
        self.total = 0.0
        self.largest = 0.0

    def admits(self, answers: FloatArray) -> bool:
        """Tell whether a machine with these answers, -1 or +1, is diverse enough."""
        if self.fraction is None or self.n_rounds == 0:
            return True
        return self._mean_with(answers) >= self.fraction * self.largest

    def add(self, answers: FloatArray, vote: float) -> None:
        """Take a machine into the ensemble."""
        self.largest = max(self.largest, self._mean_with(answers))
        self.total += self._disagreement(answers)
        self.n_rounds += 1
        self.votes = self.votes + vote * answers

    def _mean_with(self, answers: FloatArray) -> float:
        return (self.total + self._disagreement(answers)) / (self.n_rounds + 1)

    def _disagreement(self, answers: FloatArray) -> float:
        if self.n_rounds == 0:
            return 0.0
        ensemble = np.where(self.votes >= 0.0, 1.0, -1.0)
        return float(self.share @ (answers != ensemble))


# An error of 0 would give an infinite vote; this caps it at about 11.5.
SMALLEST_ERROR = 1e-10
# From here on a machine is no better than chance. A machine that repeats the answers of the last
# one errs by 1/2 exactly, but for rounding, which must not decide.
CHANCE = 0.5 - 1e-12
# Features of a large scale make thousands of steps between the first and the last width. So many
# machines in a row without one to keep end the loop.
MOST_FAILURES = 200
# The vote of the only machine, if none was better than chance.
LONE_VOTE = 1.0


@dataclass(frozen=True, slots=True)
class WidthPlan:
    """Widths to go through, and what to ask of the machines.

    Attributes
    ----------
    first, last : float
        The first width, and the one that no other may fall to. sigma_ini, sigma_min
    step : float
        What a failure costs. sigma_step
    diversity : float or None
        None is the plain algorithm. A number asks each machine for at least this share of the
        largest diversity so far. eta
    """

    first: float
    last: float
    step: float
    diversity: float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class WidthTrace:
    """Machines that were kept, in order.

    Attributes
    ----------
    dual_coef : ndarray of shape (n_rounds, n)
        Signed dual coefficients, lambda_i y_i.
    intercept : ndarray of shape (n_rounds,)
    length_scales : ndarray of shape (n_rounds,)
        sigma.
    errors, weights : ndarray of shape (n_rounds,)
        e_t and alpha_t.
    n_failures : int
        Number of machines that were dropped.
    ending : str
        "complete" (all rounds done), "separated" (a machine without error), "narrowest" (no width
        left), "patience" (MOST_FAILURES in a row) or "none_kept" (one machine, at the last width).
    """

    dual_coef: FloatArray
    intercept: FloatArray
    length_scales: FloatArray
    errors: FloatArray
    weights: FloatArray
    n_failures: int
    ending: str


@dataclass(frozen=True, slots=True, eq=False)
class _Kept:
    solution: DualSolution
    length_scale: float
    error: float
    vote: float


def boost_widths(
    gram_of: Callable[[float], Any],
    y: FloatArray,
    bounds: FloatArray,
    weight: FloatArray,
    plan: WidthPlan,
    *,
    n_rounds: int,
    tol: float = 1e-6,
    stop: StopFlag | None = None,
) -> WidthTrace:
    """Run AdaBoost-SVM on one two-class problem; a point with f = 0 counts as positive.

    Parameters
    ----------
    gram_of : callable
        From a width to the Gram matrix of the points.
    y : ndarray of shape (n,)
        -1 and +1.
    bounds : ndarray of shape (n,)
        Upper bounds of the dual coefficients in the first round, sample weights included.
    weight : ndarray of shape (n,)
        Sample weights, positive: where the weights of AdaBoost start, up to a factor.
    plan : WidthPlan
    n_rounds : int
        Most machines to keep. T
    tol, stop
        Of :func:`~kpboost.solvers.solve_dual`.

    Returns
    -------
    WidthTrace
    """
    first = weight / weight.sum()
    share, failures, in_a_row = first, 0, 0
    kept: list[_Kept] = []
    widths = WidthSchedule(plan.first, plan.last, plan.step)
    gate = DiversityGate(plan.diversity, first)
    gram, start = None, None
    while (sigma := widths.now) is not None and len(kept) < n_rounds and in_a_row < MOST_FAILURES:
        if stop is not None and stop.is_set():  # short solves never look at it
            raise KeyboardInterrupt
        gram = gram_of(sigma) if gram is None else gram
        solution = solve_dual(gram, y, bounds * (share / first), start=start, tol=tol, stop=stop)
        start = solution.dual_coef  # also of a machine that fails: the next one is near
        answers = _answers(solution, tol)
        error = float(share[answers != y].sum())
        if error >= CHANCE or not gate.admits(answers):
            failures, in_a_row, gram = failures + 1, in_a_row + 1, None
            widths.narrow(urgent=not kept)
            continue
        vote, in_a_row = _vote(error), 0
        kept.append(_Kept(solution, sigma, error, vote))
        gate.add(answers, vote)
        if error == 0.0:
            break
        share = share * np.exp(-vote * y * answers)
        share = share / share.sum()
    if not kept:
        solution = solve_dual(gram_of(plan.last), y, bounds, start=start, tol=tol, stop=stop)
        error = float(first[_answers(solution, tol) != y].sum())
        kept.append(_Kept(solution, plan.last, error, LONE_VOTE))
        return _trace(kept, failures, "none_kept")
    return _trace(kept, failures, _ending(kept, n_rounds, in_a_row))


def _answers(solution: DualSolution, tol: float) -> FloatArray:
    """Labels of the training points; f is known up to tol, and within it of 0 counts as 0."""
    return np.where(solution.decision >= -tol, 1.0, -1.0)


def _vote(error: float) -> float:
    clipped = max(error, SMALLEST_ERROR)
    return 0.5 * math.log((1.0 - clipped) / clipped)


def _ending(kept: list[_Kept], n_rounds: int, in_a_row: int) -> str:
    if kept[-1].error == 0.0:
        return "separated"
    if len(kept) == n_rounds:
        return "complete"
    return "patience" if in_a_row == MOST_FAILURES else "narrowest"


def _trace(kept: list[_Kept], failures: int, ending: str) -> WidthTrace:
    return WidthTrace(
        dual_coef=np.array([each.solution.dual_coef for each in kept]),
        intercept=np.array([each.solution.intercept for each in kept]),
        length_scales=np.array([each.length_scale for each in kept]),
        errors=np.array([each.error for each in kept]),
        weights=np.array([each.vote for each in kept]),
        n_failures=failures,
        ending=ending,
    )
