"""Kernel values of any size: the same problem in other units has the same solution."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from kpboost.kernels import rbf_kernel
from kpboost.solvers import solve_dual


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 5))
    return rbf_kernel(X, gamma=0.5), np.where(X[:, 0] + rng.normal(size=400) > 0, 1.0, -1.0)


@pytest.mark.parametrize("unit", [1e-30, 1e-9, 1e9, 1e20])
@pytest.mark.parametrize("points", [100, 400])
def test_units_do_not_matter(problem, unit, points):
    gram, y = problem[0][:points, :points], problem[1][:points]
    plain = solve_dual(gram, y, 10.0, tol=1e-9)
    other = solve_dual(gram * unit, y, 10.0 / unit, tol=1e-9)
    assert other.status == "converged"
    assert_allclose(other.dual_coef * unit, plain.dual_coef, atol=1e-6)
    assert_allclose(other.decision, plain.decision, atol=1e-7)
    warm = solve_dual(gram * unit, y, 10.0 / unit, tol=1e-9, start=other)
    assert warm.n_iter <= other.n_iter / 10 + 2


def test_tiny_tolerances_end(problem):
    assert solve_dual(problem[0] * 1e12, problem[1], 1e-12, tol=1e-12).gap < 1e-12


@pytest.mark.parametrize("unit", [1e26, 1e39, 1e300, 1e307])
def test_hopeless_sizes_are_refused_in_words(problem, unit):
    gram, y = problem
    with pytest.raises(ValueError, match="kernel value times the sum of C"):
        solve_dual(gram * unit, y, 1.0, start=np.ones(y.size), max_iter=1000)
