"""The reference solver keeps the contract: signs, bounds, left-out points, scaling."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from kpboost.solvers import libsvm, optimality


@pytest.fixture(scope="module")
def cancer():
    X, labels = load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(X)[:200]
    return rbf_kernel(X, gamma=0.03), np.where(labels[:200] == 0, 1.0, -1.0)


def test_equals_svc_and_is_optimal(cancer):
    gram, y = cancer
    solution = libsvm.solve_dual(gram, y, 10.0, tol=1e-8)
    machine = SVC(kernel="precomputed", C=10.0, tol=1e-8).fit(gram, y)
    assert_array_equal(solution.support, np.sort(machine.support_))
    assert_allclose(solution.decision, machine.decision_function(gram), atol=1e-6)
    assert solution.gap < 1e-4
    assert solution.status == "converged"
    assert solution.n_iter == machine.n_iter_[0]
    assert abs(solution.dual_coef.sum()) < 1e-9
    assert np.all((solution.dual_coef * y >= 0) & (solution.dual_coef * y <= 10.0))


def test_swapped_labels_swap_every_sign(cancer):
    gram, y = cancer
    solution = libsvm.solve_dual(gram, y, 10.0, tol=1e-8)
    swapped = libsvm.solve_dual(gram, -y, 10.0, tol=1e-8)
    assert_allclose(swapped.dual_coef, -solution.dual_coef, atol=1e-4)
    assert_allclose(swapped.decision, -solution.decision, atol=1e-5)
    assert_allclose(swapped.objective, solution.objective, rtol=1e-9)


def test_a_bound_of_zero_is_absence(cancer):
    gram, y = cancer
    kept = np.flatnonzero(np.arange(y.size) % 3)
    C = np.where(np.arange(y.size) % 3, 5.0, 0.0)
    solution = libsvm.solve_dual(gram, y, C, tol=1e-8)
    without = libsvm.solve_dual(gram[np.ix_(kept, kept)], y[kept], 5.0, tol=1e-8)
    assert_array_equal(solution.dual_coef[C == 0], 0.0)
    assert_array_equal(solution.dual_coef[kept], without.dual_coef)
    assert_allclose(solution.decision[kept], without.decision, atol=1e-12)
    assert_allclose(solution.objective, without.objective, rtol=1e-12)


def test_scale_solves_the_scaled_matrix(cancer):
    gram, y = cancer
    scale = np.linspace(0.2, 1.5, y.size)
    solution = libsvm.solve_dual(gram, y, 10.0, scale=scale, tol=1e-8)
    scaled = libsvm.solve_dual(np.outer(scale, scale) * gram, y, 10.0, tol=1e-8)
    assert_allclose(solution.decision, scaled.decision, atol=1e-5)
    field = optimality.field(gram, solution.dual_coef, scale)
    assert_allclose(field + solution.intercept, solution.decision, atol=1e-10)


def test_start_is_ignored(cancer):
    gram, y = cancer
    cold = libsvm.solve_dual(gram, y, 1.0)
    warm = libsvm.solve_dual(gram, y, 1.0, start=cold)
    assert_array_equal(warm.dual_coef, cold.dual_coef)
    assert warm.n_iter == cold.n_iter


@pytest.mark.parametrize(("y", "C"), [([1, 1, 1], 1.0), ([1, -1, -1], [0.0, 1.0, 1.0])])
def test_one_class_alone_has_the_trivial_answer(y, C):
    solution = libsvm.solve_dual(np.eye(3), y, C)
    assert_array_equal(solution.dual_coef, 0.0)
    assert_array_equal(solution.decision, float(y[-1]))
    assert (solution.objective, solution.gap) == (0.0, 0.0)


def test_the_limit_is_reported(cancer):
    gram, y = cancer
    with pytest.warns(ConvergenceWarning):
        solution = libsvm.solve_dual(gram, y, 100.0, max_iter=5)
    assert solution.status == "iteration_limit"
    assert solution.gap > 1e-3
