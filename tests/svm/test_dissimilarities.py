"""Distances next to scikit-learn's; weights as repeated points; widths."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.metrics import pairwise_distances
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from kpboost.svm._dissimilarity_svc import Dissimilarities, dissimilarity_gamma


@pytest.fixture
def points():
    return np.random.default_rng(0).normal(size=(30, 4))


def test_distances_are_scikit_learns(points):
    space = Dissimilarities.to(points, np.ones(30), standardise=False)
    new = points[:7] + 0.1
    assert_allclose(space.vectors(new), pairwise_distances(new, points))
    assert_array_equal(np.diag(space.vectors(points)), 0.0)
    thin = Dissimilarities.to(sparse.csr_array(points), np.ones(30), standardise=False)
    assert_allclose(thin.vectors(sparse.csr_array(new)), pairwise_distances(new, points))


def test_standardised_columns_are_scikit_learns(points):
    distances = pairwise_distances(points)
    weight = np.random.default_rng(1).uniform(0.5, 2.0, size=30)
    space = Dissimilarities.to(points, weight, standardise=True)
    expected = StandardScaler().fit(distances, sample_weight=weight).transform(distances)
    assert_allclose(space.vectors(points), expected, atol=1e-12)


def test_a_constant_column_stays_finite():
    space = Dissimilarities.to(np.array([[-1.0], [1.0], [1.0]]), np.ones(3), standardise=True)
    same = Dissimilarities.to(np.ones((3, 2)), np.ones(3), standardise=True)
    assert np.isfinite(space.vectors(space.points)).all()
    assert_array_equal(same.vectors(same.points), 0.0)


@pytest.mark.parametrize("standardise", [False, True])
def test_weights_are_repeated_points(points, standardise):
    weight = np.random.default_rng(1).integers(1, 4, size=30)
    repeated = np.repeat(points, weight, axis=0)
    ours = Dissimilarities.to(points, weight.astype(float), standardise=standardise)
    theirs = Dissimilarities.to(repeated, np.ones(len(repeated)), standardise=standardise)
    few, many = ours.vectors(points), theirs.vectors(points)
    assert_allclose(ours.repeated(few) @ ours.repeated(few).T, many @ many.T)
    for gamma in ("scale", "auto"):
        assert_allclose(
            dissimilarity_gamma(gamma, few, weight.astype(float)),
            dissimilarity_gamma(gamma, theirs.vectors(repeated), np.ones(len(repeated))),
        )


def test_width_is_scikit_learns(points):
    vectors = pairwise_distances(points)
    model = SVC(gamma="scale").fit(vectors, np.arange(30) % 2)
    assert dissimilarity_gamma("scale", vectors, np.ones(30)) == pytest.approx(model._gamma)
    assert dissimilarity_gamma("auto", vectors, np.ones(30)) == pytest.approx(1 / 30)
    assert dissimilarity_gamma(0.3, vectors, np.ones(30)) == 0.3
    assert dissimilarity_gamma("scale", np.zeros((3, 3)), np.ones(3)) == 1.0
