"""Rules of Amari and Wu: the kernel is magnified around the support vectors.

    1999:  D(x) = sum_i lambda_i exp(-|x - x_i|^2 / (2 tau^2))
    2002:  D(x) = sum_i exp(-|x - x_i|^2 / tau_i^2),
           tau_i^2 = mean squared distance of x_i from its nearest other support vectors

Both look at the input space alone.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .base_kernel import SQUARED_EUCLIDEAN, distances
from .bumps import Bumps
from .feature_space import positive_widths
from .perturbation import Problem, Stage, supports
from .support_places import support_places

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class AmariWu:
    """The rule of 1999.

    Attributes
    ----------
    length_scale : float
        tau.
    """

    length_scale: float

    def __call__(self, problem: Problem, stage: Stage) -> Bumps | None:
        """Return bumps at the support vectors, as high as their coefficients."""
        rows = np.flatnonzero(supports(problem, stage))
        if rows.size == 0:
            return None
        return Bumps(
            anchors=problem.points[rows],
            log_heights=np.log(np.abs(stage.dual_coef[0, rows])),
            widths=np.full(rows.size, 2.0 * self.length_scale**2),
            distance=SQUARED_EUCLIDEAN,
        )


@dataclass(frozen=True, slots=True)
class WuAmari:
    """The rule of 2002.

    Attributes
    ----------
    n_neighbors : int
        M, support vectors that set a width.
    """

    n_neighbors: int

    def __call__(self, problem: Problem, stage: Stage) -> Bumps | None:
        """Return bumps at the support vectors, as wide as these are apart."""
        places = support_places(problem, stage)
        if places.positive.size < 2:
            return None
        squared = distances(places.points, places.points, SQUARED_EUCLIDEAN)
        widths = positive_widths(_mean_of_nearest(squared, self.n_neighbors))
        if widths is None:
            return None
        return Bumps(places.points, np.zeros(widths.size), widths, SQUARED_EUCLIDEAN)


def _mean_of_nearest(squared: FloatArray, n_neighbors: int) -> FloatArray:
    """Mean of the smallest values of each row, its own place left out."""
    others = squared.copy()
    np.fill_diagonal(others, np.inf)
    count = min(n_neighbors, len(squared) - 1)
    return np.asarray(np.partition(others, count - 1, axis=1)[:, :count].mean(axis=1))
