"""Sizes by hand; draws uniform, without replacement, in order."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from kpboost.ensemble._rusboost_m2 import check_minority_share, sizes_to_keep, undersample


@pytest.mark.parametrize(
    ("sizes", "share", "kept"),
    [
        ([90, 10], 0.5, [10, 10]),
        ([10, 90], 0.35, [10, 19]),  # 10 * 0.65 / 0.35 = 18.57
        ([90, 10], 0.65, [5, 10]),  # 5.38
        ([90, 1], 0.9, [1, 1]),  # one of the larger class stays
        ([12, 10], 0.35, [12, 10]),  # 18.57 is more than there are
        ([10, 10], 0.5, [10, 10]),
        ([10, 10], 0.65, [10, 5]),  # of equal classes the first counts as the smaller
        ([7, 30, 12], 0.35, [7, 7, 7]),
    ],
)
def test_sizes(sizes, share, kept):
    assert_array_equal(sizes_to_keep(np.array(sizes), share), kept)


@given(st.integers(1, 200), st.integers(1, 200), st.floats(0.05, 0.95), st.integers(0, 2**31 - 1))
def test_two_classes(few, more, share, seed):
    codes = np.repeat([0, 1], [min(few, more), max(few, more)])
    rows = undersample(codes, share, np.random.RandomState(seed))
    n_few, n_more = np.bincount(codes[rows], minlength=2)
    assert n_few == min(few, more)
    assert 1 <= n_more <= max(few, more)
    assert np.all(np.diff(rows) > 0)
    if n_more < max(few, more) and n_more > 1:
        # no number of points would come closer to the share
        wanted = n_few * (1 - share) / share
        assert abs(n_more - wanted) <= 0.5 + 1e-9


def test_every_point_is_as_likely():
    codes = np.repeat([0, 1], [20, 5])
    rng = np.random.RandomState(0)
    drawn = np.concatenate([undersample(codes, 0.5, rng) for _ in range(4000)])
    shares = np.bincount(drawn, minlength=25) / 4000
    assert_allclose(shares[:20], 0.25, atol=0.03)
    assert_array_equal(shares[20:], 1.0)


@pytest.mark.parametrize("share", [0, 1, -0.5, 1.5, None, "half", True, float("nan")])
def test_bad_shares_are_refused(share):
    with pytest.raises(ValueError, match=r"minority_share=.* must be a number above 0 and below 1"):
        check_minority_share(share)
