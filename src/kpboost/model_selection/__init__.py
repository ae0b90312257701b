"""Choosing a model and its operating point: trade-offs, thresholds, splits for rare classes."""

from kpboost._public import publish

from ._asymmetric_kernel_scaling_svc_cv import AsymmetricKernelScalingSVCCV
from ._folds import RareClassKFold
from ._grids import PaperGrid, paper_grid
from ._kpboost_svc_cv import KPBoostSVCCV
from ._nystroem_kpboost_svc_cv import NystroemKPBoostSVCCV
from ._operating_point_classifier import OperatingPointClassifier
from ._operating_point_display import OperatingPointDisplay
from ._operating_points import Estimate, OperatingPoint, choose_operating_point
from ._tradeoff import best_tradeoff, class_recall_scorers, mean_class_recalls, tradeoff_score

__all__ = [
    "AsymmetricKernelScalingSVCCV",
    "Estimate",
    "KPBoostSVCCV",
    "NystroemKPBoostSVCCV",
    "OperatingPoint",
    "OperatingPointClassifier",
    "OperatingPointDisplay",
    "PaperGrid",
    "RareClassKFold",
    "best_tradeoff",
    "choose_operating_point",
    "class_recall_scorers",
    "mean_class_recalls",
    "paper_grid",
    "tradeoff_score",
]

# For the other packages of ours; nothing here is promised to users.
from ._boosting_grid import (
    Candidate as Candidate,
    folds_of_width as folds_of_width,
    influence as influence,
    plan_folds as plan_folds,
    try_candidates as try_candidates,
)
from ._folds import (
    FEWEST_MEMBERS as FEWEST_MEMBERS,
    OutOfFold as OutOfFold,
    Split as Split,
    decision_scores as decision_scores,
    hold_out as hold_out,
    inner_splits as inner_splits,
    limited_threads as limited_threads,
    make_folds as make_folds,
    out_of_fold as out_of_fold,
    same_folds as same_folds,
    together as together,
)
from ._grids import (
    LENGTH_SCALES as LENGTH_SCALES,
    N_ROUNDS as N_ROUNDS,
    PERTURBATION_STEPS as PERTURBATION_STEPS,
    REGULARISATIONS as REGULARISATIONS,
    RELATIVE_LENGTH_SCALES as RELATIVE_LENGTH_SCALES,
    ROI_SCALES as ROI_SCALES,
)
from ._operating_point_classifier import OUT_OF_BAG as OUT_OF_BAG
from ._operating_points import (
    decided_point as decided_point,
    make_wish as make_wish,
    positive_class as positive_class,
)
from ._score_calibration import ScoreCalibration as ScoreCalibration
from ._tradeoff import (
    largest_tradeoff as largest_tradeoff,
    mean_over_folds as mean_over_folds,
    tested_classes as tested_classes,
)

publish(__name__, __all__)
