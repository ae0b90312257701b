"""How a classifier does on each class and on each disjunct: functions of labels, and displays."""

from .class_scores import geometric_mean_score, hard_auc_score
from .disjunct_frame import DisjunctFrame
from .disjunct_recall_display import DisjunctRecallDisplay
from .gsdi import gsdi_score
from .imbalance import imbalance_ratio
from .intervals import clopper_pearson
from .ranks import average_ranks
from .recalls import class_recalls
from .scorers import gsdi_scorer

__all__ = [
    "DisjunctFrame",
    "DisjunctRecallDisplay",
    "average_ranks",
    "class_recalls",
    "clopper_pearson",
    "geometric_mean_score",
    "gsdi_score",
    "gsdi_scorer",
    "hard_auc_score",
    "imbalance_ratio",
]
