"""A missed disjunct in words: where it lies, what sets it apart, whom it is mistaken for."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from kpboost.recipes.columns import Columns

from .records import Description, Trait, WrongNeighbour

FloatArray = NDArray[np.float64]
IndexArray = NDArray[np.intp]

N_TRAITS = 3
N_WRONG = 3
# Columns that separate less than this tell a reader nothing.
LEAST_SEPARATION = 0.3
# Rows around a disjunct with which it is compared, per row of it.
CONFUSERS_PER_ROW = 3
# A number column is shown by its middle four fifths: one odd row should not make the range.
RANGE = (10, 90)


def describe(
    rows: IndexArray,
    columns: Columns,
    points: FloatArray,
    codes: IndexArray,
    predicted: IndexArray,
    names: Sequence[str],
) -> Description:
    """Describe one disjunct.

    Parameters
    ----------
    rows : ndarray of int
        Its rows.
    columns : Columns
        The table, for words.
    points : ndarray of shape (n_rows, n_directions)
        The prepared table, for distances.
    codes, predicted : ndarray of shape (n_rows,)
        Numbers of the true and of the predicted classes.
    names : sequence of str
        Names of the classes.

    Returns
    -------
    Description
    """
    code = codes[rows[0]]
    medoid = _medoid(rows, points)
    wrong = predicted[rows][predicted[rows] != code]
    others = np.flatnonzero(np.isin(codes, wrong) if wrong.size else codes != code)
    distance = np.linalg.norm(points[others] - points[medoid], axis=1)
    confusers = others[np.argsort(distance, kind="stable")[: CONFUSERS_PER_ROW * rows.size]]
    strangers = np.flatnonzero(codes != code)
    gaps = np.linalg.norm(points[strangers] - points[medoid], axis=1)
    rest = np.setdiff1d(np.flatnonzero(codes == code), rows)
    kinds, counts = np.unique(wrong, return_counts=True)
    return Description(
        medoid=int(medoid),
        medoid_values={name: columns.show(medoid, j) for j, name in enumerate(columns.names)},
        from_own_class=_traits(columns, rows, rest),
        from_confusers=_traits(columns, rows, confusers),
        mistaken_for={names[k]: int(c) for k, c in zip(kinds, counts, strict=True)},
        wrong_neighbours=tuple(
            WrongNeighbour(int(strangers[i]), names[codes[strangers[i]]], float(gaps[i]))
            for i in np.argsort(gaps, kind="stable")[:N_WRONG]
        ),
    )


def _medoid(rows: IndexArray, points: FloatArray) -> int:
    """Row with the smallest sum of distances; of many rows, the one nearest to their mean."""
    own = points[rows]
    if rows.size > 2000:  # all pairs would not fit
        return int(rows[np.linalg.norm(own - own.mean(axis=0), axis=1).argmin()])
    squares = (own**2).sum(axis=1)
    squared = np.maximum(squares[:, None] + squares - 2 * own @ own.T, 0)
    return int(rows[np.sqrt(squared).sum(axis=1).argmin()])


def _traits(columns: Columns, rows: IndexArray, others: IndexArray) -> tuple[Trait, ...]:
    """Columns that tell the rows from the others, the clearest first."""
    if others.size == 0:
        return ()
    traits = []
    for j, name in enumerate(columns.names):
        here, there = columns.values[rows, j], columns.values[others, j]
        measure = _nominal_separation if columns.nominal[j] else _separation
        clarity = measure(here[~np.isnan(here)], there[~np.isnan(there)])
        if clarity >= LEAST_SEPARATION:
            traits.append(Trait(name, _words(columns, here, j), _words(columns, there, j), clarity))
    return tuple(sorted(traits, key=lambda trait: -trait.separation)[:N_TRAITS])


def _separation(here: FloatArray, there: FloatArray) -> float:
    """Share of pairs in order minus share of pairs out of order, or within there: 0 to 1.

    Values in the middle of a wider range are set apart too, so distances from the middle of the
    rows are ranked as well.
    """
    if here.size == 0 or there.size == 0:
        return 0.0
    middle = np.median(here)
    return max(abs(_order(here, there)), -_order(np.abs(here - middle), np.abs(there - middle)))


def _order(here: FloatArray, there: FloatArray) -> float:
    ranks = rankdata(np.concatenate([here, there]))[: here.size].sum()
    above = ranks - here.size * (here.size + 1) / 2
    return float(2 * above / (here.size * there.size) - 1)


def _nominal_separation(here: FloatArray, there: FloatArray) -> float:
    """Half the sum of the differences between the shares of the categories: 0 to 1."""
    if here.size == 0 or there.size == 0:
        return 0.0
    size = int(max(here.max(), there.max())) + 1
    shares = [np.bincount(v.astype(np.intp), minlength=size) / v.size for v in (here, there)]
    return float(np.abs(shares[0] - shares[1]).sum() / 2)


def _words(columns: Columns, values: FloatArray, column: int) -> str:
    known = values[~np.isnan(values)]
    if known.size == 0:
        return "missing"
    if columns.nominal[column]:
        codes, counts = np.unique(known, return_counts=True)
        share = counts.max() / known.size
        return f"{columns.show_value(float(codes[counts.argmax()]), column)} ({share:.0%})"
    low, high = (columns.show_value(float(end), column) for end in np.percentile(known, RANGE))
    return low if low == high else f"{low} to {high}"
