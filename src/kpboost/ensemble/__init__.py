"""Boosted support vector machines."""

from .boosting_rounds_display import BoostingRoundsDisplay
from .kpboost_svc import KPBoostSVC
from .messages import NoVotingRoundWarning
from .resolution_map_display import ResolutionMapDisplay

__all__ = ["BoostingRoundsDisplay", "KPBoostSVC", "NoVotingRoundWarning", "ResolutionMapDisplay"]
