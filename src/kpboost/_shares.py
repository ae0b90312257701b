"""How many rows of each class a sample has."""

import numpy as np

from ._typing import IndexArray


def even_shares(sizes: IndexArray, total: int, *, at_least: int = 0) -> IndexArray:
    """Divide `total` places evenly between classes; no class gets more than its size.

    The smallest class is served first, and what it leaves goes to the others.

    Parameters
    ----------
    sizes : ndarray of shape (n_classes,)
        Number of rows of each class.
    total : int
        Number of places.
    at_least : int, default=0
        Places that every class gets if it has so many rows, even if `total` is exceeded.

    Returns
    -------
    ndarray of shape (n_classes,)

    Examples
    --------
    >>> import numpy as np
    >>> from kpboost._shares import even_shares
    >>> even_shares(np.array([900, 90, 10]), 120).tolist()
    [55, 55, 10]
    >>> even_shares(np.array([900, 90, 10]), 2, at_least=1).tolist()
    [1, 1, 1]
    """
    shares = np.zeros(sizes.size, dtype=np.intp)
    left = total
    for done, code in enumerate(np.argsort(sizes, kind="stable")):
        shares[code] = min(sizes[code], max(at_least, left // (sizes.size - done)))
        left -= int(shares[code])
    return shares
