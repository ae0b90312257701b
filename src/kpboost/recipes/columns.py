"""A table as the audit sees it: names, kinds and one float array.

Number columns stay what they are; nominal columns become codes into their sorted categories. NaN is
a missing value in both. Arrays, pandas and polars frames and `kpboost.datasets.Dataset` all end
here, so that nothing further down asks what the user has given.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kpboost._sparse import well_formed

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]

# Numbers of this size are written without a point, and without an exponent.
WHOLE_FROM, WHOLE_TO = 1e4, 1e9
# The square of a larger number, summed over a table, would leave the range of floats.
LARGEST = 1e140


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """A table of numbers and codes.

    Attributes
    ----------
    names : tuple of str
        Names of the columns.
    values : ndarray of shape (n_rows, n_columns)
        Numbers, and codes of categories; NaN is missing.
    nominal : ndarray of bool of shape (n_columns,)
        Which columns hold codes.
    categories : tuple
        For a nominal column its categories in the order of the codes, otherwise None.
    """

    names: tuple[str, ...]
    values: FloatArray
    nominal: BoolArray
    categories: tuple[tuple[str, ...] | None, ...]

    def take(self, rows: NDArray[np.intp]) -> "Columns":
        """Return some rows as a table of the same columns."""
        return Columns(self.names, self.values[rows], self.nominal, self.categories)

    def show(self, row: int, column: int) -> str:
        """One cell as a person would read it."""
        return self.show_value(float(self.values[row, column]), column)

    def show_value(self, value: float, column: int) -> str:
        """Return a number or code of a column as a person would read it."""
        if np.isnan(value):
            return "missing"
        categories = self.categories[column]
        return shown_number(value) if categories is None else categories[int(value)]


def shown_number(value: float) -> str:
    """Four digits are enough for a reader, but a year or a price keeps all before the point."""
    return f"{value:.0f}" if WHOLE_FROM <= abs(value) < WHOLE_TO else f"{value:.4g}"


def columns_of(X: Any) -> Columns:
    """Read a table from whatever holds one.

    Parameters
    ----------
    X : array-like, pandas or polars frame, or Columns
        The table. Columns of text, of categories and of truth values are nominal.

    Returns
    -------
    Columns
    """
    return X if isinstance(X, Columns) else _from_lists(*_lists(X))


def values_like(X: Any, categories: Sequence[Sequence[str] | None]) -> FloatArray:
    """Read a new table as numbers and codes of an earlier one's categories.

    Parameters
    ----------
    X : array-like, pandas or polars frame
        The table, with as many columns as there are entries in ``categories``.
    categories : sequence
        Of each column the categories in the order of their codes, or None for numbers.

    Returns
    -------
    ndarray of shape (n_rows, n_columns)
        NaN where a value is missing, or a category that the earlier table did not have.
    """
    names, lists = _lists(X)
    return np.column_stack(
        [
            _numbers(name, values) if known is None else _codes(values, known)
            for name, values, known in zip(names, lists, categories, strict=True)
        ]
    )


def check_magnitude(table: Columns) -> None:
    """Refuse numbers that cannot be squared and summed."""
    too_large = np.abs(table.values) > LARGEST  # NaN is not
    if too_large.any():
        name = table.names[int(np.flatnonzero(too_large.any(axis=0))[0])]
        raise ValueError(
            f"Column {name!r} holds numbers beyond {LARGEST:g}; take their logarithm or scale them."
        )


def take_rows(X: Any, rows: NDArray[np.intp]) -> Any:
    """Rows of an array, a sparse matrix, Columns, or a pandas or polars frame."""
    if isinstance(X, Columns):
        return X.take(rows).values
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    return X[rows] if hasattr(X, "shape") else np.asarray(X)[rows]


def is_missing(value: Any) -> bool:
    """Tell None, NaN and the missing values of pandas from anything else."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float | np.floating) and bool(np.isnan(value))


