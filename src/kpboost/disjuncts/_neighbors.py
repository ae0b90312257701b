"""Nearest neighbours, all at once, without ever holding all distances.

The order of neighbours is part of the answer: by distance, and by row where distances are equal.
Squared distances count as equal if they agree to 30 bits (nine digits), so that neither the
order of a sum nor the processor decides. A point is never its own neighbour, but its
duplicates are neighbours at distance 0.
"""

from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from scipy import sparse

from kpboost import _core
from kpboost._typing import FloatArray

Rows = NDArray[np.int32]
Points: TypeAlias = Any  # a C-contiguous float64 array or a CSR matrix; scipy carries no types

# Distances pass through blocks of this size, one per thread: enough rows to repay each call, little
# next to the memory of any machine.
BLOCK_BYTES = 16 * 2**20
# Sparse distances come from |x|^2 + |y|^2 - 2 x'y; what is left of equal points is below this share
# of the norms (a few roundings) and means 0.
CANCELLATION = 1e-14
# In a table of neighbours: none.
NOBODY = -1


def nearest(points: Points, n_neighbors: int, n_jobs: int | None) -> Rows:
    """Each point's nearest others: a row of at most n_neighbors, nearest first, then NOBODY."""
    out = np.full((points.shape[0], n_neighbors), NOBODY, dtype=np.int32)
    norms = squared_norms(points) if sparse.issparse(points) else None
    Parallel(n_jobs=n_jobs, require="sharedmem")(
        delayed(_fill)(points[rows], points, norms, rows.start, out[rows])
        for rows in _blocks(points.shape[0], points.shape[0])
    )
    return out


def nearest_of(queries: Points, points: Points) -> Rows:
    """Row of the point nearest to each query; one may be sparse and the other dense."""
    queries = _stored_like(points, queries)
    out = np.full((queries.shape[0], 1), NOBODY, dtype=np.int32)
    norms = squared_norms(points) if sparse.issparse(points) else None
    for rows in _blocks(queries.shape[0], points.shape[0]):
        _fill(queries[rows], points, norms, NOBODY, out[rows])
    return out[:, 0]


def _blocks(n_rows: int, n_columns: int) -> Iterator[slice]:
    step = max(1, BLOCK_BYTES // (8 * n_columns))
    return (slice(first, min(first + step, n_rows)) for first in range(0, n_rows, step))


def _fill(queries: Points, points: Points, norms: FloatArray | None, own: int, out: Rows) -> None:
    """Write the neighbours of one block; `own` is the first query's row among the points."""
    if norms is None:
        squared = np.empty((queries.shape[0], points.shape[0]))
        _core.rbf_block(queries, points, None, squared)
    else:
        squared = _sparse_squared(queries, points, norms)
    _core.nearest_in_block(squared, own, out)


def _stored_like(points: Points, queries: Points) -> Points:
    if sparse.issparse(points):
        return sparse.csr_array(queries)
    return queries.toarray() if sparse.issparse(queries) else queries


def squared_norms(points: Points) -> FloatArray:
    """Squared lengths of sparse points."""
    norms = np.asarray(points.multiply(points).sum(axis=1), dtype=np.float64).ravel()
    if not np.isfinite(norms).all():
        raise ValueError("X has rows whose squared length is beyond 1e308; scale the columns down.")
    return norms


def _sparse_squared(queries: Points, points: Points, norms: FloatArray) -> FloatArray:
    lengths = np.add.outer(squared_norms(queries), norms)
    squared = lengths - 2 * (queries @ points.T).toarray()
    squared[squared < CANCELLATION * lengths] = 0.0
    return np.ascontiguousarray(squared)
