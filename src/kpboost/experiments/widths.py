"""The kernel widths of a grid: numbers, or numbers in units that only the data can tell.

The paper runs the plain SVM on a list of sigma, and every other kernel method on
sigma* x {0.5, 0.75, 1, 1.25, 1.5}, where sigma* is the best one of the plain SVM. The quick grids
ask for multiples of sqrt(d / 2) instead, the sigma of ``gamma="scale"`` on standardised data.
"""

from dataclasses import dataclass
from math import sqrt

from kpboost.kernels import length_scale_to_gamma
from kpboost.model_selection.paper_grid import LENGTH_SCALES, RELATIVE_LENGTH_SCALES

# Units of a width: none, the number itself, sqrt(d / 2), or sigma* of the plain SVM.
NO_WIDTH, SIGMA, SCALE, BEST = "-", "sigma", "scale", "best"


@dataclass(frozen=True, slots=True)
class Width:
    """One kernel width of a grid.

    Attributes
    ----------
    unit : {"-", "sigma", "scale", "best"}
        "-" is a method without a kernel width, "sigma" a length scale as it is, "scale" one in
        units of sqrt(n_features / 2), "best" one in units of the plain SVM's best.
    factor : float
    """

    unit: str = NO_WIDTH
    factor: float = 1.0

    @property
    def label(self) -> str:
        """Return the width in words, as a job is called after it."""
        return NO_WIDTH if self.unit == NO_WIDTH else f"{self.unit} {self.factor:g}"

    @property
    def needs_best(self) -> bool:
        """Tell whether the plain SVM must have been chosen before."""
        return self.unit == BEST

    def length_scale(self, n_features: int, best: float | None) -> float | None:
        """Return sigma, or None for a method without a width.

        Parameters
        ----------
        n_features : int
        best : float or None
            sigma*, where it is known.
        """
        if self.unit == NO_WIDTH:
            return None
        if self.unit == SIGMA:
            return self.factor
        if self.unit == SCALE:
            return self.factor * sqrt(n_features / 2.0)
        if best is None:
            raise ValueError(f"The width {self.label!r} needs the best sigma of the plain SVM.")
        return self.factor * best


def gamma_of(length_scale: float | None) -> float | None:
    """Return gamma = 1 / (2 sigma^2); None stays None."""
    return None if length_scale is None else float(length_scale_to_gamma(length_scale))


# The plain SVM's grid, and that of the methods that follow it.
PAPER_WIDTHS = tuple(Width(SIGMA, sigma) for sigma in LENGTH_SCALES)
FOLLOWING_WIDTHS = tuple(Width(BEST, factor) for factor in RELATIVE_LENGTH_SCALES)
# A factor of 4 in sigma is one of 16 in gamma: what a first search usually spans.
QUICK_WIDTHS = tuple(Width(SCALE, factor) for factor in (0.25, 0.5, 1.0, 2.0))
QUICK_FOLLOWING_WIDTHS = tuple(Width(BEST, factor) for factor in (0.75, 1.0, 1.5))
WITHOUT_WIDTH = (Width(),)
