"""Methods by name: preparation of the columns, grids, rule of choice and classifier together.

One list for `compare`, `paper`, `audit`, `fit` and the documentation.
"""

from kpboost._public import publish

from ._classifier import MethodClassifier
from ._preparation import preparation
from ._registry import METHODS, Method

__all__ = [
    "METHODS",
    "Method",
    "MethodClassifier",
    "preparation",
]

# For the other packages of ours; nothing here is promised to users.
from ._classifier import check_number_labels as check_number_labels
from ._grids import (
    NO_WIDTH as NO_WIDTH,
    Parameters as Parameters,
    Part as Part,
    gamma_of as gamma_of,
    n_candidates as n_candidates,
)
from ._preparation import (
    PreparedSplit as PreparedSplit,
    near_one as near_one,
    paper_split as paper_split,
    prepare_split as prepare_split,
    sample_rows as sample_rows,
    sample_sentence as sample_sentence,
    standardised as standardised,
)
from ._registry import (
    DEFAULT_METHODS as DEFAULT_METHODS,
    FORMER_NAMES as FORMER_NAMES,
    GRIDS as GRIDS,
    LOW_RANK_ROWS as LOW_RANK_ROWS,
    PLAIN_SVM as PLAIN_SVM,
    PLAIN_SVM_OVR as PLAIN_SVM_OVR,
    check_methods as check_methods,
    current_name as current_name,
    method_of as method_of,
)
from ._search import (
    CandidatePredictions as CandidatePredictions,
    NoChoiceError as NoChoiceError,
    choose as choose,
    hits_of as hits_of,
    in_words as in_words,
    try_on_split as try_on_split,
)
from ._wrappers import CodedLabelsClassifier as CodedLabelsClassifier

# Saved models name what stands around an estimator.
PARTS = ("CodedLabelsClassifier",)
publish(__name__, (*__all__, *PARTS))
