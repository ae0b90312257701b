"""A scale is the diagonal on both sides of the matrix, which is never formed."""

import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from kpboost.kernels import rbf_kernel
from kpboost.solvers import DenseGram, libsvm, solve_dual
from support.random_problems import Problem
from support.real_data import load
from support.verdict import assert_solved

TIGHT = 1e-9


@pytest.fixture(scope="module", params=["wine", "breast_cancer"])
def problem(request):
    """One that is a single block, and one that is not."""
    X, y = load(request.param)
    return Problem(rbf_kernel(X, gamma=0.05), y, np.full(y.size, 50.0), None)


def scales(n):
    rng = np.random.default_rng(11)
    return {
        "near one": rng.uniform(0.5, 1.5, size=n),
        "decades": 10.0 ** rng.uniform(-2, 1, size=n),
        "signs": rng.choice([-1.0, 1.0], size=n) * rng.uniform(0.5, 1.5, size=n),
        "zeros": rng.choice([0.0, 1.0], size=n),
        "boosted": np.exp(-rng.uniform(0, 400, size=n) * (rng.random(n) > 0.5)),
    }


@pytest.mark.parametrize("kind", list(scales(2)))
def test_equals_the_scaled_matrix(problem, kind):
    scale = scales(problem.y.size)[kind]
    formed = np.outer(scale, scale) * problem.gram
    ours = solve_dual(problem.gram, problem.y, 50.0, scale=scale, tol=TIGHT)
    same = solve_dual(formed, problem.y, 50.0, tol=TIGHT)
    theirs = libsvm.solve_dual(formed, problem.y, 50.0, tol=1e-6)
    assert_solved(problem._replace(scale=scale), ours, TIGHT)
    assert_allclose(ours.decision, same.decision, atol=1e-5)
    assert_allclose(ours.objective, same.objective, rtol=1e-9)
    assert_allclose(ours.objective, theirs.objective, rtol=1e-6)
    assert_allclose(ours.decision, theirs.decision, atol=5e-3)


def test_the_scale_matters(problem):
    scale = scales(problem.y.size)["near one"]
    scaled = solve_dual(problem.gram, problem.y, 50.0, scale=scale)
    assert np.abs(scaled.decision - solve_dual(problem.gram, problem.y, 50.0).decision).max() > 0.05


def test_ones_change_nothing(problem):
    plain = solve_dual(problem.gram, problem.y, 50.0)
    ones = solve_dual(problem.gram, problem.y, 50.0, scale=np.ones(problem.y.size))
    assert_allclose(ones.decision, plain.decision, atol=1e-5)
    assert_allclose(ones.objective, plain.objective, rtol=1e-7)


def test_a_common_factor_moves_into_the_bound(problem):
    """Q c^2 with bounds C / c^2 is the same problem in other units."""
    n, c = problem.y.size, 3.0
    plain = solve_dual(problem.gram, problem.y, 50.0, tol=TIGHT)
    scaled = solve_dual(problem.gram, problem.y, 50.0 / c**2, scale=np.full(n, c), tol=TIGHT)
    assert_allclose(scaled.dual_coef * c**2, plain.dual_coef, atol=1e-4)
    assert_allclose(scaled.decision, plain.decision, atol=1e-6)


def test_underflow_is_silent_and_harmless(problem):
    scale = np.exp(-np.linspace(0, 740, problem.y.size))  # squares far below the smallest double
    with np.errstate(all="raise"):
        solution = solve_dual(problem.gram, problem.y, 50.0, scale=scale)
    assert_solved(problem._replace(scale=scale), solution)
    assert np.isfinite(solution.decision).all()


def test_the_scaled_matrix_is_never_formed():
    X, y = load("digits")
    gram, scale = DenseGram(rbf_kernel(X, gamma=0.01)), np.linspace(0.5, 1.0, y.size)
    before = scale.copy()
    tracemalloc.start()
    solve_dual(gram, y, 10.0, scale=scale)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 0.1 * gram.array.nbytes
    assert_array_equal(scale, before)
