"""One function for every table, be it a file, a frame or an array; and files as data sets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ._arff import keel_folds, read_arff
from ._column_roles import ColumnChoices
from ._dataset import Dataset, chosen_features, dataset_of
from ._frames import is_frame, table_in_memory
from ._parquet import read_parquet
from ._table import DataError, Table
from ._text import MAX_BYTES, Nominal, read_csv

READERS: dict[str, Callable[..., Table]] = {
    ".csv": read_csv,
    ".tsv": read_csv,
    ".txt": read_csv,
    ".parquet": read_parquet,
    ".arff": read_arff,
    ".dat": read_arff,
}
# The ending of files that may have folds beside them.
KEEL = ".dat"


def read_table(given: Any, *, nominal: Nominal | None = None, max_bytes: int = MAX_BYTES) -> Table:
    """Read a file, a frame or an array into named columns.

    Parameters
    ----------
    given : str, Path, pandas or polars frame, array-like or sparse matrix
        A file, whose ending tells the format: ``.csv``, ``.tsv`` or ``.txt`` with a line of column
        names, ``.parquet``, ``.arff`` (WEKA) or ``.dat`` (KEEL). Or a table in memory: columns of
        text, of categories and of truth values are nominal.
    nominal : mapping from str to sequence of str or None, default=None
        Columns to read as categories even if they look like numbers, with the order of their
        categories (None: sorted).
    max_bytes : int, default=536870912
        Largest file to read.

    Returns
    -------
    Table
        Its columns in their order, as they stand.
    """
    if not isinstance(given, str | Path):
        return table_in_memory(given, nominal)
    reader = READERS.get(Path(given).suffix.lower())
    if reader is None:
        raise DataError(f"ends in none of {', '.join(READERS)}.", given)
    return reader(given, nominal=nominal, max_bytes=max_bytes)


def features_of(X: Any, choices: ColumnChoices | None = None) -> Table:
    """Read the features of a table in memory.

    Parameters
    ----------
    X : array-like, sparse matrix, pandas or polars frame, or Table
        The table without its class. Of a frame, identifiers are left out, and dates and numbers
        with a comma are read; arrays are taken as they are. A Table is returned as it is.
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

    Identifiers are recognised and left out of the features; dates become days, weekday and month;
    numbers with a decimal comma become numbers. ``roles`` of the result says which.

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
