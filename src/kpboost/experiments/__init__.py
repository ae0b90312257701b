"""Experiments: data sets x methods under one protocol, resumable, on one machine or a cluster.

From what was asked for to what came out, file by file:

=========== ==================================================================================
spec        data sets, methods, grid and protocol
methods     every method with its grids (``method``, ``grids``, ``widths``)
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

from .method import Method
from .methods import METHODS
from .planning import plan
from .predicting import FoldPredictions, predictions
from .reading import StoreInfo, describe, outcomes
from .records import DatasetInfo, FoldOutcome, Outcome, Plan, Progress, RunSummary
from .running import run
from .spec import ExperimentSpec
from .storage.schema import StoreError

__all__ = [
    "METHODS",
    "DatasetInfo",
    "ExperimentSpec",
    "FoldOutcome",
    "FoldPredictions",
    "Method",
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
