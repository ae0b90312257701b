"""The two searches for what is missed, among disjuncts and among boxes, under one error rate."""

from dataclasses import replace

import numpy as np

from kpboost.disjuncts.neighbors import Rows

from .boxes import COLUMNS_WITHOUT_BOXES, missed_boxes
from .chance import LEVEL, Answers, missed_p_values
from .description import describe
from .findings import DisjunctFinding
from .material import Material
from .out_of_fold import Fold, OutOfFold, out_of_fold
from .parts import Parts
from .probabilities import as_if_best, joint_probabilities, smooth_model
from .scoring import box_findings, disjunct_findings, in_order


def null_hypothesis(
    neighbours: Rows, answers: OutOfFold, material: Material, folds: list[Fold]
) -> Answers:
    """Put the answers beside probabilities under which they are the best possible ones."""
    codes, numbers = material.codes, list(range(len(material.classes)))
    with np.errstate(invalid="ignore"):  # shares of no variance at all, where all rows are equal
        smooth = out_of_fold(
            smooth_model(*material.points.shape), material.points, codes, numbers, folds
        )
    likely = joint_probabilities([answers.scores, smooth.scores], codes)
    return Answers(neighbours, answers.predicted, as_if_best(likely, answers.predicted))


def all_findings(
    null: Answers, parts: Parts, material: Material, seed: int
) -> tuple[DisjunctFinding, ...]:
    """Search among disjuncts and, in more than a few columns, among boxes: half the level each."""
    codes, table, names = material.codes, material.columns, material.names
    n_searches = 1 if len(table.names) <= COLUMNS_WITHOUT_BOXES else 2
    p_values = np.minimum(1.0, n_searches * missed_p_values(null, codes, parts, seed=seed))
    found = disjunct_findings(null.predicted, codes, parts, p_values, names)
    if n_searches == 1:
        return tuple(_described(each, material, null) for each in found)
    taken = np.array([row for each in found if each.missed for row in each.rows], dtype=np.intp)
    boxes = missed_boxes(table, null, codes, taken, level=LEVEL / n_searches, seed=seed)
    more = box_findings(boxes, null.predicted, codes, names, n_searches)
    return tuple(_described(each, material, null) for each in in_order([*found, *more]))


def _described(finding: DisjunctFinding, material: Material, answers: Answers) -> DisjunctFinding:
    if not finding.missed:
        return finding
    rows = np.array(finding.rows)
    words = describe(
        rows, material.columns, material.points, material.codes, answers.predicted, material.names
    )
    return replace(finding, description=words)
