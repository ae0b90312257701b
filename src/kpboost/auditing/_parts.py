"""Parts of classes: what the links between near rows of one class connect.

Rows that agree are one place with a weight. The neighbours of a place are the nearest other
places, each taken whole, until they hold ten rows beside one's own; a place that holds so many by
itself has none. A part of a class is what links between its places connect there and back. Where no
two rows agree, the links go to those of a row's ten nearest rows that share its class.

Nothing here looks at the order in which the user's rows came. Where distances tie, the earlier
place is the nearer one, and `own_order` has put the rows into an order that their labels have no
part in.
"""

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import adjusted_rand_score

from kpboost._typing import FloatArray, IndexArray
from kpboost.datasets import record_numbers
from kpboost.disjuncts import (
    NOBODY,
    CopiedRowsWarning,
    DisjunctFinder,
    NeighborSearch,
    Rows,
    disjunct_labels,
)

from ._records import Curve, Reading

# Rows beside one's own that make up a neighbourhood.
N_NEIGHBORS = 10
# Share of the true neighbours that a search among more than 50,000 places has to find.
NEIGHBOR_RECALL = 0.999
# Rows beside one's own that count as around a place: half of those that make up a part.
AROUND = 5


def own_order(
    values: FloatArray, codes: IndexArray, marks: NDArray[np.uint64], seed: int
) -> IndexArray:
    """Order rows by what they hold, then shuffle: the same whatever order they come in.

    Parameters
    ----------
    values : ndarray of shape (n_rows, n_columns)
        Cells; nan is missing.
    codes : ndarray of shape (n_rows,)
        Numbers of the classes.
    marks : ndarray of shape (n_rows,)
        What else tells rows apart.
    seed : int
        Seed of the shuffling, without which rows that agree would be sorted by class.

    Returns
    -------
    ndarray of int
        Row numbers. Rows that agree in everything may change places; nobody can tell.
    """
    order = np.lexsort((marks, codes, *values.T))  # missing values come last, -0.0 is 0.0
    return np.asarray(order[np.random.default_rng(seed).permutation(order.size)])


def equal_rows(values: FloatArray) -> IndexArray:
    """Group of each row, by first appearance; rows of one group agree, missing values included."""
    return np.unique(record_numbers(values), return_inverse=True)[1]


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """Different points, how many rows lie on each, and which of them are near.

    Attributes
    ----------
    numbers : ndarray of shape (n_rows,)
        Number of each row's place.
    weights : ndarray of shape (n_places,)
        Number of rows of each place.
    neighbours, around : ndarray of shape (n_places, n_neighbors)
        Places that make up the neighbourhood of each, and the nearest of them, which count as
        around it; nearest first, then NOBODY.
    """

    numbers: IndexArray
    weights: IndexArray
    neighbours: Rows
    around: Rows

    def counts(
        self, codes: IndexArray, n_classes: int, weights: FloatArray | None = None
    ) -> FloatArray:
        """Rows of each class at each place, or the sums of their weights."""
        keys = self.numbers * n_classes + codes
        counts = np.bincount(keys, weights, minlength=self.weights.size * n_classes)
        return counts.reshape(-1, n_classes).astype(np.float64)

    def sums(self, values: FloatArray) -> FloatArray:
        """Sum every column of rows at each place."""
        n_places = self.weights.size
        sums = [np.bincount(self.numbers, column, minlength=n_places) for column in values.T]
        return np.column_stack(sums)


def places_of(points: FloatArray, n_neighbors: int = N_NEIGHBORS) -> Places:
    """Find the places of all rows and the neighbours of each, one's own rows not counted."""
    numbers = equal_rows(points)
    weights = np.bincount(numbers)
    first = np.unique(numbers, return_index=True)[1]
    width = min(n_neighbors, weights.size - 1)
    search = NeighborSearch(NEIGHBOR_RECALL, None)
    near = search.nearest(np.ascontiguousarray(points[first]), width)
    sizes = np.where(near == NOBODY, 0, weights[near])
    before = weights[:, None] - 1 + np.cumsum(sizes, axis=1) - sizes
    neighbours = np.where(before < n_neighbors, near, NOBODY).astype(np.int32)
    around = np.where(before < AROUND, near, NOBODY).astype(np.int32)
    return Places(numbers, weights, neighbours, around[:, :AROUND])


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


def parts_of(places: Places, codes: IndexArray) -> Parts:
    """Parts under given labels; places do not depend on labels, and so are found once."""
    n_classes = int(codes.max()) + 1
    held, holding = np.unique(places.numbers * n_classes + codes, return_inverse=True)
    place, owner = np.divmod(held, n_classes)
    number = np.full(places.weights.size * n_classes, NOBODY, dtype=np.int32)
    number[held] = np.arange(held.size)
    near = places.neighbours[place]
    links = np.where(near == NOBODY, NOBODY, number[near * n_classes + owner[:, None]])
    links = np.ascontiguousarray(links, dtype=np.int32)
    labels, owners = disjunct_labels(links, "strong", links.shape[1], owner)
    labels = labels[holding]
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
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CopiedRowsWarning)  # the audit has its own word on copies
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
