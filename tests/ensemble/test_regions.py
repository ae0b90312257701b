"""New points under the regions of influence: Algorithm S1's testing loop with explicit matrices."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import pairwise_distances_argmin
from sklearn.metrics.pairwise import rbf_kernel

from kpboost.ensemble import _voting as regions
from kpboost.ensemble._boosting import boost
from kpboost.ensemble._voting import nearest_training_rows, perturbed_values
from kpboost.kernels import squared_distances


def trained(seed=0, n=30, n_rounds=5):
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) < n // 3, 1.0, -1.0)
    X = rng.normal(size=(n, 2)) + y[:, None]
    gram = rbf_kernel(X, gamma=0.8)
    return X, gram, boost(gram, y, np.full(n, 3.0), step=0.2, n_rounds=n_rounds)


def kernel_sums(kernel, trace):
    """g_t of the points whose kernel values are the columns, (n, 1, n_rounds)."""
    return (kernel.T @ (trace.dual_coef * np.exp(trace.log_scale)).T)[:, None, :]


def test_values_follow_the_testing_loop():
    X, _, trace = trained()
    new = np.random.default_rng(1).normal(size=(12, 2))
    nearest = pairwise_distances_argmin(new, X)
    kernel = rbf_kernel(X, new, gamma=0.8)
    found = perturbed_values(
        kernel_sums(kernel, trace),
        trace.intercept[None],
        trace.perturbation[:, nearest].T[:, None, :],
    )
    K, f_new, f = kernel, np.zeros(12), np.zeros(30)
    for t in range(5):
        D = np.diag(np.exp(-trace.perturbation[t] * f**2))
        D_new = np.diag(np.exp(-trace.perturbation[t, nearest] * f_new**2))
        K = D @ K @ D_new
        f_new = trace.dual_coef[t] @ K + trace.intercept[t]
        f = trace.decision[t]
        assert_allclose(found[:, 0, t], f_new, atol=1e-10)


def test_training_points_get_their_own_values():
    _, gram, trace = trained()
    found = perturbed_values(
        kernel_sums(gram, trace), trace.intercept[None], trace.perturbation.T[:, None, :]
    )
    assert_allclose(found[:, 0].T, trace.decision, atol=1e-9)


def test_without_perturbation_only_the_intercept_is_added():
    sums = np.random.default_rng(0).normal(size=(4, 3, 5))
    intercept = np.arange(15.0).reshape(3, 5)
    assert_allclose(perturbed_values(sums, intercept, np.zeros_like(sums)), sums + intercept)


def test_huge_perturbations_leave_the_intercept():
    values = perturbed_values(np.full((1, 1, 3), 5.0), np.ones((1, 3)), np.full((1, 1, 3), 1e300))
    assert_array_equal(values[0, 0], [6.0, 1.0, 1.0])


@pytest.mark.parametrize("block_rows", [1, 7, 10**6])
def test_nearest_rows_of_each_problem(monkeypatch, block_rows):
    rng = np.random.default_rng(0)
    training, new = rng.normal(size=(40, 3)), rng.normal(size=(25, 3))
    rows = [np.arange(40), np.arange(0, 40, 3), np.array([5])]
    monkeypatch.setattr(regions, "BLOCK_BYTES", 8 * 40 * block_rows)
    found = nearest_training_rows(
        lambda part: squared_distances(new[part], training), new.shape[0], rows
    )
    for problem, own in enumerate(rows):
        expected = own[pairwise_distances_argmin(new, training[own])]
        assert_array_equal(found[:, problem], expected)


def test_the_first_of_equally_near_rows_is_taken():
    training = np.array([[1.0], [-1.0], [1.0]])
    found = nearest_training_rows(
        lambda part: squared_distances(np.zeros((2, 1))[part], training),
        2,
        [np.arange(3), np.array([1, 2])],
    )
    assert_array_equal(found, [[0, 1], [0, 1]])
