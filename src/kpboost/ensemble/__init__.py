"""Boosted support vector machines."""

from .kpboost_svc import KPBoostSVC

__all__ = ["KPBoostSVC"]
