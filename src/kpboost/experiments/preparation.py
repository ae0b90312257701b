"""Features ready for a kernel: missing values filled in, every column standardised.

Protocol "nested" learns both from the training part alone; the other two from the whole data set,
as the paper did.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import StandardScaler

FloatArray = NDArray[np.float64]
IndexArray = NDArray[np.intp]
BoolArray = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Points:
    """A data set as jobs see it: numbers, and what is known about them.

    Attributes
    ----------
    name : str
    fingerprint : str
        Of the points and labels; two data sets that differ have different ones.
    X : ndarray of shape (n, d)
        NaN is a missing value; nominal columns hold ordinal codes.
    nominal : ndarray of bool of shape (d,)
    codes : ndarray of shape (n,)
        Class numbers.
    disjuncts, disjunct_sizes : ndarray
        Disjunct of every point, and the sizes of all disjuncts.
    n_classes : int
    """

    name: str
    fingerprint: str
    X: FloatArray
    nominal: BoolArray
    codes: IndexArray
    disjuncts: IndexArray
    disjunct_sizes: IndexArray
    n_classes: int


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
