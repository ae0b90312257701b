"""Disjuncts: the separate parts of classes, found from labelled points alone."""

from kpboost._public import publish

from ._displays import DisjunctCurveDisplay, DisjunctMapDisplay
from ._finder import CopiedRowsWarning, DisjunctFinder

__all__ = ["CopiedRowsWarning", "DisjunctCurveDisplay", "DisjunctFinder", "DisjunctMapDisplay"]

# For the other packages of ours; nothing here is promised to users.
from ._approximate import NOBODY as NOBODY
from ._finder import (
    NeighborSearch as NeighborSearch,
    Rows as Rows,
    disjunct_labels as disjunct_labels,
)

publish(__name__, __all__)
