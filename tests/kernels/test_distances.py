"""Squared distances next to scipy's cdist, and what differences promise beyond it."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import sparse
from scipy.spatial.distance import cdist

from kpboost.kernels import squared_distances

ROWS = st.integers(1, 21) | st.sampled_from([63, 64, 65, 159, 160, 161, 330, 513])
FEATURES = st.integers(1, 9) | st.sampled_from([33, 130])  # 130 makes strips narrower


def points(n, d, seed=0):
    return np.random.default_rng(seed).normal(size=(n, d))


@settings(max_examples=60, deadline=None)
@given(ROWS, ROWS, FEATURES)
def test_agrees_with_cdist_for_all_shapes(n, m, d):
    X, Y = points(n, d), points(m, d, 1)
    np.testing.assert_allclose(squared_distances(X, Y), cdist(X, Y, "sqeuclidean"), rtol=1e-13)


@settings(max_examples=60, deadline=None)
@given(ROWS, FEATURES)
def test_of_one_set_is_symmetric_and_equal_to_the_general_block(n, d):
    X = points(n, d)
    squared = squared_distances(X)
    assert np.array_equal(squared, squared.T)
    assert np.array_equal(squared, squared_distances(X, X.copy()))
    assert not squared.diagonal().any()


def test_an_entry_does_not_depend_on_its_place():
    X, Y = points(13, 7), points(29, 7, 1)
    whole = squared_distances(X, Y)
    single = [[squared_distances(x[None], y[None])[0, 0] for y in Y] for x in X]
    assert np.array_equal(whole, single)


def test_small_differences_far_from_the_origin_stay_exact():
    steps = np.arange(40) * 2.0**-27  # about 1e-8, exact next to 2^20
    X = 2.0**20 + np.column_stack([steps, -steps])
    exact = 2 * (steps[:, None] - steps) ** 2
    assert np.array_equal(squared_distances(X), exact)
    # the expansion in norms and products, as a check of the check, loses all of it
    norms = (X**2).sum(axis=1)
    assert np.abs(norms[:, None] + norms - 2 * X @ X.T - exact).max() > 0.9 * exact.max()


def test_overflow_is_infinite_and_not_nan():
    assert squared_distances([[1e200]], [[-1e200]])[0, 0] == np.inf


SPARSE = {"csr": sparse.csr_matrix, "csc": sparse.csc_array, "coo": sparse.coo_matrix}
MIXES = [("csr", "csr"), ("csc", "coo"), ("csr", None), (None, "csr")]


@pytest.mark.parametrize(("x_format", "y_format"), MIXES)
def test_sparse_equals_dense(x_format, y_format, monkeypatch):
    monkeypatch.setattr("kpboost.kernels._rbf.SPARSE_BLOCK_BYTES", 8 * 19 * 4)  # 4 rows
    X = points(31, 12) * (points(31, 12, 2) > 0.5)
    Y = points(19, 12, 1) * (points(19, 12, 3) > 0.5)
    X_in = SPARSE[x_format](X) if x_format else X
    Y_in = SPARSE[y_format](Y) if y_format else Y
    result = squared_distances(X_in, Y_in)
    assert result.flags.c_contiguous
    np.testing.assert_allclose(result, squared_distances(X, Y), rtol=1e-12, atol=1e-13)


def test_sparse_of_one_set_is_symmetric_with_exact_copies(monkeypatch):
    monkeypatch.setattr("kpboost.kernels._rbf.SPARSE_BLOCK_BYTES", 8 * 40 * 7)  # 7 rows
    half = points(20, 15) * (points(20, 15, 2) > 0.3)
    X = sparse.csr_array(np.vstack([half, half]))
    squared = squared_distances(X)
    assert np.array_equal(squared, squared.T)
    assert not squared.diagonal().any()
    assert np.diagonal(squared, 20).max() < 1e-14
    np.testing.assert_allclose(squared, squared_distances(X.toarray()), atol=1e-13)


def test_unsorted_sparse_input_with_duplicates_is_left_alone():
    X = sparse.csr_matrix(([1.0, 2.0, 3.0], [2, 0, 2], [0, 3]), shape=(1, 3))
    assert squared_distances(X, [[0.0, 0.0, 0.0]])[0, 0] == 2**2 + 4**2
    assert list(X.indices) == [2, 0, 2]


def test_out_is_filled_and_returned():
    X, out = points(5, 3), np.empty((5, 5))
    assert squared_distances(X, out=out) is out
    assert np.array_equal(out, squared_distances(X))


@pytest.mark.parametrize(
    "X", [points(6, 4).astype(np.float32), np.asfortranarray(points(6, 4)), points(12, 8)[::2, ::2]]
)
def test_other_layouts_and_types_are_converted(X):
    exact = cdist(X.astype(float), X.astype(float), "sqeuclidean")
    np.testing.assert_allclose(squared_distances(X), exact, rtol=1e-13)


REFUSED = [
    ([1.0, 2.0], None, "X has 1 dimension"),
    (np.ones((0, 3)), None, r"X has shape \(0, 3\)"),
    (np.ones((3, 0)), None, r"X has shape \(3, 0\)"),
    ([[np.nan]], None, "X contains NaN or infinity"),
    (sparse.csr_array([[np.inf]]), None, "X contains NaN or infinity"),
    ([["a"]], None, "X must hold numbers"),
    ([[1j]], None, "X holds complex numbers"),
    ([[1.0]], [[1.0, 2.0]], "X and Y have 1 and 2 features"),
    ([[1.0]], [[-np.inf]], "Y contains NaN or infinity"),
]


@pytest.mark.parametrize(("X", "Y", "sentence"), REFUSED)
def test_bad_input_gets_a_sentence(X, Y, sentence):
    with pytest.raises(ValueError, match=sentence):
        squared_distances(X, Y)


@pytest.mark.parametrize(
    "out", [np.empty((2, 3)), np.empty((2, 2), np.float32), np.empty((2, 4))[:, ::2], [[0.0]]]
)
def test_an_out_that_cannot_hold_the_result_is_refused(out):
    with pytest.raises(ValueError, match=r"out must be .* of shape \(2, 2\)"):
        squared_distances(points(2, 3), out=out)
