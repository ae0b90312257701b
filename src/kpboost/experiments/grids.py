"""Grids of hyper-parameters: for every kernel width the candidates that are tried with it."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from .widths import WITHOUT_WIDTH, Width

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
    >>> from kpboost.experiments.grids import over
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
    >>> from kpboost.experiments.grids import without
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
