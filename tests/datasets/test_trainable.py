import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from kpboost.datasets import trainable, trainable_rows

X = np.arange(12.0).reshape(6, 2)
LABELS = [3, None, 7, 3, 7, 9]


@pytest.mark.parametrize(
    "labels",
    [
        LABELS,
        pd.Series([3, np.nan, 7, 3, 7, 9]),
        pd.Series(LABELS, dtype="Int64"),
        np.array(LABELS, dtype=object),
        pl.Series(LABELS),
    ],
)
def test_rows_without_a_label_and_classes_of_one_row_go(labels):
    assert trainable_rows(labels).tolist() == [0, 2, 3, 4]


@pytest.mark.parametrize("make", [np.asarray, pd.DataFrame, pl.DataFrame, sparse.csr_array, list])
def test_tables_of_all_kinds(make):
    table, labels = trainable(make(X), ["a", None, "b", "a", "b", "c"])
    dense = table.toarray() if hasattr(table, "toarray") else np.asarray(table)
    np.testing.assert_array_equal(dense, X[[0, 2, 3, 4]])
    assert labels.tolist() == ["a", "b", "a", "b"]


def test_nothing_is_left_of_nothing():
    assert trainable_rows([None, None]).size == 0
    assert trainable_rows([1, 2, 3]).size == 0


def test_complete_labels_stay():
    assert trainable_rows(np.array([True, False, True, False])).size == 4
