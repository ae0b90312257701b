"""Places are divided evenly between classes."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from kpboost._shares import even_shares

sizes_of_classes = st.lists(st.integers(0, 40), min_size=1, max_size=6).map(np.array)


@pytest.mark.parametrize(
    ("sizes", "total", "shares"),
    [
        ([1000, 10], 100, [90, 10]),
        ([1000, 800], 100, [50, 50]),
        ([5, 100, 100], 45, [5, 20, 20]),
        ([5, 6], 100, [5, 6]),
        ([5, 0, 6], 4, [2, 0, 2]),
    ],
)
def test_small_classes_are_served_first(sizes, total, shares):
    assert even_shares(np.array(sizes), total).tolist() == shares


@settings(deadline=None)
@given(sizes=sizes_of_classes, total=st.integers(0, 150))
def test_all_places_are_given_and_no_class_gets_more_than_a_larger_one(sizes, total):
    shares = even_shares(sizes, total)
    assert (shares <= sizes).all()
    assert shares.sum() == min(total, sizes.sum())
    order = np.argsort(sizes, kind="stable")
    assert (np.diff(shares[order]) >= 0).all()
    short = shares < sizes  # classes that wanted more differ by rounding alone
    assert not short.any() or np.ptp(shares[short]) <= 1


@settings(deadline=None)
@given(sizes=sizes_of_classes, total=st.integers(0, 150))
def test_a_class_with_rows_gets_one_if_that_is_asked_for(sizes, total):
    shares = even_shares(sizes, total, at_least=1)
    assert ((shares > 0) == (sizes > 0)).all()
    if total >= (sizes > 0).sum():
        assert shares.tolist() == np.maximum(even_shares(sizes, total), sizes > 0).tolist()
