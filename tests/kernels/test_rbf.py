"""The RBF kernel next to scikit-learn's, and its exp next to numpy's and to exact arithmetic."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from numpy.testing import assert_array_equal
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.datasets import load_breast_cancer
from sklearn.metrics.pairwise import rbf_kernel as sklearn_rbf_kernel
from sklearn.preprocessing import scale
from sklearn.svm import SVC

from kpboost.kernels import (
    RBFRows,
    add_runs,
    laplacian_decision,
    rbf_decision,
    rbf_from_squared_distances,
    rbf_kernel,
    resolve_gamma,
    squared_distances,
)
from kpboost.kernels._rbf import MEGABYTE
from support.patience import CtrlC, worked

SMALLEST_EXPONENT = 708.0


def points(n, d, seed=0):
    return np.random.default_rng(seed).normal(size=(n, d))


def in_last_places(values, exact):
    return np.abs(values - exact) / np.spacing(exact)


def test_exp_agrees_with_numpy_over_its_whole_range():
    x = np.concatenate([np.linspace(0, SMALLEST_EXPONENT, 300_001), np.geomspace(1e-300, 1, 5001)])
    assert in_last_places(rbf_from_squared_distances(x, 1.0), np.exp(-x)).max() <= 2


def test_exp_is_within_one_unit_in_the_last_place():
    x = np.concatenate([np.random.default_rng(0).uniform(0, 700, 500), np.linspace(0, 2, 500)])
    with localcontext() as context:
        context.prec = 40
        exact = [(-Decimal(v)).exp() for v in x.tolist()]
        computed = rbf_from_squared_distances(x, 1.0).tolist()
        errors = [abs(Decimal(c) - e) for c, e in zip(computed, exact, strict=True)]
    assert (np.array(errors, float) / np.spacing(np.array(exact, float))).max() < 1


def test_exp_ends_in_zero():
    x = np.array([708.5, 745.0, 746.0, 1e4, 1e300, np.inf])
    assert not rbf_from_squared_distances(x, 1.0).any()
    assert rbf_from_squared_distances(np.array([0.0]), 1e300)[0] == 1.0
    assert rbf_from_squared_distances(np.array([1e300]), 1e300)[0] == 0.0


def test_exp_falls_without_a_step_back():
    x = np.linspace(0, 30, 1_000_001)
    steps = np.diff(rbf_from_squared_distances(x, 1.0))
    assert (steps < 0).all()


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 200), st.integers(1, 70), st.integers(1, 7), st.floats(1e-3, 1e3))
def test_agrees_with_scikit_learn_for_all_shapes(n, m, d, gamma):
    X, Y = points(n, d), points(m, d, 1)
    np.testing.assert_allclose(
        rbf_kernel(X, Y, gamma=gamma), sklearn_rbf_kernel(X, Y, gamma), atol=1e-12 * max(1, gamma)
    )


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 40) | st.sampled_from([160, 161, 335]), st.integers(1, 9))
def test_gram_is_symmetric_with_unit_diagonal(n, d):
    X = points(n, d)
    gram = rbf_kernel(X, gamma=0.7)
    assert np.array_equal(gram, gram.T)
    assert (gram.diagonal() == 1).all()
    assert np.array_equal(gram, rbf_kernel(X, X.copy(), gamma=0.7))


@pytest.mark.parametrize("scale", [1e-150, 1e-8, 1.0, 1e6])
def test_duplicates_have_kernel_value_one(scale):
    X = scale * (1e3 + points(50, 6))
    X[25:] = X[:25]
    assert (np.diagonal(rbf_kernel(X, gamma=3.0), 25) == 1).all()


def test_shared_distances_give_the_same_kernel():
    X = points(37, 4)
    squared = squared_distances(X)
    for gamma in (0.01, 1.0, 50.0):
        kernel = rbf_from_squared_distances(squared, gamma)
        assert np.array_equal(kernel, rbf_kernel(X, gamma=gamma))


def test_kernel_may_replace_the_distances():
    squared = squared_distances(points(37, 4))
    expected = rbf_from_squared_distances(squared, 2.0)
    assert rbf_from_squared_distances(squared, 2.0, out=squared) is squared
    assert np.array_equal(squared, expected)


@pytest.mark.parametrize("n", range(1, 40))
def test_every_length_of_tail(n):
    x = np.random.default_rng(n).uniform(0, 30, n + 1)
    out = np.full(n + 1, -1.0)
    rbf_from_squared_distances(x[:n], 0.5, out=out[:n])
    assert in_last_places(out[:n], np.exp(-0.5 * x[:n])).max() <= 2
    assert out[n] == -1.0


def test_sparse_equals_dense():
    X = points(40, 9) * (points(40, 9, 1) > 0)
    S = sparse.csr_matrix(X)
    gram = rbf_kernel(S, gamma=0.4)
    assert np.array_equal(gram, gram.T)
    assert (gram.diagonal() == 1).all()
    np.testing.assert_allclose(gram, rbf_kernel(X, gamma=0.4), atol=1e-13)
    np.testing.assert_allclose(rbf_kernel(S, X, gamma=0.4), gram, atol=1e-13)
    np.testing.assert_allclose(rbf_kernel(X, S, gamma=0.4), gram, atol=1e-13)


@pytest.mark.parametrize("gamma", [0, -1.0, np.nan, np.inf, "scale", None, True])
def test_gamma_must_be_a_positive_number(gamma):
    with pytest.raises(ValueError, match=r"gamma is .*; it must be a positive number"):
        rbf_kernel([[1.0]], gamma=gamma)
    with pytest.raises(ValueError, match=r"gamma is .*; it must be a positive number"):
        rbf_from_squared_distances([[1.0]], gamma)


# Squared distances next to scipy's cdist, and what differences promise beyond it.


ROWS = st.integers(1, 21) | st.sampled_from([63, 64, 65, 159, 160, 161, 330, 513])
FEATURES = st.integers(1, 9) | st.sampled_from([33, 130])  # 130 makes strips narrower


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
def test_sparse_equals_dense_of_distances(x_format, y_format, monkeypatch):
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


# Fused prediction next to SVC.decision_function and to the product with a whole kernel block.


SIZES = st.integers(1, 13) | st.sampled_from([63, 64, 65, 511, 512, 513])


def machine(n_sv, d, n_machines, seed=0):
    rng = np.random.default_rng(seed)
    return {
        "support_vectors": rng.normal(size=(n_sv, d)),
        "gamma": 0.3,
        "coef": rng.normal(size=(n_machines, n_sv)),
        "intercept": rng.normal(size=n_machines),
    }


def points_of_decision(n, d, seed=9):
    return np.random.default_rng(seed).normal(size=(n, d))


@pytest.mark.parametrize("as_input", [np.asarray, sparse.csr_matrix])
def test_agrees_with_svc(as_input):
    X, y = load_breast_cancer(return_X_y=True)
    X = scale(X)
    svc = SVC(C=10, gamma=0.02).fit(X, y)
    decision = rbf_decision(
        as_input(X),
        as_input(svc.support_vectors_),
        gamma=0.02,
        coef=svc.dual_coef_,
        intercept=svc.intercept_,
    )
    np.testing.assert_allclose(decision[:, 0], svc.decision_function(X), atol=1e-9)


@settings(max_examples=80, deadline=None)
@given(SIZES, SIZES, st.integers(1, 9) | st.just(130), st.integers(1, 5) | st.integers(22, 60))
def test_agrees_with_the_whole_block_for_all_shapes(n, n_sv, d, n_machines):
    X, parts = points_of_decision(n, d), machine(n_sv, d, n_machines)
    block = sklearn_rbf_kernel(X, parts["support_vectors"], parts["gamma"])
    expected = block @ parts["coef"].T + parts["intercept"]
    np.testing.assert_allclose(rbf_decision(X, **parts), expected, atol=1e-11)


@settings(max_examples=80, deadline=None)
@given(SIZES, SIZES, st.integers(1, 9) | st.just(130), st.integers(1, 5) | st.integers(22, 60))
def test_the_laplacian_agrees_with_scipys_city_block_distances(n, n_sv, d, n_machines):
    X, parts = points_of_decision(n, d), machine(n_sv, d, n_machines)
    block = np.exp(-parts["gamma"] * cdist(X, parts["support_vectors"], "cityblock"))
    expected = block @ parts["coef"].T + parts["intercept"]
    np.testing.assert_allclose(laplacian_decision(X, **parts), expected, atol=1e-11)


@pytest.mark.parametrize("n_machines", [3, 41])
def test_a_row_does_not_depend_on_its_company(n_machines):
    X, parts = points_of_decision(71, 5), machine(777, 5, n_machines)
    together = rbf_decision(X, **parts)
    alone = np.vstack([rbf_decision(x[None], **parts) for x in X])
    assert np.array_equal(together, alone)


# One or two rows take another way through the compiled code than more of them.
FEATURES_OF_FEW_ROWS = [*range(1, 21), 60]


@pytest.mark.parametrize("n_features", FEATURES_OF_FEW_ROWS)
@pytest.mark.parametrize("decide", [rbf_decision, laplacian_decision])
@pytest.mark.parametrize(("n_sv", "n_machines"), [(3, 2), (32, 1), (541, 1), (541, 3), (541, 25)])
def test_few_rows_have_the_values_of_many(n_features, decide, n_sv, n_machines):
    X, parts = points_of_decision(9, n_features), machine(n_sv, n_features, n_machines)
    together = decide(X, **parts)
    for n in range(1, 10):
        for rows in (slice(0, n), slice(9 - n, 9)):
            assert_array_equal(decide(X[rows], **parts), together[rows])


@pytest.mark.parametrize("n_features", FEATURES_OF_FEW_ROWS)
@pytest.mark.parametrize("m", [1, 15, 16, 541])
def test_few_rows_have_the_distances_of_many(n_features, m):
    X, Y = points_of_decision(9, n_features), points(m, n_features)
    together = squared_distances(X, Y)
    for n in range(1, 10):
        assert_array_equal(squared_distances(X[:n], Y), together[:n])


def test_a_machine_does_not_depend_on_its_company():
    X, parts = points_of_decision(6, 5), machine(100, 5, 3)
    together = rbf_decision(X, **parts)
    for t in range(3):
        own = {"coef": parts["coef"][t : t + 1], "intercept": parts["intercept"][t : t + 1]}
        assert np.array_equal(rbf_decision(X, **(parts | own))[:, 0], together[:, t])


def test_nor_does_one_of_many_machines_on_the_others():
    X, parts = points_of_decision(6, 5), machine(100, 5, 90)
    together = rbf_decision(X, **parts)
    for some in (slice(0, 24), slice(7, 40), slice(61, 90)):
        own = {"coef": parts["coef"][some], "intercept": parts["intercept"][some]}
        assert np.array_equal(rbf_decision(X, **(parts | own)), together[:, some])


def test_no_machine_gives_no_column():
    assert rbf_decision(points_of_decision(4, 2), **machine(5, 2, 0)).shape == (4, 0)


@pytest.mark.parametrize("mixed", ["X", "support_vectors"])
def test_mixed_sparse_and_dense(mixed):
    inputs = {"X": points_of_decision(23, 6), **machine(17, 6, 2)}
    expected = rbf_decision(**inputs)
    inputs[mixed] = sparse.csc_matrix(inputs[mixed])
    np.testing.assert_allclose(rbf_decision(**inputs), expected, atol=1e-11)


REFUSED_OF_DECISION = [
    ({"coef": np.ones((2, 4))}, r"coef has shape \(2, 4\); it must be \(T, 5\)"),
    ({"coef": np.ones(5)}, r"coef has shape \(5,\)"),
    ({"coef": np.full((2, 5), np.nan)}, "coef contains NaN"),
    ({"intercept": np.ones(3)}, r"intercept has shape \(3,\); it must be \(2,\)"),
    ({"intercept": 0.0}, "intercept has shape"),
    ({"X": np.ones((2, 4))}, "X and support_vectors have 4 and 3 features"),
    ({"support_vectors": np.ones((0, 3))}, "support_vectors has shape"),
    ({"gamma": 0.0}, "gamma is 0.0"),
]


@pytest.mark.parametrize(("change", "sentence"), REFUSED_OF_DECISION)
def test_bad_input_gets_a_sentence_of_decision(change, sentence):
    inputs = {"X": points_of_decision(2, 3), **machine(5, 3, 2)} | change
    with pytest.raises(ValueError, match=sentence):
        rbf_decision(**inputs)


MEMORY = """
import resource, sys
import numpy as np
from scipy import sparse
from kpboost.kernels import rbf_decision
n, n_sv, as_input = {n}, {n_sv}, {as_input}
rng = np.random.default_rng(0)
X = as_input(rng.normal(size=(n, 2)) * (rng.uniform(size=(n, 2)) < 0.5))
parts = dict(gamma=1.0, coef=np.ones((2, n_sv)), intercept=np.zeros(2))
rbf_decision(X[:8], X[:n_sv], **parts)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
rbf_decision(X, X[:n_sv], **parts)
grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
print(grown * (1 if sys.platform == "darwin" else 1024))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="peak memory is read from the resource module")
@pytest.mark.parametrize(
    ("n", "n_sv", "as_input", "limit_mb"),
    [(150_000, 1000, "np.asarray", 20), (20_000, 2500, "sparse.csr_array", 250)],
)
def test_memory_does_not_grow_with_the_block(n, n_sv, as_input, limit_mb):
    script = MEMORY.format(n=n, n_sv=n_sv, as_input=as_input)
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert 8 * n * n_sv > 1.5 * limit_mb * 2**20  # the block would break the limit
    assert int(run.stdout) < limit_mb * 2**20


