"""Which points lose resolution after a round.

A rule takes the mask of correctly classified training points and returns the mask of those whose
perturbation parameter k_i grows by one step (the paper's Omega). Lower resolution around
them means relatively higher resolution around the misclassified points.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kpboost import kernels

FloatArray = NDArray[np.float64]
IndexArray = NDArray[np.intp]
BoolArray = NDArray[np.bool_]

ResolutionRule = Callable[[BoolArray], BoolArray]
# Squared distances between training points, from[i] to to[j], by their row numbers.
SquaredDistances = Callable[[IndexArray, IndexArray], FloatArray]

# Distances are looked at in blocks of at most this many bytes.
BLOCK_BYTES = 32 * 2**20


def correctly_classified(correct: BoolArray) -> BoolArray:
    """KPBoost: every correctly classified point loses resolution."""
    return correct


@dataclass(frozen=True, slots=True, eq=False)
class OutsideRegions:
    """KPBoostROI: correctly classified points near a misclassified one keep their resolution.

    A misclassified positive protects the points within ROI+ of it, a misclassified negative
    those within ROI-.

    Attributes
    ----------
    squared_distances : callable
        Squared distances between training points.
    radius : ndarray of shape (n,)
        Radius of each point's class.
    """

    squared_distances: SquaredDistances
    radius: FloatArray

    def __call__(self, correct: BoolArray) -> BoolArray:
        """Return the correctly classified points outside all regions of influence."""
        losing = correct.copy()
        for wrong in _blocks(np.flatnonzero(~correct), correct.size):
            candidates = np.flatnonzero(losing)
            if not candidates.size:
                break
            # Roots, as in the radii: in a class of two each point is within the mean distance.
            distance = np.sqrt(self.squared_distances(wrong, candidates))
            near = distance <= self.radius[wrong, None]
            losing[candidates[near.any(axis=0)]] = False
        return losing


def outside_regions(
    y: FloatArray, roi_scale: float, squared_distances: SquaredDistances
) -> OutsideRegions:
    """Build the rule with radii of `roi_scale` times the mean nearest-neighbour distance.

    The mean is taken inside each class; a class of one point has radius 0.
    """
    radius = np.zeros(y.size)
    for side in (y > 0, y < 0):
        members = np.flatnonzero(side)
        radius[members] = roi_scale * _mean_nearest_distance(members, squared_distances)
    return OutsideRegions(squared_distances, radius)


def rule_source(
    roi_scale: float | None, points: Any, *, precomputed: bool
) -> Callable[[FloatArray, IndexArray], ResolutionRule]:
    """Return what makes the rule of a two-class problem, from its targets and training rows.

    Parameters
    ----------
    roi_scale : float or None
        None is KPBoost, a number KPBoostROI.
    points : ndarray or CSR matrix
        Training points; precomputed, their Gram matrix, whose own distances are taken.
    precomputed : bool

    Returns
    -------
    callable
    """
    if roi_scale is None:
        return lambda y, rows: correctly_classified
    between = _distances_in_gram(points) if precomputed else _distances_of(points)
    return lambda y, rows: outside_regions(y, roi_scale, lambda i, j: between(rows[i], rows[j]))


def _distances_of(points: Any) -> SquaredDistances:
    return lambda i, j: kernels.squared_distances(points[i], points[j])


def _distances_in_gram(gram: FloatArray) -> SquaredDistances:
    diagonal = gram.diagonal()

    def squared_distances(i: IndexArray, j: IndexArray) -> FloatArray:
        squared = diagonal[i, None] + diagonal[j] - 2.0 * gram[np.ix_(i, j)]
        return np.asarray(np.maximum(squared, 0.0))  # equal points, up to rounding

    return squared_distances


def _mean_nearest_distance(members: IndexArray, squared_distances: SquaredDistances) -> float:
    if members.size < 2:
        return 0.0
    total = 0.0
    position = 0
    for block in _blocks(members, members.size):
        squared = squared_distances(block, members)
        own = np.arange(block.size)
        squared[own, position + own] = np.inf
        total += float(np.sqrt(squared.min(axis=1)).sum())
        position += block.size
    return total / members.size


def _blocks(rows: IndexArray, columns: int) -> list[IndexArray]:
    """Split row numbers so that a block of rows by columns stays within BLOCK_BYTES."""
    step = max(1, BLOCK_BYTES // (8 * columns))
    return [rows[start : start + step] for start in range(0, rows.size, step)]
