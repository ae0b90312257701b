"""Gram matrices next to scikit-learn's; rows on demand where they do not fit."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.metrics.pairwise import rbf_kernel

from kpboost.ensemble._adaboost_svc import shared_distances, width_grams
from kpboost.kernels import RBFRows


@pytest.fixture
def points():
    return np.random.default_rng(0).normal(size=(40, 3))


def test_one_exp_per_width(points):
    gram = width_grams(points, shared_distances(points, 1000.0), 1000.0)
    for sigma in (3.0, 1.0, 0.2):
        expected = rbf_kernel(points, gamma=1 / (2 * sigma**2))
        assert_allclose(gram(sigma).array, expected, rtol=1e-10)


def test_what_does_not_fit_is_computed_on_demand(points):
    megabytes = 40 * 40 * 8 / 2**20
    assert shared_distances(points, 2.01 * megabytes) is not None
    assert shared_distances(points, 1.99 * megabytes) is None
    assert isinstance(width_grams(points, None, 0.01)(1.0), RBFRows)
