"""Radius and neighbour distances next to scikit-learn's, and under weights."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.neighbors import NearestNeighbors

from kpboost.ensemble import _adaboost_svc as length_scales
from kpboost.ensemble._adaboost_svc import mean_nearest_distance, scatter_radius
from kpboost.kernels import squared_distances


@pytest.fixture
def points():
    return np.random.default_rng(0).normal(size=(50, 3))


def test_radius(points):
    distances = np.linalg.norm(points - points.mean(axis=0), axis=1)
    ones = np.ones(50)
    assert scatter_radius(points, ones, "max") == pytest.approx(distances.max())
    assert scatter_radius(points, ones, "rms") == pytest.approx(np.sqrt(np.mean(distances**2)))
    assert scatter_radius(sparse.csr_array(points), ones, "max") == pytest.approx(distances.max())


def test_nearest_neighbours_are_scikit_learns(points):
    theirs = NearestNeighbors(n_neighbors=1).fit(points).kneighbors()[0].mean()
    assert mean_nearest_distance(points, np.ones(50)) == pytest.approx(theirs)
    known = mean_nearest_distance(points, np.ones(50), squared_distances(points))
    assert known == pytest.approx(theirs)


def test_weights_equal_repetition(points):
    weight = np.random.default_rng(1).integers(1, 4, size=50)
    repeated = np.repeat(points, weight, axis=0)
    ones = np.ones(len(repeated))
    for rule in ("max", "rms"):
        weighted = scatter_radius(points, weight.astype(float), rule)
        assert_allclose(weighted, scatter_radius(repeated, ones, rule))
    assert_allclose(
        mean_nearest_distance(points, weight.astype(float)), mean_nearest_distance(repeated, ones)
    )


def test_blocks_change_nothing(points, monkeypatch):
    whole = mean_nearest_distance(points, np.ones(50))
    monkeypatch.setattr(length_scales, "BLOCK_BYTES", 7 * 8 * 50)
    assert mean_nearest_distance(points, np.ones(50)) == whole


def test_points_that_coincide():
    assert mean_nearest_distance(np.ones((5, 2)), np.ones(5)) == 0.0
    assert scatter_radius(np.ones((5, 2)), np.ones(5), "max") == 0.0
