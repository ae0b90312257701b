"""Support vectors shared by several machines."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

IndexArray = NDArray[np.intp]


def union_of_support(supports: Sequence[IndexArray], codes: IndexArray) -> IndexArray:
    """Rows that support any machine, class by class, ascending within a class.

    Parameters
    ----------
    supports : sequence of ndarray
        Rows that support each machine.
    codes : ndarray of shape (n,)
        Number of each row's class.

    Returns
    -------
    ndarray of shape (n_SV,)
    """
    union = np.unique(np.concatenate(supports))
    return np.asarray(union[np.argsort(codes[union], kind="stable")])
