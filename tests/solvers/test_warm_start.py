"""A start changes the time a solve takes, never its answer."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from kpboost.kernels import rbf_kernel
from kpboost.solvers import DenseGram, solve_dual
from support.random_problems import Problem, Recipe, build, recipes
from support.real_data import load
from support.verdict import assert_feasible, assert_solved

TIGHT = 1e-9


@pytest.fixture(scope="module")
def cancer():
    X, y = load("breast_cancer")
    return Problem(rbf_kernel(X, gamma=0.02), y, np.full(y.size, 100.0), None)


@pytest.fixture(scope="module")
def cold(cancer):
    return solve_dual(cancer.gram, cancer.y, 100.0, tol=TIGHT)


def starts(y, rng):
    """Infeasible in every way a caller can think of."""
    n = y.size
    return {
        "zeros": np.zeros(n),
        "ones": np.ones(n),
        "outside": 1e9 * y,
        "wrong side": -50.0 * y,
        "sum not zero": 50.0 * (y > 0),
        "all at the bound": 100.0 * y,
        "noise": rng.normal(scale=100.0, size=n),
        "one point": 70.0 * (np.arange(n) == 3),
        "tiny": 1e-300 * y,
        "huge": 1e300 * rng.normal(size=n),
    }


@pytest.mark.parametrize("kind", list(starts(np.ones(9), np.random.default_rng(0))))
def test_any_start_gives_the_cold_answer(cancer, cold, kind):
    start = starts(cancer.y, np.random.default_rng(5))[kind]
    warm = solve_dual(cancer.gram, cancer.y, 100.0, start=start, tol=TIGHT)
    assert_solved(cancer, warm, TIGHT)
    assert_allclose(warm.decision, cold.decision, atol=1e-6)
    assert_allclose(warm.objective, cold.objective, rtol=1e-10)


@pytest.mark.parametrize("kind", list(starts(np.ones(9), np.random.default_rng(0))))
def test_a_start_is_made_feasible(cancer, kind):
    """With a tolerance nothing violates, the start itself comes back."""
    start = starts(cancer.y, np.random.default_rng(5))[kind]
    C = np.where(np.arange(cancer.y.size) % 5, 100.0, 0.0)
    returned = solve_dual(cancer.gram, cancer.y, C, start=start, tol=1e30)
    assert returned.n_iter == 0
    assert_feasible(cancer._replace(C=C), returned.dual_coef)


def test_a_solution_and_its_coefficients_are_the_same_start(cancer, cold):
    record = solve_dual(cancer.gram, cancer.y, 50.0, start=cold)
    array = solve_dual(cancer.gram, cancer.y, 50.0, start=cold.dual_coef)
    listed = solve_dual(cancer.gram, cancer.y, 50.0, start=cold.dual_coef.tolist())
    assert_array_equal(record.dual_coef, array.dual_coef)
    assert_array_equal(record.dual_coef, listed.dual_coef)


def test_continuing_takes_fewer_steps(cancer, cold):
    rough = solve_dual(cancer.gram, cancer.y, 100.0, tol=1e-2)
    finished = solve_dual(cancer.gram, cancer.y, 100.0, start=rough)
    assert_solved(cancer, finished)
    assert finished.n_iter < 0.5 * cold.n_iter


@pytest.mark.parametrize("C", [0.3, 1.0, 100.0])
def test_a_solution_is_its_own_continuation(cancer, C):
    """Points at a bound stay there, whatever rounding makes of the sum."""
    solution = solve_dual(cancer.gram, cancer.y, C, tol=TIGHT)
    again = solve_dual(cancer.gram, cancer.y, C, start=solution)
    assert again.n_iter == 0
    assert_array_equal(np.abs(again.dual_coef) == C, np.abs(solution.dual_coef) == C)
    assert_allclose(again.dual_coef, solution.dual_coef, rtol=1e-12)
    # ... while a start from elsewhere has work to do.
    assert solve_dual(cancer.gram, cancer.y, C, start=np.zeros(cancer.y.size)).n_iter > 100


def test_a_path_of_bounds(cancer):
    gram, warm = DenseGram(cancer.gram), None
    warm_steps = cold_steps = 0
    for C in np.geomspace(100, 200, 6):
        problem = cancer._replace(C=np.full(cancer.y.size, C))
        warm = solve_dual(gram, cancer.y, C, start=warm)
        cold = solve_dual(gram, cancer.y, C)
        assert_solved(problem, warm)
        assert_allclose(warm.objective, cold.objective, rtol=1e-7)
        warm_steps, cold_steps = warm_steps + warm.n_iter, cold_steps + cold.n_iter
    assert warm_steps < 0.9 * cold_steps


def test_a_path_over_the_scale(cancer):
    """Rounds of boosting: the matrix shrinks where the decision function is large."""
    gram, warm, log_scale = DenseGram(cancer.gram), None, np.zeros(cancer.y.size)
    warm_steps = cold_steps = 0
    for _ in range(6):
        scale = np.exp(log_scale)
        warm = solve_dual(gram, cancer.y, 100.0, scale=scale, start=warm)
        cold = solve_dual(gram, cancer.y, 100.0, scale=scale)
        assert_solved(cancer._replace(scale=scale), warm)
        assert_allclose(warm.objective, cold.objective, rtol=1e-7)
        warm_steps, cold_steps = warm_steps + warm.n_iter, cold_steps + cold.n_iter
        log_scale -= 0.01 * warm.decision**2
    assert warm_steps < 0.8 * cold_steps


def test_back_and_forth_between_bounds(cancer):
    """Down the path the earlier solution is cut to the new box."""
    warm = None
    for C in (1.0, 1e4, 1.0, 100.0, 0.01, 1e4):
        warm = solve_dual(cancer.gram, cancer.y, C, start=warm)
        assert_solved(cancer._replace(C=np.full(cancer.y.size, C)), warm)


@settings(deadline=None, max_examples=60)
@given(recipe=recipes(150), spread=st.sampled_from([1e-3, 1.0, 1e6]))
def test_random_problems_from_random_starts(recipe, spread):
    problem = build(recipe)
    start = np.random.default_rng(recipe.seed).normal(scale=spread, size=recipe.n)
    warm = solve_dual(
        problem.gram, problem.y, problem.C, scale=problem.scale, start=start, max_iter=100_000
    )
    assert_solved(problem, warm)


def test_a_start_from_other_data_does_no_harm():
    problem, other = build(Recipe(n=350, seed=1)), build(Recipe(n=350, seed=2, sigma=0.3))
    foreign = solve_dual(other.gram, other.y, other.C)
    warm = solve_dual(problem.gram, problem.y, problem.C, start=foreign)
    assert_solved(problem, warm)
