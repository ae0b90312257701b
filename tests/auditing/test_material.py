import numpy as np
import pandas as pd
import pytest

from kpboost.auditing._data import INDICATOR_WEIGHT, audit_data_of


def test_rows_are_those_of_the_user():
    y = ["a", None, "b", "b", "a", "single", "b"]
    frame = pd.DataFrame({"x": np.arange(7.0)}, index=list("tuvwxyz"))
    data = audit_data_of(frame, y, 100, 0)
    assert data.rows.tolist() == [0, 2, 3, 4, 6]
    assert data.names == ["a", "b"]
    assert data.codes.tolist() == [0, 1, 1, 0, 1]
    assert data.given.index.tolist() == list("tvwxz")
    assert len(data.left_out) == 2


def test_labels_keep_their_type_and_become_words():
    data = audit_data_of(np.arange(6.0).reshape(-1, 1), np.array([3, 3, 10, 10, 10, 3]), 100, 0)
    assert data.classes == [3, 10]
    assert data.names == ["3", "10"]


def test_indicator_columns_count_less():
    frame = pd.DataFrame({"kind": ["u", "v"] * 4, "x": np.arange(8.0)})
    points = audit_data_of(frame, [0, 0, 1, 1] * 2, 100, 0).points
    assert points[:, 0].std() == pytest.approx(1)
    assert set(points[:, 1:].ravel()) == {0.0, INDICATOR_WEIGHT}


def test_a_column_without_meaning_does_not_cut_the_classes_in_pieces():
    from kpboost.auditing._data import neighbours_of, parts_of

    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 150)
    frame = pd.DataFrame(rng.normal(size=(300, 6)) + 4 * y[:, None])
    frame["coin"] = rng.choice(["heads", "tails"], size=300)
    frame.columns = frame.columns.astype(str)
    data = audit_data_of(frame, y, 1000, 0)
    sizes = parts_of(neighbours_of(data.points), data.codes).sizes
    assert (sizes > 100).sum() == 2


def test_numbers_beyond_reason_are_refused_by_column():
    frame = pd.DataFrame({"x": np.arange(4.0), "huge": [1.0, 2.0, 1e200, 4.0]})
    with pytest.raises(ValueError, match="'huge' holds numbers beyond"):
        audit_data_of(frame, [0, 0, 1, 1], 100, 0)
