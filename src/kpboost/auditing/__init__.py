"""What a classifier misses in a data set, how sure that is, and what would help."""

from kpboost._public import publish

from ._audit import audit
from ._records import Audit

__all__ = ["Audit", "audit"]

# For the other packages of ours; nothing here is promised to users.
from ._audit import missed_disjuncts as missed_disjuncts, with_snippets as with_snippets
from ._baseline import (
    AuditComparison as AuditComparison,
    change_sentence as change_sentence,
    place_words as place_words,
)
from ._data import class_parts as class_parts
from ._models import (
    OWN as OWN,
    choice_arguments as choice_arguments,
    method_arguments as method_arguments,
    weight_parameter as weight_parameter,
)
from ._parts import N_NEIGHBORS as N_NEIGHBORS, Parts as Parts
from ._records import (
    THRESHOLD as THRESHOLD,
    Answer as Answer,
    ClassFinding as ClassFinding,
    DisjunctFinding as DisjunctFinding,
    Map as Map,
    ModelScores as ModelScores,
    Question as Question,
    Remedies as Remedies,
    ScoreCurves as ScoreCurves,
    Trait as Trait,
)
from ._significance import LEAST_SIZE as LEAST_SIZE
from ._words import price_words as price_words, why_no_help as why_no_help

publish(__name__, __all__)
