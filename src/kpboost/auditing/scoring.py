"""Out-of-fold answers turned into scores and findings by class and by disjunct."""

from collections.abc import Sequence
from math import isnan

import numpy as np
from numpy.typing import NDArray

from kpboost.metrics import (
    class_recalls,
    clopper_pearson,
    geometric_mean_score,
    gsdi_score,
    hard_auc_score,
)

from .chance import LEAST_SIZE, LEVEL, MOST_RECALL
from .out_of_fold import OutOfFold
from .parts import Parts
from .records import ClassFinding, DisjunctFinding, Scores

FloatArray = NDArray[np.float64]
IndexArray = NDArray[np.intp]

# A class is called weak only if its recall is lower than that of the rest by at least this much.
WEAK_GAP = 0.1


def scores_of(
    name: str, title: str, answers: OutOfFold, codes: IndexArray, parts: Parts, names: Sequence[str]
) -> Scores:
    """Scores of one model over all rows."""
    recalls = class_recalls(codes, answers.predicted)
    return Scores(
        name=name,
        title=title,
        accuracy=float((answers.predicted == codes).mean()),
        gmean=geometric_mean_score(codes, answers.predicted),
        auc=hard_auc_score(codes, answers.predicted),
        gsdi=gsdi_score(
            codes, answers.predicted, disjuncts=parts.labels, disjunct_sizes=parts.sizes
        ),
        class_recalls=dict(zip(names, recalls.tolist(), strict=True)),
        seconds=answers.seconds,
    )


def class_findings(
    predicted: IndexArray, codes: IndexArray, names: Sequence[str]
) -> tuple[ClassFinding, ...]:
    """Recall of each class, and whether it is clearly low.

    "missed" says that most of the class is, "weak" that its recall is below that of all other rows.
    Both are said by intervals whose level is corrected for the number of classes (Bonferroni).
    """
    hit = predicted == codes
    sizes = np.bincount(codes)
    right = np.bincount(codes, weights=hit).astype(np.intp)
    low, high = clopper_pearson(right, sizes)
    strict = 1 - LEVEL / sizes.size
    _, own_high = clopper_pearson(right, sizes, confidence_level=strict)
    rest_low, _ = clopper_pearson(hit.sum() - right, codes.size - sizes, confidence_level=strict)
    rest = (hit.sum() - right) / (codes.size - sizes)
    return tuple(
        ClassFinding(
            label=names[i],
            size=int(sizes[i]),
            n_correct=int(right[i]),
            recall=float(right[i] / sizes[i]),
            low=float(low[i]),
            high=float(high[i]),
            status=_status(own_high[i], rest_low[i], rest[i] - right[i] / sizes[i]),
        )
        for i in range(sizes.size)
    )


def _status(high: float, rest_low: float, gap: float) -> str:
    if high < MOST_RECALL:
        return "missed"
    return "weak" if high < rest_low and gap >= WEAK_GAP else "fine"


def disjunct_findings(
    predicted: IndexArray,
    codes: IndexArray,
    parts: Parts,
    p_values: FloatArray,
    names: Sequence[str],
) -> tuple[DisjunctFinding, ...]:
    """Recall of each disjunct that is large enough: flagged ones first, then from the lowest."""
    right = np.bincount(parts.labels, weights=predicted == codes).astype(np.intp)
    low, high = clopper_pearson(right, parts.sizes)
    found = [
        DisjunctFinding(
            name=name,
            label=names[parts.owners[i]],
            size=int(parts.sizes[i]),
            n_correct=int(right[i]),
            recall=float(right[i] / parts.sizes[i]),
            low=float(low[i]),
            high=float(high[i]),
            p_value=float(p_values[i]),
            missed=bool(p_values[i] <= LEVEL),
            rows=tuple(np.flatnonzero(parts.labels == i).tolist()),
        )
        for i, name in _named(parts, names)
    ]
    return tuple(sorted(found, key=lambda each: (not each.missed, each.recall, -each.size)))


def _named(parts: Parts, names: Sequence[str]) -> list[tuple[int, str]]:
    """Numbers and names of the disjuncts to show, the largest of a class first."""
    named = []
    for code, label in enumerate(names):
        own = np.flatnonzero((parts.owners == code) & (parts.sizes >= LEAST_SIZE))
        order = own[np.argsort(-parts.sizes[own], kind="stable")]
        named += [(int(i), f"{label}/{place}") for place, i in enumerate(order, 1)]
    return named


def holm(p_values: Sequence[float]) -> list[float]:
    """p-values corrected for their number by Holm's method; NaN stays."""
    known = [i for i, p in enumerate(p_values) if not isnan(p)]
    corrected = list(p_values)
    worst = 0.0
    for place, i in enumerate(sorted(known, key=lambda i: p_values[i])):
        worst = max(worst, min(1.0, (len(known) - place) * p_values[i]))
        corrected[i] = worst
    return corrected
