"""Neighbours next to scikit-learn's, and the documented order where it leaves a choice."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse
from sklearn.neighbors import NearestNeighbors

from kpboost.disjuncts import _finder as neighbors
from kpboost.disjuncts._finder import NOBODY, nearest, nearest_of


def by_sorting(X, k):
    """Exact distances on whole numbers, sorted with the index as the second key."""
    squared = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    order = [sorted((d, j) for j, d in enumerate(row) if j != i) for i, row in enumerate(squared)]
    return np.array([[j for _, j in row[:k]] for row in order])


@pytest.mark.parametrize("n_features", [1, 3, 40])
def test_same_as_scikit_learn_without_ties(n_features):
    X = np.random.default_rng(0).normal(size=(300, n_features))
    theirs = NearestNeighbors(n_neighbors=17, algorithm="brute").fit(X).kneighbors()[1]
    np.testing.assert_array_equal(nearest(X, 17, None), theirs)


@settings(max_examples=60, deadline=None)
@given(
    arrays(np.int8, st.tuples(st.integers(2, 25), st.integers(1, 3)), elements=st.integers(0, 3)),
    st.integers(1, 24),
)
def test_ties_and_duplicates_go_by_row(X, k):
    X = X.astype(np.float64)
    k = min(k, len(X) - 1)
    np.testing.assert_array_equal(nearest(X, k, None), by_sorting(X, k))


@settings(max_examples=40, deadline=None)
@given(
    arrays(np.int8, st.tuples(st.integers(2, 25), st.just(3)), elements=st.integers(0, 4)),
    st.floats(1e-3, 1e3),
    st.permutations(range(3)),
)
def test_rounding_does_not_order_ties(X, scale, columns):
    """The distances below are equal by rights, and differ in their last digits."""
    X = X.astype(np.float64)
    moved = np.ascontiguousarray((X / 3 * scale + scale / 7)[:, columns])
    k = len(X) - 1
    np.testing.assert_array_equal(nearest(moved, k, None), by_sorting(X, k))


def test_rounding_does_order_ties_of_plain_sorting():
    """The check above can fail: sorting the unrounded distances does not pass it."""
    X = np.random.default_rng(0).integers(0, 5, size=(25, 3)) / 3 + 1 / 7
    squared = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    np.fill_diagonal(squared, np.inf)
    assert (
        squared.argsort(axis=1, kind="stable")[:, :24] != by_sorting(np.round(X * 21), 24)
    ).any()


def test_distances_a_millionth_apart_are_ordered():
    X = np.array([[0.0], [1 + 1e-6], [-1.0]])
    assert nearest(X, 2, None)[0].tolist() == [2, 1]


@pytest.mark.parametrize("extent", [1e-160, 1.0, 1e150, 1e160])
def test_every_extent(extent):
    """Squared distances of 1e320 are infinite and tie; nothing fails."""
    X = np.array([[0.0], [1.0], [3.0]]) * extent
    assert nearest(X, 2, None)[0].tolist() == [1, 2]


def test_fewer_points_than_neighbours():
    X = np.array([[0.0], [1.0], [3.0]])
    assert nearest(X, 4, None).tolist() == [
        [1, 2, NOBODY, NOBODY],
        [0, 2, NOBODY, NOBODY],
        [1, 0, NOBODY, NOBODY],
    ]


def test_sparse_points_have_the_neighbours_of_dense_ones():
    X = np.random.default_rng(1).poisson(0.3, size=(120, 30)) / 3
    assert len(np.unique(X, axis=0)) > 100
    X[60:70] = X[:10]
    np.testing.assert_array_equal(nearest(sparse.csr_matrix(X), 11, None), nearest(X, 11, None))


def test_sparse_points_too_long_to_measure():
    with pytest.raises(ValueError, match="squared length is beyond"):
        nearest(sparse.csr_matrix([[1e200, 0.0], [0.0, 1.0]]), 1, None)


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_blocks_and_threads_change_nothing(monkeypatch, n_jobs):
    X = np.random.default_rng(2).normal(size=(101, 4))
    whole = nearest(X, 9, None)
    monkeypatch.setattr(neighbors, "BLOCK_BYTES", 8 * 101 * 7)  # blocks of seven rows
    np.testing.assert_array_equal(nearest(X, 9, n_jobs), whole)


def test_nearest_of_others():
    points = np.array([[0.0], [5.0], [5.0], [10.0]])
    queries = np.array([[5.0], [2.5], [9.0]])
    assert nearest_of(queries, points).tolist() == [1, 0, 3]
