"""From a table to a data set: its features, its labels; and new rows in the form of old ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from kpboost._notebook import Facts, FactsMixin, counted
from kpboost._typing import BoolArray, FloatArray, IndexArray, LabelArray
from kpboost._validation import check_choice

from ._column_roles import ColumnChoices, ColumnRole, role_sentences, roles_of, with_roles
from ._file_bytes import stem_of
from ._table import Column, DataError, Table, is_number, listing
from ._written_values import number_ways, unit_ways

Fold = tuple[IndexArray, IndexArray]

# Every column stays as it is: tables that we know need no guesses.
ALL = ColumnChoices(keep="all", many_classes=True)
# More classes than this in one column, and it is an amount or an identity, not a class.
MAX_CLASSES = 1000
# The same if, beyond a few, hardly a value occurs twice.
FEW_CLASSES = 20
# More different numbers than this, and the column is an amount or a count, unless the user says so.
MANY_NUMBERS = 50
# What a message says about the way out, in Python and on the command line.
IGNORE = "extra='ignore' or --extra-columns ignore leaves such columns out"
ANOTHER = "name another column as target (--target)"
AS_MISSING = "unseen='missing' or --unseen missing takes them for missing"


@dataclass(frozen=True, eq=False, repr=False)
class Dataset(FactsMixin):
    """A table of features, and labels.

    Attributes
    ----------
    name : str
        Name of the set, or of the file without its ending.
    table : Table
        The features.
    y : ndarray of shape (n_samples,)
        Labels, as text.
    target_name : str
        Name of the column that ``y`` came from.
    folds : tuple of (train, test) index arrays, or None
        The partitions that came with the data (KEEL's), or None.
    asked : ColumnChoices
        What the user has said about the columns of the file.

    See Also
    --------
    read_dataset : Reads one from a file.
    load : Reads one of the paper's data sets.
    make_disjuncts : Makes data with known disjuncts.

    Examples
    --------
    >>> from kpboost.datasets import load
    >>> data = load("planted-two")
    >>> data.X.shape, data.classes, data.imbalance_ratio
    ((408, 2), ('common', 'rare'), 5.0)
    """

    name: str
    table: Table
    y: LabelArray
    target_name: str = "class"
    folds: tuple[Fold, ...] | None = None
    asked: ColumnChoices = field(default_factory=ColumnChoices)

    def _facts(self) -> Facts:
        labels, sizes = np.unique(self.y, return_counts=True)
        yield "name", self.name
        yield "samples", f"{self.n_samples:,}"
        yield "features", f"{self.n_features:,}, {int(self.nominal.sum()):,} of them nominal"
        yield "classes", counted(dict(zip(labels.tolist(), sizes.tolist(), strict=True)))

    def _repr_html_(self) -> str:
        return super()._repr_html_() + self.table.html_head(self.y, self.target_name)

    @property
    def X(self) -> FloatArray:  # noqa: N802  # the field's own name
        """Samples; nan is a missing value, a nominal feature holds numbers of its categories."""
        return self.table.values

    @property
    def feature_names(self) -> tuple[str, ...]:
        """Names of the columns of ``X``."""
        return self.table.names

    @property
    def nominal(self) -> BoolArray:
        """Which features are nominal, an array of shape (n_features,)."""
        return self.table.nominal

    @property
    def categories(self) -> tuple[tuple[str, ...] | None, ...]:
        """For every feature the names of its categories in the order of their numbers, or None."""
        return self.table.categories

    @property
    def roles(self) -> tuple[ColumnRole, ...]:
        """Columns of a user's file that are not features as they stood.

        Identifiers that were left out, dates and numbers with a comma or a unit that were read,
        and what the user chose.
        """
        return self.table.roles

    @property
    def source(self) -> str:
        """Where the data come from, in words."""
        return self.table.source

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return self.table.n_rows

    @property
    def n_features(self) -> int:
        """Number of columns of ``X``."""
        return len(self.table.names)

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

    def take(self, rows: IndexArray) -> Dataset:
        """Return some samples, without the partitions of all."""
        return replace(self, table=self.table.take(rows), y=self.y[rows], folds=None)


def dataset_of(
    table: Table, target: str | None = None, choices: ColumnChoices | None = None
) -> Dataset:
    """Part a table into features and labels.

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
    if not given.names:
        raise DataError("has one column; it needs a class and at least one feature.", table.source)
    if choices is not None and chosen.name in choices.named and not choices.optional:
        raise DataError(
            f"{chosen.name!r} is the class; it cannot be dropped, kept or an identifier."
        )
    return Dataset(
        name=stem_of(table.source),
        table=chosen_features(given, choices or ALL),
        y=_checked_labels(chosen, table.source, (choices or ALL).many_classes),
        target_name=chosen.name,
        asked=choices or ColumnChoices(),
    )


def chosen_features(table: Table, choices: ColumnChoices) -> Table:
    """Return the features of a table without its class: identifiers out, dates and numbers read."""
    columns = table.columns
    roles = roles_of(columns, choices, table.source)
    if not any(role.is_left_out or role.made for role in roles):
        return replace(table, roles=roles, dates=frozenset(), outputs=())
    features = with_roles(columns, roles, table.source)
    if not features:
        raise DataError(f"no feature is left. {' '.join(role_sentences(roles))}", table.source)
    return Table.of(features, table.source, roles)


def _default_target(table: Table) -> str:
    if len(table.outputs) > 1:
        raise DataError(
            f"declares {len(table.outputs)} columns as classes; name one as target.", table.source
        )
    return table.outputs[0] if table.outputs else table.names[-1]


def check_amount(name: str, n_values: int, many_classes: bool, source: str = "") -> None:
    """Refuse a class of many different numbers, unless that is meant.

    Parameters
    ----------
    name : str
        The class column.
    n_values : int
        How many different numbers it holds.
    many_classes : bool
        Whether the user wants them all as classes.
    source : str, default=""
        Where it comes from.
    """
    if n_values > MANY_NUMBERS and not many_classes:
        raise DataError(
            f"the class {name!r} holds {n_values} different numbers: an amount rather than "
            f"classes; make a few ranges of it, {ANOTHER}, or say "
            "many_classes=True (--many-classes) if every number is a class.",
            source,
        )


def _checked_labels(column: Column, source: str, many_classes: bool) -> LabelArray:
    """Return the labels if every row has one and they look like classes."""
    missing = np.flatnonzero(np.isnan(column.values))
    if missing.size:
        raise DataError(
            f"the class {column.name!r} is missing in {missing.size} of {column.values.size} "
            f"rows, first in row {missing[0] + 1}; leave such rows out, or {ANOTHER}.",
            source,
        )
    labels = column.labels()
    n_classes = len(np.unique(labels))
    if n_classes < 2:
        raise DataError(f"all rows have the same class in {column.name!r}; {ANOTHER}.", source)
    if n_classes > min(MAX_CLASSES, max(FEW_CLASSES, len(labels) // 2)):
        raise DataError(
            f"column {column.name!r} has {n_classes} different values in {len(labels)} rows; "
            f"that is not a class (make a few ranges of it, or {ANOTHER}).",
            source,
        )
    words = column.categories
    if words is None or number_ways(words) or unit_ways(words):
        check_amount(column.name, n_classes, many_classes, source)
    return labels


def encode_like(
    table: Table, known: Table, *, extra: str = "refuse", unseen: str = "refuse"
) -> Table:
    """Return new rows in the order and with the categories of the training features.

    Parameters
    ----------
    table : Table
        The new rows, see :func:`read_table`.
    known : Table
        The features of the training table, with or without its rows. What its roles leave out may
        be in the new table or not, and dates and numbers are read as there.
    extra : {"refuse", "ignore"}, default="refuse"
        What to do with columns that the training table did not have.
    unseen : {"refuse", "missing"}, default="refuse"
        What to do with categories that the training table did not have.

    Returns
    -------
    Table
        One column per training feature; its ``values`` are what the model takes.

    Raises
    ------
    DataError
        If columns are missing, are too many, hold words instead of numbers, or hold unseen
        categories; the message names them.
    """
    check_choice("extra", extra, ("refuse", "ignore"))
    check_choice("unseen", unseen, ("refuse", "missing"))
    _check_names(table, known, extra)
    read = {column.name: column for column in with_roles(table.columns, known.roles, table.source)}
    encoded = [
        _encoded(read[name], categories, table.source, unseen)
        for name, categories in zip(known.names, known.categories, strict=True)
    ]
    return Table.of(encoded, table.source, known.roles)


def _check_names(table: Table, known: Table, extra: str) -> None:
    origin = {made: role.name for role in known.roles for made in role.made}
    needed = list(dict.fromkeys(origin.get(name, name) for name in known.names))
    allowed = {*needed, *(role.name for role in known.roles if role.is_left_out)}
    here = {*table.names}
    missing = [name for name in needed if name not in here]
    others = [name for name in table.names if name not in allowed]
    new = f"has {_columns(others)}, which the training data did not have"
    if missing:
        also = f", and {new}" if others else ""
        raise DataError(
            f"lacks {_columns(missing)}, which the training data had{also}.", table.source
        )
    if others and extra == "refuse":
        raise DataError(f"{new} ({IGNORE}).", table.source)


def _columns(names: Sequence[str]) -> str:
    return f"the column{'s' if len(names) > 1 else ''} {listing(names)}"


def _encoded(
    column: Column, categories: tuple[str, ...] | None, source: str, unseen: str
) -> Column:
    if categories is not None:
        codes = _recoded(column, categories, source, unseen)
        return Column(column.name, "nominal", codes, categories)
    if column.categories:
        word = next((w for w in column.categories if not is_number(w)), column.categories[0])
        raise DataError(
            f"column {column.name!r} holds {word!r}; in the training data it held numbers.", source
        )
    return Column(column.name, "number", column.values)


def _recoded(column: Column, categories: tuple[str, ...], source: str, unseen: str) -> FloatArray:
    labels = column.labels()
    codes = _codes(column, categories)
    strange = sorted(set(labels.tolist()) - codes.keys() - {""})
    if strange and unseen == "refuse":
        raise DataError(
            f"column {column.name!r} holds {listing(strange)}, which the training data lack; "
            f"they had {listing(categories)} ({AS_MISSING}).",
            source,
        )
    return np.array([codes.get(label, np.nan) for label in labels.tolist()], dtype=np.float64)


def _codes(column: Column, categories: tuple[str, ...]) -> Mapping[str, float]:
    """Return the number of every word; where the new rows have numbers, 1 and 1.0 are one word."""
    codes = {word: float(code) for code, word in enumerate(categories)}
    if column.kind == "number":
        as_written = [word for word in categories if is_number(word)]
        numbers = Column("", "number", np.array([float(word) for word in as_written]))
        for short, word in zip(numbers.labels().tolist(), as_written, strict=True):
            codes.setdefault(short, codes[word])
    return codes