@pytest.mark.skipif(sys.platform == "win32", reason="os.kill cannot send SIGINT there")
def test_ctrl_c_stops_a_long_prediction():
    X, parts = points_of_decision(200_000, 5), machine(20_000, 5, 1)
    press = CtrlC(worked(0.2))
    with pytest.raises(KeyboardInterrupt), press:
        rbf_decision(X, **parts)
    assert press.work_after < 1.0
    assert rbf_decision(X[:1], **parts).shape == (1, 1)


# Adding runs is numpy's own indexed addition.


@pytest.mark.parametrize(("n", "m", "k", "t"), [(1, 1, 1, 1), (7, 3, 5, 10), (4, 9, 45, 3)])
def test_runs_are_added_like_numpy_does(n, m, k, t):
    rng = np.random.default_rng(0)
    part, out = rng.normal(size=(n, m, t)), rng.normal(size=(n, k, t))
    places = rng.permutation(k)[:m]
    expected = out.copy()
    expected[:, places] += part
    add_runs(part, places, out)
    assert_array_equal(out, expected)


def test_nothing_is_added_from_nothing():
    out = np.ones((2, 3, 4))
    add_runs(np.empty((2, 0, 4)), np.empty(0, dtype=np.intp), out)
    assert_array_equal(out, 1.0)


@pytest.mark.parametrize("places", [[0, 3], [-1, 0]])
def test_places_outside_are_refused(places):
    with pytest.raises(ValueError, match="between 0 and 2"):
        add_runs(np.ones((2, 2, 4)), np.array(places), np.ones((2, 3, 4)))


def test_shapes_that_do_not_fit_are_refused():
    part, places = np.ones((2, 2, 4)), np.array([0, 1])
    for out in (np.ones((3, 3, 4)), np.ones((2, 3, 5))):
        with pytest.raises(ValueError, match="shapes"):
            add_runs(part, places, out)
    with pytest.raises(ValueError, match="shapes"):
        add_runs(part, places[:1], np.ones((2, 3, 4)))
    with pytest.raises(TypeError):  # a copy would be added to, and lost
        add_runs(part, places, np.ones((2, 6, 4))[:, ::2])


# Rows on demand: equal to the whole Gram matrix, bounded, and the same from many threads.


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
