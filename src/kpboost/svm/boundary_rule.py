"""Kernel boundary alignment (KBA) of Wu and Chang, 2004 and 2005, in our reading.

Between support vectors p of the positive and q of the negative class lie points of the ideal
boundary, in feature space: Phi(x_b) = (1 - beta) Phi(p) + beta Phi(q). With beta above 1/2 they are
nearer to the majority. The kernel is magnified around them,

    D(x) = 1/|B| sum_b exp(-delta2(x, x_b) / tau_b^2),

and all distances follow from kernel values:

    delta2(x, x_b) = K(x,x) - 2 [(1 - beta) K(x,p) + beta K(x,q)] + |Phi(x_b)|^2,
    |Phi(x_b)|^2   = (1 - beta)^2 K(p,p) + beta^2 K(q,q) + 2 beta (1 - beta) K(p,q).
"""

from dataclasses import dataclass
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .base_kernel import BaseKernel
from .boundary_widths import SUPPORT_VECTORS, boundary_widths, squared_boundary_distances
from .bumps import log_sum_exp
from .feature_space import positive_widths, squared_feature_distances
from .perturbation import Problem, Stage
from .support_places import SupportPlaces, support_places

FloatArray = NDArray[np.float64]
IndexArray = NDArray[np.intp]

NEAREST, ALL = "nearest", "all"
LOG_LOSS, RATIO = "log_loss", "ratio"

# Where beta is looked for: 0.50, 0.52, ..., 1.00. Steps of 0.02 are finer than the loss is known.
BETAS = np.round(np.linspace(0.5, 1.0, 26), 2)


@dataclass(frozen=True, slots=True, eq=False)
class BoundaryBumps:
    """D of one step: the mean of bumps around boundary points.

    Attributes
    ----------
    kernel : BaseKernel
        K_0.
    vectors : ndarray or CSR matrix of shape (n_vectors, d)
        Support vectors.
    scale : ndarray of shape (n_vectors,)
        s at the support vectors.
    first, second : ndarray of shape (n_boundary,)
        Rows of p and q among them.
    beta : float
    squared_norms : ndarray of shape (n_boundary,)
        |Phi(x_b)|^2.
    widths : ndarray of shape (n_boundary,)
        tau_b^2.
    """

    kernel: BaseKernel
    vectors: Any
    scale: FloatArray
    first: IndexArray
    second: IndexArray
    beta: float
    squared_norms: FloatArray
    widths: FloatArray

    @property
    def n_anchors(self) -> int:
        """Number of boundary points, or of support vectors if there are more."""
        return max(self.first.size, self.scale.size)

    def __call__(self, points: Any, decision: FloatArray, log_scale: FloatArray) -> FloatArray:
        """Return log D; decision values play no part."""
        own = np.exp(log_scale)
        cross = own[:, None] * self.kernel(points, self.vectors) * self.scale
        squared = squared_boundary_distances(
            cross, own**2, self.first, self.second, self.beta, self.squared_norms
        )
        with np.errstate(over="ignore"):  # a width next to nothing: the bump is gone
            exponents = -squared / self.widths
        return log_sum_exp(exponents) - log(self.first.size)


@dataclass(frozen=True, slots=True)
class BoundaryAlignment:
    """The rule.

    Attributes
    ----------
    kernel : BaseKernel
        K_0.
    pairs : {"nearest", "all"}
        Which (p, q) make a boundary point: every support vector with its nearest one of the
        other class, or all.
    beta : {"log_loss", "ratio"} or float
        A number, the share of the negative class, or what minimises the loss of
        :func:`best_beta`.
    width_scope : {"support_vectors", "boundary"}
        The points whose nearness sets tau_b.
    """

    kernel: BaseKernel
    pairs: str = NEAREST
    beta: str | float = LOG_LOSS
    width_scope: str = SUPPORT_VECTORS

    def __call__(self, problem: Problem, stage: Stage) -> BoundaryBumps | None:
        """Return the bumps; None where one side has no support vectors, or all coincide."""
        places = support_places(problem, stage)
        if not places.has_both_sides:
            return None
        scale = np.exp(places.log_scale)
        kernel = scale[:, None] * self.kernel(places.points, places.points) * scale
        first, second = self._pairs(places)
        beta = self._beta(problem, places)
        norms = _squared_norms(kernel, first, second, beta)
        found = boundary_widths(kernel, first, second, beta, norms, self.width_scope)
        widths = positive_widths(found)
        if widths is None:
            return None
        return BoundaryBumps(self.kernel, places.points, scale, first, second, beta, norms, widths)

    def _pairs(self, places: SupportPlaces) -> tuple[IndexArray, IndexArray]:
        up, down = np.flatnonzero(places.positive), np.flatnonzero(~places.positive)
        if self.pairs == ALL:
            return np.repeat(up, down.size), np.tile(down, up.size)
        squared = squared_feature_distances(
            self.kernel(places.points, places.points), np.exp(places.log_scale)
        )[np.ix_(up, down)]
        forth = np.column_stack([up, down[squared.argmin(axis=1)]])
        back = np.column_stack([up[squared.argmin(axis=0)], down])
        first, second = np.unique(np.vstack([forth, back]), axis=0).T
        return first, second

    def _beta(self, problem: Problem, places: SupportPlaces) -> float:
        if not isinstance(self.beta, str):
            return float(self.beta)
        positive = problem.target[:, 0] > 0
        up = float(problem.weight[positive].sum())
        down = float(problem.weight[~positive].sum())
        if self.beta == RATIO:
            return max(0.5, down / (up + down))
        return best_beta(places, down / up)


def best_beta(places: SupportPlaces, imbalance: float) -> float:
    """Return the beta that minimises a log-loss of the shifted boundary over the support vectors.

    f(p) is about 1 and f(q) about -1, so that f(x_b) is about 1 - 2 beta, and the classifier with
    x_b on its boundary is g = f + 2 beta - 1. Its loss is the mean of log(1 + exp(-g)) over the
    positive support vectors times the imbalance, plus the mean of log(1 + exp(g)) over the
    negative ones.
    """
    shift = 2.0 * BETAS[:, None] - 1.0
    up = np.logaddexp(0.0, -(places.decision[places.positive] + shift)).mean(axis=1)
    down = np.logaddexp(0.0, places.decision[~places.positive] + shift).mean(axis=1)
    return float(BETAS[np.argmin(imbalance * up + down)])


def _squared_norms(
    kernel: FloatArray, first: IndexArray, second: IndexArray, beta: float
) -> FloatArray:
    diagonal = kernel.diagonal()
    own = (1.0 - beta) ** 2 * diagonal[first] + beta**2 * diagonal[second]
    return np.asarray(own + 2.0 * beta * (1.0 - beta) * kernel[first, second])
