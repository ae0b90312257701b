"""Choosing a model: the trade-off between classes, and splits for rare classes."""

from .asymmetric_kernel_scaling_svc_cv import AsymmetricKernelScalingSVCCV
from .kpboost_svc_cv import KPBoostSVCCV
from .paper_grid import PaperGrid, paper_grid
from .rare_class_kfold import RareClassKFold
from .recall_search import best_tradeoff, class_recall_scorers, mean_class_recalls
from .tradeoff import tradeoff_score

__all__ = [
    "AsymmetricKernelScalingSVCCV",
    "KPBoostSVCCV",
    "PaperGrid",
    "RareClassKFold",
    "best_tradeoff",
    "class_recall_scorers",
    "mean_class_recalls",
    "paper_grid",
    "tradeoff_score",
]
