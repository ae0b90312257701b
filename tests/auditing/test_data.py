import numpy as np
import pandas as pd
import pytest

from kpboost.auditing._data import (
    INDICATOR_WEIGHT,
    audit_data_of,
    data_facts,
    fingerprint,
)
from kpboost.auditing._parts import parts_of, places_of
from kpboost.datasets import features_of


def test_rows_are_those_of_the_user():
    y = ["a", None, "b", "b", "a", "single", "b"]
    frame = pd.DataFrame({"x": np.arange(7.0)}, index=list("tuvwxyz"))
    data = audit_data_of(frame, y, 100, 0)
    assert sorted(data.rows.tolist()) == [0, 2, 3, 4, 6]
    assert data.names == ["a", "b"]
    assert [data.names[code] for code in data.codes] == [y[row] for row in data.rows]
    assert data.given.index.tolist() == [frame.index[row] for row in data.rows]
    np.testing.assert_array_equal(data.table.values[:, 0], data.rows)
    assert len(data.left_out) == 2


def test_equal_fingerprints_mean_equal_cells_and_row_numbers():
    frame = pd.DataFrame({"kind": ["u", "v"] * 4, "x": np.arange(8.0)})
    y = ["a", "a", "b", "b"] * 2

    def mark(frame, y):
        return fingerprint(audit_data_of(frame, y, 100, 0))

    assert mark(frame, y) == mark(frame.copy(), list(y))
    assert mark(frame, y) != mark(frame.replace("v", "w"), y)
    first = pd.concat([frame[:1], frame], ignore_index=True)
    assert mark(first, [None, *y]) != mark(frame, y)  # every row has another number


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
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 150)
    frame = pd.DataFrame(rng.normal(size=(300, 6)) + 4 * y[:, None])
    frame["coin"] = rng.choice(["heads", "tails"], size=300)
    frame.columns = frame.columns.astype(str)
    data = audit_data_of(frame, y, 1000, 0)
    sizes = parts_of(places_of(data.points), data.codes).sizes
    assert (sizes > 100).sum() == 2


def test_numbers_beyond_reason_are_refused_by_column():
    frame = pd.DataFrame({"x": np.arange(4.0), "huge": [1.0, 2.0, 1e200, 4.0]})
    with pytest.raises(ValueError, match="'huge' holds numbers beyond"):
        audit_data_of(frame, [0, 0, 1, 1], 100, 0)


FRAME = pd.DataFrame(
    {
        "a": [1.0, 1.0, 1.0, 2.0, None, None],
        "b": ["x", "x", "x", "y", "y", "y"],
        "c": [0, 0, 0, 0, 0, 0],
    }
)


def test_repetitions_contradictions_and_gaps():
    facts = data_facts(features_of(FRAME), np.array([0, 0, 1, 1, 0, 0]), ["p", "q"], ["gone."])
    assert facts.n_duplicates == 2  # the second of "p" at a = 1, and the second missing one
    assert facts.n_contradictions == 3
    assert facts.n_unavoidable == 1
    assert facts.best_accuracy == 5 / 6
    assert facts.n_missing == 2
    assert facts.class_sizes == {"p": 4, "q": 2}
    assert facts.imbalance_ratio == 2
    assert (facts.n_columns, facts.n_nominal) == (3, 1)
    assert [(each.column, each.problem, each.n_rows) for each in facts.columns] == [
        ("a", "missing values", 2),
        ("c", "always the same", 6),
    ]
    assert facts.left_out == ("gone.",)


def test_duplicates_are_those_of_pandas():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.integers(0, 4, size=(200, 3)), columns=list("abc"))
    labels = rng.integers(0, 2, size=200)
    facts = data_facts(features_of(frame), labels, ["p", "q"], [])
    assert facts.n_duplicates == frame.assign(y=labels).duplicated().sum()
    several = frame.assign(y=labels).groupby(list("abc"))["y"].transform("nunique") > 1
    assert facts.n_contradictions == several.sum()
    best = frame.assign(y=labels).groupby(list("abc"))["y"].agg(lambda own: own.mode()[0])
    told = best.loc[list(frame.itertuples(index=False, name=None))].to_numpy()
    assert facts.n_unavoidable == (told != labels).sum()
