"""What a classifier misses in a data set, how sure that is, and what would help."""

from kpboost._public import publish

from ._audit import audit
from ._records import Audit

__all__ = ["Audit", "audit"]

# For the other packages of ours; nothing here is promised to users.
from ._audit import MAX_ROWS as MAX_ROWS
from ._boxes import describe as describe
from ._data import (
    Material as Material,
    Parts as Parts,
    material_of as material_of,
    neighbours_of as neighbours_of,
    parts_of as parts_of,
)
from ._models import (
    OWN as OWN,
    ROWS_FOR_THREADS as ROWS_FOR_THREADS,
    OutOfFold as OutOfFold,
    choice_arguments as choice_arguments,
    make_folds as make_folds,
    method_arguments as method_arguments,
    out_of_fold as out_of_fold,
    weight_parameter as weight_parameter,
)
from ._records import (
    DisjunctFinding as DisjunctFinding,
    Map as Map,
    Remedies as Remedies,
    Remedy as Remedy,
    Trait as Trait,
)
from ._scoring import disjunct_findings as disjunct_findings
from ._significance import (
    LEAST_SIZE as LEAST_SIZE,
    Answers as Answers,
    as_if_best as as_if_best,
    joint_probabilities as joint_probabilities,
    missed_p_values as missed_p_values,
    smooth_model as smooth_model,
)

publish(__name__, __all__)
