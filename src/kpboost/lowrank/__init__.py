"""Kernels of low rank on blocks of rows: any number of rows, also out of core."""

from kpboost._public import publish

from ._blocks import NpyBlocks, ParquetBlocks

__all__ = ["NpyBlocks", "ParquetBlocks"]

# For the other packages of ours; nothing here is promised to users.
from ._blocks import (
    ArrayBlocks as ArrayBlocks,
    GivenBlocks as GivenBlocks,
    Rows as Rows,
    counted as counted,
    given_blocks as given_blocks,
)
from ._dask_collections import (
    DrawnRows as DrawnRows,
    as_collections as as_collections,
    drawn_rows as drawn_rows,
)
from ._dask_engine import Cluster as Cluster, DaskBlocks as DaskBlocks, needs_dask as needs_dask
from ._engine import Blocks as Blocks, LocalBlocks as LocalBlocks
from ._features import (
    CLASS_KMEANS as CLASS_KMEANS,
    LANDMARK_RULES as LANDMARK_RULES,
    FeatureMap as FeatureMap,
    Features as Features,
    Single as Single,
    choose_landmarks as choose_landmarks,
    feature_map as feature_map,
    featured as featured,
    half_inverse as half_inverse,
)
from ._machine import (
    Answers as Answers,
    Machine as Machine,
    Posed as Posed,
    posed as posed,
    solve as solve,
)
from ._survey import (
    Sample as Sample,
    Survey as Survey,
    drawn as drawn,
    joined as joined,
    side_by_side as side_by_side,
    standing_for as standing_for,
    surveyed as surveyed,
)

publish(__name__, __all__)
