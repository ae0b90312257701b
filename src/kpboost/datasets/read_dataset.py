"""A user's own file as a data set."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from .data_error import DataError
from .dataset import Dataset
from .keel_folds import keel_folds
from .read_table import read_table
from .table import Column, Table
from .text_columns import Nominal
from .text_file import MAX_BYTES

# The ending of files that may have folds beside them.
KEEL = ".dat"
# More classes than this in one column, and it is an amount or an identity, not a class.
MAX_CLASSES = 1000
# The same if, beyond a few, hardly a value occurs twice.
FEW_CLASSES = 20


def read_dataset(
    path: str | Path,
    *,
    target: str | None = None,
    nominal: Nominal | None = None,
    max_bytes: int = MAX_BYTES,
) -> Dataset:
    """Read a data set from a file.

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
    max_bytes : int, default=536870912
        Largest file to read.

    Returns
    -------
    Dataset
        Its points; nominal columns as numbers of their categories, missing values as nan. Beside
        a KEEL file, ``NAME-5-1tra.dat``, ``NAME-5-1tst.dat`` and so on become its ``folds``.
    """
    table = read_table(path, nominal=nominal, max_bytes=max_bytes)
    data = dataset_of(table, target)
    if Path(path).suffix.lower() == KEEL:
        data = replace(data, folds=keel_folds(path, table, max_bytes))
    return data


def dataset_of(table: Table, target: str | None = None) -> Dataset:
    """Part a table into points and labels."""
    chosen = table.column(target if target is not None else _default_target(table))
    features = table.without(chosen.name)
    _check_features(features)
    return Dataset(
        name=table.name,
        X=features.matrix(),
        y=_checked_labels(chosen, table.file),
        feature_names=features.names,
        nominal=np.array([column.kind == "nominal" for column in features.columns]),
        categories=tuple(column.categories for column in features.columns),
        target_name=chosen.name,
        source=table.file,
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


def _checked_labels(column: Column, file: str) -> np.ndarray[tuple[int], np.dtype[np.str_]]:
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
            "that is no class (another column? name it as target).",
            file,
        )
    return labels
