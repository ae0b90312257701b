"""Boosted support vector machines, trees and networks."""

from .adaboost_mlp import AdaBoostMLPClassifier
from .adaboost_svc import AdaBoostSVC
from .boosting_rounds_display import BoostingRoundsDisplay
from .kpboost_svc import KPBoostSVC
from .messages import LongFitWarning, NoVotingRoundWarning
from .resolution_map_display import ResolutionMapDisplay
from .rusboost_m2 import RUSBoostM2Classifier

__all__ = [
    "AdaBoostMLPClassifier",
    "AdaBoostSVC",
    "BoostingRoundsDisplay",
    "KPBoostSVC",
    "LongFitWarning",
    "NoVotingRoundWarning",
    "RUSBoostM2Classifier",
    "ResolutionMapDisplay",
]
