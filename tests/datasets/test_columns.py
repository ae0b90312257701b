import datetime

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from kpboost.datasets import ColumnChoices, DataError, Table, encode_like, features_of, read_table
from kpboost.datasets._read import is_missing

DATA = {"size": [1.5, None, 3.0], "colour": ["red", None, "blue"], "sold": [True, False, True]}


def encoded(new, known):
    return encode_like(read_table(new), known, unseen="missing").values


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_frames_become_numbers_and_codes(frame):
    columns = features_of(frame(DATA))
    assert columns.names == ("size", "colour", "sold")
    assert columns.nominal.tolist() == [False, True, True]
    assert columns.categories == (None, ("blue", "red"), ("False", "True"))
    np.testing.assert_array_equal(columns.values, [[1.5, 1, 1], [np.nan, np.nan, 0], [3.0, 0, 1]])


def test_categories_of_pandas_and_its_own_missing_value():
    frame = pd.DataFrame(
        {
            "kind": pd.Categorical(["b", None, "a"]),
            "count": pd.array([1, None, 3], dtype="Int64"),
            "text": pd.array(["x", None, "x"], dtype="string"),
        }
    )
    columns = features_of(frame)
    assert columns.categories == (("a", "b"), None, ("x",))
    assert np.isnan(columns.values[1]).all()


def test_numbers_that_pandas_calls_categories_are_categories():
    frame = pd.DataFrame({"ward": pd.Categorical([3, 1, None, 3])})
    columns = features_of(frame)
    assert columns.categories == (("1", "3"),)
    np.testing.assert_array_equal(columns.values[:, 0], [1, 0, np.nan, 1])
    for new in ([3, 1], [3.0, 1.0], ["3", "1"], pd.Categorical([3, 1])):
        assert encoded(pd.DataFrame({"ward": new}), columns).ravel().tolist() == [1, 0]


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_dates_are_days(frame):
    day = datetime.datetime(2024, 3, 1)
    values = features_of(frame({"d": [day, day + datetime.timedelta(days=2), None]})).values[:, 0]
    assert values[1] - values[0] == pytest.approx(2)
    assert np.isnan(values[2])


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_dates_of_a_time_zone_are_days_too(frame):
    east = datetime.timezone(datetime.timedelta(hours=6))
    days = [datetime.datetime(2024, 3, day, tzinfo=east) for day in (1, 3)]
    columns = features_of(frame({"d": [*days, None]}))
    assert columns.names == ("d (days)", "d (weekday)", "d (month)")  # the first is in February
    assert columns.categories == (None, None, None)
    since = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
    expected = [(day - since) / datetime.timedelta(days=1) for day in days]
    np.testing.assert_allclose(columns.values[:, 0], [*expected, np.nan])


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array, lambda a: np.asarray(a).tolist()])
def test_arrays_get_names(make):
    columns = features_of(make([[1.0, 2.0], [3.0, 0.0]]))
    assert columns.names == ("x0", "x1")
    assert not columns.nominal.any()
    np.testing.assert_array_equal(columns.values, [[1, 2], [3, 0]])


def test_an_array_of_objects_is_read_column_by_column():
    columns = features_of(np.array([[1, "a"], [2.5, "b"], [None, "a"]], dtype=object))
    assert columns.nominal.tolist() == [False, True]
    np.testing.assert_array_equal(columns.values[:, 0], [1, 2.5, np.nan])


def test_cells_are_shown_as_words():
    columns = features_of(pd.DataFrame(DATA))
    assert [columns.show(columns.values[0, j], j) for j in range(3)] == ["1.5", "red", "True"]
    assert [columns.show(columns.values[1, j], j) for j in range(2)] == ["missing", "missing"]


def test_columns_pass_through_and_rows_are_taken():
    columns = features_of(pd.DataFrame(DATA))
    assert features_of(columns) is columns
    assert isinstance(columns.take(np.array([2])), Table)
    assert columns.take(np.array([2])).values.tolist() == [[3.0, 0.0, 1.0]]


