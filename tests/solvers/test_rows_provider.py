"""Rows computed on demand give the solution of the matrix in memory, however few are kept."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from kpboost.kernels import RBFRows, rbf_kernel
from kpboost.solvers import DenseGram, libsvm, solve_dual
from support.random_problems import Problem
from support.real_data import load
from support.verdict import assert_solved

ROW_MB = 600 * 8 / 2**20
# Room for: two rows (the least), a few, half of them, all of them.
CACHES = {"two": 1e-9, "few": 5 * ROW_MB, "half": 300 * ROW_MB, "all": 1000.0}
GAMMA = 0.04


def real_problem(name, C):
    X, y = load(name)
    return X, Problem(rbf_kernel(X, gamma=GAMMA), y, np.full(y.size, C), None)


@pytest.mark.parametrize("cache", CACHES.values(), ids=CACHES)
@pytest.mark.parametrize("C", [1.0, 1e3])
@pytest.mark.parametrize("name", ["wine", "breast_cancer", "digits"])
def test_any_cache_gives_the_same_solution(name, C, cache):
    X, problem = real_problem(name, C)
    rows = RBFRows(X, GAMMA, cache)
    found = solve_dual(rows, problem.y, C, tol=1e-8)
    dense = solve_dual(DenseGram(problem.gram), problem.y, C, tol=1e-8)
    theirs = libsvm.solve_dual(problem.gram, problem.y, C, tol=1e-6)
    assert_solved(problem, found, 1e-8)
    assert_allclose(found.objective, dense.objective, rtol=1e-9)
    assert_allclose(found.objective, theirs.objective, rtol=1e-6)
    assert_allclose(found.decision, dense.decision, atol=1e-5)
    assert rows.cached_rows <= rows.capacity


@pytest.mark.parametrize("cache", CACHES.values(), ids=CACHES)
def test_scale_weights_and_start(cache):
    """All the options at once."""
    X, problem = real_problem("breast_cancer", 1.0)
    rng = np.random.default_rng(0)
    problem = problem._replace(
        C=rng.choice([0.0, 1.0, 20.0], size=problem.y.size),
        scale=np.exp(-3 * rng.random(problem.y.size)),
    )
    start = solve_dual(problem.gram, problem.y, 5.0)
    rows = RBFRows(X, GAMMA, cache)
    found = solve_dual(rows, problem.y, problem.C, scale=problem.scale, start=start, tol=1e-8)
    assert_solved(problem, found, 1e-8)


def test_a_cache_that_is_used():
    """The second solve on the same rows finds them there."""
    X, problem = real_problem("breast_cancer", 1.0)
    rows = RBFRows(X, GAMMA)
    first = solve_dual(rows, problem.y, 1.0)
    misses = rows.misses
    second = solve_dual(rows, problem.y, 1.0)
    assert rows.misses == misses
    assert 0 < misses <= problem.y.size
    assert np.array_equal(first.dual_coef, second.dual_coef)


def test_wrong_rows_would_be_noticed():
    """The same check on rows of another kernel fails."""
    X, problem = real_problem("wine", 10.0)
    wrong = solve_dual(RBFRows(X, 1.5 * GAMMA), problem.y, 10.0)
    with pytest.raises(AssertionError):
        assert_solved(problem, wrong)
