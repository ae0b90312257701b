"""A table as the audit sees it: names, kinds and one float array.

Number columns stay what they are; nominal columns become codes into their sorted categories. NaN is
a missing value in both. Arrays, pandas and polars frames and `kpboost.datasets.Dataset` all end
here, so that nothing further down asks what the user has given. In a frame, identifiers are left
out and dates and numbers with a comma are read, as in files; arrays are taken as they are.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import column_or_1d

from kpboost._typing import BoolArray, FloatArray, IndexArray
from kpboost._validation import well_formed
from kpboost.datasets import (
    Column,
    ColumnChoices,
    ColumnRole,
    Kind,
    days_since_1970,
    role_sentences,
    roles_of,
    with_roles,
)

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
    roles : tuple of ColumnRole
        Columns of the user's table that were no features as they stood.
    """

    names: tuple[str, ...]
    values: FloatArray
    nominal: BoolArray
    categories: tuple[tuple[str, ...] | None, ...]
    roles: tuple[ColumnRole, ...] = ()

    def take(self, rows: NDArray[np.intp]) -> "Columns":
        """Return some rows as a table of the same columns."""
        return replace(self, values=self.values[rows])

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


def columns_of(X: Any, choices: ColumnChoices | None = None) -> Columns:
    """Read a table from whatever holds one.

    Parameters
    ----------
    X : array-like, pandas or polars frame, or Columns
        The table. Columns of text, of categories and of truth values are nominal; of a frame,
        identifiers are left out, and dates and numbers with a comma are read.
    choices : ColumnChoices or None, default=None
        Columns of a frame or an array (``x0``, ``x1``, ...) to drop, to take as identifiers and to
        keep.

    Returns
    -------
    Columns
    """
    if isinstance(X, Columns):
        return X
    given = read_columns(X)
    choices = choices or ColumnChoices()
    if not is_frame(X):  # an array has no names to go by; its columns are taken as features
        choices = replace(choices, keep="all")
    roles = roles_of(given, choices)
    features = with_roles(given, roles)
    if not features:
        raise ValueError(f"No feature is left. {' '.join(role_sentences(roles))}")
    return Columns(
        names=tuple(column.name for column in features),
        values=np.column_stack([column.values for column in features]),
        nominal=np.array([column.categories is not None for column in features]),
        categories=tuple(column.categories for column in features),
        roles=roles,
    )


def is_frame(X: Any) -> bool:
    """Tell whether a table has names of columns."""
    return hasattr(X, "columns") and hasattr(X, "__getitem__")


def column_names(X: Any) -> list[str]:
    """Names of the columns of a frame; ``x0``, ``x1``, ... of an array."""
    if is_frame(X):
        return [str(name) for name in X.columns]
    return [f"x{j}" for j in range(X.shape[1])]


def read_columns(X: Any) -> tuple[Column, ...]:
    """Read the columns of a frame or an array as they stand, whatever they are."""
    names, lists = _lists(X)
    if not lists or lists[0].size == 0:
        raise ValueError("X has no cells; at least one row and one column are needed.")
    return tuple(_column(name, values) for name, values in zip(names, lists, strict=True))


def values_like(
    X: Any,
    categories: Sequence[Sequence[str] | None],
    roles: Iterable[ColumnRole] = (),
    names: Sequence[str] | None = None,
) -> FloatArray:
    """Read a new table as numbers and codes of an earlier one's categories.

    Parameters
    ----------
    X : array-like, pandas or polars frame
        The table, with the columns of the earlier one.
    categories : sequence
        Of each feature the categories in the order of their codes, or None for numbers.
    roles : iterable of ColumnRole, default=()
        Columns of the earlier table that were no features as they stood.
    names : sequence of str or None, default=None
        Names of the earlier table's columns, in its order; None takes those of ``X``.

    Returns
    -------
    ndarray of shape (n_rows, n_columns)
        NaN where a value is missing, or a category that the earlier table did not have.
    """
    own_names, lists = _lists(X)
    names = own_names if names is None else names
    if len(lists) != len(names):
        raise ValueError(f"X has {len(lists)} columns; the training table had {len(names)}.")
    known = {role.name: role for role in roles}
    features: list[FloatArray] = []
    for name, cells in zip(names, lists, strict=True):
        role = known.get(name)
        if role is not None and (role.is_left_out or role.made):
            features += [made.values for made in with_roles([_column(name, cells)], [role])]
        else:
            words = categories[len(features)]
            features.append(_numbers(name, cells) if words is None else _codes(cells, words))
    return np.column_stack(features)


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
    if is_frame(X):
        return column_names(X), [_cells(X[name]) for name in X.columns]
    array = well_formed(X).toarray() if hasattr(X, "toarray") else np.asarray(X)
    if array.ndim != 2:
        raise ValueError(f"X has {array.ndim} dimensions; a table of rows and columns is needed.")
    return column_names(array), list(array.T)


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


def _column(name: str, values: NDArray[Any]) -> Column:
    """One column: numbers, codes of categories, or dates."""
    if values.ndim != 1:
        raise ValueError(f"Column {name!r} occurs more than once; names must differ.")
    if values.dtype.kind in "iuf":
        return Column(name, "number", _finite(name, values.astype(np.float64)))
    if values.dtype.kind in "mM":
        kind: Kind = "date" if values.dtype.kind == "M" else "number"
        return Column(name, kind, days_since_1970(values))
    known = np.array([not is_missing(value) for value in values.tolist()])
    if values.dtype.kind != "b" and all(_is_number(v) for v in values[known].tolist()):
        numbers = np.full(values.size, np.nan)
        numbers[known] = values[known].astype(np.float64)
        return Column(name, "number", _finite(name, numbers))
    categories, codes = np.unique(
        np.array([_word(value) for value in values[known].tolist()]), return_inverse=True
    )
    coded = np.full(values.size, np.nan)
    coded[known] = codes
    return Column(name, "nominal", coded, tuple(categories.tolist()))


def _numbers(name: str, values: NDArray[Any]) -> FloatArray:
    column = _column(name, values)
    if column.categories:
        wrong = next(v for v in values.tolist() if not (is_missing(v) or _is_number(v)))
        raise ValueError(f"Column {name!r} holds {wrong!r}; in the training table it held numbers.")
    return column.values


def _codes(values: NDArray[Any], categories: Sequence[str]) -> FloatArray:
    places = {word: float(code) for code, word in enumerate(categories)}
    cells = (None if is_missing(value) else _word(value) for value in values.tolist())
    return np.array([places.get(cell, np.nan) if cell is not None else np.nan for cell in cells])


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool | np.bool_)


def _finite(name: str, numbers: FloatArray) -> FloatArray:
    if np.isinf(numbers).any():
        row = int(np.flatnonzero(np.isinf(numbers))[0])
        raise ValueError(
            f"Column {name!r} holds an infinite number in row {row}; finite ones and missing "
            "values are allowed."
        )
    return numbers


# One row to learn from and one to be tested on.
FEWEST_MEMBERS = 2


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


def labelled_rows(labels: NDArray[Any]) -> IndexArray:
    """Return the rows whose label is not missing, ascending."""
    return np.flatnonzero([not is_missing(label) for label in labels.tolist()])


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
    >>> from kpboost.methods import trainable
    >>> X, y = trainable(np.arange(5.0).reshape(-1, 1), ["a", "b", None, "a", "a"])
    >>> X.ravel().tolist(), y.tolist()
    ([0.0, 3.0, 4.0], ['a', 'a', 'a'])
    """
    rows = trainable_rows(y)
    return take_rows(X, rows), np.array(np.asarray(column_or_1d(y))[rows].tolist())
