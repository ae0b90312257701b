"""Choosing a model: the trade-off between classes, and splits for rare classes."""

from .rare_class_kfold import RareClassKFold
from .recall_search import best_tradeoff, class_recall_scorers, mean_class_recalls
from .tradeoff import tradeoff_score

__all__ = [
    "RareClassKFold",
    "best_tradeoff",
    "class_recall_scorers",
    "mean_class_recalls",
    "tradeoff_score",
]
