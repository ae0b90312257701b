"""Which points lose resolution: next to scikit-learn's neighbours and to the paper's words."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import euclidean_distances
from sklearn.neighbors import NearestNeighbors

from kpboost.ensemble import _boosting as resolution
from kpboost.ensemble._boosting import (
    correctly_classified,
    outside_regions,
    resolution_rule,
    training_distances,
)
from kpboost.kernels import squared_distances


def between(X):
    return lambda i, j: squared_distances(X[i], X[j])


def by_the_words(X, y, correct, roi_scale):
    """Omega without the points near a misclassified one, in the order of the paper's sentences."""
    distance = euclidean_distances(X)
    losing = set(np.flatnonzero(correct))
    for side in (1, -1):
        members = np.flatnonzero(y == side)
        within = distance[np.ix_(members, members)] + np.diag(np.full(members.size, np.inf))
        radius = roi_scale * within.min(axis=1).mean() if members.size > 1 else 0.0
        for i in members[~correct[members]]:
            losing -= set(np.flatnonzero(distance[i] <= radius))
    return np.isin(np.arange(y.size), list(losing))


def test_without_regions_the_correct_points_lose_resolution():
    correct = np.array([True, False, True])
    assert_array_equal(correctly_classified(correct), correct)


@pytest.mark.parametrize("name", ["breast_cancer", "glass0", "ecoli3"])
def test_radii_are_mean_distances_to_the_nearest_of_the_class(load, name):
    X, labels = load(name)
    y = np.where(labels == np.unique(labels)[1], 1.0, -1.0)
    rule = outside_regions(y, 0.7, between(X))
    for side in (1, -1):
        members = X[y == side]
        nearest = NearestNeighbors(n_neighbors=1).fit(members).kneighbors()[0]
        assert_allclose(rule.radius[y == side], 0.7 * nearest.mean(), rtol=1e-7)


@given(
    st.integers(2, 25),
    st.integers(2, 25),
    st.sampled_from([0.2, 0.6, 0.9]),  # at 1.0 two points are on their rim, where rounding decides
    st.integers(0, 2**32 - 1),
)
@settings(max_examples=60, deadline=None)
def test_the_rule_follows_the_words(n_positive, n_negative, roi_scale, seed):
    rng = np.random.default_rng(seed)
    y = np.repeat([1.0, -1.0], [n_positive, n_negative])
    X = rng.normal(size=(y.size, 2))
    correct = rng.random(y.size) < 0.7
    rule = outside_regions(y, roi_scale, between(X))
    assert_array_equal(rule(correct), by_the_words(X, y, correct, roi_scale))


def test_regions_by_hand():
    # Positives 2 apart, negatives 1 apart: radii 2 and 1.
    X = np.array([[0.0], [2.0], [-1.5], [-2.5], [3.5], [4.5]])
    y = np.array([1.0, 1, -1, -1, -1, -1])
    rule = outside_regions(y, 1.0, between(X))
    positive_wrong = np.array([False, True, True, True, True, True])
    assert_array_equal(rule(positive_wrong), [False, False, False, True, True, True])
    negative_wrong = np.array([True, True, False, True, True, True])
    assert_array_equal(rule(negative_wrong), [True, True, False, False, True, True])


def test_all_correct_and_all_wrong():
    X, y = np.arange(6.0)[:, None], np.array([1.0, -1, 1, -1, 1, -1])
    rule = outside_regions(y, 0.5, between(X))
    assert rule(np.ones(6, dtype=bool)).all()
    assert not rule(np.zeros(6, dtype=bool)).any()


def test_the_mask_that_was_given_is_left_alone():
    X, y = np.arange(4.0)[:, None], np.array([1.0, 1, -1, -1])
    correct = np.array([True, False, True, True])
    outside_regions(y, 1.0, between(X))(correct)
    assert_array_equal(correct, [True, False, True, True])


def test_a_class_of_one_point_protects_only_what_lies_on_it():
    X = np.array([[0.0], [0.0], [1e-9], [3.0]])
    y = np.array([1.0, -1, -1, -1])
    rule = outside_regions(y, 1.0, between(X))
    assert rule.radius[0] == 0.0
    assert_array_equal(rule(np.array([False, True, True, True])), [False, False, True, True])


@pytest.mark.parametrize("seed", range(20))
def test_each_of_two_points_is_within_their_mean_distance(seed):
    # The mean is the distance itself; its square may round below the squared distance.
    y = np.array([1.0, 1, -1, -1])
    X = np.random.default_rng(seed).normal(size=(4, 3)) + 50 * y[:, None]
    rule = outside_regions(y, 1.0, between(X))
    assert_array_equal(rule(np.array([True, False, True, True])), [False, False, True, True])


def test_blocks_do_not_change_the_rule(load, monkeypatch):
    X, labels = load("breast_cancer")
    y = np.where(labels == 1, 1.0, -1.0)
    correct = np.random.default_rng(0).random(y.size) < 0.8
    whole = outside_regions(y, 0.9, between(X))
    monkeypatch.setattr(resolution, "BLOCK_BYTES", 8 * y.size * 7)
    blocks = outside_regions(y, 0.9, between(X))
    assert_allclose(blocks.radius, whole.radius, rtol=1e-12)
    assert_array_equal(blocks(correct), whole(correct))


def test_distances_are_asked_for_in_small_blocks(monkeypatch):
    monkeypatch.setattr(resolution, "BLOCK_BYTES", 8 * 100 * 3)
    X, asked = np.random.default_rng(0).normal(size=(100, 2)), []

    def spy(i, j):
        asked.append(i.size * j.size)
        return squared_distances(X[i], X[j])

    rule = outside_regions(np.repeat([1.0, -1.0], 50), 1.0, spy)
    rule(np.arange(100) % 2 == 0)
    assert max(asked) <= 300


def test_a_source_makes_the_rules_of_problems():
    rng = np.random.default_rng(3)
    X, rows = rng.normal(size=(40, 3)), rng.permutation(40)[:25]
    y = np.where(np.arange(25) % 3 == 0, 1.0, -1.0)
    correct = rng.random(25) < 0.7
    distances = training_distances(X, precomputed=False)
    in_gram = training_distances(X @ X.T, precomputed=True)
    assert resolution_rule(None, y, rows, distances) is correctly_classified
    expected = outside_regions(y, 0.8, between(X[rows]))
    by_points = resolution_rule(0.8, y, rows, distances)
    by_products = resolution_rule(0.8, y, rows, in_gram)
    for rule in (by_points, by_products):
        assert_allclose(rule.radius, expected.radius, rtol=1e-9)
        assert_array_equal(rule(correct), expected(correct))
