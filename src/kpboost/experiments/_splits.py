"""One split of a data set, prepared once for all that is tried on it."""

from collections import OrderedDict
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from threading import Lock

import numpy as np
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import StandardScaler

from kpboost._typing import BoolArray, FloatArray, IndexArray
from kpboost.datasets import Table
from kpboost.kernels import squared_distances
from kpboost.model_selection import Split
from kpboost.problems import TrainingSet


@dataclass(frozen=True, slots=True, eq=False)
class PreparedDataset:
    """A table with what jobs need to know about it.

    Attributes
    ----------
    name : str
    table : Table
        The features; nominal ones hold ordinal codes.
    codes : ndarray of shape (n_samples,)
        Class numbers.
    labels : tuple of str
        Of the classes, in the order of their numbers.
    fingerprint : str
        Of the samples and labels; two data sets that differ have different ones.
    disjuncts, disjunct_sizes : ndarray
        Disjunct of every sample, and the sizes of all disjuncts.
    splits : tuple of (train, test)
    """

    name: str
    table: Table
    codes: IndexArray
    labels: tuple[str, ...]
    fingerprint: str
    disjuncts: IndexArray
    disjunct_sizes: IndexArray
    splits: tuple[Split, ...]

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.labels)


def standardised(X: FloatArray, nominal: BoolArray, learn: IndexArray | None = None) -> FloatArray:
    """Fill in missing values and standardise, with means and deviations of the rows ``learn``.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    nominal : ndarray of bool of shape (d,)
        These columns get their most frequent code, the others their mean.
    learn : ndarray or None
        Rows to learn from; None is all.

    Returns
    -------
    ndarray of shape (n, d)
    """
    rows = slice(None) if learn is None else learn
    X = _near_one(X)
    filled = X.copy()
    for strategy, columns in (("mean", ~nominal), ("most_frequent", nominal)):
        if np.isnan(X[:, columns]).any():
            # A column without any value becomes 0: constant, hence harmless.
            imputer = SimpleImputer(strategy=strategy, keep_empty_features=True)
            imputer.fit(X[rows][:, columns])
            filled[:, columns] = imputer.transform(X[:, columns])
    return np.asarray(StandardScaler().fit(filled[rows]).transform(filled))


def _near_one(X: FloatArray) -> FloatArray:
    """Divide every column by the power of two next to its largest value.

    It changes no digit of what follows, but squares of 1e300 or 1e-300 would be no numbers.
    """
    largest = np.max(np.abs(X), axis=0, initial=0.0, where=~np.isnan(X))
    return np.asarray(np.ldexp(X, -np.frexp(largest)[1]))


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
    data: PreparedDataset, train: IndexArray, test: IndexArray, *, leak_free: bool
) -> PreparedSplit:
    """Standardise one split.

    Parameters
    ----------
    data : PreparedDataset
    train, test : ndarray
        Rows of the data set.
    leak_free : bool
        Whether means and deviations come from the training part alone.
    """
    nominal = data.table.nominal
    X = standardised(data.table.values, nominal, train if leak_free else None)
    rows = np.concatenate([train, test])
    return PreparedSplit(X[rows], data.codes[rows], train.size, data.n_classes, nominal)


# Squared distances dominate a split; this many bytes of them are kept, and one split in any case.
MOST_BYTES = 512 * 2**20
# Small splits are many: no more than this number.
MOST_SPLITS = 16

_splits: "OrderedDict[tuple[str, bytes, bool], PreparedSplit]" = OrderedDict()
_lock = Lock()


def cached_split(
    data: PreparedDataset, train: IndexArray, test: IndexArray, *, leak_free: bool
) -> PreparedSplit:
    """Return a prepared split, from the cache or made now.

    Parameters
    ----------
    data : PreparedDataset
    train, test : ndarray
    leak_free : bool
    """
    rows = blake2b(train.tobytes() + b"|" + test.tobytes()).digest()
    key = (data.fingerprint, rows, leak_free)
    with _lock:
        if key in _splits:
            _splits.move_to_end(key)
            return _splits[key]
    split = prepare_split(data, train, test, leak_free=leak_free)
    with _lock:
        _splits[key] = split
        _make_room()
    return split


def _make_room() -> None:
    """Drop the splits that were not asked for the longest."""
    sizes = [8 * len(split.codes) ** 2 for split in _splits.values()]
    while len(_splits) > 1 and (sum(sizes) > MOST_BYTES or len(_splits) > MOST_SPLITS):
        _splits.popitem(last=False)
        sizes.pop(0)
