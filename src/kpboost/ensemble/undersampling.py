"""Random undersampling: how many points of each class to keep, and which."""

from math import floor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kpboost import _parameters as parameters

IndexArray = NDArray[np.intp]


def check_minority_share(value: Any) -> None:
    """Refuse anything but a number strictly between 0 and 1."""
    if not (parameters.is_positive(value) and value < 1):
        raise parameters.refusal("minority_share", value, "a number above 0 and below 1")


def sizes_to_keep(sizes: IndexArray, minority_share: float) -> IndexArray:
    """Numbers of points to keep of each class.

    Parameters
    ----------
    sizes : ndarray of shape (n_classes,)
        Numbers of points, all positive.
    minority_share : float
        Of two classes the smaller one is kept whole, and so many points of the larger one that
        the smaller makes up this share; or all of them, if that takes more than there are. More
        classes are cut to the size of the smallest.

    Returns
    -------
    ndarray of shape (n_classes,)
    """
    smallest = int(sizes.min())
    if sizes.size > 2:
        return np.full(sizes.size, smallest)
    beside = max(1, floor(smallest * (1.0 - minority_share) / minority_share + 0.5))
    kept = np.minimum(sizes, beside)
    kept[sizes.argmin()] = smallest
    return kept


def undersample(codes: IndexArray, minority_share: float, rng: np.random.RandomState) -> IndexArray:
    """Rows of a random undersample, drawn without replacement and uniformly, in order.

    Parameters
    ----------
    codes : ndarray of shape (n,)
        Number of each point's class; every class has points.
    minority_share : float
        See :func:`sizes_to_keep`.
    rng : RandomState

    Returns
    -------
    ndarray
    """
    kept = sizes_to_keep(np.bincount(codes), minority_share)
    rows = [
        rng.choice(np.flatnonzero(codes == code), size=size, replace=False)
        for code, size in enumerate(kept)
    ]
    return np.sort(np.concatenate(rows))
