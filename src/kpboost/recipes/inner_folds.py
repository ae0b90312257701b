"""Splits inside training rows, for choosing parameters, that every table has.

A class may have one row left among the training rows: the other one is being tested outside. Such a
row is always learnt from and never tested; what is chosen is chosen by the other rows.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import column_or_1d

from kpboost.model_selection import RareClassKFold

from .trainable import trainable_rows

IndexArray = NDArray[np.intp]


class InnerFolds:
    """Stratified splits in which classes of one row only take part in the training.

    Parameters
    ----------
    n_splits : int, default=3
        Number of splits.
    random_state : int, RandomState instance or None, default=None
        Seed of the shuffling.

    Examples
    --------
    >>> import numpy as np
    >>> from kpboost.recipes import InnerFolds
    >>> y = np.array(["a"] * 4 + ["b"] * 2 + ["c"])
    >>> [np.unique(y[test]).tolist() for _, test in InnerFolds(2).split(y, y)]
    [['a', 'b'], ['a', 'b']]
    """

    def __init__(self, n_splits: int = 3, *, random_state: Any = None) -> None:
        self.n_splits = n_splits
        self.random_state = random_state

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of splits.

        Parameters
        ----------
        X, y, groups : object
            Ignored.

        Returns
        -------
        int
        """
        return self.n_splits

    def split(
        self, X: Any, y: ArrayLike, groups: Any = None
    ) -> Iterator[tuple[IndexArray, IndexArray]]:
        """Yield the rows of the training set and of the test set, split by split.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Ignored.
        y : array-like of shape (n_samples,)
            Labels.
        groups : object
            Ignored.

        Yields
        ------
        train, test : ndarray
            Row numbers, ascending. Without any class of two rows, both are all rows.
        """
        labels = np.asarray(column_or_1d(y))
        every = np.arange(labels.size)
        rows = trainable_rows(labels)
        if not rows.size:
            yield from [(every, every)] * self.n_splits
            return
        folds = RareClassKFold(self.n_splits, random_state=self.random_state)
        for _, test in folds.split(rows, labels[rows]):
            yield np.setdiff1d(every, rows[test]), rows[test]

    def __repr__(self) -> str:
        return f"InnerFolds(n_splits={self.n_splits}, random_state={self.random_state!r})"
