"""Nearest neighbours among very many points, nearly all of them, with a recall that is measured.

An inverted file (faiss): k-means puts the points into cells, and a query looks into the cells
closest to it. How many cells, is found out before the long search: the exact neighbours of some
hundred points are computed, and the fewest cells are taken that hold the share of them that was
asked for. Queries go cell by cell, so that what they look into stays in the processor's cache.
"""

import importlib.util
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray

from kpboost._typing import FloatArray

# Above so many points neighbours are searched approximately. An exact search of so many, of ten
# columns, takes some 15 seconds, and four times as long for twice as many.
MOST_EXACT = 50_000
SECONDS_OF_MOST_EXACT = 15.0
# Points whose exact neighbours are computed: the recall of 500 times 64 neighbours is known to
# about 0.0005.
N_TRIALS = 500
# Cells per square root of the number of points, and points per cell that k-means learns from.
CELLS_PER_ROOT, POINTS_PER_CELL = 3, 64
# Cells that are looked into at first; the number that is enough is found to a share of itself.
FEWEST_CELLS, CELLS_TOLERANCE = 16, 1 / 16
# Queries at a time: between two blocks Ctrl-C is heard.
QUERIES = 10_000
# Points put into cells at a time; faiss takes ten times as long for each of 10,000.
ADDED = 65_536
# Distances in single precision agree up to this share.
ROUNDING = 1e-5
# In a table of neighbours: none.
NOBODY = -1


@dataclass(frozen=True, eq=False)
class FoundNeighbors:
    """Neighbours of all points, and how many of the true ones they are.

    Attributes
    ----------
    rows : ndarray of int32 of shape (n, n_neighbors)
        Each point's neighbours, nearest first, then -1.
    recall : float
        Share of the true neighbours that was found, measured on some hundred points.
    """

    rows: NDArray[np.int32]
    recall: float


def is_installed() -> bool:
    """Tell whether faiss is there."""
    return importlib.util.find_spec("faiss") is not None


def warn_of_exact_search(n_points: int) -> None:
    """Say that a long exact search begins, how long it may take and what is missing."""
    minutes = SECONDS_OF_MOST_EXACT * (n_points / MOST_EXACT) ** 2 / 60
    warnings.warn(
        f"The neighbours of {n_points:,} points are searched exactly, which may take some "
        f"{minutes:,.0f} minutes. An approximate search is faster; it needs faiss: "
        "pip install 'kpboost[large]'.",
        UserWarning,
        stacklevel=4,
    )


def approximate_nearest(
    points: FloatArray, n_neighbors: int, recall: float, n_jobs: int | None
) -> FoundNeighbors:
    """Find the nearest others of every point, nearly all of them.

    Parameters
    ----------
    points : ndarray of shape (n, d)
        Points, n above ``n_neighbors``.
    n_neighbors : int
        Neighbours of each.
    recall : float
        Share of the true neighbours to be found, at least, on the points of the trial.
    n_jobs : int or None
        Threads.

    Returns
    -------
    FoundNeighbors
    """
    import faiss

    before = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(effective_n_jobs(n_jobs))
    try:
        single = np.ascontiguousarray(points - points.mean(axis=0), dtype=np.float32)
        index, by_cell = _cells(faiss, single)
        reached = _look_into_enough(faiss, index, single, n_neighbors, recall)
        return FoundNeighbors(_search(index, single, by_cell, n_neighbors), reached)
    finally:
        faiss.omp_set_num_threads(before)


def _cells(faiss: Any, points: NDArray[np.float32]) -> tuple[Any, NDArray[np.intp]]:
    """Put the points into cells; return the index and the rows, cell by cell."""
    n, d = points.shape
    n_cells = int(CELLS_PER_ROOT * n**0.5)
    index = faiss.IndexIVFFlat(faiss.IndexFlatL2(d), d, n_cells, faiss.METRIC_L2)
    random = np.random.default_rng(0)
    index.train(points[random.choice(n, min(n, POINTS_PER_CELL * n_cells), replace=False)])
    cells = np.empty(n, dtype=np.int32)
    for start in range(0, n, ADDED):
        block = slice(start, start + ADDED)
        index.add(points[block])
        cells[block] = index.quantizer.search(points[block], 1)[1][:, 0]
    return index, np.argsort(cells, kind="stable")


def _look_into_enough(
    faiss: Any, index: Any, points: NDArray[np.float32], n_neighbors: int, recall: float
) -> float:
    """Let queries look into as many cells as the recall needs; return the recall."""
    trials = np.random.default_rng(1).choice(len(points), min(N_TRIALS, len(points)), replace=False)
    k = n_neighbors + 1  # itself
    exact, _ = faiss.knn(points[trials], points, k)

    def reached(n_cells: int) -> float:
        index.nprobe = n_cells
        found, _ = index.search(points[trials], k)
        n_true = np.sum(found <= exact[:, -1:] * (1 + ROUNDING), axis=1) - 1
        return float(n_true.mean() / n_neighbors)

    enough = _fewest(lambda n_cells: reached(n_cells) >= recall, index.nlist)
    return reached(enough)


def _fewest(is_enough: Callable[[int], bool], most: int) -> int:
    """Find the smallest number that is enough, about: double it, then halve the bracket."""
    too_few, enough = 0, min(FEWEST_CELLS, most)
    while enough < most and not is_enough(enough):
        too_few, enough = enough, min(2 * enough, most)
    while enough - too_few > max(1, int(CELLS_TOLERANCE * enough)):
        middle = (too_few + enough) // 2
        too_few, enough = (too_few, middle) if is_enough(middle) else (middle, enough)
    return enough


def _search(
    index: Any, points: NDArray[np.float32], by_cell: NDArray[np.intp], n_neighbors: int
) -> NDArray[np.int32]:
    rows = np.full((len(points), n_neighbors), NOBODY, dtype=np.int32)
    for start in range(0, len(points), QUERIES):
        own = by_cell[start : start + QUERIES]
        found = index.search(points[own], n_neighbors + 1)[1]
        rows[own] = _without_own(found, own)
    return rows


def _without_own(found: NDArray[np.int64], own: NDArray[np.int64]) -> NDArray[np.int64]:
    """Drop each query from its neighbours; of one that is not among them, the farthest."""
    others = found != own[:, None]
    others[others.all(axis=1), -1] = False
    return np.asarray(found[others].reshape(len(found), -1))
