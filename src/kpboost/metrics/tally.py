"""Test points counted disjunct by disjunct."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import column_or_1d

from .disjunct_sizes import Sizes, sizes_of
from .points import Points

FloatArray = NDArray[np.float64]
IndexArray = NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class Tally:
    """Disjuncts that have test points, sorted by label.

    Attributes
    ----------
    labels : ndarray of shape (n_disjuncts,)
        Their labels.
    class_codes : ndarray of shape (n_disjuncts,)
        Number of the class that each is a part of.
    sizes : ndarray of shape (n_disjuncts,)
        Their sizes in the whole data set.
    total : float
        Size of the whole data set.
    n_unseen : int
        Number of disjuncts of the data set without test points.
    n_points, n_correct : ndarray of shape (n_disjuncts,)
        Total weight of the test points, and of those predicted correctly.
    members : ndarray of shape (n,)
        Position of each point's disjunct in ``labels``.
    """

    labels: NDArray[Any]
    class_codes: IndexArray
    sizes: FloatArray
    total: float
    n_unseen: int
    n_points: FloatArray
    n_correct: FloatArray
    members: IndexArray


def tally(points: Points, disjuncts: ArrayLike, disjunct_sizes: Sizes | None) -> Tally:
    """Count points by disjunct.

    Parameters
    ----------
    points : Points
        Checked test points.
    disjuncts : array-like of shape (n_samples,)
        Disjunct of each point that the user gave; each disjunct belongs to one class.
    disjunct_sizes : mapping, array-like or None
        Sizes over the whole data set by label; None takes the points for the whole data set.

    Returns
    -------
    Tally
    """
    labels, members = np.unique(_at_points(points, disjuncts), return_inverse=True)
    n_points = _sums(members, points.weight)
    if disjunct_sizes is None:
        sizes, total, n_known = n_points, float(n_points.sum()), labels.size
    else:
        sizes, total, n_known = sizes_of(labels, disjunct_sizes)
    return Tally(
        labels=labels,
        class_codes=_class_of_each(labels, members, points),
        sizes=sizes,
        total=total,
        n_unseen=n_known - labels.size,
        n_points=n_points,
        n_correct=_sums(members, points.weight * points.hit),
        members=members,
    )


def _sums(members: IndexArray, values: FloatArray) -> FloatArray:
    return np.bincount(members, weights=values).astype(np.float64)


def _at_points(points: Points, disjuncts: ArrayLike) -> NDArray[Any]:
    labels = column_or_1d(disjuncts)
    if labels.size != points.n_given:
        raise ValueError(
            f"disjuncts has {labels.size} entries for {points.n_given} points; one per point is "
            "needed."
        )
    if labels.dtype.kind == "f" and np.any(np.isnan(labels)):
        raise ValueError("disjuncts has missing values (NaN); every point needs a disjunct.")
    return np.asarray(labels[points.rows])


def _class_of_each(labels: NDArray[Any], members: IndexArray, points: Points) -> IndexArray:
    """Class of each disjunct; two classes in one are refused."""
    class_codes = np.empty(labels.size, dtype=np.intp)
    class_codes[members] = points.codes
    strangers = np.flatnonzero(class_codes[members] != points.codes)
    if strangers.size:
        first = strangers[0]
        here = points.classes[[points.codes[first], class_codes[members[first]]]].tolist()
        raise ValueError(
            f"Disjunct {labels.tolist()[members[first]]!r} has points of the classes "
            f"{here[0]!r} and {here[1]!r}; a disjunct is a part of one class."
        )
    return class_codes
