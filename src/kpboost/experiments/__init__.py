"""Experiments: data sets x methods under one protocol, resumable, on one machine or a cluster."""

from .methods import METHODS, Method
from .planning import plan
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
    "run",
]
