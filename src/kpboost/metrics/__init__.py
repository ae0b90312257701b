"""How a classifier does on each class and on each disjunct: functions of labels, and displays."""

from kpboost._public import publish

from ._by_class import (
    average_ranks,
    class_recalls,
    clopper_pearson,
    geometric_mean_score,
    hard_auc_score,
    imbalance_ratio,
)
from ._by_disjunct import gsdi_score, gsdi_scorer
from ._disjunct_frame import DisjunctFrame
from ._displays import DisjunctRecallDisplay

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

publish(__name__, __all__)
