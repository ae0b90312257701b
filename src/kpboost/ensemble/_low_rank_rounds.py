"""The rounds of low-rank KPBoost: solved on a sample, judged on every row.

Round t is a linear machine on the rows s_i z_i (:mod:`kpboost.lowrank._machine`), begun from the
last round's. Then, as in kernel-perturbation boosting,

    k_i += step where row i is classified correctly,    log s_i -= k_i f_i^2.

A row's scale follows from its own features and the machines so far alone. So rows that took no part
in the solves need nothing but their answers as new points, f_t(x) = k(x)'(A v_t) + b_t, and one
pass over the data judges all rounds on every row, exactly.
"""

import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import linalg
from sklearn.exceptions import ConvergenceWarning

from kpboost import kernels
from kpboost._typing import BoolArray, FloatArray
from kpboost.lowrank import (
    Answers,
    Blocks,
    FeatureMap,
    Features,
    Machine,
    Posed,
    Rows,
    posed,
    solve,
)

from ._boosting import ClassRates, Selection, select_rounds
from ._voting import class_scores


class Resolution(NamedTuple):
    """What the rows of a block have lost: log s and k."""

    log_scale: FloatArray
    perturbation: FloatArray


def full_resolution(posed: Posed) -> Resolution:
    """Resolution before the first round."""
    return Resolution(np.zeros(posed.y.size), np.zeros(posed.y.size))


def log_scale_of(resolution: Resolution) -> FloatArray:
    """Return log s."""
    return resolution.log_scale


def perturbed(before: Resolution, posed: Posed, answers: Answers, step: float) -> Resolution:
    """Resolution after a round with these answers; f = 0 counts as positive."""
    correct = (answers.f >= 0) == (posed.y > 0)
    perturbation = before.perturbation + step * correct
    return Resolution(before.log_scale - perturbation * answers.f**2, perturbation)


def wrong_answers(posed: Posed, values: FloatArray) -> FloatArray:
    """Weights of the positive and of the negative rows of a block with a wrong answer."""
    wrong = ((values >= 0) != (posed.y > 0)) * posed.weight
    return np.array([wrong[posed.y > 0].sum(), wrong[posed.y < 0].sum()])


def side_sums(posed: Posed) -> FloatArray:
    """Weights of the positive and of the negative rows of a block."""
    return np.array([posed.weight[posed.y > 0].sum(), posed.weight[posed.y < 0].sum()])


@dataclass(frozen=True, slots=True, eq=False)
class RoundPlan:
    """How rounds are made.

    Attributes
    ----------
    n_rounds : int
        T.
    step : float
        Perturbation step.
    delta, tol, max_iter
        Of :func:`~kpboost.lowrank._machine.solve`.
    patience : int or None
        Rounds in a row that may not vote, in every problem, after which no more are made; None
        makes all.
    """

    n_rounds: int
    step: float
    delta: float
    tol: float
    max_iter: int
    patience: int | None


def as_new_values(answers: Answers, b: float) -> FloatArray:
    """Decision values that the rows of a block get as new points, z_i'v + b."""
    return answers.product + b


# Round 1 begins from the machine of one row in so many, where there are enough of them, which is
# solved roughly: most of its steps then are short.
STRIDE = 8
ENOUGH_ROWS = 2000
ROUGH_TOLERANCE = 1e-2


def thinned(features: Features, stride: int) -> Features:
    """One row in so many of a block, copied, so that the block need not stay."""
    rows = slice(None, None, stride)
    Z, codes, weight = features.Z[rows], features.codes[rows], features.weight[rows]
    return Features(Z.copy(), codes.copy(), weight.copy())


def n_rows(problem: Posed) -> int:
    """Return the number of rows of a block."""
    return problem.y.size


