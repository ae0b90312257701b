"""The judge of the other tests can say no: each way of being wrong is found."""

from dataclasses import replace

import numpy as np
import pytest

from kpboost.solvers import solve_dual
from support.random_problems import Recipe, build
from support.verdict import assert_consistent, assert_feasible, assert_solved


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
