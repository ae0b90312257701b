"""What can be said of a table before any model: sizes, gaps, repetitions, contradictions."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from kpboost.datasets import possible_leaks
from kpboost.recipes.columns import Columns

from .records import ColumnProblem, DataFacts

IndexArray = NDArray[np.intp]


def data_facts(
    columns: Columns, codes: IndexArray, names: Sequence[str], left_out: Sequence[str]
) -> DataFacts:
    """Look at a table.

    Parameters
    ----------
    columns : Columns
        The table.
    codes : ndarray of shape (n_rows,)
        Numbers of the classes.
    names : sequence of str
        Names of the classes in the order of their numbers.
    left_out : sequence of str
        What is no longer in the table, a sentence each.

    Returns
    -------
    DataFacts
    """
    sizes = np.bincount(codes, minlength=len(names))
    groups = _equal_rows(columns)
    pairs = np.unique(np.column_stack([groups, codes]), axis=0)
    labels_per_group = np.bincount(pairs[:, 0])
    return DataFacts(
        n_rows=codes.size,
        n_columns=len(columns.names),
        n_nominal=int(columns.nominal.sum()),
        class_sizes={names[i]: int(sizes[i]) for i in np.argsort(-sizes, kind="stable")},
        imbalance_ratio=float(sizes.max() / sizes.min()),
        n_missing=int(np.isnan(columns.values).sum()),
        n_duplicates=int(codes.size - pairs.shape[0]),
        n_contradictions=int((labels_per_group[groups] > 1).sum()),
        columns=tuple(_problems(columns)),
        left_out=tuple(left_out),
        roles=columns.roles,
        leaks=possible_leaks(columns.values, columns.nominal, columns.names, codes),
    )


def _equal_rows(columns: Columns) -> IndexArray:
    """Group of each row; rows in one group agree in every column, missing values included."""
    filled = np.where(np.isnan(columns.values), np.inf, columns.values)  # inf occurs nowhere else
    return np.unique(filled, axis=0, return_inverse=True)[1].ravel()


def _problems(columns: Columns) -> list[ColumnProblem]:
    found = []
    for name, values in zip(columns.names, columns.values.T, strict=True):
        known = values[~np.isnan(values)]
        n_missing = values.size - known.size
        if known.size == 0 or known.min() == known.max():
            found.append(ColumnProblem(name, "always the same", values.size))
        if n_missing:
            found.append(ColumnProblem(name, "missing values", n_missing))
    return found
