"""Classification when some classes, and some parts of classes, are rare."""

from importlib.metadata import version

from .auditing import Audit, audit
from .disjuncts import DisjunctFinder
from .ensemble import AdaBoostMLPClassifier, AdaBoostSVC, KPBoostSVC, RUSBoostM2Classifier
from .metrics import (
    DisjunctFrame,
    DisjunctRecallDisplay,
    class_recalls,
    geometric_mean_score,
    gsdi_score,
    hard_auc_score,
    imbalance_ratio,
)
from .model_selection import (
    AsymmetricKernelScalingSVCCV,
    KPBoostSVCCV,
    best_tradeoff,
    tradeoff_score,
)
from .svm import (
    AsymmetricKernelScalingSVC,
    BoundaryAlignmentSVC,
    ChiSquareKernelScalingSVC,
    ConformalSVC,
    DissimilaritySVC,
    KernelScalingSVC,
    KernelSVC,
)
from .tree import C45Classifier, C45IB1Classifier

__version__ = version("kpboost")

__all__ = [
    "AdaBoostMLPClassifier",
    "AdaBoostSVC",
    "AsymmetricKernelScalingSVC",
    "AsymmetricKernelScalingSVCCV",
    "Audit",
    "BoundaryAlignmentSVC",
    "C45Classifier",
    "C45IB1Classifier",
    "ChiSquareKernelScalingSVC",
    "ConformalSVC",
    "DisjunctFinder",
    "DisjunctFrame",
    "DisjunctRecallDisplay",
    "DissimilaritySVC",
    "KPBoostSVC",
    "KPBoostSVCCV",
    "KernelSVC",
    "KernelScalingSVC",
    "RUSBoostM2Classifier",
    "__version__",
    "audit",
    "best_tradeoff",
    "class_recalls",
    "geometric_mean_score",
    "gsdi_score",
    "hard_auc_score",
    "imbalance_ratio",
    "tradeoff_score",
]
