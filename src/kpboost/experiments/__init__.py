"""Experiments: data sets x methods under one protocol, resumable, on one machine or a cluster.

From what was asked for to what came out, file by file:

=========== ==================================================================================
spec        data sets, methods, grid and protocol
data        the data sets, with disjuncts and folds (``splits``)
queue       all jobs in order, and which of them may begin
scheduler   hands jobs to workers and keeps their results; chooses candidates
pools       where jobs run: threads, processes, or a cluster
jobs        one job: the candidates of a method on a fold (``candidates``)
scores      the measures: the place for a new one
storage     all that is kept: one SQLite file
reading     outcomes and predictions, from that file alone (``records``)
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
from ._pools import BACKENDS as BACKENDS
from ._records import (
    COMPLETE as COMPLETE,
    FAILED as FAILED,
    PARTIAL as PARTIAL,
    UNAVAILABLE as UNAVAILABLE,
    WAITING as WAITING,
)
from ._run import check_installed as check_installed
from ._scores import (
    MEASURES as MEASURES,
    PAPER_MEASURES as PAPER_MEASURES,
    Measure as Measure,
    measured_names as measured_names,
    measures_of as measures_of,
)
from ._splits import NESTED as NESTED

publish(__name__, __all__)
