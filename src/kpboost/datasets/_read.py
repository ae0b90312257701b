"""A user's own file as a data set."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from ._arff import keel_folds, read_arff
from ._column_roles import ColumnChoices, ColumnRole, role_sentences, roles_of, with_roles
from ._csv import read_csv
from ._dataset import Dataset
from ._parquet import read_parquet
from ._table import Column, DataError, Table
from ._text import MAX_BYTES, Nominal
from ._written_values import number_ways

READERS: dict[str, Callable[..., Table]] = {
    ".csv": read_csv,
    ".tsv": read_csv,
    ".txt": read_csv,
    ".parquet": read_parquet,
    ".arff": read_arff,
    ".dat": read_arff,
}


def read_table(
    path: str | Path, *, nominal: Nominal | None = None, max_bytes: int = MAX_BYTES
) -> Table:
    """Read a file into columns; the ending of its name tells the format.

    Parameters
    ----------
    path : str or Path
        The file: ``.csv``, ``.tsv`` or ``.txt`` with a line of column names, ``.parquet``,
        ``.arff`` (WEKA) or ``.dat`` (KEEL).
    nominal : mapping from str to sequence of str or None, default=None
        Columns to read as categories even if they look like numbers, with the order of their
        categories (None: sorted).
    max_bytes : int, default=536870912
        Largest file to read.

    Returns
    -------
    Table
        Its columns in the order of the file.
    """
    reader = READERS.get(Path(path).suffix.lower())
    if reader is None:
        raise DataError(f"ends in none of {', '.join(READERS)}.", path)
    return reader(path, nominal=nominal, max_bytes=max_bytes)


# Every column stays as it is: tables that we know need no guesses.
ALL = ColumnChoices(keep="all", many_classes=True)
# The ending of files that may have folds beside them.
KEEL = ".dat"
# More classes than this in one column, and it is an amount or an identity, not a class.
MAX_CLASSES = 1000
# The same if, beyond a few, hardly a value occurs twice.
FEW_CLASSES = 20
# More different numbers than this, and the column is an amount or a count, unless the user says so.
MANY_NUMBERS = 50


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


def dataset_of(
    table: Table, target: str | None = None, choices: ColumnChoices | None = None
) -> Dataset:
    """Part a table into points and labels.

    Parameters
    ----------
    table : Table
        The table.
    target : str or None, default=None
        Name of the column with the classes, as for :func:`read_dataset`.
    choices : ColumnChoices or None, default=None
        What to leave out and what to keep; None takes every column as it is.

    Returns
    -------
    Dataset
    """
    chosen = table.column(target if target is not None else _default_target(table))
    given = table.without(chosen.name)
    _check_features(given)
    _check_choices_of(chosen.name, choices or ALL)
    roles = roles_of(given.columns, choices or ALL, table.file)
    features = replace(given, columns=with_roles(given.columns, roles, table.file))
    _check_left(features, roles)
    return Dataset(
        name=table.name,
        X=features.matrix(),
        y=_checked_labels(chosen, table.file, (choices or ALL).many_classes),
        feature_names=features.names,
        nominal=np.array([column.kind == "nominal" for column in features.columns]),
        categories=tuple(column.categories for column in features.columns),
        target_name=chosen.name,
        source=table.file,
        roles=roles,
        asked=choices or ColumnChoices(),
    )


def _default_target(table: Table) -> str:
    if len(table.outputs) > 1:
        raise DataError(
            f"declares {len(table.outputs)} columns as classes; name one as target.", table.file
        )
    return table.outputs[0] if table.outputs else table.names[-1]


def _check_features(features: Table) -> None:
    if not features.columns:
        raise DataError("has one column; it needs a class and at least one feature.", features.file)


def _check_choices_of(target: str, choices: ColumnChoices) -> None:
    if target in choices.named and not choices.optional:
        raise DataError(f"{target!r} is the class; it cannot be dropped, kept or an identifier.")


def _check_left(features: Table, roles: Sequence[ColumnRole]) -> None:
    if not features.columns:
        raise DataError(f"no feature is left. {' '.join(role_sentences(roles))}", features.file)


def check_amount(name: str, n_values: int, many_classes: bool, file: str = "") -> None:
    """Refuse a class of many different numbers, unless that is meant.

    Parameters
    ----------
    name : str
        The class column.
    n_values : int
        How many different numbers it holds.
    many_classes : bool
        Whether the user wants them all as classes.
    file : str, default=""
        Where it comes from.
    """
    if n_values > MANY_NUMBERS and not many_classes:
        raise DataError(
            f"the class {name!r} holds {n_values} different numbers: an amount rather than "
            "classes; make a few ranges of it, name another column as target, or say "
            "many_classes=True (--many-classes) if every number is a class.",
            file,
        )


def _checked_labels(
    column: Column, file: str, many_classes: bool
) -> np.ndarray[tuple[int], np.dtype[np.str_]]:
    """Return the labels if every point has one and they look like classes."""
    missing = np.flatnonzero(np.isnan(column.values))
    if missing.size:
        raise DataError(
            f"the class {column.name!r} is missing in {missing.size} of {column.values.size} "
            f"points, first in point {missing[0] + 1}.",
            file,
        )
    labels = column.labels()
    n_classes = len(np.unique(labels))
    if n_classes < 2:
        raise DataError(f"all points have the same class in column {column.name!r}.", file)
    if n_classes > min(MAX_CLASSES, max(FEW_CLASSES, len(labels) // 2)):
        raise DataError(
            f"column {column.name!r} has {n_classes} different values in {len(labels)} points; "
            "that is no class (make a few ranges of it, or name another column as target).",
            file,
        )
    if column.categories is None or number_ways(column.categories):
        check_amount(column.name, n_classes, many_classes, file)
    return labels
