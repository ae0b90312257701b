"""Disjuncts: the separate parts of classes, found from labelled points alone."""

from .curve_display import DisjunctCurveDisplay
from .disjunct_finder import DisjunctFinder
from .map_display import DisjunctMapDisplay

__all__ = ["DisjunctCurveDisplay", "DisjunctFinder", "DisjunctMapDisplay"]
