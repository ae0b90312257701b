"""From what the user gives to what every step of the audit reads."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from kpboost._text import some_of
from kpboost._typing import FloatArray, IndexArray
from kpboost._validation import categorical_mask
from kpboost.datasets import (
    FEWEST_MEMBERS,
    ColumnChoices,
    Table,
    features_of,
    labelled_rows,
    take_rows,
)
from kpboost.methods import check_number_labels, preparation, sample_rows

from ._parts import N_NEIGHBORS, Parts, equal_rows, own_order, parts_of, places_of
from ._records import ALWAYS_THE_SAME, MISSING_VALUES, ColumnProblem, DataFacts

# Weight of indicator columns in distances. At full weight a column of categories that means
# nothing cuts every class in two: between numbers there are values in between, here there are none.
INDICATOR_WEIGHT = 0.5
# Classes in a sentence.
MOST_NAMES = 5


@dataclass(frozen=True, slots=True, eq=False)
class AuditData:
    """A table with what every step of the audit reads.

    Attributes
    ----------
    table : Table
        The features.
    given : object
        The same rows as the user gave them, for an estimator of the user's own.
    labels : ndarray of shape (n_rows,)
        Labels as given.
    codes : ndarray of shape (n_rows,)
        Their numbers.
    classes : list
        Labels in the order of the numbers.
    points : ndarray of shape (n_rows, n_directions)
        The table filled, encoded and scaled, for distances.
    rows : ndarray of shape (n_rows,)
        Row numbers in what the user gave. They are in an order of the audit's own, so that nothing
        that is found depends on the order in which rows are given.
    categorical : tuple of str
        Columns of categories by the word of the user, be they numbers or not.
    left_out : list of str
        What is missing from it and why, a sentence each.
    """

    table: Table
    given: Any
    labels: NDArray[Any]
    codes: IndexArray
    classes: list[Any]
    points: FloatArray
    rows: IndexArray
    categorical: tuple[str, ...]
    left_out: list[str]

    @property
    def names(self) -> list[str]:
        """The classes as text."""
        return [str(label) for label in self.classes]


def audit_data_of(
    X: Any,
    y: ArrayLike,
    max_rows: int,
    seed: int,
    choices: ColumnChoices | None = None,
    categorical_features: ArrayLike | None = None,
) -> AuditData:
    """Check the table and its labels, and leave out what cannot be audited.

    Parameters
    ----------
    X : array-like, frame or Table
        The table.
    y : array-like of shape (n_rows,)
        Labels.
    max_rows : int
        Larger tables are sampled.
    seed : int
        Seed of the sample.
    choices : ColumnChoices or None, default=None
        Columns to drop, to take as identifiers and to keep.
    categorical_features : array-like or None, default=None
        Columns to take as categories, as of ``MethodClassifier``.

    Returns
    -------
    AuditData
    """
    features = features_of(X, choices)
    names = np.array(features.names)
    named = categorical_mask(categorical_features, names.size, names)
    features = features.as_nominal(named)
    labels = _labels(y, features.n_rows)
    rows, left_out = _usable_rows(labels)
    kept = np.array(labels[rows].tolist())  # of objects, now without missing ones: numbers or text
    marks = _marks(X, labels.size)[rows]
    order = own_order(features.values[rows], np.unique(kept, return_inverse=True)[1], marks, seed)
    rows, sentences = _sample(rows[order], kept[order], max_rows, seed)
    kept = np.array(labels[rows].tolist())
    classes, codes = np.unique(kept, return_inverse=True)
    check_classification_targets(kept)
    check_number_labels(classes, choices is not None and choices.many_classes)
    table = features.take(rows)
    table.check_magnitude()
    return AuditData(
        table=table,
        given=take_rows(X, rows),
        labels=kept,
        codes=codes,
        classes=classes.tolist(),
        points=points_of(table.values, table.nominal),
        rows=rows,
        categorical=tuple(names[named].tolist()),
        left_out=[*left_out, *sentences],
    )


def points_of(values: FloatArray, nominal: NDArray[np.bool_]) -> FloatArray:
    """Fill, encode and scale columns for distances; indicators come last and count less."""
    points = preparation(nominal).fit_transform(values)
    points[:, int((~nominal).sum()) :] *= INDICATOR_WEIGHT
    return np.ascontiguousarray(points, dtype=np.float64)


def class_parts(
    values: FloatArray, nominal: NDArray[np.bool_], y: NDArray[Any], n_neighbors: int = N_NEIGHBORS
) -> Parts:
    """Find the parts of classes of a table, as the audit does.

    Parameters
    ----------
    values : ndarray of shape (n_rows, n_columns)
        Numbers, and codes of categories; nan is missing.
    nominal : ndarray of bool of shape (n_columns,)
        Which columns hold codes.
    y : ndarray of shape (n_rows,)
        Labels.
    n_neighbors : int, default=10
        Rows beside one's own that make up a neighbourhood.

    Returns
    -------
    Parts
        Classes by their place among the sorted labels.
    """
    codes = np.unique(y, return_inverse=True)[1]
    order = own_order(values, codes, np.zeros(codes.size, dtype=np.uint64), 0)
    places = places_of(points_of(values[order], nominal), n_neighbors)
    parts = parts_of(places, codes[order])
    labels = np.empty_like(parts.labels)
    labels[order] = parts.labels
    return replace(parts, labels=labels)


def _labels(y: ArrayLike, n_rows: int) -> NDArray[Any]:
    labels = column_or_1d(y)
    if labels.size != n_rows:
        raise ValueError(f"y has {labels.size} labels for {n_rows} rows; one each is needed.")
    return np.asarray(labels)


def _marks(X: Any, n_rows: int) -> NDArray[np.uint64]:
    """Return what tells the rows of a frame apart beside its features, as a number for each."""
    if hasattr(X, "hash_rows"):  # of polars
        return np.asarray(X.hash_rows(), dtype=np.uint64)
    if hasattr(X, "iloc"):
        from pandas.util import hash_pandas_object

        return np.asarray(hash_pandas_object(X, index=False), dtype=np.uint64)
    return np.zeros(n_rows, dtype=np.uint64)


def _usable_rows(labels: NDArray[Any]) -> tuple[IndexArray, list[str]]:
    """Rows of classes with a label that occurs again, and what is left out."""
    known = labelled_rows(labels)
    kinds, codes, sizes = np.unique(
        np.array(labels[known].tolist()), return_inverse=True, return_counts=True
    )
    repeated = sizes >= FEWEST_MEMBERS
    if repeated.sum() < 2:
        raise ValueError(
            f"y has {kinds.size} different labels in {known.size} rows, and fewer than two of them "
            "occur more than once; an audit compares at least two classes."
        )
    single = [f"“{kind}”" for kind in kinds[~repeated].tolist()]
    n_without = labels.size - known.size
    sentences = {
        f"{n_without} row{'s' * (n_without != 1)} without a label left out.": n_without,
        "Classes of one row left out, as they cannot be both learnt and tested: "
        f"{some_of(single, MOST_NAMES)}.": single,
    }
    return known[repeated[codes]], [words for words, is_true in sentences.items() if is_true]


def _sample(
    rows: IndexArray, labels: NDArray[Any], max_rows: int, seed: int
) -> tuple[IndexArray, list[str]]:
    """Rows to audit, rare classes first, and what is to be said about it."""
    classes, codes = np.unique(labels, return_inverse=True)
    chosen, _ = sample_rows(codes, max_rows, seed)
    if chosen.size == rows.size:
        return rows, []
    sizes, drawn = np.bincount(codes), np.bincount(codes[chosen])
    return rows[chosen], [
        f"A sample of {chosen.size:,} of {rows.size:,} rows is audited, rare classes first: "
        f"{_shares_drawn(classes.tolist(), sizes, drawn)}. Recalls, and disjuncts as shares of "
        "their classes, are those of all rows but for the chance of the draw; numbers of rows are "
        "those of the sample. `kpboost disjuncts` finds the parts of all rows."
    ]


def _shares_drawn(classes: Sequence[Any], sizes: IndexArray, drawn: IndexArray) -> str:
    """Say how many rows of each class were drawn, the rarest first."""
    order = np.argsort(sizes, kind="stable").tolist()
    told = [
        f"all {sizes[i]:,} of “{classes[i]}”"
        if drawn[i] == sizes[i]
        else f"{drawn[i]:,} of {sizes[i]:,} of “{classes[i]}”"
        for i in order
    ]
    return some_of(told, MOST_NAMES)


def data_facts(
    table: Table, codes: IndexArray, names: Sequence[str], left_out: Sequence[str]
) -> DataFacts:
    """Look at a table.

    Parameters
    ----------
    table : Table
        The features.
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
    groups = equal_rows(table.values)
    by_class = np.zeros((groups.max() + 1, len(names)), dtype=np.intp)
    np.add.at(by_class, (groups, codes), 1)
    labels_per_group = (by_class > 0).sum(axis=1)
    return DataFacts(
        n_rows=codes.size,
        n_columns=len(table.names),
        n_nominal=int(table.nominal.sum()),
        class_sizes={names[i]: int(sizes[i]) for i in np.argsort(-sizes, kind="stable")},
        imbalance_ratio=float(sizes.max() / sizes.min()),
        n_missing=int(np.isnan(table.values).sum()),
        n_duplicates=int(codes.size - labels_per_group.sum()),
        n_contradictions=int((labels_per_group[groups] > 1).sum()),
        columns=tuple(_problems(table)),
        left_out=tuple(left_out),
        roles=table.roles,
        n_unavoidable=int(codes.size - by_class.max(axis=1).sum()),
    )


def fingerprint(data: AuditData) -> str:
    """Return a mark that tables with the same cells, labels and row numbers share."""
    given = np.argsort(data.rows)
    mark = sha256(data.table.values[given].tobytes() + data.rows[given].tobytes())
    labels = [data.names[k] for k in data.codes[given]]
    mark.update(repr((data.table.names, data.table.categories, labels)).encode())
    return mark.hexdigest()[:16]


def _problems(table: Table) -> list[ColumnProblem]:
    found = []
    for name, values in zip(table.names, table.values.T, strict=True):
        known = values[~np.isnan(values)]
        n_missing = values.size - known.size
        if known.size == 0 or known.min() == known.max():
            found.append(ColumnProblem(name, ALWAYS_THE_SAME, values.size))
        if n_missing:
            found.append(ColumnProblem(name, MISSING_VALUES, n_missing))
    return found
