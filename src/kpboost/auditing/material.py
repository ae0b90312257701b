"""From what the user gives to what every step of the audit reads."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state, column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from kpboost.datasets import ColumnChoices
from kpboost.recipes.columns import (
    Columns,
    check_magnitude,
    columns_of,
    take_rows,
)
from kpboost.recipes.preparation import preparation
from kpboost.recipes.recipe_classifier import check_number_labels
from kpboost.recipes.row_cap import capped_rows
from kpboost.recipes.trainable import FEWEST_MEMBERS, labelled_rows

FloatArray = NDArray[np.float64]
IndexArray = NDArray[np.intp]

# Weight of indicator columns in distances. At full weight a column of categories that means
# nothing cuts every class in two: between numbers there are values in between, here there are none.
INDICATOR_WEIGHT = 0.5


@dataclass(frozen=True, slots=True, eq=False)
class Material:
    """What every step reads.

    Attributes
    ----------
    columns : Columns
        The table.
    given : object
        The same rows as the user gave them, for an estimator of the user's own.
    labels : ndarray of shape (n_rows,)
        Labels as given.
    codes : ndarray of shape (n_rows,)
        Their numbers.
    classes : list
        Labels in the order of the numbers.
    names : list of str
        The same as text.
    points : ndarray of shape (n_rows, n_directions)
        The table filled, encoded and scaled, for distances.
    rows : ndarray of shape (n_rows,)
        Row numbers in what the user gave.
    left_out : list of str
        What is missing from it and why, a sentence each.
    """

    columns: Columns
    given: Any
    labels: NDArray[Any]
    codes: IndexArray
    classes: list[Any]
    names: list[str]
    points: FloatArray
    rows: IndexArray
    left_out: list[str]


def material_of(
    X: Any, y: ArrayLike, max_rows: int, seed: int, choices: ColumnChoices | None = None
) -> Material:
    """Check the table and its labels, and leave out what cannot be audited.

    Parameters
    ----------
    X : array-like, frame or Columns
        The table.
    y : array-like of shape (n_rows,)
        Labels.
    max_rows : int
        Larger tables are sampled.
    seed : int
        Seed of the sample.
    choices : ColumnChoices or None, default=None
        Columns to drop, to take as identifiers and to keep.

    Returns
    -------
    Material
    """
    columns = columns_of(X, choices)
    labels = _labels(y, columns.values.shape[0])
    left_out: list[str] = []
    rows = _labelled(labels, left_out)
    rows = _repeated_classes(labels, rows, left_out)
    rows = _sampled(labels, rows, max_rows, seed, left_out)
    kept = labels[rows]
    kept = np.array(kept.tolist())  # of objects, now without missing ones: numbers or text
    classes, codes = np.unique(kept, return_inverse=True)
    check_classification_targets(kept)
    check_number_labels(classes, choices is not None and choices.many_classes)
    table = columns.take(rows)
    check_magnitude(table)
    points = preparation(table.nominal).fit_transform(table.values)
    points[:, int((~table.nominal).sum()) :] *= INDICATOR_WEIGHT
    return Material(
        columns=table,
        given=take_rows(X, rows),
        labels=kept,
        codes=codes,
        classes=classes.tolist(),
        names=[str(label) for label in classes.tolist()],
        points=np.ascontiguousarray(points, dtype=np.float64),
        rows=rows,
        left_out=left_out,
    )


def _labels(y: ArrayLike, n_rows: int) -> NDArray[Any]:
    labels = column_or_1d(y)
    if labels.size != n_rows:
        raise ValueError(f"y has {labels.size} labels for {n_rows} rows; one each is needed.")
    return np.asarray(labels)


def _labelled(labels: NDArray[Any], left_out: list[str]) -> IndexArray:
    known = labelled_rows(labels)
    if known.size < labels.size:
        left_out.append(f"{_rows(labels.size - known.size)} without a label left out.")
    return known


def _repeated_classes(labels: NDArray[Any], rows: IndexArray, left_out: list[str]) -> IndexArray:
    kinds, codes, sizes = np.unique(
        np.array(labels[rows].tolist()), return_inverse=True, return_counts=True
    )
    if (sizes >= FEWEST_MEMBERS).sum() < 2:
        raise ValueError(
            f"y has {kinds.size} different labels in {rows.size} rows, and fewer than two of them "
            "occur more than once; an audit compares at least two classes."
        )
    if sizes.min() < FEWEST_MEMBERS:
        single = [str(kind) for kind in kinds[sizes < FEWEST_MEMBERS].tolist()]
        shown = ", ".join(f"“{name}”" for name in single[:5])
        more = f" and {len(single) - 5} more" if len(single) > 5 else ""
        left_out.append(
            f"Classes of one row left out, as they cannot be both learnt and tested: {shown}{more}."
        )
    return np.asarray(rows[sizes[codes] >= FEWEST_MEMBERS])


def _sampled(
    labels: NDArray[Any], rows: IndexArray, max_rows: int, seed: int, left_out: list[str]
) -> IndexArray:
    codes = np.unique(np.array(labels[rows].tolist()), return_inverse=True)[1]
    chosen, _ = capped_rows(codes, max_rows, check_random_state(seed))
    if chosen.size < rows.size:
        left_out.append(
            f"A sample of {chosen.size:,} of {rows.size:,} rows is audited; rare classes are in it "
            "whole, so shares of classes differ from those of the data."
        )
    return np.asarray(rows[chosen])


def _rows(count: int) -> str:
    return f"{count} row" + ("" if count == 1 else "s")
