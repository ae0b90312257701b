"""A data set in memory: numbers, labels, and what the columns meant before they were numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from kpboost._typing import BoolArray, FloatArray, IndexArray, LabelArray
from kpboost._validation import check_choice

from ._column_roles import ColumnChoices, ColumnRole, with_roles
from ._table import Column, DataError, Kind, Table, is_number, listing

Fold = tuple[IndexArray, IndexArray]


@dataclass(frozen=True, eq=False)
class Dataset:
    """Points with labels.

    Attributes
    ----------
    name : str
        Name of the set, or of the file without its ending.
    X : ndarray of shape (n_samples, n_features)
        Points; nan is a missing value, a nominal column holds the numbers of its categories.
    y : ndarray of shape (n_samples,)
        Labels, as text.
    feature_names : tuple of str
        Names of the columns of ``X``.
    nominal : ndarray of shape (n_features,)
        Which columns are nominal.
    categories : tuple
        For every column the names of its categories in the order of their numbers, or None.
    target_name : str
        Name of the column that ``y`` came from.
    folds : tuple of (train, test) index arrays, or None
        The partitions that came with the data (KEEL's), or None.
    source : str
        Where the data come from, in words.
    roles : tuple of ColumnRole
        Columns of a user's file that are not features as they stood: identifiers that were left
        out, dates and numbers with a comma that were read, and what the user chose.
    asked : ColumnChoices
        What the user has said about the columns of the file.
    """

    name: str
    X: FloatArray
    y: LabelArray
    feature_names: tuple[str, ...]
    nominal: BoolArray
    categories: tuple[tuple[str, ...] | None, ...]
    target_name: str = "class"
    folds: tuple[Fold, ...] | None = None
    source: str = ""
    roles: tuple[ColumnRole, ...] = ()
    asked: ColumnChoices = field(default_factory=ColumnChoices)

    @property
    def n_samples(self) -> int:
        """Number of points."""
        return int(self.X.shape[0])

    @property
    def n_features(self) -> int:
        """Number of columns of ``X``."""
        return int(self.X.shape[1])

    @property
    def classes(self) -> tuple[str, ...]:
        """Labels that occur, sorted."""
        return tuple(str(label) for label in np.unique(self.y))

    @property
    def imbalance_ratio(self) -> float:
        """Size of the largest class by that of the smallest."""
        counts = np.unique(self.y, return_counts=True)[1]
        return float(counts.max() / counts.min())

    @property
    def has_missing(self) -> bool:
        """Whether a value is missing."""
        return bool(np.isnan(self.X).any())


# What a message says about the way out, in Python and on the command line.
IGNORE = "extra='ignore' or --extra-columns ignore leaves such columns out"
AS_MISSING = "unseen='missing' or --unseen missing takes them for missing"


@dataclass(frozen=True)
class Feature:
    """A column without its values: what a trained model remembers of it."""

    name: str
    kind: Kind
    categories: tuple[str, ...] | None = None


def features_of(data: Dataset) -> tuple[Feature, ...]:
    """Return what a model trained on the set must remember of its columns."""
    return tuple(
        Feature(name, "number" if categories is None else "nominal", categories)
        for name, categories in zip(data.feature_names, data.categories, strict=True)
    )


def encode_like(
    table: Table,
    columns: Sequence[Column | Feature],
    *,
    roles: Sequence[ColumnRole] = (),
    extra: str = "refuse",
    unseen: str = "refuse",
) -> Table:
    """Return the table's columns in the order and with the categories of the training columns.

    Parameters
    ----------
    table : Table
        The new file.
    columns : sequence of Column or Feature
        The training columns without the class.
    roles : sequence of ColumnRole, default=()
        Roles of the columns of the training file: what was left out there may be there or not, and
        dates and numbers are read in the same way.
    extra : {"refuse", "ignore"}, default="refuse"
        What to do with columns that the training file did not have.
    unseen : {"refuse", "missing"}, default="refuse"
        What to do with categories that the training file did not have.

    Returns
    -------
    Table
        One column per training column; ``matrix()`` is what the model takes.

    Raises
    ------
    DataError
        If columns are missing, are too many, hold words instead of numbers, or hold unseen
        categories; the message names them.
    """
    check_choice("extra", extra, ("refuse", "ignore"))
    check_choice("unseen", unseen, ("refuse", "missing"))
    _check_names(table, columns, roles, extra)
    read = replace(table, columns=with_roles(table.columns, roles, table.file))
    named = {column.name: column for column in read.columns}
    encoded = tuple(_encoded(named[known.name], known, table.file, unseen) for known in columns)
    return Table(table.name, encoded, table.file)


def _check_names(
    table: Table, columns: Sequence[Column | Feature], roles: Sequence[ColumnRole], extra: str
) -> None:
    known = _expected([column.name for column in columns], roles)
    left_out = {role.name for role in roles if role.is_left_out}
    here, wanted = {*table.names}, {*known, *left_out}
    missing = [name for name in known if name not in here]
    others = [name for name in table.names if name not in wanted]
    new = f"has {_columns(others)}, which the training file had not"
    if missing:
        also = f", and {new}" if others else ""
        raise DataError(
            f"lacks {_columns(missing)}, which the training file had{also}.", table.file
        )
    if others and extra == "refuse":
        raise DataError(f"{new} ({IGNORE}).", table.file)


def _expected(features: Sequence[str], roles: Sequence[ColumnRole]) -> list[str]:
    """Return the columns of the training file that the features were made of."""
    source = {made: role.name for role in roles for made in role.made}
    return list(dict.fromkeys(source.get(name, name) for name in features))


def _columns(names: Sequence[str]) -> str:
    return f"the column{'s' if len(names) > 1 else ''} {listing(names)}"


def _encoded(column: Column, known: Column | Feature, file: str, unseen: str) -> Column:
    if known.categories is not None:
        codes = _recoded(column, known.categories, file, unseen)
        return Column(known.name, "nominal", codes, known.categories)
    if column.kind == "nominal" and column.categories:
        word = next((w for w in column.categories if not is_number(w)), column.categories[0])
        raise DataError(
            f"column {known.name!r} holds {word!r}; in the training file it held numbers.", file
        )
    return Column(known.name, "number", column.values)


def _recoded(column: Column, categories: tuple[str, ...], file: str, unseen: str) -> FloatArray:
    labels = column.labels()
    codes = _codes(column, categories)
    strange = sorted(set(labels.tolist()) - codes.keys() - {""})
    if strange and unseen == "refuse":
        raise DataError(
            f"column {column.name!r} holds {listing(strange)}, which the training file had not; "
            f"it had {listing(categories)} ({AS_MISSING}).",
            file,
        )
    return np.array([codes.get(label, np.nan) for label in labels.tolist()], dtype=np.float64)


def _codes(column: Column, categories: tuple[str, ...]) -> Mapping[str, float]:
    """Return the number of every word; where the new file has numbers, 1 and 1.0 are one word."""
    codes = {word: float(code) for code, word in enumerate(categories)}
    if column.kind == "number":
        numbers = Column("", "number", np.array([float(w) for w in categories if is_number(w)]))
        as_written = [word for word in categories if is_number(word)]
        for short, word in zip(numbers.labels().tolist(), as_written, strict=True):
            codes.setdefault(short, codes[word])
    return codes
