"""The adaptive conformal transformation (ACT) of Wu and Chang, 2003, in our reading.

    D(x) = sum_s exp(-d(x, s) / tau_s^2)    over the support vectors s

tau_s^2 is the mean squared distance, in the feature space of the current kernel, from s to the
near support vectors of the other class: those nearer than the middle M_s between the nearest and
the farthest. The rarer side's widths are then stretched by eta_p, the other side's by eta_n.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .base_kernel import BaseKernel
from .bumps import Bumps
from .feature_space import mean_of_near, middle_of, positive_widths, squared_feature_distances
from .perturbation import Problem, Stage
from .support_places import SupportPlaces, support_places

FloatArray = NDArray[np.float64]

OPPOSITE, ALL = "opposite", "all"
RATIO, MILD = "ratio", "mild"


@dataclass(frozen=True, slots=True)
class AdaptiveConformal:
    """The rule.

    Attributes
    ----------
    kernel : BaseKernel
        K_0.
    distance : {"sqeuclidean", "l1"}
        d, in the input space.
    width_scope : {"opposite", "all"}
        Support vectors among which the nearest and the farthest are taken for M_s.
    width_skew : {"ratio", "mild"} or pair of float
        (eta_p, eta_n), or how they follow from the numbers of support vectors.
    """

    kernel: BaseKernel
    distance: str
    width_scope: str = OPPOSITE
    width_skew: str | tuple[float, float] = RATIO

    def __call__(self, problem: Problem, stage: Stage) -> Bumps | None:
        """Return the bumps; None where one side has no support vectors, or all coincide."""
        places = support_places(problem, stage)
        if not places.has_both_sides:
            return None
        widths = positive_widths(self._widths(places))
        if widths is None:
            return None
        eta_p, eta_n = stretch(places, self.width_skew)
        widths = widths * np.where(places.positive, eta_p, eta_n)
        return Bumps(places.points, np.zeros(widths.size), widths, self.distance)

    def _widths(self, places: SupportPlaces) -> FloatArray:
        """Return tau_s^2 before it is stretched."""
        squared = squared_feature_distances(
            self.kernel(places.points, places.points), np.exp(places.log_scale)
        )
        opposite = places.positive[:, None] != places.positive
        scope = opposite
        if self.width_scope == ALL:
            scope = ~np.eye(places.positive.size, dtype=bool)
        return mean_of_near(squared, opposite, middle_of(squared, scope))


def stretch(places: SupportPlaces, skew: str | tuple[float, float]) -> tuple[float, float]:
    """Return eta_p and eta_n.

    The ratio of the numbers of support vectors, negative to positive, and its inverse; "mild" has
    1 and the inverse. Where the positive ones are the more numerous both are 1, so that eta_p is
    never the smaller.
    """
    if not isinstance(skew, str):
        return float(skew[0]), float(skew[1])
    n_positive = int(places.positive.sum())
    ratio = max((places.positive.size - n_positive) / n_positive, 1.0)
    return (ratio if skew == RATIO else 1.0), 1.0 / ratio
