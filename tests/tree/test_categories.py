"""Which columns are nominal, and their values as branches."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from kpboost.tree._c45 import categorical_mask, encode, find_categories

NAMES = np.array(["age", "sex", "town"], dtype=object)


@pytest.mark.parametrize(
    "given", [[1, 2], (2, 1), np.array([1, 2, 2]), [False, True, True], ["town", "sex"]]
)
def test_ways_to_say_the_same(given):
    assert_array_equal(categorical_mask(given, 3, NAMES), [False, True, True])


@pytest.mark.parametrize("given", [None, [], np.array([]), [False] * 3])
def test_none(given):
    assert not categorical_mask(given, 3, None).any()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ([3], "names column 3, but the columns of X are 0 to 2"),
        ([-1], "names column -1"),
        ([True, False], "2 truth values, but X has 3 columns"),
        (["aeg"], "'aeg', but the columns of X are"),
        ([0.5], "it must be None"),
        ([[0, 1]], "it must be None"),
        ("town", "it must be None"),
        (1, "it must be None"),
    ],
)
def test_refused(given, words):
    with pytest.raises(ValueError, match=words):
        categorical_mask(given, 3, NAMES)


def test_names_need_named_columns():
    with pytest.raises(ValueError, match="have no names"):
        categorical_mask(["town"], 3, None)


def test_values_become_branches():
    X = np.array([[2.5, 7.0], [np.nan, -3.0], [2.5, np.nan], [1.0, 7.0]])
    categories = find_categories(X, np.array([False, True]))
    assert categories[0] is None
    assert_array_equal(categories[1], [-3, 7])
    assert_array_equal(encode(X, categories), [[2.5, 1], [np.nan, 0], [2.5, np.nan], [1, 1]])


def test_unseen_values_are_missing():
    categories = [np.array([1.0, 3.0])]
    assert_array_equal(
        encode(np.array([[0.0], [2.0], [3.0], [9.0]]), categories),
        [[np.nan], [np.nan], [1], [np.nan]],
    )


def test_a_column_without_any_value():
    X = np.full((2, 1), np.nan)
    categories = find_categories(X, np.array([True]))
    assert categories[0].size == 0
    assert np.isnan(encode(np.array([[1.0]]), categories)).all()


def test_the_data_stay_as_they_are():
    X = np.array([[5.0], [3.0]])
    encode(X, find_categories(X, np.array([True])))
    assert_array_equal(X, [[5], [3]])
