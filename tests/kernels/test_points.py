"""The checks in front of every kernel: what passes untouched, and every place a NaN can hide."""

import numpy as np
import pytest

from kpboost import _core
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
