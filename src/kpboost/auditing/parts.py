"""The parts of each class: disjuncts as the audit reads them, beside the paper's readings.

The audit links every point to those of its ten nearest neighbours that share its class, and calls a
part what links connect there and back: ``DisjunctFinder(10, connection="strong")`` but for the
paper's cap, which lets the smallest class of all decide how many neighbours anybody has. On planted
data this reading recovers most (docs/disjuncts.md); the paper's own finds several times too many.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import adjusted_rand_score

from kpboost.disjuncts import DisjunctFinder
from kpboost.disjuncts.growth import disjunct_labels
from kpboost.disjuncts.neighbors import NOBODY, Rows, nearest

from .records import Curve, Reading

FloatArray = NDArray[np.float64]
IndexArray = NDArray[np.intp]

N_NEIGHBORS = 10


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """Parts of all classes.

    Attributes
    ----------
    labels : ndarray of shape (n_rows,)
        Number of each row's part.
    owners : ndarray of shape (n_parts,)
        Number of each part's class.
    sizes : ndarray of shape (n_parts,)
        Number of rows of each part.
    """

    labels: IndexArray
    owners: IndexArray
    sizes: IndexArray


def neighbours_of(points: FloatArray, n_jobs: int | None = None) -> Rows:
    """Ten nearest neighbours of every point (fewer where there are no more)."""
    width = min(N_NEIGHBORS, points.shape[0] - 1)
    return nearest(np.ascontiguousarray(points), width, n_jobs)


def parts_of(neighbours: Rows, codes: IndexArray) -> Parts:
    """Parts under given labels; the neighbours do not depend on labels, and so are found once."""
    links = neighbours.copy()
    links[codes[links] != codes[:, None]] = NOBODY
    labels, owners = disjunct_labels(links, "strong", links.shape[1], codes)
    return Parts(labels, owners, np.bincount(labels))


def readings(
    points: FloatArray, codes: IndexArray, used: Parts
) -> tuple[tuple[Reading, ...], Curve]:
    """Compare the reading in use with the paper's two, and return Algorithm 2's curve.

    Parameters
    ----------
    points : ndarray of shape (n_rows, n_features)
        Points on one scale.
    codes : ndarray of shape (n_rows,)
        Numbers of their classes.
    used : Parts
        The audit's own reading.

    Returns
    -------
    readings : tuple of Reading
        The one in use, Algorithm 2, and the paper's prose.
    curve : Curve
        Number of disjuncts over number of neighbours, by Algorithm 2.
    """
    algorithm = DisjunctFinder().fit(points, codes)
    prose = DisjunctFinder(neighbors_from="class").fit(points, codes)
    own = Reading("audit", N_NEIGHBORS, int(used.sizes.size), 1.0)
    others = (
        Reading(
            name,
            finder.n_neighbors_,
            finder.n_disjuncts_,
            float(adjusted_rand_score(used.labels, finder.labels_)),
        )
        for name, finder in (("algorithm", algorithm), ("prose", prose))
    )
    curve = Curve(
        tuple(algorithm.n_neighbors_path_.tolist()),
        tuple(algorithm.n_disjuncts_path_.tolist()),
        algorithm.n_neighbors_,
    )
    return (own, *others), curve
