import numpy as np
import pandas as pd
import pytest

from kpboost.methods import preparation


def test_numbers_are_filled_and_scaled_and_categories_become_indicators():
    values = np.array([[1.0, 0.0], [np.nan, 1.0], [5.0, np.nan], [3.0, 1.0]])
    ready = preparation(np.array([False, True])).fit_transform(values)
    filled = np.array([1.0, 3.0, 5.0, 3.0])
    np.testing.assert_allclose(ready[:, 0], (filled - 3) / filled.std())
    expected = pd.get_dummies(np.array([0.0, 1.0, -1.0, 1.0])).to_numpy(float)
    np.testing.assert_array_equal(ready[:, 1:], expected)


def test_unknown_and_rare_categories_share_a_column():
    codes = np.append(np.repeat(np.arange(39.0), 3), 39.0).reshape(-1, 1)
    ready = preparation(np.array([True])).fit(codes)
    assert ready.transform(codes).shape[1] == 20
    np.testing.assert_array_equal(ready.transform([[39.0]]), ready.transform([[99.0]]))


@pytest.mark.parametrize("nominal", [[False], [True]])
def test_a_column_without_any_value(nominal):
    empty = np.full((4, 1), np.nan)
    assert np.isfinite(preparation(np.array(nominal)).fit_transform(empty)).all()
