"""The Gram matrix whose rows are made when they are asked for."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from kpboost.kernels import RBFMatrix, rbf_kernel
from kpboost.solvers import DenseGram, solve_dual

# Less than a band of 64 rows, one, a row more, and several with a rest.
SIZES = (1, 5, 64, 65, 200, 515)


def points_of(n, d=3, seed=0):
    return np.random.default_rng(seed).normal(size=(n, d))


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("in_bands", [False, True])
def test_rows_are_those_of_the_whole_matrix_in_any_order(n, in_bands):
    X = points_of(n)
    whole, matrix = rbf_kernel(X, gamma=0.3), RBFMatrix(X, 0.3)
    if in_bands:
        matrix.expect_all()
    for i in np.random.default_rng(1).permutation(n):
        assert_array_equal(matrix.row(i), whole[i])
    assert matrix.made_rows == n


@pytest.mark.parametrize("n", SIZES)
def test_bands_take_over_what_single_rows_and_other_bands_have(n):
    X = points_of(n, d=7)
    whole, matrix = rbf_kernel(X, gamma=0.1), RBFMatrix(X, 0.1)
    for i in range(0, n, 3):
        matrix.row(i)
    matrix.expect_all()
    for i in reversed(range(n)):
        assert_array_equal(matrix.row(i), whole[i])


def test_rows_are_made_when_they_are_asked_for():
    matrix = RBFMatrix(points_of(200), 0.3)
    assert matrix.made_rows == 0
    matrix.row(7)
    matrix.row(7)
    assert matrix.made_rows == 1
    matrix.expect_all()
    assert matrix.made_rows == 1
    matrix.row(8)
    assert matrix.made_rows == 64


def test_entries_leave_rows_unmade():
    X = points_of(100)
    matrix, columns = RBFMatrix(X, 0.3), np.array([3, 99, 0, 3], dtype=np.uintp)
    assert_array_equal(matrix.entries(5, columns), rbf_kernel(X, gamma=0.3)[5, columns])
    assert matrix.made_rows == 0
    matrix.row(5)
    assert_array_equal(matrix.entries(5, columns), rbf_kernel(X, gamma=0.3)[5, columns])


def test_indices_outside_are_refused():
    matrix = RBFMatrix(points_of(10), 0.3)
    with pytest.raises(IndexError, match="outside"):
        matrix.row(10)
    with pytest.raises(IndexError, match="outside"):
        matrix.products(np.array([10], dtype=np.uintp), np.ones((1, 1)), np.empty((1, 10)))


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("n_vectors", [1, 3, 10])
@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_products_are_those_with_the_whole_matrix(n, n_vectors, share):
    rng = np.random.default_rng(2)
    X, vectors = points_of(n), rng.normal(size=(n_vectors, n))
    vectors[:, rng.random(n) >= share] = 0
    matrix = RBFMatrix(X, 0.3)
    assert_allclose(matrix.product(vectors), vectors @ rbf_kernel(X, gamma=0.3), atol=1e-12)
    assert matrix.made_rows == vectors.any(axis=0).sum()


def test_products_of_more_rows_than_a_strip_holds():
    X, vectors = points_of(3000, d=2), np.random.default_rng(3).normal(size=(5, 3000))
    expected = vectors @ rbf_kernel(X, gamma=0.3)
    assert_allclose(RBFMatrix(X, 0.3).product(vectors), expected, atol=1e-9)


@pytest.mark.parametrize("in_bands", [False, True])
def test_threads_read_the_same_rows(in_bands):
    X = points_of(515)
    whole, matrix = rbf_kernel(X, gamma=0.3), RBFMatrix(X, 0.3)
    if in_bands:
        matrix.expect_all()

    def ask(seed):
        order = np.random.default_rng(seed).permutation(515)
        return all(np.array_equal(matrix.row(i), whole[i]) for i in order)

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(ask, range(8)))


# A wide kernel, a narrow one, which is made in bands, and one of which few entries matter.
@pytest.mark.parametrize(
    ("gamma", "fewest", "most"), [(0.05, 1, 599), (10.0, 600, 600), (50.0, 0, 0)]
)
def test_the_solver_finds_the_same_on_it_as_on_the_whole_matrix(gamma, fewest, most):
    X = points_of(600)
    y = np.where(X[:, 0] + 0.5 * points_of(600, 1, seed=4)[:, 0] > 0, 1.0, -1.0)
    matrix = RBFMatrix(X, gamma)
    ours = solve_dual(matrix, y, 10.0)
    whole = solve_dual(DenseGram(rbf_kernel(X, gamma=gamma)), y, 10.0)
    assert_array_equal(ours.dual_coef, whole.dual_coef)
    assert fewest <= matrix.made_rows <= most


def test_points_in_another_layout_are_taken_as_well():
    X = np.asfortranarray(points_of(70))
    assert_array_equal(RBFMatrix(X, 0.3).row(69), rbf_kernel(X, gamma=0.3)[69])
    with pytest.raises(ValueError, match="NaN or infinity"):
        RBFMatrix([[np.nan]], 0.3)


def test_it_tells_what_it_is():
    assert repr(RBFMatrix(points_of(1200), 0.25)) == "RBFMatrix(1,200 points, gamma=0.25)"