class ProblemRounds:
    """The rounds of one two-class problem, on the rows that the machines are solved on.

    Parameters
    ----------
    features : Blocks
        Of :class:`~kpboost.lowrank._features.Features`.
    n_components : int
        Number of features.
    sides : ndarray of shape (n_classes,)
        -1, 0 or +1 by class; +1 is the positive, usually rarer side.
    factors : ndarray of shape (n_classes,)
        C times the class weights.
    """

    def __init__(
        self, features: Blocks, n_components: int, sides: FloatArray, factors: FloatArray
    ) -> None:
        self.features = features
        self.sides, self.factors = sides, factors
        self.problem = features.each(posed, sides, factors)
        self.side_mass = self.problem.total(side_sums)
        self.machines: list[Machine] = []
        self._wrong: list[FloatArray] = []
        self._resolution = self.problem.each(full_resolution)
        self._start = np.zeros(n_components), 0.0
        self._answers: Blocks | None = None  # of the last round

    @property
    def rates(self) -> ClassRates:
        """Rates of correct predictions on these rows, by round."""
        return rates_of(np.array(self._wrong), self.side_mass)

    def has_failed(self, plan: RoundPlan) -> bool:
        """Tell whether so many rounds in a row may not vote that no more should be made."""
        if plan.patience is None or len(self.machines) <= plan.patience:
            return False
        rates = self.rates
        may_vote = (rates.error <= rates.error[0]) & (rates.tpr >= rates.tpr[0])
        return not may_vote[-plan.patience :].any()

    def go_on(self, plan: RoundPlan) -> None:
        """Make one more round."""
        if not self.machines:
            self._begin(plan)
        machine, answers = solve(
            self.features,
            self.problem,
            self._resolution.each(log_scale_of),
            start=self._start,
            delta=plan.delta,
            tol=plan.tol,
            max_iter=plan.max_iter,
            known=self._answers,
        )
        wrong = self.problem.total(wrong_answers, answers.each(as_new_values, machine.b))
        after = self._resolution.each(perturbed, self.problem, answers, plan.step)
        # All or nothing, should Ctrl-C come.
        self._resolution, self._start = after, (machine.v, machine.b)
        self._answers = answers
        self._wrong.append(wrong)
        self.machines.append(machine)

    def _begin(self, plan: RoundPlan) -> None:
        """Look for a place to begin from on a few of the rows, if both sides have enough."""
        features = self.features.each(thinned, STRIDE)
        problem = features.each(posed, self.sides, STRIDE * self.factors)
        if problem.total(n_rows) < ENOUGH_ROWS or not problem.total(side_sums).all():
            return
        scale = problem.each(full_resolution).each(log_scale_of)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            rough, _ = solve(
                features,
                problem,
                scale,
                start=self._start,
                delta=plan.delta,
                tol=max(plan.tol, ROUGH_TOLERANCE),
                max_iter=plan.max_iter,
            )
        self._start = rough.v, rough.b

    def vote_rates(self, weights: FloatArray, voting: str) -> ClassRates:
        """Rates of correct predictions of the vote on these rows."""
        v = np.array([machine.v for machine in self.machines])
        b = np.array([machine.b for machine in self.machines])
        votes = self.features.each(_votes, v, b, weights, voting)
        return rates_of(self.problem.total(wrong_answers, votes), self.side_mass)


def _votes(
    features: Features, v: FloatArray, b: FloatArray, weights: FloatArray, voting: str
) -> FloatArray:
    values = features.Z @ v.T.astype(np.float32) + b
    rounds = values[:, None], weights[None], np.ones(1)
    return class_scores(*rounds, n_classes=2, multi_class="one_vs_one", voting=voting)


def rates_of(wrong: FloatArray, side_mass: FloatArray) -> ClassRates:
    """Rates of correct answers, from weights (..., 2) of wrong ones; exactly 1 where none is."""
    share = np.asarray(wrong / side_mass)
    return ClassRates(tpr=1.0 - share[..., 0], tnr=1.0 - share[..., 1])


