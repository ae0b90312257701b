"""Tables by one function, be they files, frames or arrays; files as data sets; rows to train on.

Number columns of a table in memory stay what they are; columns of text, of categories and of truth
values become codes into their sorted categories. None and NaN are missing values.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import column_or_1d

from kpboost._typing import IndexArray
from kpboost._validation import well_formed

from ._arff import keel_folds, read_arff
from ._column_roles import ColumnChoices
from ._dataset import Dataset, chosen_features, dataset_of
from ._excel import read_excel
from ._feather import read_feather
from ._file_bytes import MAX_BYTES, PACKINGS, TEXTS, ending_of
from ._parquet import read_parquet
from ._table import Column, DataError, Kind, Table, refuse_repeated
from ._text import Nominal, Origin, nominal_column, number_column, read_csv
from ._written_values import days_since_1970

PLAIN_READERS: dict[str, Callable[..., Table]] = {
    ".csv": read_csv,
    ".tsv": read_csv,
    ".txt": read_csv,
    ".parquet": read_parquet,
    ".feather": read_feather,
    ".arrow": read_feather,
    ".xlsx": read_excel,
    ".arff": read_arff,
    ".dat": read_arff,
}
READERS = PLAIN_READERS | {
    text + packing: PLAIN_READERS[text] for text in TEXTS for packing in PACKINGS
}
# Files of other programs that people have, and what they can do.
OTHERS = {
    ".xls": "is an old Excel workbook; save it as .xlsx or .csv.",
    ".ods": "is a workbook of LibreOffice; save it as .xlsx or .csv.",
    ".pkl": "is a pickle, which may run code when it is read; save the table as .parquet or .csv.",
    ".json": "is a JSON file; save the table as .csv or .parquet.",
    ".zip": "is an archive; unpack it first.",
}
# The ending of files that may have folds beside them.
KEEL = ".dat"
# What messages call a table that has no file.
SOURCE = "the table"
# One row to learn from and one to be tested on.
FEWEST_MEMBERS = 2


def read_table(given: Any, *, nominal: Nominal | None = None, max_bytes: int = MAX_BYTES) -> Table:
    """Read a file, a frame or an array into named columns.

    Parameters
    ----------
    given : str, Path, pandas or polars frame, array-like or sparse matrix
        A file, whose ending tells the format: ``.csv``, ``.tsv`` or ``.txt`` with a line of column
        names, ``.arff`` (WEKA) or ``.dat`` (KEEL), each also compressed (``.csv.gz``, ``.bz2``,
        ``.xz``, ``.zst``); ``.parquet``; ``.feather`` or ``.arrow``; ``.xlsx`` (the first sheet).
        Or a table in memory: columns of text, of categories and of truth values are nominal.
    nominal : mapping from str to sequence of str or None, default=None
        Columns to read as categories even if they look like numbers, with the order of their
        categories (None: sorted).
    max_bytes : int, default=536870912
        Largest file to read; of a compressed file, also the most that it may unpack to.

    Returns
    -------
    Table
        Its columns in their order, as they stand.
    """
    if not isinstance(given, str | Path):
        return table_in_memory(given, nominal)
    ending = ending_of(given)
    reader = READERS.get(ending)
    if reader is None:
        allowed = f"ends in none of {', '.join(PLAIN_READERS)} (text also with {PACKINGS[0]})."
        raise DataError(OTHERS.get(ending, allowed), given)
    return reader(given, nominal=nominal, max_bytes=max_bytes)


def known_endings() -> set[str]:
    """Return the last endings of all files that hold tables, of those that are not read, too."""
    return {Path(f"table{ending}").suffix for ending in (*READERS, *OTHERS)}


def features_of(X: Any, choices: ColumnChoices | None = None) -> Table:
    """Read the features of a table in memory.

    Parameters
    ----------
    X : array-like, sparse matrix, pandas or polars frame, or Table
        The table without its class. Of a frame, identifiers and free text are left out, and dates
        and numbers with a comma or a unit are read; arrays are taken as they are. A Table is
        returned as it is.
    choices : ColumnChoices or None, default=None
        Columns of a frame or an array (``x0``, ``x1``, ...) to drop, to take as identifiers and to
        keep.

    Returns
    -------
    Table

    Examples
    --------
    >>> import numpy as np
    >>> from kpboost.datasets import features_of
    >>> features_of(np.array([[1.5, "red"], [2.5, "blue"]], dtype=object)).categories
    (None, ('blue', 'red'))
    """
    if isinstance(X, Table):
        return X
    choices = choices or ColumnChoices()
    if not is_frame(X):  # an array has no names to go by
        choices = replace(choices, keep="all")
    return chosen_features(table_in_memory(X), choices)


def read_dataset(
    path: str | Path,
    *,
    target: str | None = None,
    nominal: Nominal | None = None,
    drop: Sequence[str] = (),
    id_columns: Sequence[str] = (),
    keep: Sequence[str] = (),
    many_classes: bool = False,
    max_bytes: int = MAX_BYTES,
) -> Dataset:
    """Read a data set from a file.

    Identifiers and free text are recognised and left out of the features; dates become days,
    weekday and month; numbers with a decimal comma or a unit become numbers. ``roles`` of the
    result says which.

    Parameters
    ----------
    path : str or Path
        The file; see :func:`read_table` for the formats.
    target : str or None, default=None
        Name of the column with the classes. None takes the one that the file declares (KEEL's
        ``@outputs``), or else the last.
    nominal : mapping from str to sequence of str or None, default=None
        Columns to read as categories even if they look like numbers, with the order of their
        categories (None: sorted).
    drop : sequence of str, default=()
        Columns to leave out.
    id_columns : sequence of str, default=()
        Columns of identifiers, which are left out too, beside those that are recognised.
    keep : sequence of str or "all", default=()
        Columns that stay features as they were read, whatever they look like.
    many_classes : bool, default=False
        Whether a class column of more than 50 different numbers is meant.
    max_bytes : int, default=536870912
        Largest file to read.

    Returns
    -------
    Dataset
        Its points; nominal columns as numbers of their categories, missing values as nan. Beside
        a KEEL file, ``NAME-5-1tra.dat``, ``NAME-5-1tst.dat`` and so on become its ``folds``.
    """
    choices = ColumnChoices(drop, id_columns, keep, many_classes)
    return read_chosen(path, target, choices, nominal, max_bytes)


def read_chosen(
    path: str | Path,
    target: str | None,
    choices: ColumnChoices,
    nominal: Nominal | None = None,
    max_bytes: int = MAX_BYTES,
) -> Dataset:
    """Read a data set from a file, as :func:`read_dataset` does, with choices in one record."""
    table = read_table(path, nominal=nominal, max_bytes=max_bytes)
    data = dataset_of(table, target, choices)
    if Path(path).suffix.lower() == KEEL:
        data = replace(data, folds=keel_folds(path, table, max_bytes))
    return data


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
