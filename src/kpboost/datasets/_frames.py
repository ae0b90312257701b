"""Tables in memory: columns, rows and labels of arrays, sparse matrices, pandas and polars frames.

Number columns stay what they are; columns of text, of categories and of truth values become codes
into their sorted categories. None and NaN are missing values.
"""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import column_or_1d

from kpboost._typing import IndexArray
from kpboost._validation import well_formed

from ._table import Column, DataError, Kind, Table, refuse_repeated
from ._text import Nominal, Origin, nominal_column, number_column
from ._written_values import days_since_1970

# What messages call a table that has no file.
SOURCE = "the table"
# One row to learn from and one to be tested on.
FEWEST_MEMBERS = 2


def is_frame(X: Any) -> bool:
    """Tell whether a table in memory has names of columns."""
    return hasattr(X, "columns") and hasattr(X, "__getitem__")


def column_names(X: Any) -> list[str]:
    """Names of the columns of a frame; ``x0``, ``x1``, ... of an array."""
    if is_frame(X):
        return [str(name) for name in X.columns]
    return [f"x{j}" for j in range(X.shape[1])]


def table_in_memory(X: Any, nominal: Nominal | None = None, source: str = SOURCE) -> Table:
    """Return the columns of a frame or an array as they stand, some as the categories given."""
    if is_frame(X):
        refuse_repeated(column_names(X), source)
        lists = [_cells(X[name]) for name in X.columns]
    else:
        X = well_formed(X).toarray() if hasattr(X, "toarray") else np.asarray(X)
        if X.ndim != 2:
            raise DataError(f"has {X.ndim} dimensions; rows and columns are needed.", source)
        lists = list(X.T)
    if not lists or lists[0].size == 0:
        raise DataError("has no cells; at least one row and one column are needed.", source)
    read = zip(column_names(X), lists, strict=True)
    return Table.of([_column(*each, nominal or {}, Origin(source)) for each in read], source)


def _cells(column: Any) -> NDArray[Any]:
    """Cells of a frame's column; categories of pandas stay categories, even if they are numbers."""
    kind = str(getattr(column, "dtype", ""))
    if kind.startswith("datetime64"):  # with a time zone, it would become objects
        return np.asarray(column, dtype="datetime64[s]")
    if kind != "category":
        return np.asarray(column)
    words = [None if is_missing(cell) else _word(cell) for cell in column.tolist()]
    return np.array(words, dtype=object)


def _column(name: str, cells: NDArray[Any], nominal: Nominal, origin: Origin) -> Column:
    """One column: numbers, codes of categories, or dates."""
    if name in nominal:
        written = ["" if is_missing(cell) else _word(cell).strip() for cell in cells.tolist()]
        return nominal_column(name, written, nominal[name], origin)
    if cells.dtype.kind in "iuf":
        return number_column(name, cells.astype(np.float64), origin)
    if cells.dtype.kind in "mM":
        kind: Kind = "date" if cells.dtype.kind == "M" else "number"
        return Column(name, kind, days_since_1970(cells))
    known = np.array([not is_missing(cell) for cell in cells.tolist()])
    values = np.full(cells.size, np.nan)
    if cells.dtype.kind != "b" and all(map(_is_number, cells[known].tolist())):
        values[known] = cells[known].astype(np.float64)
        return number_column(name, values, origin)
    words = np.array([_word(cell) for cell in cells[known].tolist()])
    categories, values[known] = np.unique(words, return_inverse=True)
    return Column(name, "nominal", values, tuple(categories.tolist()))


def _word(value: Any) -> str:
    """Name a category; 1 and 1.0 are one, as a gap among whole numbers makes them fractions."""
    whole = isinstance(value, float) and value.is_integer()
    return str(int(value)) if whole else str(value)


def is_missing(value: Any) -> bool:
    """Tell None, NaN and the missing values of pandas from anything else."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float | np.floating) and bool(np.isnan(value))


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool | np.bool_)


def take_rows(X: Any, rows: IndexArray) -> Any:
    """Rows of an array, a sparse matrix or a pandas or polars frame; of a Table, its values."""
    if isinstance(X, Table):
        return X.values[rows]
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    return X[rows] if hasattr(X, "shape") else np.asarray(X)[rows]


def labelled_rows(labels: NDArray[Any]) -> IndexArray:
    """Return the rows whose label is not missing, ascending."""
    return np.flatnonzero([not is_missing(label) for label in labels.tolist()])


def trainable_rows(y: ArrayLike) -> IndexArray:
    """Rows that have a label, and one that occurs more than once.

    Parameters
    ----------
    y : array-like of shape (n_rows,)
        Labels; None and NaN are missing.

    Returns
    -------
    ndarray of int
        Ascending row numbers.
    """
    labels = np.asarray(column_or_1d(y))
    known = labelled_rows(labels)
    if not known.size:
        return known
    _, codes, sizes = np.unique(
        np.array(labels[known].tolist()), return_inverse=True, return_counts=True
    )
    return known[sizes[codes] >= FEWEST_MEMBERS]


def trainable(X: Any, y: ArrayLike) -> tuple[Any, NDArray[Any]]:
    """Table and labels without the rows that an audit leaves out.

    Parameters
    ----------
    X : array, sparse matrix, pandas or polars frame
        The table.
    y : array-like of shape (n_rows,)
        Its labels; None and NaN are missing.

    Returns
    -------
    X : as given
        Rows that have a label which occurs more than once.
    y : ndarray
        Their labels.

    Examples
    --------
    >>> import numpy as np
    >>> from kpboost.datasets import trainable
    >>> X, y = trainable(np.arange(5.0).reshape(-1, 1), ["a", "b", None, "a", "a"])
    >>> X.ravel().tolist(), y.tolist()
    ([0.0, 3.0, 4.0], ['a', 'a', 'a'])
    """
    rows = trainable_rows(y)
    return take_rows(X, rows), np.array(np.asarray(column_or_1d(y))[rows].tolist())
