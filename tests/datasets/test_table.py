import pickle

import numpy as np
import pytest
from hypothesis import given, strategies as st

from kpboost.datasets import Column, DataError, Table
from kpboost.datasets._table import is_number, listing, numbers, shortened

TABLE = Table.of(
    (
        Column("a", "number", np.array([1.0, np.nan, 2.5, 1e20])),
        Column("b", "nominal", np.array([1.0, 0.0, np.nan, 1.0]), ("no", "yes")),
        Column("c", "date", np.array([0.0, 1.0, 2.0, np.nan])),
    ),
    "t.csv",
)


def test_columns_that_do_not_vary_are_named():
    columns = {"one": [3.0, 3.0], "two": [3.0, 4.0], "gap": [3.0, np.nan], "empty": [np.nan] * 2}
    table = Table.of([Column(name, "number", np.array(cells)) for name, cells in columns.items()])
    assert table.constant == ("one", "empty")
    assert table.take(np.array([], dtype=int)).constant == ()


def test_labels():
    assert TABLE.column("a").labels().tolist() == ["1", "", "2.5", "100000000000000000000"]
    assert TABLE.column("b").labels().tolist() == ["yes", "no", "", "yes"]


def test_parts():
    assert (TABLE.n_rows, TABLE.names) == (4, ("a", "b", "c"))
    assert TABLE.nominal.tolist() == [False, True, False]
    assert TABLE.without("a").names == ("b", "c")
    assert TABLE.without("d") is TABLE
    assert Table.of(()).n_rows == 0
    assert np.array_equal(TABLE.values[:, 1], [1, 0, np.nan, 1], equal_nan=True)
    assert TABLE.take(np.array([2, 0])).values[:, 0].tolist() == [2.5, 1.0]


def test_columns_come_back_as_they_were_put_in():
    again = Table.of(TABLE.columns, TABLE.source)
    assert [column.kind for column in again.columns] == ["number", "nominal", "date"]
    np.testing.assert_array_equal(again.values, TABLE.values)
    assert again.values.flags.c_contiguous
    assert TABLE.without("a").values.flags.c_contiguous


def test_new_names_keep_the_kinds():
    renamed = TABLE.renamed(["x", "y", "z"])
    assert [column.kind for column in renamed.columns] == ["number", "nominal", "date"]
    assert renamed.column("y").labels().tolist() == ["yes", "no", "", "yes"]
    with pytest.raises(ValueError, match="zip"):
        TABLE.renamed(["x", "y"])


def test_an_unknown_column_is_refused():
    with pytest.raises(DataError, match=r"t\.csv: there is no column 'd'"):
        TABLE.column("d")


def test_long_listings_are_cut():
    assert listing(["a", "b"]) == "'a', 'b'"
    assert listing([str(k) for k in range(12)]).endswith("'9' and 2 more")


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (DataError("is empty."), "is empty."),
        (DataError("is empty.", "a.csv"), "a.csv: is empty."),
        (DataError("3 cells.", "a.csv", 7), "a.csv, line 7: 3 cells."),
    ],
)
def test_the_sentence_says_where(error, sentence):
    assert str(error) == sentence
    assert isinstance(error, ValueError)


def test_it_travels_between_processes():
    error = pickle.loads(pickle.dumps(DataError("3 cells.", "a.csv", 7)))
    assert (error.reason, error.file, error.line) == ("3 cells.", "a.csv", 7)


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1))
def test_numbers_come_back(values):
    assert numbers([repr(value) for value in values]).tolist() == values


@pytest.mark.parametrize("word", ["1", "-2.5", "+3", "1e-5", ".5", "5.", " 7 "])
def test_numbers_as_files_write_them(word):
    assert is_number(word)
    assert numbers([word]).tolist() == [float(word)]


@pytest.mark.parametrize("word", ["x", "1,5", "1_0", "\u0661", "0x10", "1 2"])
def test_other_words(word):
    assert not is_number(word)
    assert numbers(["1", word]) is None


def test_missing_values():
    assert np.isnan(numbers(["?", " ? ", "", "NA", "<null>"])).all()
    assert np.array_equal(numbers(["1", "?"]), [1, np.nan], equal_nan=True)


def test_blanks_that_are_not_ascii():
    assert numbers(["\u00a01", "\u2003?"])[0] == 1


def test_long_cells_are_cut_in_messages():
    assert shortened("a\nb") == "'a\\nb'"
    assert len(shortened("x" * 1000)) < 60
