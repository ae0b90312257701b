"""Next to libsvm, on real data, over the range of C and kernel widths that grids visit."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from kpboost.kernels import rbf_kernel
from kpboost.solvers import libsvm, optimality, solve_dual
from support.random_problems import Problem
from support.real_data import NAMES, load
from support.verdict import assert_solved, field_of, rounding_of

SIGMAS = (0.1, 1.0, 10.0, 100.0)
BOUNDS = (1.0, 100.0, 1e4)


def real_problem(name, sigma, C):
    X, y = load(name)
    return Problem(rbf_kernel(X, gamma=0.5 / sigma**2), y, np.full(y.size, C), None)


@pytest.mark.parametrize("C", BOUNDS)
@pytest.mark.parametrize("sigma", SIGMAS)
@pytest.mark.parametrize("name", NAMES)
def test_not_above_libsvm(name, sigma, C):
    problem = real_problem(name, sigma, C)
    ours = solve_dual(problem.gram, problem.y, C)
    theirs = libsvm.solve_dual(problem.gram, problem.y, C, tol=1e-3)
    assert_solved(problem, ours)
    # By convexity no feasible point is lower by more than the gap times half the distance to it.
    distance = np.abs(ours.dual_coef - theirs.dual_coef).sum()
    rounding = rounding_of(problem, ours.dual_coef) * (1 + np.abs(ours.dual_coef).sum())
    assert ours.objective <= theirs.objective + 0.5 * ours.gap * distance + rounding
    # ... and libsvm, which stops a thousand times earlier, is close: the same problem was solved.
    assert_allclose(ours.objective, theirs.objective, rtol=1e-3)


@pytest.mark.parametrize("C", BOUNDS)
@pytest.mark.parametrize("sigma", SIGMAS)
@pytest.mark.parametrize("name", ["breast_cancer", "digits", "wine"])
def test_primal_and_dual_meet(name, sigma, C):
    """Strong duality: a bound on the distance to the optimum that needs no other solver."""
    problem = real_problem(name, sigma, C)
    for tol in (1e-6, 1e-10):
        solution = solve_dual(problem.gram, problem.y, C, tol=tol)
        beta, field = solution.dual_coef, field_of(problem, solution.dual_coef)
        duality = optimality.duality_gap(field, problem.y, C, beta, solution.intercept)
        rounding = rounding_of(problem, beta) * (1 + np.abs(beta).sum())
        assert -rounding <= duality <= solution.gap * problem.C.sum() + rounding
    assert duality <= 1e-5 * abs(solution.objective)


@pytest.mark.parametrize("C", [1.0, 100.0])
@pytest.mark.parametrize("sigma", [0.3, 1.0, 3.0])
@pytest.mark.parametrize("name", NAMES)
def test_the_decision_function_of_libsvm(name, sigma, C):
    """At a tight tolerance; libsvm's single precision inside leaves it a little off."""
    problem = real_problem(name, sigma, C)
    ours = solve_dual(problem.gram, problem.y, C, tol=1e-8)
    theirs = libsvm.solve_dual(problem.gram, problem.y, C, tol=1e-8)
    assert_allclose(ours.decision, theirs.decision, atol=5e-5 * C**0.5)
    assert_allclose(ours.intercept, theirs.intercept, atol=5e-5 * C**0.5)
    assert ours.objective <= theirs.objective * (1 - 1e-12)


def test_every_digit_against_the_rest():
    """Ten problems on one matrix, some of them separable."""
    from sklearn.datasets import load_digits

    X, digit = load_digits(return_X_y=True)
    X, digit = X[:700] / 16, digit[:700]
    gram = rbf_kernel(X, gamma=0.05)
    for wanted in range(10):
        y = np.where(digit == wanted, 1.0, -1.0)
        ours = solve_dual(gram, y, 1e3)
        theirs = libsvm.solve_dual(gram, y, 1e3, tol=1e-6)
        assert_solved(Problem(gram, y, np.full(700, 1e3), None), ours)
        assert_allclose(ours.decision, theirs.decision, atol=1e-4)
