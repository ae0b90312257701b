"""Training on dask arrays and DataFrames, which stay with the workers of a cluster."""

from kpboost._public import publish

from ._dask_kpboost_svc import DaskKPBoostSVC

__all__ = ["DaskKPBoostSVC"]

publish(__name__, __all__)
