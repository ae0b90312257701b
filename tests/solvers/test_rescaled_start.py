import numpy as np
import pytest
from numpy.testing import assert_allclose

from kpboost.kernels import rbf_kernel
from kpboost.solvers import optimality, solve_dual
from kpboost.solvers.rescaled_start import CarriedStart, carried_start, rescaled_start


@pytest.mark.parametrize("log_factor", [-0.3, 0.5])
def test_it_solves_a_problem_that_is_scaled_alike_everywhere(load, log_factor):
    X, label = load("breast_cancer")
    gram, y = rbf_kernel(X, gamma=0.03), np.where(label == 0, 1.0, -1.0)
    before = solve_dual(gram, y, 1e6, tol=1e-10)  # no coefficient at this bound
    factor = np.full(y.size, log_factor)
    after = solve_dual(gram, y, 1e6, scale=np.exp(factor), tol=1e-10)
    assert_allclose(rescaled_start(before.dual_coef, factor), after.dual_coef, rtol=1e-5, atol=1e-6)


def test_it_is_finite_and_takes_several_machines():
    coef = np.array([[1.0, -2.0], [0.0, 3.0]])
    assert np.all(np.isfinite(rescaled_start(coef, np.array([-1e9, 1e9]))))
    assert_allclose(rescaled_start(coef, np.log([2.0, 0.5])), coef * [0.25, 4.0])


def problem(load, width=0.03):
    X, label = load("breast_cancer")
    return rbf_kernel(X, gamma=width), np.where(label == 0, 1.0, -1.0)


def free_points(solution, C):
    size = np.abs(solution.dual_coef)
    return (size > 0) & (size < C)


@pytest.mark.parametrize("C", [0.5, 1e6])
def test_a_carried_field_is_that_of_its_coefficients(load, C):
    gram, y = problem(load)
    rng = np.random.default_rng(0)
    scale = rng.uniform(0.2, 1, y.size)
    before = solve_dual(gram, y, C, scale=scale)
    log_factor = -rng.choice([0.0, 0.1, 0.7], y.size)
    start = carried_start(before, log_factor, free_points(before, C))
    new_scale = scale * np.exp(log_factor)
    matrix = new_scale[:, None] * gram * new_scale
    assert isinstance(start, CarriedStart)
    assert_allclose(start.field, optimality.field(matrix, start.dual_coef), rtol=1e-9, atol=1e-9)


def test_points_with_one_factor_start_where_the_solver_ends(load):
    gram, y = problem(load)
    before = solve_dual(gram, y, 1e6)
    free = free_points(before, 1e6)
    log_factor = np.full(y.size, -0.2)
    start = carried_start(before, log_factor, free)
    after = solve_dual(gram, y, 1e6, scale=np.exp(log_factor), start=start)
    assert after.n_iter == 0
    assert_allclose(start.dual_coef, rescaled_start(before.dual_coef, log_factor), rtol=1e-12)
    fresh = solve_dual(gram, y, 1e6, scale=np.exp(log_factor))
    assert_allclose(after.objective, fresh.objective, rtol=1e-8)
    assert_allclose(after.decision, fresh.decision, atol=1e-5)


@pytest.mark.parametrize("unit", [1e-9, 1.0, 1e9])
@pytest.mark.parametrize("C", [1.0, 1e5])
def test_many_rounds_lose_no_precision(load, C, unit):
    gram, y = problem(load)
    gram, bound, log_scale = unit * gram, C / unit, np.zeros(y.size)
    rng = np.random.default_rng(1)
    solution = solve_dual(gram, y, bound)
    for _ in range(30):
        free = free_points(solution, bound)
        log_factor = np.where(free, -0.05, -rng.uniform(0, 0.1, y.size))
        log_scale = log_scale + log_factor
        start = carried_start(solution, log_factor, free)
        solution = solve_dual(gram, y, bound, scale=np.exp(log_scale), start=start)
        matrix = np.exp(log_scale)[:, None] * gram * np.exp(log_scale)
        field = optimality.field(matrix, solution.dual_coef)
        assert solution.status == "converged"
        assert optimality.violation_gap(field, y, np.full(y.size, bound), solution.dual_coef) < 2e-6
        assert np.abs(field + solution.intercept - solution.decision).max() <= 1e-7


def test_a_field_that_rounding_may_have_spoilt_is_computed_afresh(load):
    gram, y = problem(load)
    solution = solve_dual(gram, y, 1.0)
    good = carried_start(solution, np.zeros(y.size), free_points(solution, 1.0))
    spoilt = CarriedStart(good.dual_coef, good.field + 0.01 * y, rounding=0.01)
    again = solve_dual(gram, y, 1.0, start=spoilt)
    assert_allclose(again.decision, solution.decision, atol=1e-5)


@pytest.mark.parametrize("point", [0, 1])
def test_factors_that_differ_too_much_are_not_carried(load, point):
    gram, y = problem(load)
    solution = solve_dual(gram, y, 1.0)
    log_factor = np.full(y.size, -0.1)
    log_factor[np.argsort(np.abs(solution.dual_coef))[-1 if point else 0]] = -50.0
    start = carried_start(solution, log_factor, free_points(solution, 1.0))
    assert isinstance(start, CarriedStart) is (point == 0)


def test_a_machine_without_free_support_vectors_can_be_carried():
    y = np.array([1.0, -1.0])
    solution = solve_dual(np.eye(2), y, 0.1)
    start = carried_start(solution, np.log([0.5, 0.25]), np.zeros(2, dtype=bool))
    again = solve_dual(np.eye(2), y, 0.1, scale=[0.5, 0.25], start=start)
    assert_allclose(again.dual_coef, [0.1, -0.1])
