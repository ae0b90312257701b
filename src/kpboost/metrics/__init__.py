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

# For the other packages of ours; nothing here is promised to users.
from ._by_class import (
    geometric_mean as geometric_mean,
    group_recalls as group_recalls,
    hard_auc as hard_auc,
)
from ._by_disjunct import gsdi as gsdi

publish(__name__, __all__)
