"""One split of a data set, prepared once for all that is tried on it."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from kpboost.kernels import squared_distances
from kpboost.problems.training_set import TrainingSet

from .preparation import Points, standardised

FloatArray = NDArray[np.float64]
IndexArray = NDArray[np.intp]
BoolArray = NDArray[np.bool_]

# Squared distances and kernel values of all points are kept in memory up to this size, 275 MB per
# matrix and two to three of them per job; larger data sets fit their candidates one by one, on rows
# computed when needed. The paper's largest has 4177 points.
MOST_DENSE_POINTS = 6000


@dataclass(frozen=True, eq=False)
class PreparedSplit:
    """Standardised points of a training and a test part, and what kernels need of them.

    Attributes
    ----------
    X : ndarray of shape (n, d)
        All points of the split, training part first.
    codes : ndarray of shape (n,)
        Their classes.
    n_train : int
    n_classes : int
        Classes of the data set; a split may have fewer.
    nominal : ndarray of bool of shape (d,)
        Columns whose values are names; standardised, they still are as many.
    """

    X: FloatArray
    codes: IndexArray
    n_train: int
    n_classes: int
    nominal: BoolArray

    @property
    def train(self) -> tuple[FloatArray, IndexArray]:
        """Training points and their classes."""
        return self.X[: self.n_train], self.codes[: self.n_train]

    @property
    def test(self) -> tuple[FloatArray, IndexArray]:
        """Test points and their classes."""
        return self.X[self.n_train :], self.codes[self.n_train :]

    @property
    def fits_dense(self) -> bool:
        """Tell whether matrices of all points may be kept."""
        return len(self.codes) <= MOST_DENSE_POINTS

    @cached_property
    def squared(self) -> FloatArray:
        """Squared distances of all points."""
        return squared_distances(self.X)

    @cached_property
    def as_training_set(self) -> TrainingSet:
        """All points in the form that shared searches expect."""
        rows = np.arange(len(self.codes))
        return TrainingSet(
            points=self.X,
            rows=rows,
            codes=self.codes,
            weight=np.ones(rows.size),
            is_weighted=False,
            classes=np.arange(self.n_classes),
            all_codes=self.codes,
        )


def prepare_split(
    points: Points, train: IndexArray, test: IndexArray, *, leak_free: bool
) -> PreparedSplit:
    """Standardise one split.

    Parameters
    ----------
    points : Points
    train, test : ndarray
        Rows of the data set.
    leak_free : bool
        Whether means and deviations come from the training part alone.
    """
    X = standardised(points.X, points.nominal, train if leak_free else None)
    rows = np.concatenate([train, test])
    return PreparedSplit(X[rows], points.codes[rows], train.size, points.n_classes, points.nominal)
