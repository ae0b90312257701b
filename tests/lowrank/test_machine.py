"""The machine of a round against other solvers of the same problem."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import approx_fprime, minimize
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC

from kpboost.lowrank._engine import LocalBlocks
from kpboost.lowrank._features import Features
from kpboost.lowrank._machine import Answers, newton_sums, posed, solve, zero_of_slope
from kpboost.solvers import solve_dual

# The features are in single precision, and the objective of the others in double.
SAME_OBJECTIVE = 1e-6


class Case:
    """Rows of a two-class problem with scales, in as many blocks as asked for."""

    def __init__(self, seed, n=300, r=6, n_blocks=3, share=0.2, separable=False):
        rng = np.random.default_rng(seed)
        self.y = np.where(rng.random(n) < share, 1.0, -1.0)
        self.y[:2] = 1.0, -1.0
        self.Z = (rng.normal(size=(n, r)) + 0.7 * self.y[:, None]).astype(np.float32)
        if separable:
            self.Z = ((np.abs(self.Z) + 1.0) * self.y[:, None]).astype(np.float32)
        self.log_scale = np.zeros(n) if separable else -rng.exponential(0.5, n)
        self.weight = rng.uniform(0.5, 2.0, n)
        self.factors = np.array([0.3, 1.5])
        self.cost = self.factors[(self.y > 0).astype(int)] * self.weight
        codes = (self.y > 0).astype(np.intp)
        parts = np.array_split(np.arange(n), n_blocks)
        self.features = LocalBlocks([Features(self.Z[i], codes[i], self.weight[i]) for i in parts])
        self.problem = self.features.each(posed, np.array([-1.0, 1.0]), self.factors)
        self.scales = LocalBlocks([self.log_scale[i] for i in parts])

    def objective(self, point, delta):
        v, b = point[:-1], point[-1]
        r = 1.0 - self.y * (np.exp(self.log_scale) * (self.Z.astype(float) @ v) + b)
        corner, line = r**2 / (2 * delta), r - delta / 2
        loss = np.where(r <= 0, 0.0, np.where(r < delta, corner, line))
        return 0.5 * v @ v + self.cost @ loss

    def solve(self, delta=0.5, tol=1e-9, max_iter=60, start=None, known=None):
        start = (np.zeros(self.Z.shape[1]), 0.0) if start is None else start
        blocks = self.features, self.problem, self.scales
        return solve(*blocks, start=start, delta=delta, tol=tol, max_iter=max_iter, known=known)


@pytest.mark.parametrize("delta", [0.5, 0.1])
@pytest.mark.parametrize("seed", range(6))
def test_scipy_finds_no_better_point(seed, delta):
    case = Case(seed, share=[0.5, 0.2, 0.02][seed % 3])
    machine, _ = case.solve(delta)
    found = np.append(machine.v, machine.b)
    own = case.objective(found, delta)
    options = {"maxiter": 5000, "maxfun": 10**6, "ftol": 1e-15, "gtol": 1e-9}
    other = minimize(case.objective, np.zeros(found.size), (delta,), "L-BFGS-B", options=options)
    assert own <= other.fun * (1 + SAME_OBJECTIVE)
    assert_allclose(machine.objective, own, rtol=SAME_OBJECTIVE)
    assert np.linalg.norm(approx_fprime(found, lambda p: case.objective(p, delta))) < 1e-2


def test_the_decision_values_are_those_of_the_machine():
    case = Case(0)
    machine, answers = case.solve()
    product = case.Z.astype(float) @ machine.v
    values = np.exp(case.log_scale) * product + machine.b
    assert_allclose(np.concatenate([own.f for own in answers.parts]), values, atol=1e-5)
    assert_allclose(np.concatenate([own.product for own in answers.parts]), product, atol=1e-5)


def test_answers_under_other_scales_save_a_look_at_the_features():
    case = Case(6)
    machine, answers = case.solve()
    case.scales = case.scales.each(np.multiply, 0.5)
    start = machine.v, machine.b
    again, _ = case.solve(start=start)
    saved, _ = case.solve(start=start, known=answers)
    assert_allclose(saved.v, again.v, atol=1e-5)
    assert saved.n_iter == again.n_iter > 1


@pytest.mark.parametrize("seed", range(3))
def test_a_narrow_corner_is_the_hinge_of_libsvm_and_of_our_dual(seed):
    case = Case(seed, n=200)
    machine, _ = case.solve(delta=1e-3, tol=1e-7, max_iter=300)
    rows = np.exp(case.log_scale)[:, None] * case.Z.astype(float)
    theirs = SVC(kernel="linear", C=1.0, tol=1e-8).fit(rows, case.y, sample_weight=case.cost)
    ours = solve_dual(rows @ rows.T, case.y, case.cost)
    assert_allclose(rows @ machine.v + machine.b, theirs.decision_function(rows), atol=0.02)
    assert_allclose(rows @ machine.v + machine.b, ours.decision, atol=0.02)


def test_gradient_and_hessian_are_derivatives():
    case = Case(1, n=80, r=3, n_blocks=1)
    point = np.array([0.2, -0.1, 0.3, 0.05])

    def sums(p):
        f = np.exp(case.log_scale) * (case.Z.astype(float) @ p[:-1]) + p[-1]
        (features,), (problem,) = case.features.parts, case.problem.parts
        return newton_sums(features, problem, case.log_scale, Answers(f, f), 0.5)

    _, gradient, hessian = sums(point)
    step = 1e-6
    for j, unit in enumerate(np.eye(4)):
        above, below = sums(point + step * unit), sums(point - step * unit)
        assert_allclose((above[0] - below[0]) / (2 * step), gradient[j], rtol=1e-4, atol=1e-4)
        slope = (above[1] - below[1]) / (2 * step)
        assert_allclose(slope, hessian[j], atol=2.0)  # gradients are in single precision
    assert_allclose(hessian, hessian.T)


def test_a_start_at_the_solution_needs_no_newton_step():
    case = Case(2)
    first, _ = case.solve(tol=1e-8)
    again, _ = case.solve(tol=1e-4, start=(first.v, first.b))
    assert first.n_iter > 2
    assert again.n_iter == 1
    assert_allclose(again.b, first.b, atol=1e-4)


def test_blocks_change_the_last_digits_only():
    whole, cut = Case(3, n_blocks=1), Case(3, n_blocks=7)
    assert_allclose(whole.solve()[0].v, cut.solve()[0].v, atol=1e-5)


def test_rows_of_no_side_take_no_part():
    case = Case(4)
    (first, *others) = case.features.parts
    strange = Features(first.Z * 50, np.full(first.codes.size, 2), first.weight)
    features = LocalBlocks([first, *others, strange])
    sides, factors = np.array([-1.0, 1.0, 0.0]), np.append(case.factors, 9.0)
    problem = features.each(posed, sides, factors)
    scales = LocalBlocks([*case.scales.parts, np.zeros(first.codes.size)])
    start = np.zeros(first.Z.shape[1]), 0.0
    machine, _ = solve(features, problem, scales, start=start, delta=0.5, tol=1e-9, max_iter=60)
    assert_allclose(machine.v, case.solve()[0].v, atol=1e-5)


def test_separable_rows():
    case = Case(5, separable=True)
    machine, answers = case.solve()
    assert np.isfinite(machine.v).all()
    assert ((np.concatenate([own.f for own in answers.parts]) > 0) == (case.y > 0)).all()


def test_too_few_steps_are_said():
    with pytest.warns(ConvergenceWarning, match="did not converge in 1 Newton steps"):
        Case(0).solve(tol=1e-12, max_iter=1)


@pytest.mark.parametrize(
    ("knots", "values", "zero"),
    [
        ([0, 1, 2], [-4.0, -1.0, 3.0], 1.25),
        ([-3, -2, 5], [-1.0, 6.0, 7.0], -2 - 6 / 7),
        ([0, 1, 100, 101], [-3.0, -1e-6, -1e-6, 5.0], 100.0000002),
        ([0, 1], [0.0, 1.0], 0.0),
    ],
)
def test_zero_of_a_piecewise_linear_slope(knots, values, zero):
    ends = np.diff(values)[[0, -1]] / np.diff(knots)[[0, -1]]

    def slope_at(x):
        if x <= knots[0]:
            return values[0] + ends[0] * (x - knots[0]), ends[0]
        if x >= knots[-1]:
            return values[-1] + ends[1] * (x - knots[-1]), ends[1]
        piece = np.searchsorted(knots, x, side="right") - 1
        bend = np.diff(values)[piece] / np.diff(knots)[piece]
        return np.interp(x, knots, values), bend

    assert_allclose(zero_of_slope(slope_at), zero, atol=1e-6)
