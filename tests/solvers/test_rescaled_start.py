import numpy as np
import pytest
from numpy.testing import assert_allclose

from kpboost.kernels import rbf_kernel
from kpboost.solvers import solve_dual
from kpboost.solvers._dual import rescaled_start


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
