"""Ensembles: boosted support vector machines, trees and networks, and the pool for rare classes."""

from kpboost._public import publish

from ._adaboost_mlp import AdaBoostMLPClassifier
from ._adaboost_svc import AdaBoostSVC
from ._displays import BoostingRoundsDisplay, ResolutionMapDisplay
from ._kpboost_svc import KPBoostSVC, LongFitWarning, NoVotingRoundWarning
from ._nystroem_kpboost_svc import NystroemKPBoostSVC
from ._rare_class import CalibratedMember, RareClassClassifier
from ._rusboost_m2 import RUSBoostM2Classifier

__all__ = [
    "AdaBoostMLPClassifier",
    "AdaBoostSVC",
    "BoostingRoundsDisplay",
    "CalibratedMember",
    "KPBoostSVC",
    "LongFitWarning",
    "NoVotingRoundWarning",
    "NystroemKPBoostSVC",
    "RUSBoostM2Classifier",
    "RareClassClassifier",
    "ResolutionMapDisplay",
]

# For the other packages of ours; nothing here is promised to users.
from ._boosting import (
    AS_NEW as AS_NEW,
    JUDGES as JUDGES,
    PAPER as PAPER,
    BoostingTrace as BoostingTrace,
    ClassRates as ClassRates,
    Selection as Selection,
    asks_as_new as asks_as_new,
    outside_regions as outside_regions,
    select_rounds as select_rounds,
)
from ._ensembles import (
    BoostingTrials as BoostingTrials,
    RegionsOfInfluence as RegionsOfInfluence,
    Threads as Threads,
    TrialProblem as TrialProblem,
    TriedStep as TriedStep,
    run_in_threads as run_in_threads,
)
from ._kernel_bank import KernelBank as KernelBank, RankMetric as RankMetric
from ._kpboost_svc import (
    progress as progress,
    stage_weights as stage_weights,
    warn_of as warn_of,
)
from ._low_rank_trials import TrialSetup as TrialSetup, try_widths as try_widths
from ._nystroem_kpboost_svc import PreparedRows as PreparedRows
from ._voting import (
    CONFIDENCE_SIZE as CONFIDENCE_SIZE,
    HARD as HARD,
    SOFT as SOFT,
    TIE as TIE,
    TIED_SHARE as TIED_SHARE,
    Inheritance as Inheritance,
    RoundPredictor as RoundPredictor,
    class_scores as class_scores,
    row_blocks as row_blocks,
)

# Saved models name the parts of fitted classifiers.
PARTS = ("KernelBank", "RankMetric")
publish(__name__, (*__all__, *PARTS))
