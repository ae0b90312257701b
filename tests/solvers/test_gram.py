"""A Gram matrix is checked once, and kept as it is if it can be."""

import gc
import weakref

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.metrics.pairwise import rbf_kernel

from kpboost.solvers import DenseGram, solve_dual


@pytest.fixture
def points():
    return np.random.default_rng(0).normal(size=(70, 3))


@pytest.fixture
def gram(points):
    return rbf_kernel(points, gamma=0.4)


@pytest.fixture
def y(points):
    return np.where(points[:, 0] > 0, 1.0, -1.0)


def asymmetric(gram, difference, place=(3, 40)):
    changed = gram.copy()
    changed[place] += difference
    return changed


def test_a_double_precision_array_is_not_copied(gram):
    kept = DenseGram(gram)
    assert np.shares_memory(kept.array, gram)
    assert len(kept) == 70
    assert tuple(kept.shape) == gram.shape


def test_a_read_only_array_is_not_copied(gram, y):
    gram.flags.writeable = False
    kept = DenseGram(gram)
    assert np.shares_memory(kept.array, gram)
    assert solve_dual(kept, y, 1.0).status == "converged"


@pytest.mark.parametrize(
    "other",
    [
        lambda K: np.asfortranarray(K),
        lambda K: np.repeat(np.repeat(K, 2, axis=0), 2, axis=1)[::2, ::2],
        lambda K: K.astype(">f8"),
        lambda K: K.tolist(),
    ],
    ids=["fortran", "strided", "big endian", "list"],
)
def test_other_layouts_give_the_same_answer(gram, y, other):
    expected = solve_dual(gram, y, 10.0)
    found = solve_dual(other(gram), y, 10.0)
    assert_array_equal(found.dual_coef, expected.dual_coef)


def test_single_precision_is_accepted(points, y):
    """Its own rounding errors, which make it a little asymmetric, are forgiven."""
    noise = np.random.default_rng(1).normal(scale=1e-7, size=(70, 70))
    single = (rbf_kernel(points, gamma=0.4) + noise).astype(np.float32)
    assert np.abs(single - single.T).max() > 1e-8
    kept = DenseGram(single)
    assert kept.array.dtype == np.float64
    assert_array_equal(kept.array, single)
    assert solve_dual(kept, y, 10.0).status == "converged"


@pytest.mark.parametrize("dtype", [int, bool, np.uint8, np.float16])
def test_whole_numbers_and_half_precision_are_accepted(dtype):
    kept = DenseGram(np.eye(4, dtype=dtype))
    assert_array_equal(kept.array, np.eye(4))


@pytest.mark.parametrize("size", [1.0, 1e6, 1e-6])
def test_a_tiny_asymmetry_is_forgiven_and_a_larger_one_refused(gram, size):
    """Tiny means relative to the diagonal: sqrt(epsilon), 1.5e-8 in double precision."""
    DenseGram(size * asymmetric(gram, 1e-9))
    with pytest.raises(ValueError, match="not symmetric"):
        DenseGram(size * asymmetric(gram, 1e-7))


@pytest.mark.parametrize("n", [1, 2, 31, 32, 33, 64, 65, 100])
def test_no_place_is_overlooked(n):
    """Every entry of matrices around the size of a tile, alone, makes the matrix bad."""
    matrix = np.eye(n)
    for i in (0, n // 2, n - 1):
        for j in range(n):
            for bad in (np.nan, np.inf) if i == j else (np.nan, -np.inf, 1e-3):
                old, matrix[i, j] = matrix[i, j], bad
                with pytest.raises(ValueError, match=r"^gram (contains NaN|is not symmetric)"):
                    DenseGram(matrix)
                matrix[i, j] = old
    DenseGram(matrix)


def test_a_zero_diagonal_forgives_nothing():
    hollow = 1 - np.eye(5)
    DenseGram(hollow)
    with pytest.raises(ValueError, match="not symmetric"):
        DenseGram(asymmetric(hollow, 1e-12, (1, 2)))


def test_checked_once(gram, y):
    """What a solve trusts was checked when the object was made, not again."""
    kept = DenseGram(gram)
    before = solve_dual(kept, y, 1.0)
    gram[0, 1] += 1e-3  # a caller's mistake that only a second check would find
    solve_dual(kept, y, 1.0)
    with pytest.raises(ValueError, match="not symmetric"):
        solve_dual(gram, y, 1.0)
    gram[0, 1] -= 1e-3
    assert_array_equal(solve_dual(kept, y, 1.0).dual_coef, before.dual_coef)


def test_the_matrix_lives_as_long_as_it_is_needed(points, y):
    kept = DenseGram(rbf_kernel(points, gamma=0.4))
    gc.collect()
    expected = solve_dual(rbf_kernel(points, gamma=0.4), y, 1.0)
    assert_array_equal(solve_dual(kept, y, 1.0).dual_coef, expected.dual_coef)
    alive = weakref.ref(kept.array)
    del kept
    gc.collect()
    assert alive() is None


def test_rows_are_those_of_the_matrix(gram):
    kept = DenseGram(gram)
    assert_array_equal(kept.row(11), gram[11])
    columns = np.array([3, 69, 0], dtype=np.uintp)
    assert_array_equal(kept.entries(5, columns), gram[5, [3, 69, 0]])


def test_a_product_is_that_of_the_matrix(gram):
    vectors = np.random.default_rng(1).normal(size=(4, 70))
    np.testing.assert_allclose(DenseGram(gram).product(vectors), vectors @ gram, atol=1e-12)
