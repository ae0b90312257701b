"""The RBF kernel next to scikit-learn's, and its exp next to numpy's and to exact arithmetic."""

from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import sparse
from sklearn.metrics.pairwise import rbf_kernel as sklearn_rbf_kernel

from kpboost.kernels import rbf_from_squared_distances, rbf_kernel, squared_distances

SMALLEST_EXPONENT = 708.0


def points(n, d, seed=0):
    return np.random.default_rng(seed).normal(size=(n, d))


def in_last_places(values, exact):
    return np.abs(values - exact) / np.spacing(exact)


def test_exp_agrees_with_numpy_over_its_whole_range():
    x = np.concatenate([np.linspace(0, SMALLEST_EXPONENT, 300_001), np.geomspace(1e-300, 1, 5001)])
    assert in_last_places(rbf_from_squared_distances(x, 1.0), np.exp(-x)).max() <= 2


def test_exp_is_within_one_unit_in_the_last_place():
    x = np.concatenate([np.random.default_rng(0).uniform(0, 700, 500), np.linspace(0, 2, 500)])
    with localcontext() as context:
        context.prec = 40
        exact = [(-Decimal(v)).exp() for v in x.tolist()]
        computed = rbf_from_squared_distances(x, 1.0).tolist()
        errors = [abs(Decimal(c) - e) for c, e in zip(computed, exact, strict=True)]
    assert (np.array(errors, float) / np.spacing(np.array(exact, float))).max() < 1


def test_exp_ends_in_zero():
    x = np.array([708.5, 745.0, 746.0, 1e4, 1e300, np.inf])
    assert not rbf_from_squared_distances(x, 1.0).any()
    assert rbf_from_squared_distances(np.array([0.0]), 1e300)[0] == 1.0
    assert rbf_from_squared_distances(np.array([1e300]), 1e300)[0] == 0.0


def test_exp_falls_without_a_step_back():
    x = np.linspace(0, 30, 1_000_001)
    steps = np.diff(rbf_from_squared_distances(x, 1.0))
    assert (steps < 0).all()


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 200), st.integers(1, 70), st.integers(1, 7), st.floats(1e-3, 1e3))
def test_agrees_with_scikit_learn_for_all_shapes(n, m, d, gamma):
    X, Y = points(n, d), points(m, d, 1)
    np.testing.assert_allclose(
        rbf_kernel(X, Y, gamma=gamma), sklearn_rbf_kernel(X, Y, gamma), atol=1e-12 * max(1, gamma)
    )


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 40) | st.sampled_from([160, 161, 335]), st.integers(1, 9))
def test_gram_is_symmetric_with_unit_diagonal(n, d):
    X = points(n, d)
    gram = rbf_kernel(X, gamma=0.7)
    assert np.array_equal(gram, gram.T)
    assert (gram.diagonal() == 1).all()
    assert np.array_equal(gram, rbf_kernel(X, X.copy(), gamma=0.7))


@pytest.mark.parametrize("scale", [1e-150, 1e-8, 1.0, 1e6])
def test_duplicates_have_kernel_value_one(scale):
    X = scale * (1e3 + points(50, 6))
    X[25:] = X[:25]
    assert (np.diagonal(rbf_kernel(X, gamma=3.0), 25) == 1).all()


def test_shared_distances_give_the_same_kernel():
    X = points(37, 4)
    squared = squared_distances(X)
    for gamma in (0.01, 1.0, 50.0):
        kernel = rbf_from_squared_distances(squared, gamma)
        assert np.array_equal(kernel, rbf_kernel(X, gamma=gamma))


def test_kernel_may_replace_the_distances():
    squared = squared_distances(points(37, 4))
    expected = rbf_from_squared_distances(squared, 2.0)
    assert rbf_from_squared_distances(squared, 2.0, out=squared) is squared
    assert np.array_equal(squared, expected)


@pytest.mark.parametrize("n", range(1, 40))
def test_every_length_of_tail(n):
    x = np.random.default_rng(n).uniform(0, 30, n + 1)
    out = np.full(n + 1, -1.0)
    rbf_from_squared_distances(x[:n], 0.5, out=out[:n])
    assert in_last_places(out[:n], np.exp(-0.5 * x[:n])).max() <= 2
    assert out[n] == -1.0


def test_sparse_equals_dense():
    X = points(40, 9) * (points(40, 9, 1) > 0)
    S = sparse.csr_matrix(X)
    gram = rbf_kernel(S, gamma=0.4)
    assert np.array_equal(gram, gram.T)
    assert (gram.diagonal() == 1).all()
    np.testing.assert_allclose(gram, rbf_kernel(X, gamma=0.4), atol=1e-13)
    np.testing.assert_allclose(rbf_kernel(S, X, gamma=0.4), gram, atol=1e-13)
    np.testing.assert_allclose(rbf_kernel(X, S, gamma=0.4), gram, atol=1e-13)


@pytest.mark.parametrize("gamma", [0, -1.0, np.nan, np.inf, "scale", None, True])
def test_gamma_must_be_a_positive_number(gamma):
    with pytest.raises(ValueError, match=r"gamma is .*; it must be a positive number"):
        rbf_kernel([[1.0]], gamma=gamma)
    with pytest.raises(ValueError, match=r"gamma is .*; it must be a positive number"):
        rbf_from_squared_distances([[1.0]], gamma)