def make_rounds(
    problems: Sequence[ProblemRounds], plan: RoundPlan, on_round: Callable[[], None]
) -> bool:
    """Make the rounds of all problems, round by round.

    Ctrl-C ends it with the rounds that are made, once every problem has its first.

    Parameters
    ----------
    problems : sequence of ProblemRounds
    plan : RoundPlan
    on_round : callable
        Called after every round of a problem.

    Returns
    -------
    bool
        Whether Ctrl-C came.
    """
    for problem in problems:
        problem.go_on(plan)
        on_round()
    with suppress(KeyboardInterrupt):
        for _ in range(1, plan.n_rounds):
            if all(problem.has_failed(plan) for problem in problems):
                break
            for problem in problems:
                problem.go_on(plan)
                on_round()
        return False
    return True


@dataclass(frozen=True, slots=True, eq=False)
class LandmarkMachines:
    """The rounds of all problems as kernel machines on the landmarks.

    Rounds that a problem did not make have coefficients 0.

    Attributes
    ----------
    landmarks : ndarray of shape (m, d)
    gamma : float
    coef : ndarray of shape (n_problems, n_rounds, m)
        A v_t; positive values mean the positive side of a problem.
    intercept : ndarray of shape (n_problems, n_rounds)
    """

    landmarks: FloatArray
    gamma: float
    coef: FloatArray
    intercept: FloatArray

    def values(self, X: FloatArray) -> FloatArray:
        """Decision values f_t at new points: (n, n_problems, n_rounds)."""
        return self._by_problem(kernels.rbf_decision, X)

    def signed_values(self, X: FloatArray) -> FloatArray:
        """Decision values with the same signs, in less time and with fewer digits."""
        return self._by_problem(kernels.signed_rbf_decision, X)

    def _by_problem(self, decision: Callable[..., FloatArray], X: FloatArray) -> FloatArray:
        flat = decision(
            X,
            self.landmarks,
            gamma=self.gamma,
            coef=self.coef.reshape(-1, len(self.landmarks)),
            intercept=self.intercept.ravel(),
        )
        return flat.reshape(len(X), *self.intercept.shape)


def as_machines(problems: Sequence[ProblemRounds], feature_map: FeatureMap) -> LandmarkMachines:
    """Write the rounds of all problems over the landmarks."""
    n_rounds = max(len(problem.machines) for problem in problems)
    coef = np.zeros((len(problems), n_rounds, len(feature_map.landmarks)))
    intercept = np.zeros((len(problems), n_rounds))
    for own, offsets, problem in zip(coef, intercept, problems, strict=True):
        for t, machine in enumerate(problem.machines):
            own[t], offsets[t] = feature_map.transform @ machine.v, machine.b
    return LandmarkMachines(feature_map.landmarks, feature_map.gamma, coef, intercept)


