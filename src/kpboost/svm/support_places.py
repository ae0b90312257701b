"""Support vectors as a set of places: points that share place and class count once.

How the solver spreads a coefficient over copies of a point is arbitrary, and so is which of them
support the machine. The set of their places is not, and with it a sample of weight 2 is the
same as the sample twice.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .perturbation import Problem, Stage, supports

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]
IndexArray = NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class SupportPlaces:
    """What rules read at the support vectors of a single machine.

    Attributes
    ----------
    points : ndarray or CSR matrix of shape (n_places, d)
    positive : ndarray of bool of shape (n_places,)
        Whether the place belongs to the positive class.
    decision, log_scale : ndarray of shape (n_places,)
        f and log s there.
    """

    points: Any
    positive: BoolArray
    decision: FloatArray
    log_scale: FloatArray

    @property
    def has_both_sides(self) -> bool:
        """Whether there are support vectors of both classes."""
        return bool(self.positive.any() and not self.positive.all())


def support_places(problem: Problem, stage: Stage) -> SupportPlaces:
    """Return the places of the support vectors, in the order of their first rows.

    Parameters
    ----------
    problem : Problem
        With a single machine.
    stage : Stage

    Returns
    -------
    SupportPlaces
    """
    rows = np.flatnonzero(supports(problem, stage))
    positive = problem.target[rows, 0] > 0
    kept = _first_of_each(problem.points[rows], positive)
    rows = rows[kept]
    return SupportPlaces(
        points=problem.points[rows],
        positive=positive[kept],
        decision=stage.decision[rows, 0],
        log_scale=stage.log_scale[rows],
    )


def _first_of_each(points: Any, positive: BoolArray) -> IndexArray:
    """Return the first row of every distinct pair of point and class."""
    if sparse.issparse(points):
        return _first_of_each_sparse(points, positive)
    if positive.size == 0:
        return np.zeros(0, dtype=np.intp)
    _, first = np.unique(np.column_stack([points, positive]), axis=0, return_index=True)
    return np.sort(first)


def _first_of_each_sparse(points: Any, positive: BoolArray) -> IndexArray:
    found: dict[tuple[bool, bytes, bytes], int] = {}
    clean = sparse.csr_array(points)
    clean.sum_duplicates()
    clean.eliminate_zeros()
    for row, (start, stop) in enumerate(zip(clean.indptr[:-1], clean.indptr[1:], strict=True)):
        part = slice(start, stop)
        key = (bool(positive[row]), clean.indices[part].tobytes(), clean.data[part].tobytes())
        found.setdefault(key, row)
    return np.fromiter(found.values(), dtype=np.intp, count=len(found))
