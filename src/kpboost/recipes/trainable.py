"""The rows that a classifier can learn from: those with a label that some other row has, too."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import column_or_1d

from .columns import is_missing, take_rows

IndexArray = NDArray[np.intp]

# One row to learn from and one to be tested on.
FEWEST_MEMBERS = 2


def trainable_rows(y: ArrayLike) -> IndexArray:
    """Rows that have a label, and one that occurs more than once.

    Parameters
    ----------
    y : array-like of shape (n_rows,)
        Labels; None and NaN are missing.

    Returns
    -------
    ndarray of int
        Ascending row numbers.
    """
    labels = np.asarray(column_or_1d(y))
    known = labelled_rows(labels)
    if not known.size:
        return known
    _, codes, sizes = np.unique(
        np.array(labels[known].tolist()), return_inverse=True, return_counts=True
    )
    return known[sizes[codes] >= FEWEST_MEMBERS]


def labelled_rows(labels: NDArray[Any]) -> IndexArray:
    """Return the rows whose label is not missing, ascending."""
    return np.flatnonzero([not is_missing(label) for label in labels.tolist()])


def trainable(X: Any, y: ArrayLike) -> tuple[Any, NDArray[Any]]:
    """Table and labels without the rows that an audit leaves out.

    Parameters
    ----------
    X : array, sparse matrix, pandas or polars frame
        The table.
    y : array-like of shape (n_rows,)
        Its labels; None and NaN are missing.

    Returns
    -------
    X : as given
        Rows that have a label which occurs more than once.
    y : ndarray
        Their labels.

    Examples
    --------
    >>> import numpy as np
    >>> from kpboost.recipes import trainable
    >>> X, y = trainable(np.arange(5.0).reshape(-1, 1), ["a", "b", None, "a", "a"])
    >>> X.ravel().tolist(), y.tolist()
    ([0.0, 3.0, 4.0], ['a', 'a', 'a'])
    """
    rows = trainable_rows(y)
    return take_rows(X, rows), np.array(np.asarray(column_or_1d(y))[rows].tolist())
