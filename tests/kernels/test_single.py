"""The kernel in single precision next to that in double, which has its own tests."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from kpboost.kernels import rbf_decision, rbf_kernel, signed_rbf_decision, single_rbf_kernel
from kpboost.kernels._single import FARTHEST_LANDMARK

FLOAT = 4e-7  # two units in the last place of 1, and the rounding of coordinates near 1


def points(n, d, seed=0):
    return np.random.default_rng(seed).normal(size=(n, d))


@pytest.mark.parametrize("d", [1, 2, 10, 61])
@pytest.mark.parametrize("m", [1, 31, 32, 33, 700])
def test_it_is_the_kernel_of_double_precision(d, m):
    X, landmarks = points(103, d), points(m, d, seed=1)
    block = single_rbf_kernel(X, landmarks, gamma=0.7 / d)
    assert block.dtype == np.float32
    assert np.abs(block - rbf_kernel(X, landmarks, gamma=0.7 / d)).max() < FLOAT


def test_small_values_keep_their_digits_until_they_are_zero():
    X = np.linspace(0, 12, 4001)[:, None]
    block = single_rbf_kernel(X, np.array([[-1.0], [1.0]]), gamma=1.0)
    exact = rbf_kernel(X, np.array([[-1.0], [1.0]]), gamma=1.0)
    large = exact > 2.0**-125
    assert (np.abs(block / exact - 1)[large]).max() < 2e-4  # of the rounded distance, 87
    assert (np.abs(block / exact - 1)[exact > 0.1]).max() < 2e-6
    assert not block[exact < 2.0**-127].any()


def test_landmarks_have_kernel_value_one():
    X = 1e6 + points(100, 7)
    assert (np.diag(single_rbf_kernel(X, X, gamma=0.3)) == 1).all()


@pytest.mark.parametrize("offset", [1e3, 2.0**30, -1e12])
@pytest.mark.parametrize("unit", [1e-150, 1.0, 1e150])
def test_offset_and_units_cost_no_digit(offset, unit):
    X, landmarks = unit * (offset + points(80, 3)), unit * (offset + points(40, 3, seed=1))
    gamma = 0.5 / unit / unit
    exact = rbf_kernel(X, landmarks, gamma=gamma)
    assert np.abs(single_rbf_kernel(X, landmarks, gamma=gamma) - exact).max() < 2 * FLOAT


def test_remote_rows_have_kernel_value_zero():
    X = np.array([[1e4], [1e200], [-1e308]])
    assert not single_rbf_kernel(X, points(5, 1), gamma=1.0).any()


def test_clouds_that_are_far_apart_are_computed_in_double_precision():
    landmarks = points(200, 2)
    landmarks[100:] += 1e6
    X = landmarks + 0.1 * points(200, 2, seed=1)
    exact = rbf_kernel(X, landmarks, gamma=1.0)
    assert_array_equal(single_rbf_kernel(X, landmarks, gamma=1.0), exact.astype(np.float32))
    machine = {"gamma": 1.0, "coef": points(2, 200), "intercept": np.zeros(2)}
    assert_array_equal(
        signed_rbf_decision(X, landmarks, **machine), rbf_decision(X, landmarks, **machine)
    )


def test_just_below_that_limit_single_precision_is_still_good():
    landmarks = points(200, 5)
    landmarks[:100] += 20.0
    landmarks *= 0.8 * FARTHEST_LANDMARK / np.abs(landmarks - landmarks.mean(axis=0)).max()
    X = landmarks + 0.3 * points(200, 5, seed=1)
    block = single_rbf_kernel(X, landmarks, gamma=1.0)
    exact = rbf_kernel(X, landmarks, gamma=1.0)
    assert 0 < np.abs(block - exact).max() < 1e-5
    assert (block != exact.astype(np.float32)).any()


@pytest.mark.parametrize("n_machines", [1, 2, 5, 31])
@pytest.mark.parametrize("m", [3, 600])
def test_rows_do_not_know_of_one_another(n_machines, m):
    X, landmarks = points(41, 6), points(m, 6, seed=1)
    machines = {"gamma": 0.1, "coef": points(n_machines, m), "intercept": points(1, n_machines)[0]}
    together = signed_rbf_decision(X, landmarks, **machines)
    block = single_rbf_kernel(X, landmarks, gamma=0.1)
    for cut in (1, 2, 7):
        parts = [X[start : start + cut] for start in range(0, 41, cut)]
        apart = [signed_rbf_decision(part, landmarks, **machines) for part in parts]
        assert_array_equal(np.concatenate(apart), together)
        blocks = [single_rbf_kernel(part, landmarks, gamma=0.1) for part in parts]
        assert_array_equal(np.concatenate(blocks), block)


@pytest.mark.parametrize("size", [1.0, 1e4])
@pytest.mark.parametrize("gamma", [1e-5, 0.1, 3.0])
def test_signs_are_those_of_double_precision(gamma, size):
    X, landmarks = points(20_000, 4), points(300, 4, seed=1)
    coef = size * points(3, 300, seed=2)
    coef -= coef.mean(axis=1, keepdims=True)  # large terms that nearly cancel
    machines = {"gamma": gamma, "coef": coef, "intercept": np.array([0.0, 0.1, -0.1])}
    quick = signed_rbf_decision(X, landmarks, **machines)
    exact = rbf_decision(X, landmarks, **machines)
    assert_array_equal(quick >= 0, exact >= 0)
    assert np.abs(quick - exact).max() < 2e-6 * np.abs(coef).sum(axis=1).max()


def test_coefficients_beyond_single_precision():
    X, landmarks = points(50, 2), points(20, 2, seed=1)
    machine = {"gamma": 1.0, "coef": np.full((1, 20), 1e300), "intercept": np.zeros(1)}
    assert_array_equal(
        signed_rbf_decision(X, landmarks, **machine), rbf_decision(X, landmarks, **machine)
    )


def test_bad_points_are_refused():
    with pytest.raises(ValueError, match="NaN or infinity"):
        single_rbf_kernel(np.full((2, 2), np.nan), points(3, 2), gamma=1.0)
    with pytest.raises(ValueError, match="3 and 2 features"):
        single_rbf_kernel(points(2, 3), points(3, 2), gamma=1.0)
    with pytest.raises(ValueError, match="gamma is 0"):
        single_rbf_kernel(points(2, 3), points(3, 3), gamma=0)
