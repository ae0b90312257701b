"""Kernel-perturbation boosting on a low-rank kernel: any number of rows, also out of core."""

from kpboost._public import publish

from ._blocks import NpyBlocks, ParquetBlocks
from ._nystroem_kpboost_svc import NystroemKPBoostSVC

__all__ = ["NpyBlocks", "NystroemKPBoostSVC", "ParquetBlocks"]

# For the other packages of ours; nothing here is promised to users.
from ._features import CLASS_KMEANS as CLASS_KMEANS
from ._nystroem_kpboost_svc import PreparedRows as PreparedRows
from ._survey import (
    Sample as Sample,
    fair_shares as fair_shares,
    standing_for as standing_for,
)
from ._trials import TrialSetup as TrialSetup, try_widths as try_widths

publish(__name__, __all__)
