"""Experiments: data sets x methods under one protocol, resumable, on one machine or a cluster.

From what was asked for to what came out, file by file:

=========== ==================================================================================
spec        data sets, methods, grid and protocol
loading     the data sets, with disjuncts and folds (``preparation``, ``partitions``)
agenda      all jobs in order, and what each of them needs
board       which of them may begin, and which are over
loop        jobs out, results in (``tasks`` before a job, ``selection`` after the last)
pools       where jobs run: threads, processes, or a cluster
jobs        one job: the candidates of a method on a fold (``engines``, ``scores``)
storage     all that is kept: one SQLite file
reading     outcomes, from that file alone; ``predicting`` has the answers behind them
=========== ==================================================================================
"""

from kpboost._public import publish
from kpboost.experiments.storage._store import StoreError

from ._reading import FoldPredictions, StoreInfo, describe, outcomes, predictions
from ._records import DatasetInfo, FoldOutcome, Outcome, Plan, Progress, RunSummary
from ._run import plan, run
from ._spec import ExperimentSpec

__all__ = [
    "DatasetInfo",
    "ExperimentSpec",
    "FoldOutcome",
    "FoldPredictions",
    "Outcome",
    "Plan",
    "Progress",
    "RunSummary",
    "StoreError",
    "StoreInfo",
    "describe",
    "outcomes",
    "plan",
    "predictions",
    "run",
]

# For the other packages of ours; nothing here is promised to users.
from ._records import COMPLETE as COMPLETE, FAILED as FAILED, PARTIAL as PARTIAL, WAITING as WAITING

publish(__name__, __all__)
