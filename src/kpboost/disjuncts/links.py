"""Links between the points of a class, the two ways in which the paper can be read.

"all" is Algorithm 2: a point's kappa nearest neighbours in the whole data set, of which those of
its own class are links. Other classes cut a class into parts. "class" is the paper's prose: the
kappa nearest neighbours within the class, whatever lies between.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .neighbors import NOBODY, Rows, nearest

IndexArray = NDArray[np.intp]


def find_links(
    points: Any, codes: IndexArray, n_neighbors: int, neighbors_from: str, n_jobs: int | None
) -> Rows:
    """Targets of each point's links, nearest first, NOBODY where there is none.

    Column k - 1 holds the k-th nearest neighbour, so that the first k columns are the links for
    kappa = k.
    """
    if neighbors_from == "class":
        return _within_classes(points, codes, n_neighbors, n_jobs)
    return _among_all(points, codes, n_neighbors, n_jobs)


def _among_all(points: Any, codes: IndexArray, n_neighbors: int, n_jobs: int | None) -> Rows:
    """Take at most as many neighbours as the smallest class has points: the paper's cap."""
    width = min(n_neighbors, int(np.bincount(codes).min()), codes.size - 1)
    links = nearest(points, width, n_jobs)
    links[codes[links] != codes[:, None]] = NOBODY
    return links


def _within_classes(points: Any, codes: IndexArray, n_neighbors: int, n_jobs: int | None) -> Rows:
    """Take at most as many neighbours as a point has in its class; each class has its own cap."""
    largest = int(np.bincount(codes).max())
    links = np.full((codes.size, min(n_neighbors, largest - 1)), NOBODY, dtype=np.int32)
    for code in range(int(codes.max()) + 1):
        rows = np.flatnonzero(codes == code).astype(np.int32)
        width = min(n_neighbors, rows.size - 1)
        links[rows, :width] = rows[nearest(points[rows], width, n_jobs)]
    return links
