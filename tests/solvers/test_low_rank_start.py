"""Wide kernels with a large C, which are solved from the solution of a problem of low rank."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from kpboost import _core
from kpboost.kernels import RBFMatrix, RBFRows, rbf_kernel
from kpboost.solvers import DenseGram, libsvm, optimality, solve_dual
from support.random_problems import Problem
from support.verdict import assert_feasible, assert_solved

N_POINTS = 1203
WIDE = 0.02
EXPLAINED = 0.8


def wide_problem(C=1000.0, n=N_POINTS, scale=None, gamma=WIDE, seed=0):
    """Classes that overlap: many points are at the bound, and many are free."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 8))
    y = np.where(np.sin(2 * X[:, 0]) + X[:, 1] + rng.normal(size=n) > 0.5, 1.0, -1.0)
    return Problem(rbf_kernel(X, gamma=gamma), y, np.broadcast_to(C, n).astype(float), scale), X


def start_of(problem, least=EXPLAINED):
    gram = DenseGram(problem.gram)
    return _core.low_rank_start(gram, problem.y, problem.C, problem.scale, least)


@pytest.mark.parametrize("C", [10.0, 1000.0])
@pytest.mark.parametrize("scale", [None, "drawn"])
def test_the_start_is_feasible_and_at_the_bounds_of_the_solution(C, scale):
    rng = np.random.default_rng(1)
    bounds = C * rng.uniform(0.5, 2.0, N_POINTS)
    drawn = None if scale is None else rng.uniform(0.5, 1.0, N_POINTS)
    problem, _ = wide_problem(bounds, scale=drawn)
    start = start_of(problem)
    assert_feasible(problem, start)
    solution = solve_dual(DenseGram(problem.gram), problem.y, bounds, scale=drawn)
    at_bound = np.abs(solution.dual_coef) == bounds
    guessed = max(at_bound.mean(), 1 - at_bound.mean())
    assert np.mean(at_bound == (np.abs(start) == bounds)) > guessed + 0.05


def test_with_a_small_bound_the_start_is_close_to_the_solution():
    problem, _ = wide_problem(C=1.0)
    start = start_of(problem)
    field = optimality.field(problem.gram, start, None)
    objective = optimality.dual_objective(field, problem.y, start)
    solution = solve_dual(DenseGram(problem.gram), problem.y, 1.0)
    assert solution.objective <= objective < 0.95 * solution.objective  # both are negative


@pytest.mark.parametrize("C", [100.0, 1000.0])
def test_next_to_libsvm(C):
    problem, _ = wide_problem(C)
    ours = solve_dual(DenseGram(problem.gram), problem.y, C)
    theirs = libsvm.solve_dual(problem.gram, problem.y, C, tol=1e-5)
    assert_solved(problem, ours)
    assert ours.objective <= theirs.objective + 1e-9 * abs(theirs.objective)
    assert ours.objective == pytest.approx(theirs.objective, rel=1e-5)


@pytest.mark.parametrize("source", [RBFMatrix, RBFRows])
def test_rows_on_demand_start_at_the_same_place(source):
    problem, X = wide_problem()
    rows = source(X, WIDE)
    start = _core.low_rank_start(rows, problem.y, problem.C, None, EXPLAINED)
    assert_array_equal(start, start_of(problem))
    ours = solve_dual(source(X, WIDE), problem.y, 1000.0)
    assert_solved(problem, ours)


def test_parts_start_there_too():
    problem, X = wide_problem(C=100.0, n=6000)
    rows = RBFRows(X, WIDE, cache_size=60)  # parts of some 2,800 points
    whole = solve_dual(DenseGram(problem.gram), problem.y, 100.0)
    ours = solve_dual(rows, problem.y, 100.0)
    assert_solved(problem, ours)
    assert ours.objective == pytest.approx(whole.objective, rel=1e-9)


def test_a_solve_from_it_takes_fewer_steps_than_one_from_nothing():
    problem, _ = wide_problem()
    gram = DenseGram(problem.gram)
    from_there = solve_dual(gram, problem.y, 1000.0, start=start_of(problem))
    from_zero = solve_dual(gram, problem.y, 1000.0, start=np.zeros(N_POINTS))
    by_itself = solve_dual(gram, problem.y, 1000.0)
    assert from_there.n_iter < 0.7 * from_zero.n_iter
    assert by_itself.n_iter < from_zero.n_iter
    assert_allclose(by_itself.decision, from_zero.decision, atol=1e-4)


@pytest.mark.parametrize(("C", "gamma"), [(10.0, 1.0), (100.0, 0.025)])
def test_a_rare_class_takes_no_more_steps_than_from_nothing(C, gamma):
    """A start would leave most of the other class free."""
    rng = np.random.default_rng(0)
    y = np.where(np.arange(6000) < 120, 1.0, -1.0)
    X = rng.normal(size=(6000, 2)) + (y > 0)[:, None]
    for cache_size in (60, 1000):
        by_itself = solve_dual(RBFRows(X, gamma, cache_size), y, C)
        from_zero = solve_dual(RBFRows(X, gamma, cache_size), y, C, start=np.zeros(6000))
        assert by_itself.n_iter < 1.5 * from_zero.n_iter
        assert by_itself.objective == pytest.approx(from_zero.objective, rel=1e-6)


def test_there_is_none_where_the_kernel_is_not_of_low_rank():
    assert start_of(wide_problem(gamma=5.0)[0]) is None
    assert start_of(wide_problem()[0], least=1.1) is None


@pytest.mark.parametrize("matrix", [np.zeros((300, 300)), -np.eye(300)])
def test_there_is_none_for_a_matrix_that_is_no_kernel(matrix):
    problem = Problem(matrix, np.where(np.arange(300) % 2, 1.0, -1.0), np.ones(300), None)
    assert start_of(problem) is None


def test_points_that_are_all_alike():
    y = np.where(np.arange(300) % 3, 1.0, -1.0)
    problem = Problem(np.ones((300, 300)), y, np.full(300, 1e6), None)
    start = start_of(problem)
    assert_feasible(problem, start)
    assert np.all(np.isfinite(start))
