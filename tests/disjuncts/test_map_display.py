"""Every point is on the map once, and exactly the small disjuncts wear rings."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.decomposition import PCA
from sklearn.random_projection import GaussianRandomProjection

from kpboost.datasets import make_disjuncts
from kpboost.disjuncts import DisjunctFinder, DisjunctMapDisplay

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")


@pytest.fixture(autouse=True)
def close_figures():
    yield
    matplotlib.pyplot.close("all")


def fitted(n_features):
    X, y, _ = make_disjuncts([[60, 8], [20, 5]], n_features=n_features, random_state=0)
    return DisjunctFinder(6).fit(X, y), X


def positions(display):
    return np.concatenate([np.asarray(each.get_offsets()) for each in display.points_])


@pytest.mark.parametrize("small_size", [0, 5, 100])
def test_rings(small_size):
    finder, X = fitted(2)
    display = DisjunctMapDisplay.from_estimator(finder, X, small_size=small_size)
    small = finder.disjunct_sizes_[finder.labels_] <= small_size
    np.testing.assert_array_equal(np.asarray(display.rings_.get_offsets()), X[small])
    assert {tuple(row) for row in positions(display)} == {tuple(row) for row in X}


def test_disjuncts_have_colours_and_classes_markers():
    finder, X = fitted(2)
    display = DisjunctMapDisplay.from_estimator(finder, X)
    assert len(display.points_) == 2
    for points, code in zip(display.points_, finder.classes_, strict=True):
        own = finder.labels_[finder.disjunct_classes_[finder.labels_] == code]
        colours = [tuple(colour) for colour in points.get_facecolors()]
        assert len({*zip(own, colours, strict=True)}) == len({*own}) == len({*colours})


def test_more_columns_are_projected():
    finder, X = fitted(5)
    flat = PCA(2, random_state=0).fit_transform(X)
    display = DisjunctMapDisplay.from_estimator(finder, X)
    np.testing.assert_allclose(np.asarray(display.positions), flat)
    other = GaussianRandomProjection(3, random_state=0)
    display = DisjunctMapDisplay.from_estimator(finder, X, projection=other)
    np.testing.assert_allclose(np.asarray(display.positions), other.transform(X)[:, :2])


@pytest.mark.parametrize("n_features", [1, 2, 4])
def test_sparse_points_and_lines(n_features):
    finder, X = fitted(n_features)
    display = DisjunctMapDisplay.from_estimator(finder, sparse.csr_matrix(X))
    assert positions(display).shape == (len(X), 2)


def test_other_points_than_those_of_fit():
    finder, X = fitted(2)
    with pytest.raises(ValueError, match="X has 3 rows; it must be the 93 points of fit"):
        DisjunctMapDisplay.from_estimator(finder, X[:3])
