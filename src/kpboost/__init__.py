"""Classification when some classes, and some parts of classes, are rare."""

from importlib.metadata import version

from .disjuncts import DisjunctFinder
from .ensemble import KPBoostSVC
from .metrics import (
    DisjunctFrame,
    DisjunctRecallDisplay,
    class_recalls,
    geometric_mean_score,
    gsdi_score,
    hard_auc_score,
    imbalance_ratio,
)
from .model_selection import KPBoostSVCCV, best_tradeoff, tradeoff_score
from .svm import KernelSVC

__version__ = version("kpboost")

__all__ = [
    "DisjunctFinder",
    "DisjunctFrame",
    "DisjunctRecallDisplay",
    "KPBoostSVC",
    "KPBoostSVCCV",
    "KernelSVC",
    "__version__",
    "best_tradeoff",
    "class_recalls",
    "geometric_mean_score",
    "gsdi_score",
    "hard_auc_score",
    "imbalance_ratio",
    "tradeoff_score",
]
