"""Grids of hyper-parameters: for every kernel width the candidates that are tried with it."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import sqrt
from typing import Any

from kpboost.kernels import length_scale_to_gamma
from kpboost.model_selection import LENGTH_SCALES, RELATIVE_LENGTH_SCALES

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


Parameters = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Part:
    """One kernel width and what is tried with it.

    Attributes
    ----------
    width : Width
    candidates : tuple of mappings
        Parameters of the estimator, apart from the width.
    """

    width: Width
    candidates: tuple[Parameters, ...]


Grid = tuple[Part, ...]


def over(axes: Mapping[str, Sequence[Any]], widths: Sequence[Width] = WITHOUT_WIDTH) -> Grid:
    """Return the product of the axes, tried with every width.

    Parameters
    ----------
    axes : mapping from str to sequence
        Values by the name of the estimator's parameter; the last one changes fastest.
    widths : sequence of Width, default: one that is none

    Examples
    --------
    >>> from kpboost.methods._grids import over
    >>> over({"max_disjunct_size": (3, 5)})[0].candidates
    ({'max_disjunct_size': 3}, {'max_disjunct_size': 5})
    """
    values = product(*axes.values())
    candidates = tuple(dict(zip(axes, chosen, strict=True)) for chosen in values)
    return tuple(Part(width, candidates) for width in widths)


def without(names: Collection[str], candidates: Iterable[Parameters]) -> tuple[Parameters, ...]:
    """Leave out some parameters, and then all candidates but the first that are the same.

    Examples
    --------
    >>> from kpboost.methods._grids import without
    >>> without(["share"], [{"share": 1, "C": 1}, {"share": 2, "C": 1}, {"share": 1, "C": 2}])
    ({'C': 1}, {'C': 2})
    """
    left = [{key: own[key] for key in own if key not in names} for own in candidates]
    return tuple(own for place, own in enumerate(left) if own not in left[:place])


def n_candidates(grid: Grid) -> int:
    """Return how many candidates a grid has, over all widths."""
    return sum(len(part.candidates) for part in grid)


def needs_best_width(grid: Grid) -> bool:
    """Tell whether the plain SVM must have been chosen before."""
    return any(part.width.needs_best for part in grid)
