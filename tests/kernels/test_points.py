"""The checks in front of every kernel: what passes untouched, and every place a NaN can hide."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import sparse
from sklearn.datasets import load_iris
from sklearn.svm import SVC

from kpboost import _core
from kpboost.kernels import (
    gamma_to_length_scale,
    length_scale_to_gamma,
    rbf_decision,
    resolve_gamma,
)
from kpboost.kernels._points import as_points


def test_good_points_are_not_copied():
    X = np.ones((3, 2))
    assert as_points(X, "X") is X


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_bad_value_is_seen_wherever_it_stands(bad):
    for n in range(1, 40):
        values = np.full(n, -1.7e308)
        assert _core.all_finite(values)
        for i in range(n):
            values[i] = bad
            assert not _core.all_finite(values)
            values[i] = 5e-324


def test_data_frames_and_lists_are_points():
    pd = pytest.importorskip("pandas")
    table = pd.DataFrame({"a": [1, 2], "b": [0.5, -1.0]})
    assert np.array_equal(as_points(table, "X"), [[1, 0.5], [2, -1]])
    assert np.array_equal(as_points([[1, 2]], "X"), [[1.0, 2.0]])


# Widths next to SVC's, and weights next to repeated rows.


def points(n=30, d=4, seed=0):
    return 5 + np.random.default_rng(seed).normal(size=(n, d))


@pytest.mark.parametrize("as_input", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("gamma", ["scale", "auto", 0.25])
def test_means_what_svc_means(gamma, as_input):
    X, y = load_iris(return_X_y=True)
    X, y = as_input(X[:100]), y[:100]
    svc = SVC(gamma=gamma).fit(X, y)
    own = rbf_decision(
        X,
        svc.support_vectors_,
        gamma=resolve_gamma(gamma, X),
        coef=np.asarray(svc.dual_coef_.todense() if sparse.issparse(X) else svc.dual_coef_),
        intercept=svc.intercept_,
    )
    np.testing.assert_allclose(own[:, 0], svc.decision_function(X), atol=1e-10)


def test_scale_is_the_inverse_of_features_times_variance():
    X = points()
    assert resolve_gamma("scale", X) == pytest.approx(1 / (4 * X.var()), rel=1e-15)
    assert resolve_gamma("auto", X) == 0.25


@pytest.mark.parametrize("as_input", [np.asarray, sparse.csr_array])
def test_scale_of_constant_data_is_one(as_input):
    assert resolve_gamma("scale", as_input(np.zeros((3, 2)))) == 1.0
    constant = np.full((7, 3), 0.1)  # whose var() is not quite 0 in floating point
    assert resolve_gamma("scale", as_input(constant)) == 1.0
    assert resolve_gamma("scale", as_input(constant), np.arange(7)) == 1.0


@pytest.mark.parametrize("as_input", [np.asarray, sparse.csr_array])
def test_integer_weights_equal_repetition(as_input):
    X = points() * (points(seed=1) > 5)
    weight = np.random.default_rng(2).integers(0, 4, len(X))
    repeated = resolve_gamma("scale", np.repeat(X, weight, axis=0))
    assert resolve_gamma("scale", as_input(X), weight) == pytest.approx(repeated, rel=1e-12)
    assert resolve_gamma("scale", as_input(X), 0.1 * weight) == pytest.approx(repeated, rel=1e-12)


@pytest.mark.parametrize("as_input", [np.asarray, sparse.csr_array])
def test_weight_zero_equals_absence(as_input):
    X, weight = points(), np.ones(30)
    weight[::3], X[::3] = 0, 1e9
    kept = resolve_gamma("scale", X[weight > 0])
    assert resolve_gamma("scale", as_input(X), weight) == pytest.approx(kept, rel=1e-12)


def test_equal_weights_change_nothing():
    X = points()
    assert resolve_gamma("scale", X, np.full(30, 0.7)) == resolve_gamma("scale", X)


def test_sparse_variance_survives_a_large_mean():
    X = 1e6 + points(200)
    assert resolve_gamma("scale", sparse.csr_array(X)) == pytest.approx(1 / (4 * X.var()), rel=1e-9)


def test_tiny_scales_keep_gamma_finite():
    assert 0 < resolve_gamma("scale", 1e-160 * points()) < np.inf


def test_huge_scales_are_refused():
    with pytest.raises(ValueError, match="variance of X overflows"):
        resolve_gamma("scale", 1e200 * points())


@pytest.mark.parametrize("gamma", [0, -0.5, np.nan, np.inf, "wide", None, True, [1.0]])
def test_bad_gamma_is_named(gamma):
    with pytest.raises(ValueError, match=r'gamma is .*"scale", "auto" or a positive number'):
        resolve_gamma(gamma, points())


@pytest.mark.parametrize(
    ("weight", "sentence"),
    [
        (np.ones(29), r"sample_weight has shape \(29,\); one weight per sample is needed, \(30,\)"),
        (-np.ones(30), "negative or non-finite"),
        (np.zeros(30), "zero for every sample"),
        (np.full(30, np.nan), "negative or non-finite"),
    ],
)
def test_bad_weights_get_a_sentence(weight, sentence):
    with pytest.raises(ValueError, match=sentence):
        resolve_gamma("scale", points(), weight)


@pytest.mark.parametrize("number", [2, 2.0, np.float32(2), np.int64(2)])
def test_numbers_of_all_kinds_stand_for_themselves(number):
    assert resolve_gamma(number, points()) == 2.0


def test_length_scale_is_sigma():
    assert length_scale_to_gamma(1.0) == 0.5
    assert isinstance(length_scale_to_gamma(3), float)
    np.testing.assert_array_equal(length_scale_to_gamma([0.5, 2.0]), [2.0, 0.125])


@given(st.floats(1e-100, 1e100))
def test_conversions_undo_each_other(sigma):
    assert gamma_to_length_scale(length_scale_to_gamma(sigma)) == pytest.approx(sigma, rel=1e-15)


@pytest.mark.parametrize("value", [0.0, -1.0, np.nan, np.inf, [1.0, 0.0]])
@pytest.mark.parametrize("convert", [length_scale_to_gamma, gamma_to_length_scale])
def test_conversions_need_positive_numbers(convert, value):
    with pytest.raises(ValueError, match="positive finite number"):
        convert(value)
