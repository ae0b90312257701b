"""Kernel-perturbation boosting on a low-rank kernel: any number of rows, also out of core."""

from kpboost._public import publish

from ._blocks import NpyBlocks, ParquetBlocks
from ._nystroem_kpboost_svc import NystroemKPBoostSVC

__all__ = ["NpyBlocks", "NystroemKPBoostSVC", "ParquetBlocks"]

publish(__name__, __all__)
