"""Optimality measures: next to a general-purpose optimiser, then the theorems of duality."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.testing import assert_allclose
from scipy.optimize import LinearConstraint, minimize
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC

from kpboost.solvers import solve_dual
from kpboost.solvers.optimality import (
    dual_objective,
    duality_gap,
    field,
    intercept_of,
    violation_gap,
)
from support.random_problems import Recipe, build
from support.verdict import assert_consistent, assert_feasible, assert_solved


def random_problem(seed, n=12):
    """A small problem with bounds of different sizes, some of them zero."""
    rng = np.random.default_rng(seed)
    gram = rbf_kernel(rng.normal(size=(n, 2)), gamma=0.7)
    y = np.where(np.arange(n) % 3 == 0, 1.0, -1.0)
    C = rng.choice([0.0, 0.5, 1.0, 4.0], size=n)
    return gram, y, C, rng


def feasible_point(y, C, rng):
    """A random beta inside the box with sum zero: the heavier side is shrunk to the lighter."""
    beta = y * C * rng.choice([0.0, 0.3, 1.0], size=y.size)
    positive, negative = beta[beta > 0].sum(), -beta[beta < 0].sum()
    total = min(positive, negative)
    beta[beta > 0] *= total / max(positive, 1e-300)
    beta[beta < 0] *= total / max(negative, 1e-300)
    return beta


def scipy_solution(gram, y, C):
    """The same problem in a general-purpose optimiser, by the first form of the statement."""
    Q = gram * np.outer(y, y)
    answer = minimize(
        lambda a: 0.5 * a @ Q @ a - a.sum(),
        np.zeros(y.size),
        jac=lambda a: Q @ a - 1.0,
        bounds=[(0.0, c) for c in C],
        constraints=LinearConstraint(y, 0.0, 0.0),
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    )
    return np.clip(answer.x, 0.0, C) * y, answer.fun


@pytest.mark.parametrize("seed", range(5))
def test_an_independent_optimum_has_no_gap(seed):
    gram, y, C, _ = random_problem(seed)
    beta, objective = scipy_solution(gram, y, C)
    # The optimiser leaves bounds by rounding errors; a margin decides what is at a bound.
    beta[np.abs(beta) < 1e-9] = 0.0
    full = np.abs(beta) > C - 1e-9
    beta[full] = (y * C)[full]
    values = field(gram, beta)
    intercept = intercept_of(values, y, C, beta)
    assert_allclose(dual_objective(values, y, beta), objective, rtol=1e-9)
    assert violation_gap(values, y, C, beta) < 1e-5
    assert abs(duality_gap(values, y, C, beta, intercept)) < 1e-5


@given(seed=st.integers(0, 10_000))
def test_weak_duality_and_the_gap_of_any_feasible_point(seed):
    gram, y, C, rng = random_problem(seed)
    beta = feasible_point(y, C, rng)
    values = field(gram, beta)
    violation = violation_gap(values, y, C, beta)
    intercept = intercept_of(values, y, C, beta)
    primal_dual = duality_gap(values, y, C, beta, intercept)
    assert violation >= 0.0
    assert primal_dual >= -1e-12
    # Each point's share of the duality gap is at most C_i times its own violation.
    residual = y - values
    assert primal_dual <= C @ np.abs(residual - intercept) + 1e-12


@pytest.mark.parametrize("seed", range(5))
def test_the_gap_is_the_steepest_pair(seed):
    """By the definition, pair by pair: the rate at which the objective falls."""
    gram, y, C, rng = random_problem(seed)
    beta = feasible_point(y, C, rng)
    values = field(gram, beta)
    lower, upper = np.minimum(0, y * C), np.maximum(0, y * C)
    rates = [0.0]
    for i in np.flatnonzero(beta < upper):
        for j in np.flatnonzero(beta > lower):
            move = np.zeros(y.size)
            move[i] += 1e-6
            move[j] -= 1e-6
            moved = beta + move
            rise = dual_objective(field(gram, moved), y, moved) - dual_objective(values, y, beta)
            rates.append(-rise / 1e-6)
    assert_allclose(violation_gap(values, y, C, beta), max(rates), atol=1e-5)


def test_scale_is_the_diagonal_on_both_sides():
    gram, y, C, rng = random_problem(3)
    scale = rng.uniform(0.1, 2.0, size=y.size)
    beta = feasible_point(y, C, rng)
    scaled = np.diag(scale) @ gram @ np.diag(scale)
    assert_allclose(field(gram, beta, scale), field(scaled, beta), rtol=1e-13, atol=1e-15)


def test_signs_are_those_of_svc():
    gram, y, _, _ = random_problem(1, n=40)
    machine = SVC(kernel="precomputed", C=2.0, tol=1e-8).fit(gram, y)
    beta = np.zeros(y.size)
    beta[machine.support_] = machine.dual_coef_[0]
    values = field(gram, beta)
    assert violation_gap(values, y, 2.0, beta) < 1e-5
    assert_allclose(intercept_of(values, y, 2.0, beta), machine.intercept_[0], atol=1e-5)
    assert_allclose(values + machine.intercept_[0], machine.decision_function(gram), atol=1e-6)
    # ... and turned around they are far from optimal, so the check can fail.
    assert violation_gap(-values, -y, 2.0, beta) > 0.1


def test_one_bound_for_all_equals_the_same_bound_for_each():
    gram, y, _, rng = random_problem(2)
    each = np.full(y.size, 1.5)
    beta = feasible_point(y, each, rng)
    values = field(gram, beta)
    assert violation_gap(values, y, 1.5, beta) == violation_gap(values, y, each, beta)
    assert intercept_of(values, y, 1.5, beta) == intercept_of(values, y, each, beta)
    assert duality_gap(values, y, 1.5, beta, 0.2) == duality_gap(values, y, each, beta, 0.2)


@pytest.mark.parametrize(
    ("y", "C", "intercept"),
    [
        ([1.0, 1.0, 1.0], 2.0, 1.0),  # one class: f = 1 everywhere costs nothing
        ([-1.0, -1.0], 2.0, -1.0),
        ([1.0, -1.0], 0.0, 0.0),  # no point may move: any intercept will do
        ([1.0, 1.0, -1.0], [2.0, 2.0, 0.0], 1.0),  # a bound of zero is absence
    ],
)
def test_nothing_can_move(y, C, intercept):
    y, C, zero = np.array(y), np.array(C) * np.ones(len(y)), np.zeros(len(y))
    assert violation_gap(zero, y, C, zero) == 0.0
    assert intercept_of(zero, y, C, zero) == intercept
    assert duality_gap(zero, y, C, zero, intercept) == 0.0


def test_without_free_points_the_intercept_is_in_the_middle():
    y = np.array([1.0, -1.0])
    beta = np.array([0.1, -0.1])  # both at their bounds
    values = np.array([0.1, -0.3])
    assert_allclose(intercept_of(values, y, 0.1, beta), (0.9 - 0.7) / 2)
    assert violation_gap(values, y, 0.1, beta) == 0.0


def test_a_rounding_error_does_not_make_a_point_free():
    """Bounds that balance up to the last digit: the middle stays the middle."""
    y = np.array([1.0, 1.0, 1.0, -1.0])
    C = np.array([0.1, 0.1, 0.1, 0.3])  # 0.1 + 0.1 + 0.1 > 0.3 in double precision
    beta = np.array([0.1, 0.1, 0.3 - 0.2, -0.3])
    values = np.array([0.2, 0.3, 0.4, -0.2])
    assert beta[2] < C[2]
    assert_allclose(intercept_of(values, y, C, beta), (0.6 - 0.8) / 2)


# The judge of the other tests can say no: each way of being wrong is found.


@pytest.fixture
def problem():
    return build(Recipe(n=80, seed=3, uneven=True, decay=1.0))


@pytest.fixture
def solution(problem):
    return solve_dual(problem.gram, problem.y, problem.C, scale=problem.scale)


def free_points(problem, solution):
    alpha = problem.y * solution.dual_coef
    return np.flatnonzero((alpha > 1e-3) & (alpha < problem.C - 1e-3))


def moved(solution, changes):
    beta = solution.dual_coef.copy()
    for point, change in changes.items():
        beta[point] += change
    return beta


def test_a_solution_passes(problem, solution):
    assert_solved(problem, solution)


@pytest.mark.parametrize(("first", "second"), [(1e-5, 0.0), (0.0, 1e-5), (-1e9, 1e9), (1e9, -1e9)])
def test_leaving_the_constraints_is_found(problem, solution, first, second):
    i, j = free_points(problem, solution)[:2]
    with pytest.raises(AssertionError):
        assert_feasible(problem, moved(solution, {i: first, j: second}))


def test_a_feasible_step_away_is_found(problem, solution):
    i, j = free_points(problem, solution)[:2]
    beta = moved(solution, {i: 1e-4, j: -1e-4})
    assert_feasible(problem, beta)
    other = solve_dual(
        problem.gram, problem.y, problem.C, scale=problem.scale, start=beta, tol=10.0
    )
    np.testing.assert_allclose(other.dual_coef, beta, rtol=1e-9)
    assert_consistent(problem, other)
    with pytest.raises(AssertionError):
        assert_solved(problem, other)


@pytest.mark.parametrize(
    "change",
    [
        {"objective": lambda s: s.objective * (1 + 1e-6)},
        {"gap": lambda s: s.gap + 1e-6},
        {"intercept": lambda s: s.intercept + 1e-6},
        {"decision": lambda s: -s.decision},
        {"dual_coef": lambda s: np.zeros_like(s.dual_coef)},
    ],
    ids=lambda change: next(iter(change)),
)
def test_a_record_that_contradicts_itself_is_found(problem, solution, change):
    wrong = replace(solution, **{name: make(solution) for name, make in change.items()})
    with pytest.raises(AssertionError):
        assert_consistent(problem, wrong)


@pytest.mark.parametrize("status", ["iteration_limit", "stalled"])
def test_another_status_is_not_taken_for_success(problem, solution, status):
    """Half a solution is none, whatever the word that comes with it."""
    beta = solution.dual_coef / 2
    half = solve_dual(problem.gram, problem.y, problem.C, scale=problem.scale, start=beta, tol=1e3)
    with pytest.raises(AssertionError):
        assert_solved(problem, replace(half, status=status))