def _lists(X: Any) -> tuple[list[str], list[NDArray[Any]]]:
    """Names and cells of the columns, whatever holds them."""
    if hasattr(X, "columns") and hasattr(X, "__getitem__"):
        return [str(name) for name in X.columns], [_cells(X[name]) for name in X.columns]
    array = well_formed(X).toarray() if hasattr(X, "toarray") else np.asarray(X)
    if array.ndim != 2:
        raise ValueError(f"X has {array.ndim} dimensions; a table of rows and columns is needed.")
    return [f"x{j}" for j in range(array.shape[1])], list(array.T)


def _cells(column: Any) -> NDArray[Any]:
    """Cells of a frame's column; categories of pandas stay categories, even if they are numbers."""
    kind = str(getattr(column, "dtype", ""))
    if kind.startswith("datetime64"):  # with a time zone, it would become objects
        return np.asarray(column, dtype="datetime64[s]")
    if kind != "category":
        return np.asarray(column)
    words = [None if is_missing(cell) else _word(cell) for cell in column.tolist()]
    return np.array(words, dtype=object)


def _word(value: Any) -> str:
    """Name a category; 1 and 1.0 are one, as a gap among whole numbers makes them fractions."""
    whole = isinstance(value, float) and value.is_integer()
    return str(int(value)) if whole else str(value)


def _from_lists(names: Sequence[str], lists: Sequence[NDArray[Any]]) -> Columns:
    if not lists or lists[0].size == 0:
        raise ValueError("X has no cells; at least one row and one column are needed.")
    parts = [_column(name, values) for name, values in zip(names, lists, strict=True)]
    return Columns(
        names=tuple(names),
        values=np.column_stack([values for values, _ in parts]),
        nominal=np.array([categories is not None for _, categories in parts]),
        categories=tuple(categories for _, categories in parts),
    )


def _column(name: str, values: NDArray[Any]) -> tuple[FloatArray, tuple[str, ...] | None]:
    """Numbers of one column, and its categories if they are codes."""
    if values.ndim != 1:
        raise ValueError(f"Column {name!r} occurs more than once; names must differ.")
    if values.dtype.kind in "iuf":
        return _finite(name, values.astype(np.float64)), None
    if values.dtype.kind in "mM":
        return _moments(values), None
    known = np.array([not is_missing(value) for value in values.tolist()])
    if values.dtype.kind != "b" and all(_is_number(v) for v in values[known].tolist()):
        numbers = np.full(values.size, np.nan)
        numbers[known] = values[known].astype(np.float64)
        return _finite(name, numbers), None
    categories, codes = np.unique(
        np.array([_word(value) for value in values[known].tolist()]), return_inverse=True
    )
    coded = np.full(values.size, np.nan)
    coded[known] = codes
    return coded, tuple(categories.tolist())


def _numbers(name: str, values: NDArray[Any]) -> FloatArray:
    numbers, words = _column(name, values)
    if words:
        wrong = next(v for v in values.tolist() if not (is_missing(v) or _is_number(v)))
        raise ValueError(f"Column {name!r} holds {wrong!r}; in the training table it held numbers.")
    return numbers


def _codes(values: NDArray[Any], categories: Sequence[str]) -> FloatArray:
    places = {word: float(code) for code, word in enumerate(categories)}
    cells = (None if is_missing(value) else _word(value) for value in values.tolist())
    return np.array([places.get(cell, np.nan) if cell is not None else np.nan for cell in cells])


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool | np.bool_)


def _moments(values: NDArray[Any]) -> FloatArray:
    """Dates as days, differences of dates as days; no date is NaN."""
    unit = "timedelta64[s]" if values.dtype.kind == "m" else "datetime64[s]"
    seconds = values.astype(unit)
    days = seconds.astype(np.int64) / 86_400
    return np.where(np.isnat(seconds), np.nan, days)


def _finite(name: str, numbers: FloatArray) -> FloatArray:
    if np.isinf(numbers).any():
        row = int(np.flatnonzero(np.isinf(numbers))[0])
        raise ValueError(
            f"Column {name!r} holds an infinite number in row {row}; finite ones and missing "
            "values are allowed."
        )
    return numbers
