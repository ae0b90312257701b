"""Narrow kernels, which are solved in small sets of points on whole rows."""

import warnings
from itertools import pairwise

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.exceptions import ConvergenceWarning

from kpboost.kernels import RBFMatrix, RBFRows, rbf_kernel
from kpboost.solvers import DenseGram, solve_dual
from support.random_problems import Problem
from support.verdict import assert_next_to_libsvm, assert_solved, solved

# Above the size up to which a problem is one block, and not a multiple of any vector's length.
N_POINTS = 403
NARROW = 0.4


def narrow_problem(rare=0.5, C=10.0, seed=0, scale=None):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N_POINTS, 5))
    y = np.where(rng.random(N_POINTS) < rare, 1.0, -1.0)
    gram = rbf_kernel(X, gamma=0.5 / NARROW**2)
    return Problem(gram, y, np.full(N_POINTS, C), scale)


@pytest.mark.parametrize("C", [0.3, 1.0, 100.0])
@pytest.mark.parametrize("rare", [0.5, 0.02])
def test_next_to_libsvm(rare, C):
    assert_next_to_libsvm(narrow_problem(rare, C), C, objective=1e-6)


def test_a_tolerance_below_the_last_digit_ends():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for seed in range(5):
            problem = narrow_problem(seed=seed)
            solution = solved(problem, tol=1e-17)
            assert solution.gap < 1e-14


@pytest.mark.parametrize("smallest", [1e-1, 1e-3, 1e-6])
def test_scales_of_very_different_size(smallest):
    scale = np.geomspace(1.0, smallest, N_POINTS)
    problem = narrow_problem(scale=scale)
    assert_solved(problem, solved(problem))


def test_copies_and_contradictions():
    half = narrow_problem(seed=1)
    gram = np.tile(half.gram, (2, 2))
    y = np.concatenate([half.y, np.where(np.arange(N_POINTS) % 3, half.y, -half.y)])
    problem = Problem(gram, y, np.full(y.size, 3.0), None)
    assert_solved(problem, solved(problem))


def test_rows_on_demand_give_the_same():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(N_POINTS, 5)), np.where(rng.random(N_POINTS) < 0.2, 1.0, -1.0)
    gamma = 0.5 / NARROW**2
    dense = solve_dual(DenseGram(rbf_kernel(X, gamma=gamma)), y, 10.0)
    # Room for thirty rows: two sets, and less than a third of what a pass reads.
    on_demand = solve_dual(RBFRows(X, gamma=gamma, cache_size=30 * 8 * N_POINTS / 2**20), y, 10.0)
    np.testing.assert_allclose(on_demand.decision, dense.decision, atol=1e-5)


@pytest.mark.parametrize("seed", range(5))
def test_more_steps_are_no_worse(seed):
    scale = np.exp(-20 * np.random.default_rng(seed).random(N_POINTS))
    problem = narrow_problem(0.1, 300.0, seed, scale)
    gaps = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for cap in (400, 800, 1600, 3200):
            solution = solved(problem, tol=1e-12, max_iter=cap)
            assert solution.n_iter <= cap + 1  # a block counts as one step more
            gaps.append(solution.gap)
    assert all(later <= earlier + 1e-13 for earlier, later in pairwise(gaps))


def test_the_order_of_points_does_not_matter():
    problem = narrow_problem(0.3, 5.0, 3)
    turned = np.random.default_rng(0).permutation(N_POINTS)
    other = Problem(
        np.ascontiguousarray(problem.gram[np.ix_(turned, turned)]),
        problem.y[turned],
        problem.C,
        None,
    )
    np.testing.assert_allclose(solved(other).decision, solved(problem).decision[turned], atol=1e-5)


def test_sets_that_begin_slowly_are_not_given_up():
    """Of 5,000 points every other is free: a block of them is far too large for the cache."""
    n = 5000
    X, y = make_classification(n, 10, n_informative=5, n_redundant=2, flip_y=0.1, random_state=1)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    solution = solve_dual(RBFMatrix(X, 0.5), np.where(y, 1.0, -1.0), 100.0)
    assert solution.status == "converged"
    assert solution.n_iter < 8 * n  # with a block half as many again
