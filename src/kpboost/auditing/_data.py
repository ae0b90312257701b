"""From what the user gives to what every step of the audit reads."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import adjusted_rand_score
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
    possible_leaks,
    take_rows,
)
from kpboost.disjuncts import NOBODY, DisjunctFinder, Rows, disjunct_labels, nearest
from kpboost.methods import check_number_labels, preparation, sample_rows

from ._records import ColumnProblem, Curve, DataFacts, Reading

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
        Row numbers in what the user gave.
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
    rows, left_out = _usable_rows(labels, max_rows, seed)
    kept = np.array(labels[rows].tolist())  # of objects, now without missing ones: numbers or text
    classes, codes = np.unique(kept, return_inverse=True)
    check_classification_targets(kept)
    check_number_labels(classes, choices is not None and choices.many_classes)
    table = features.take(rows)
    table.check_magnitude()
    points = preparation(table.nominal).fit_transform(table.values)
    points[:, int((~table.nominal).sum()) :] *= INDICATOR_WEIGHT
    return AuditData(
        table=table,
        given=take_rows(X, rows),
        labels=kept,
        codes=codes,
        classes=classes.tolist(),
        points=np.ascontiguousarray(points, dtype=np.float64),
        rows=rows,
        categorical=tuple(names[named].tolist()),
        left_out=left_out,
    )


def _labels(y: ArrayLike, n_rows: int) -> NDArray[Any]:
    labels = column_or_1d(y)
    if labels.size != n_rows:
        raise ValueError(f"y has {labels.size} labels for {n_rows} rows; one each is needed.")
    return np.asarray(labels)


def _usable_rows(labels: NDArray[Any], max_rows: int, seed: int) -> tuple[IndexArray, list[str]]:
    """Rows of classes with a label that occurs again, or a sample of them; and what is left out."""
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
    rows = known[repeated[codes]]
    own_codes = np.unique(codes[repeated[codes]], return_inverse=True)[1]
    chosen, _ = sample_rows(own_codes, max_rows, seed)
    single = [f"“{kind}”" for kind in kinds[~repeated].tolist()]
    n_without = labels.size - known.size
    sentences = {
        f"{n_without} row{'s' * (n_without != 1)} without a label left out.": n_without,
        "Classes of one row left out, as they cannot be both learnt and tested: "
        f"{some_of(single, MOST_NAMES)}.": single,
        f"A sample of {chosen.size:,} of {rows.size:,} rows is audited; rare classes are in it "
        "whole, so shares of classes differ from those of the data.": chosen.size < rows.size,
    }
    return rows[chosen], [sentence for sentence, is_true in sentences.items() if is_true]


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
    groups = _equal_rows(table)
    pairs = np.unique(np.column_stack([groups, codes]), axis=0)
    labels_per_group = np.bincount(pairs[:, 0])
    return DataFacts(
        n_rows=codes.size,
        n_columns=len(table.names),
        n_nominal=int(table.nominal.sum()),
        class_sizes={names[i]: int(sizes[i]) for i in np.argsort(-sizes, kind="stable")},
        imbalance_ratio=float(sizes.max() / sizes.min()),
        n_missing=int(np.isnan(table.values).sum()),
        n_duplicates=int(codes.size - pairs.shape[0]),
        n_contradictions=int((labels_per_group[groups] > 1).sum()),
        columns=tuple(_problems(table)),
        left_out=tuple(left_out),
        roles=table.roles,
        leaks=possible_leaks(table.values, table.nominal, table.names, codes),
    )


def _equal_rows(table: Table) -> IndexArray:
    """Group of each row; rows in one group agree in every column, missing values included."""
    filled = np.where(np.isnan(table.values), np.inf, table.values)  # inf occurs nowhere else
    return np.unique(filled, axis=0, return_inverse=True)[1].ravel()


def _problems(table: Table) -> list[ColumnProblem]:
    found = []
    for name, values in zip(table.names, table.values.T, strict=True):
        known = values[~np.isnan(values)]
        n_missing = values.size - known.size
        if known.size == 0 or known.min() == known.max():
            found.append(ColumnProblem(name, "always the same", values.size))
        if n_missing:
            found.append(ColumnProblem(name, "missing values", n_missing))
    return found


N_NEIGHBORS = 10


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """Parts of all classes.

    Attributes
    ----------
    labels : ndarray of shape (n_rows,)
        Number of each row's part.
    owners : ndarray of shape (n_parts,)
        Number of each part's class.
    sizes : ndarray of shape (n_parts,)
        Number of rows of each part.
    """

    labels: IndexArray
    owners: IndexArray
    sizes: IndexArray


def neighbours_of(points: FloatArray, n_jobs: int | None = None) -> Rows:
    """Ten nearest neighbours of every point (fewer where there are no more)."""
    width = min(N_NEIGHBORS, points.shape[0] - 1)
    return nearest(np.ascontiguousarray(points), width, n_jobs)


def parts_of(neighbours: Rows, codes: IndexArray) -> Parts:
    """Parts under given labels; the neighbours do not depend on labels, and so are found once."""
    links = neighbours.copy()
    links[codes[links] != codes[:, None]] = NOBODY
    labels, owners = disjunct_labels(links, "strong", links.shape[1], codes)
    return Parts(labels, owners, np.bincount(labels))


def readings(
    points: FloatArray, codes: IndexArray, used: Parts
) -> tuple[tuple[Reading, ...], Curve]:
    """Compare the reading in use with the paper's two, and return Algorithm 2's curve.

    Parameters
    ----------
    points : ndarray of shape (n_rows, n_features)
        Points on one scale.
    codes : ndarray of shape (n_rows,)
        Numbers of their classes.
    used : Parts
        The audit's own reading.

    Returns
    -------
    readings : tuple of Reading
        The one in use, Algorithm 2, and the paper's prose.
    curve : Curve
        Number of disjuncts over number of neighbours, by Algorithm 2.
    """
    algorithm = DisjunctFinder().fit(points, codes)
    prose = DisjunctFinder(neighbors_from="class").fit(points, codes)
    own = Reading("audit", N_NEIGHBORS, int(used.sizes.size), 1.0)
    others = (
        Reading(
            name,
            finder.n_neighbors_,
            finder.n_disjuncts_,
            float(adjusted_rand_score(used.labels, finder.labels_)),
        )
        for name, finder in (("algorithm", algorithm), ("prose", prose))
    )
    curve = Curve(
        tuple(algorithm.n_neighbors_path_.tolist()),
        tuple(algorithm.n_disjuncts_path_.tolist()),
        algorithm.n_neighbors_,
    )
    return (own, *others), curve
