import numpy as np
import pytest

from kpboost.datasets import DataError, Table, encode_like
from kpboost.datasets._text import table_of_bytes

COLUMNS = Table.without_rows(["a", "size"], [None, ("small", "large")])


def table(text):
    return table_of_bytes(text.encode(), "new.csv", {})


def test_order_and_codes_are_those_of_training():
    encoded = encode_like(table("size,a\nlarge,1\nsmall,2\n?,3\n"), COLUMNS)
    assert encoded.names == ("a", "size")
    assert np.array_equal(encoded.values, [[1, 1], [2, 0], [3, np.nan]], equal_nan=True)


def test_training_file_comes_back_itself():
    training = table("a,b\n1,y\n2,x\n?,y\n")
    encoded = encode_like(training, training)
    assert np.array_equal(encoded.values, training.values, equal_nan=True)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a\n1\n", "lacks the column 'size'"),
        ("b\n1\n", "lacks the columns 'a', 'size'"),
        ("a,size,b,c\n1,small,1,2\n", "has the columns 'b', 'c'"),
        ("a,size\nmany,small\n", "column 'a' holds 'many'; in the training data it held numbers"),
        ("a,size\n1,huge\n2,tiny\n", "holds 'huge', 'tiny', which the training data lack"),
        ("a,size\n1,7\n2,8\n", "holds '7', '8', which the training data lack"),
    ],
)
def test_what_does_not_fit_is_named(text, reason):
    with pytest.raises(DataError, match=f"new.csv: .*{reason}"):
        encode_like(table(text), COLUMNS)


def test_extra_columns_may_be_ignored():
    encoded = encode_like(table("id,a,size\n7,1,small\n"), COLUMNS, extra="ignore")
    assert encoded.values.tolist() == [[1, 0]]


def test_unseen_categories_may_be_missing():
    encoded = encode_like(table("a,size\n1,huge\n2,large\n"), COLUMNS, unseen="missing")
    assert np.array_equal(encoded.values, [[1, np.nan], [2, 1]], equal_nan=True)


def test_categories_that_look_like_numbers():
    columns = Table.without_rows(["doors"], [("5more", "2", "3.0", "04")])
    encoded = encode_like(table("doors\n2\n3\n4\n2.0\n"), columns)
    assert encoded.values[:, 0].tolist() == [1, 2, 3, 1]


def test_a_column_without_a_value_fits_everything():
    encoded = encode_like(table("a,size\n?,?\n?,?\n"), COLUMNS)
    assert np.isnan(encoded.values).all()


@pytest.mark.parametrize("name", ["extra", "unseen"])
def test_other_choices_are_refused(name):
    with pytest.raises(ValueError, match=f"{name}='drop' is not allowed"):
        encode_like(table("a,size\n1,small\n"), COLUMNS, **{name: "drop"})