@pytest.mark.parametrize(
    ("X", "words"),
    [
        (np.arange(3.0), "1 dimension"),
        (np.empty((0, 2)), "no cells"),
        (np.empty((2, 0)), "no cells"),
        (np.array([[1.0], [np.inf]]), r"'x0' holds a number that is not finite \(row 2\)"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "two columns named 'a'"),
    ],
)
def test_what_is_no_table_is_refused(X, words):
    with pytest.raises(ValueError, match=words):
        features_of(X)


@pytest.mark.parametrize("value", [None, float("nan"), np.nan, pd.NA, pd.NaT, np.float32("nan")])
def test_missing(value):
    assert is_missing(value)


@pytest.mark.parametrize("value", [0, "", "nan", False, 1.5])
def test_not_missing(value):
    assert not is_missing(value)


def test_new_rows_get_the_codes_of_the_old_ones():
    old = features_of(pd.DataFrame(DATA))
    new = pd.DataFrame({"size": [2, 7], "colour": ["red", "violet"], "sold": [None, True]})
    np.testing.assert_array_equal(encoded(new, old), [[2, 1, np.nan], [7, np.nan, 1]])
    np.testing.assert_array_equal(encoded(pd.DataFrame(DATA), old), old.values)
    with pytest.raises(DataError, match="the table: column 'colour' holds 'violet', which the"):
        encode_like(read_table(new), old)


def test_words_among_new_numbers_are_refused():
    with pytest.raises(ValueError, match="'size' holds 'large'; in the training data"):
        encoded(pd.DataFrame({"size": [1, "large"]}), Table.without_rows(["size"], [None]))


def test_numbers_beyond_all_bounds_are_refused():
    features_of(np.array([[1e100, np.nan]])).check_magnitude()
    with pytest.raises(ValueError, match=r"'x1' holds numbers beyond 1e\+140"):
        features_of(np.array([[1.0, -1e200]])).check_magnitude()


def messy(frame, n_rows=60):
    rng = np.random.default_rng(0)
    day = datetime.date(2024, 1, 1)
    return frame(
        {
            "id": list(range(n_rows)),
            "day": [day + datetime.timedelta(days=7 * i) for i in range(n_rows)],
            "moment": [datetime.datetime(2024, 1, 1, 12) for _ in range(n_rows)],
            "price": [f"{x:.1f}".replace(".", ",") for x in rng.normal(size=n_rows)],
            "size": rng.normal(size=n_rows),
        }
    )


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_frames_are_read_as_files_are(frame):
    columns = features_of(messy(frame))
    assert columns.names == ("day (days)", "day (month)", "moment (days)", "price", "size")
    assert columns.categories == (None,) * 5
    assert [role.kind for role in columns.roles] == ["identifier", "date", "date", "number"]
    new = messy(frame)[:3]
    np.testing.assert_array_equal(encoded(new, columns), columns.values[:3])


def test_arrays_are_taken_as_they_are_but_for_what_is_asked():
    X = np.column_stack([np.arange(60), np.arange(60)[::-1]])
    assert features_of(X).names == ("x0", "x1")
    assert features_of(X, ColumnChoices(drop=["x0"])).names == ("x1",)


def test_choices_for_frames():
    frame = messy(pd.DataFrame)
    kept = features_of(frame, ColumnChoices(drop=["size"], keep=["id", "price"]))
    assert kept.names == ("id", "day (days)", "day (month)", "moment (days)", "price")
    assert features_of(frame, ColumnChoices(keep="all")).names == tuple(frame.columns)
    with pytest.raises(ValueError, match="did you mean 'size'"):
        features_of(frame, ColumnChoices(drop=["sise"]))
    with pytest.raises(ValueError, match=r"no feature is left\. Left out as identifiers: 'id'"):
        features_of(frame[["id"]])
