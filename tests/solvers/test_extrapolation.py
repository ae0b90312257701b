"""Steps on whole rows are extrapolated where many of them would go the same way."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from kpboost.kernels import RBFRows, rbf_kernel
from kpboost.solvers import DenseGram, solve_dual
from support.random_problems import Problem
from support.verdict import assert_next_to_libsvm, assert_solved, solved

# Above the size up to which a problem is one block, and not a multiple of any vector's length.
N_POINTS = 605
GAMMA = 0.5


def noisy_half_spaces(seed=0, noise=1.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N_POINTS, 8))
    return X, np.where(X[:, 0] + noise * rng.normal(size=N_POINTS) > 0, 1.0, -1.0)


def mostly_free(C, seed=0, scale=None):
    X, y = noisy_half_spaces(seed)
    return Problem(rbf_kernel(X, gamma=GAMMA), y, np.broadcast_to(C, N_POINTS).copy(), scale)


@pytest.mark.parametrize("C", [1.0, 10.0, 100.0, 1000.0])
def test_next_to_libsvm(C):
    assert_next_to_libsvm(mostly_free(C), C, objective=1e-8)


def test_flat_directions_take_few_steps():
    # About 5,000 without extrapolation.
    for seed in range(3):
        assert solved(mostly_free(100.0, seed)).n_iter < 4_000


@pytest.mark.parametrize("tol", [1e-6, 1e-9, 1e-12])
def test_sums_stay_zero(tol):
    # Strides do not sum to zero to the last digit. What is left must not grow from one to the next.
    for seed in range(6):
        rng = np.random.default_rng(seed)
        X, y = noisy_half_spaces(seed, noise=3.0)
        C = np.full(N_POINTS, 10.0 ** rng.uniform(0, 4))
        problem = Problem(rbf_kernel(X, gamma=GAMMA), y, C, None)
        solution = solved(problem, tol=tol)
        assert_solved(problem, solution, tol)
        assert abs(solution.dual_coef.sum()) <= 1e-10


@pytest.mark.parametrize("smallest", [0.5, 1e-2])
def test_scales_and_bounds_of_every_size(smallest):
    rng = np.random.default_rng(3)
    scale = rng.permutation(np.geomspace(1.0, smallest, N_POINTS))
    problem = mostly_free(10.0 ** rng.uniform(-1, 2, N_POINTS), scale=scale)
    assert_solved(problem, solved(problem))


def test_rows_on_demand_lead_to_the_same_solution():
    X, y = noisy_half_spaces()
    given = solve_dual(DenseGram(rbf_kernel(X, gamma=GAMMA)), y, 100.0, tol=1e-9)
    asked = solve_dual(RBFRows(X, gamma=GAMMA, cache_size=1), y, 100.0, tol=1e-9)
    np.testing.assert_allclose(asked.decision, given.decision, atol=1e-7)


def test_indefinite_matrices_end():
    problem = mostly_free(10.0)
    gram = problem.gram - 0.02 * np.eye(N_POINTS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        solution = solve_dual(DenseGram(gram), problem.y, 10.0, max_iter=20_000)
    assert np.isfinite(solution.objective)
    assert abs(solution.dual_coef.sum()) <= 1e-9
