"""Landmarks and features."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.kernel_approximation import Nystroem
from sklearn.metrics.pairwise import rbf_kernel

from kpboost.lowrank._features import choose_landmarks, feature_map
from kpboost.lowrank._survey import Sample


def points(n=300, d=3, seed=0):
    rng = np.random.default_rng(seed)
    return Sample(rng.normal(size=(n, d)), (np.arange(n) % 10 == 0).astype(np.intp), np.ones(n))


def chosen(sample, n_landmarks, rule="class_kmeans", seed=0, n_classes=2):
    rng = np.random.default_rng(seed)
    return choose_landmarks(sample, n_classes, n_landmarks, rule, rng)


def test_products_of_features_are_kernel_values_at_the_landmarks():
    X = points().X
    own = feature_map(X[:40], 0.5)
    product = own.features(X) @ own.features(X[:40]).T
    assert_allclose(product, rbf_kernel(X, X[:40], gamma=0.5), atol=1e-3)


def test_scikit_learn_has_the_same_kernel():
    X = points().X
    own = feature_map(X[:40], 0.5)
    theirs = Nystroem(gamma=0.5, n_components=40, random_state=0).fit(X[:40])
    mapped = theirs.transform(X)
    assert_allclose(own.features(X) @ own.features(X).T, mapped @ mapped.T, atol=2e-3)


def test_far_from_the_origin_nothing_is_lost():
    X = points().X
    near, far = feature_map(X[:40], 0.5), feature_map(X[:40] + 2.0**20, 0.5)
    Z, remote = near.features(X), far.features(X + 2.0**20)
    assert_allclose(remote @ remote.T, Z @ Z.T, atol=1e-3)


@pytest.mark.parametrize("rule", ["class_kmeans", "uniform"])
def test_all_points_where_there_are_no_more(rule):
    sample = points(60)
    doubled = Sample(*(np.concatenate([a, a]) for a in sample))
    for each in (sample, doubled):
        landmarks = chosen(each, 200, rule)
        assert_array_equal(np.unique(landmarks, axis=0), np.unique(sample.X, axis=0))


def test_classes_share_evenly():
    sample = points(1000)
    sample.X[sample.codes == 1] += 100.0
    assert np.count_nonzero(chosen(sample, 40)[:, 0] > 50.0) == 20
    sample = points(100)
    sample.X[sample.codes == 1] += 100.0  # ten rare rows: the rest goes to the others
    landmarks = chosen(sample, 60)
    assert np.count_nonzero(landmarks[:, 0] > 50.0) == 10
    assert len(landmarks) == 60


def test_a_remote_part_has_a_landmark():
    sample = points(5000)
    rare = np.flatnonzero(sample.codes == 1)[:3]
    sample.X[rare] += 30.0
    landmarks = chosen(sample, 20)
    assert (np.linalg.norm(landmarks - 30.0, axis=1) < 5.0).any()


def test_centres_serve_better_than_random_rows():
    sample = points(3000)
    errors = {}
    exact = rbf_kernel(sample.X[:200], gamma=0.3)
    for rule in ("class_kmeans", "uniform"):
        trials = [feature_map(chosen(sample, 40, rule, seed), 0.3) for seed in range(5)]
        mapped = [trial.features(sample.X[:200]) for trial in trials]
        errors[rule] = np.mean([np.abs(Z @ Z.T - exact).mean() for Z in mapped])
    assert errors["class_kmeans"] < errors["uniform"]


def test_weight_two_is_a_row_twice():
    sample = points(400)
    weight = 1.0 + (np.arange(400) % 3 == 0)
    weighted = sample._replace(weight=weight)
    repeated = Sample(*(np.repeat(a, weight.astype(int), axis=0) for a in sample))
    assert_allclose(chosen(weighted, 30), chosen(repeated, 30), atol=1e-9)


def test_no_landmark_twice():
    X = np.repeat(points(30).X, 20, axis=0)
    codes = np.tile([0, 1], 300)  # every point is in both classes
    landmarks = chosen(Sample(X, codes, np.ones(600)), 100)
    assert len(landmarks) == 30
    assert np.isfinite(feature_map(landmarks, 1.0).transform).all()
