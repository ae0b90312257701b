import numpy as np
import pytest

from kpboost.datasets import Column, DataError, Table
from kpboost.datasets._table import listing

TABLE = Table(
    "t",
    (
        Column("a", "number", np.array([1.0, np.nan, 2.5, 1e20])),
        Column("b", "nominal", np.array([1.0, 0.0, np.nan, 1.0]), ("no", "yes")),
    ),
    "t.csv",
)


def test_labels():
    assert TABLE.column("a").labels().tolist() == ["1", "", "2.5", "100000000000000000000"]
    assert TABLE.column("b").labels().tolist() == ["yes", "no", "", "yes"]


def test_parts():
    assert (TABLE.n_rows, TABLE.names) == (4, ("a", "b"))
    assert TABLE.without("a").names == ("b",)
    assert Table("none", ()).n_rows == 0
    assert np.array_equal(TABLE.matrix()[:, 1], [1, 0, np.nan, 1], equal_nan=True)


def test_an_unknown_column_is_refused():
    with pytest.raises(DataError, match=r"t\.csv: there is no column 'c'"):
        TABLE.column("c")


def test_long_listings_are_cut():
    assert listing(["a", "b"]) == "'a', 'b'"
    assert listing([str(k) for k in range(12)]).endswith("'9' and 2 more")
