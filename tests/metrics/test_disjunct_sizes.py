"""The two weightings at the points that define them."""

from math import log

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from kpboost.metrics._by_disjunct import log_size_weights, sizes_of


@pytest.mark.parametrize("n", [30, 100, 366, 10_000])
def test_scaled_weights_are_one_at_first_and_a_tenth_at_half(n):
    full = min(0.1 * n, 10)
    sizes = np.array([1.0, full, n / 2])
    assert_allclose(log_size_weights(sizes, n, "scaled_exp"), [0, 0, -log(10)], atol=1e-12)


def test_weights_fall_with_size():
    sizes = np.arange(1.0, 400.0)
    for weighting in ("exp", "scaled_exp"):
        assert np.all(np.diff(log_size_weights(sizes, 400, weighting)) <= 0)


def test_exp_is_minus_the_size():
    assert_array_equal(log_size_weights(np.array([1.0, 1e6]), 1e7, "exp"), [-1.0, -1e6])


def test_sizes_of_those_in_question_and_of_all():
    sizes, total, n_known = sizes_of(np.array([3, 1]), [5, 6, 0, 8])
    assert_array_equal(sizes, [8, 6])
    assert (total, n_known) == (19, 3)
