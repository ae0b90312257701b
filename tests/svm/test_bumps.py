import numpy as np
from hypothesis import given, strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import logsumexp

from kpboost.svm._perturbation import Bumps, log_sum_exp

exponents = st.lists(st.floats(-1e6, 1e6) | st.just(-np.inf), min_size=3, max_size=3)


@given(st.lists(exponents, min_size=1, max_size=5))
def test_equals_scipys(rows):
    rows = np.array(rows)
    assert_allclose(log_sum_exp(rows), logsumexp(rows, axis=1), rtol=1e-12)


def test_a_row_without_anything_is_minus_infinity():
    assert_array_equal(log_sum_exp(np.full((2, 3), -np.inf)), -np.inf)


def test_a_sum_written_out():
    draw = np.random.default_rng(0)
    anchors, points = draw.normal(size=(4, 2)), draw.normal(size=(6, 2))
    heights, widths = draw.uniform(1, 2, 4), draw.uniform(1, 2, 4)
    for kind, distance in (
        ("sqeuclidean", lambda x, z: ((x - z) ** 2).sum()),
        ("l1", lambda x, z: np.abs(x - z).sum()),
    ):
        bumps = Bumps(anchors, np.log(heights), widths, kind)
        triples = list(zip(heights, anchors, widths, strict=True))
        expected = [sum(h * np.exp(-distance(x, s) / w) for h, s, w in triples) for x in points]
        assert_allclose(bumps(points, None, None), np.log(expected))
        assert bumps.n_anchors == 4


def test_distances_beyond_all_numbers_leave_nothing():
    bumps = Bumps(np.zeros((1, 1)), np.zeros(1), np.array([1e-300]), "sqeuclidean")
    assert_array_equal(bumps(np.array([[1e10], [0.0]]), None, None), [-np.inf, 0.0])
