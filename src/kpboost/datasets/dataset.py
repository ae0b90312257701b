"""A data set in memory: numbers, labels, and what the columns meant before they were numbers."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from .column_roles import ColumnChoices, ColumnRole

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]
IndexArray = NDArray[np.intp]
LabelArray = NDArray[np.str_]
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
