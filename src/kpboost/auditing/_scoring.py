"""Out-of-fold answers turned into scores and findings by class and by disjunct."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from kpboost._typing import FloatArray, IndexArray
from kpboost.metrics import class_recalls, clopper_pearson, geometric_mean_score, gsdi_score
from kpboost.model_selection import OutOfFold

from ._boxes import Box
from ._data import Parts
from ._records import ClassFinding, DisjunctFinding, Scores
from ._significance import LEAST_SIZE, LEVEL, MOST_RECALL

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
        balanced_accuracy=float(recalls.mean()),
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
    hit = predicted == codes
    return in_order(
        _finding(name, np.flatnonzero(parts.labels == i), hit, float(p_values[i]), label)
        for i, name, label in _named(parts, names)
    )


def box_findings(
    boxes: Sequence[Box],
    predicted: IndexArray,
    codes: IndexArray,
    names: Sequence[str],
    n_searches: int,
) -> tuple[DisjunctFinding, ...]:
    """Recall of missed boxes; p-values are corrected for the number of searches (Bonferroni)."""
    hit = predicted == codes
    found, count = [], Counter[int]()
    for box in boxes:
        count[box.code] += 1
        label = names[box.code]
        name = f"{label}/box {count[box.code]}"
        finding = _finding(name, box.rows, hit, n_searches * box.p_value, label)
        found.append(replace(finding, where=box.where, columns=box.columns))
    return tuple(found)


def in_order(findings: Iterable[DisjunctFinding]) -> tuple[DisjunctFinding, ...]:
    """Sort: flagged ones first, then from the lowest recall."""
    return tuple(sorted(findings, key=lambda each: (not each.missed, each.recall, -each.size)))


def _finding(
    name: str, rows: IndexArray, hit: NDArray[np.bool_], p_value: float, label: str
) -> DisjunctFinding:
    right = int(hit[rows].sum())
    low, high = clopper_pearson(right, rows.size)
    return DisjunctFinding(
        name=name,
        label=label,
        size=rows.size,
        n_correct=right,
        recall=right / rows.size,
        low=float(low),
        high=float(high),
        p_value=p_value,
        missed=p_value <= LEVEL,
        rows=tuple(rows.tolist()),
    )


def _named(parts: Parts, names: Sequence[str]) -> list[tuple[int, str, str]]:
    """Numbers, names and classes of the disjuncts to show, the largest of a class first."""
    named = []
    for code, label in enumerate(names):
        own = np.flatnonzero((parts.owners == code) & (parts.sizes >= LEAST_SIZE))
        order = own[np.argsort(-parts.sizes[own], kind="stable")]
        named += [(int(i), f"{label}/{place}", label) for place, i in enumerate(order, 1)]
    return named


def holm(p_values: Sequence[float]) -> list[float]:
    """p-values corrected for their number by Holm's method."""
    corrected = list(p_values)
    worst = 0.0
    for place, i in enumerate(sorted(range(len(corrected)), key=lambda i: p_values[i])):
        worst = max(worst, min(1.0, (len(corrected) - place) * p_values[i]))
        corrected[i] = worst
    return corrected
