"""Rows on demand: equal to the whole Gram matrix, bounded, and the same from many threads."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import sparse

from kpboost.kernels import RBFRows, rbf_kernel, resolve_gamma
from kpboost.kernels._rbf import MEGABYTE


def points(n, d, seed=0):
    return np.random.default_rng(seed).normal(size=(n, d))


def cache_for(rows, n):
    """The cache size, in MB, that keeps `rows` rows of n values (n a multiple of 16)."""
    return rows * 8 * n / MEGABYTE


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 70) | st.sampled_from([511, 512, 513, 1030]), st.integers(1, 9))
def test_rows_are_those_of_the_gram_matrix(n, d):
    X = points(n, d)
    rows, gram = RBFRows(X, 0.3), rbf_kernel(X, gamma=0.3)
    for i in {0, n // 2, n - 1}:
        assert np.array_equal(rows.row(i), gram[i])


@pytest.mark.parametrize("cached", [False, True])
def test_entries_are_those_of_the_row(cached):
    X = points(50, 3)
    rows, gram = RBFRows(X, 0.3), rbf_kernel(X, gamma=0.3)
    if cached:
        rows.row(7)
    for count in range(20):
        columns = np.random.default_rng(count).integers(0, 50, count).astype(np.uintp)
        assert np.array_equal(rows.entries(7, columns), gram[7, columns])
    assert rows.cached_rows == int(cached)


def test_size_and_shape():
    rows = RBFRows(points(11, 3), "scale")
    assert (len(rows), rows.size(), rows.shape, rows.n_features) == (11, 11, (11, 11), 3)
    assert rows.gamma == resolve_gamma("scale", points(11, 3))


def test_the_least_recently_used_row_leaves():
    rows = RBFRows(points(48, 2), 1.0, cache_for(3, 48))
    for i in (0, 1, 2):
        rows.row(i)
    assert (rows.capacity, rows.cached_rows, rows.hits, rows.misses) == (3, 3, 0, 3)
    rows.row(0)  # now 1 is the oldest
    rows.row(3)
    rows.row(0)
    rows.row(2)
    assert (rows.cached_rows, rows.hits, rows.misses) == (3, 3, 4)
    rows.row(1)
    assert (rows.cached_rows, rows.hits, rows.misses) == (3, 3, 5)


def test_two_rows_always_fit():
    rows = RBFRows(points(4000, 2), 1.0, cache_size=1e-6)
    for i in (0, 1, 0, 1):
        rows.row(i)
    assert (rows.cached_rows, rows.hits, rows.misses) == (2, 2, 2)


def test_a_row_in_use_outlives_its_place_in_the_cache():
    X = points(64, 3)
    rows, gram = RBFRows(X, 0.5, cache_size=1e-6), rbf_kernel(X, gamma=0.5)
    held = [rows.row(i) for i in range(64)]
    assert rows.cached_rows == 2
    del rows
    assert np.array_equal(held, gram)


def test_rows_cannot_be_written():
    with pytest.raises(ValueError, match="read-only"):
        RBFRows(points(5, 2), 1.0).row(0)[0] = 7.0


def test_the_points_are_copied():
    X = points(20, 3)
    rows, gram = RBFRows(X, 0.5), rbf_kernel(X, gamma=0.5)
    X[:] = 0
    assert np.array_equal(rows.row(4), gram[4])


def test_threads_read_the_same_rows_as_one_thread():
    X = points(608, 4)
    gram = rbf_kernel(X, gamma=0.3)
    rows = RBFRows(X, 0.3, cache_for(20, 608))

    def read(seed):
        order = np.random.default_rng(seed).integers(0, 60, 400)
        return all(np.array_equal(rows.row(i), gram[i]) for i in order)

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(read, range(8)))
    assert rows.cached_rows == 20
    assert rows.hits + rows.misses == 8 * 400


def test_sparse_points_are_made_dense_while_that_is_small():
    X = points(30, 5) * (points(30, 5, 1) > 0)
    assert np.array_equal(RBFRows(sparse.csr_matrix(X), 0.3).row(3), RBFRows(X, 0.3).row(3))
    with pytest.raises(ValueError, match=r"X is sparse and would take 4 MB .* raise cache_size"):
        RBFRows(sparse.csr_matrix((500, 1000)), 0.3, cache_size=3)


@pytest.mark.parametrize("cache_size", [0, -1, np.nan, np.inf, "large", None])
def test_cache_size_must_be_positive(cache_size):
    with pytest.raises(ValueError, match=r"cache_size is .* positive number of megabytes"):
        RBFRows(points(3, 2), 1.0, cache_size)


def test_bad_points_and_gamma_are_refused():
    with pytest.raises(ValueError, match="X contains NaN"):
        RBFRows([[np.nan]], 1.0)
    with pytest.raises(ValueError, match="gamma is -1"):
        RBFRows([[1.0]], -1)


def test_rows_outside_the_matrix_are_refused():
    rows = RBFRows(points(3, 2), 1.0)
    with pytest.raises(IndexError):
        rows.row(3)
    with pytest.raises(IndexError):
        rows.entries(0, np.array([3], np.uintp))


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_a_product_is_that_of_the_gram_matrix(container):
    X = points(50, 3)
    vectors = np.random.default_rng(1).normal(size=(4, 50)) * (np.arange(50) % 3 > 0)
    rows, gram = RBFRows(container(X), 0.3), rbf_kernel(X, gamma=0.3)
    np.testing.assert_allclose(rows.product(vectors), vectors @ gram, atol=1e-12)
    assert np.array_equal(rows.product(np.zeros((2, 50))), np.zeros((2, 50)))
    assert rows.cached_rows == 0