def judged(
    rows: Rows, machines: LandmarkMachines, sides: FloatArray, factors: FloatArray, delta: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Ask all rounds about the rows of a block, and how round 1 pulls at them.

    Parameters
    ----------
    rows : Rows
    machines : LandmarkMachines
    sides : ndarray of shape (n_problems, n_classes)
        -1, 0 or +1.
    factors : ndarray of shape (n_classes,)
        C times the class weights.
    delta : float
        Width of the smoothed corner of the hinge.

    Returns
    -------
    wrong : ndarray of shape (n_problems, n_rounds, 2)
        Weights of the positive and the negative rows that are answered wrongly.
    pulls : ndarray of shape (n_problems, m)
        Sum of k(x_i) y_i c_i u_i in round 1.
    pulls_b : ndarray of shape (n_problems,)
        Sum of y_i c_i u_i in round 1.
    """
    pulls = np.zeros((len(sides), len(machines.landmarks)))
    if not rows.codes.size:
        return np.zeros((*machines.intercept.shape, 2)), pulls, np.zeros(len(sides))
    values = machines.signed_values(rows.X)
    y = sides[:, rows.codes]  # (n_problems, n)
    wrong = ((values.transpose(1, 2, 0) >= 0) != (y > 0)[:, None]) * rows.weight
    by_side = [(wrong * side[:, None]).sum(axis=2) for side in (y > 0, y < 0)]
    r = 1.0 - y * values[:, :, 0].T
    force = y * factors[rows.codes] * rows.weight * np.clip(r / delta, 0.0, 1.0)
    pulling = force.any(axis=0)
    if pulling.any():
        block = kernels.rbf_kernel(rows.X[pulling], machines.landmarks, gamma=machines.gamma)
        pulls = force[:, pulling] @ block
    return np.stack(by_side, axis=-1), pulls, force.sum(axis=1)


def decrement_on_all_rows(
    first: Machine, feature_map: FeatureMap, pull: FloatArray, pull_b: float
) -> float:
    """Share of round 1's objective that a Newton step on all rows would promise to save.

    The gradient is that of all rows, the Hessian that of the rows of the solve, which stand for
    them.

    Parameters
    ----------
    first : Machine
    feature_map : FeatureMap
    pull : ndarray of shape (m,)
    pull_b : float
        From :func:`judged`.

    Returns
    -------
    float
    """
    gradient = np.append(first.v - feature_map.transform.T @ pull, -pull_b)
    step = linalg.cho_solve(linalg.cho_factor(first.hessian), gradient)
    return 0.5 * float(gradient @ step) / first.objective if first.objective > 0 else 0.0


@dataclass(frozen=True, slots=True, eq=False)
class JudgedProblem:
    """One problem's rounds as they were judged; rounds that were not made have NaN and 0.

    Attributes
    ----------
    tpr, tnr, errors, weights : ndarray of shape (n_rounds,)
    kept : ndarray of shape (n_rounds,)
    n_iter : ndarray of shape (n_rounds,)
        Steps of the solves.
    rule : str
        What chose the rounds that vote.
    n_rounds : int
        Rounds that were made.
    vote_tpr, vote_tnr : float
        Rates of the vote.
    interrupted : bool
    """

    tpr: FloatArray
    tnr: FloatArray
    errors: FloatArray
    weights: FloatArray
    kept: BoolArray
    n_iter: NDArray[np.int64]
    rule: str
    n_rounds: int
    vote_tpr: float
    vote_tnr: float
    interrupted: bool


def verdict(
    problem: ProblemRounds, rates: ClassRates, n_rounds: int, voting: str, interrupted: bool
) -> JudgedProblem:
    """Choose the rounds of a problem that vote.

    Parameters
    ----------
    problem : ProblemRounds
    rates : ClassRates
        Of at least as many rounds as were made.
    n_rounds : int
        Length of the arrays.
    voting : {"hard", "soft"}
    interrupted : bool

    Returns
    -------
    JudgedProblem
    """
    made = len(problem.machines)
    own = ClassRates(rates.tpr[:made], rates.tnr[:made])
    selection: Selection = select_rounds(own.error, own.tpr)
    vote = problem.vote_rates(selection.weights, voting)
    n_iter = np.array([machine.n_iter for machine in problem.machines])

    def padded(values: NDArray[Any], filler: float) -> NDArray[Any]:
        return np.append(values, np.full(n_rounds - made, filler, dtype=values.dtype))

    return JudgedProblem(
        tpr=padded(own.tpr, np.nan),
        tnr=padded(own.tnr, np.nan),
        errors=padded(own.error, np.nan),
        weights=padded(selection.weights, 0.0),
        kept=padded(selection.kept, False),
        n_iter=padded(n_iter, 0),
        rule=str(selection.rule),
        n_rounds=made,
        vote_tpr=float(vote.tpr),
        vote_tnr=float(vote.tnr),
        interrupted=interrupted,
    )
