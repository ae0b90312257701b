"""What predictions say about classes and parts of classes: scores, recalls, and words."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom, fisher_exact, rankdata
from sklearn.neighbors import NearestNeighbors

from kpboost._typing import FloatArray, IndexArray
from kpboost.datasets import Table
from kpboost.metrics import class_recalls, clopper_pearson, geometric_mean_score, gsdi_score
from kpboost.model_selection import OutOfFold, Split

from ._boxes import COLUMNS_WITHOUT_BOXES, Box, BoxSearch, most_striking_first
from ._data import AuditData
from ._null import null_hypothesis
from ._parts import Parts, Places
from ._records import (
    ClassFinding,
    Description,
    DisjunctFinding,
    Extent,
    ModelScores,
    Trait,
    WrongNeighbour,
)
from ._significance import (
    LEAST_SIZE,
    LEVEL,
    MOST_RECALL,
    Search,
    chance_of,
    highest_of_parts,
)

# A class is called weak only if its recall is lower than that of the rest by at least this much.
WEAK_GAP = 0.1


def scores_of(
    name: str, title: str, predictions: OutOfFold, data: AuditData, parts: Parts
) -> ModelScores:
    """Scores of one model over all rows."""
    predicted, codes = predictions.predicted, data.codes
    recalls = class_recalls(codes, predicted)
    return ModelScores(
        name=name,
        title=title,
        accuracy=float((predicted == codes).mean()),
        gmean=geometric_mean_score(codes, predicted),
        balanced_accuracy=float(recalls.mean()),
        gsdi=gsdi_score(codes, predicted, disjuncts=parts.labels, disjunct_sizes=parts.sizes),
        class_recalls=dict(zip(data.names, recalls.tolist(), strict=True)),
        seconds=predictions.seconds,
    )


def class_findings(predicted: IndexArray, data: AuditData) -> tuple[ClassFinding, ...]:
    """Recall of each class, and whether it is clearly low.

    "missed" says that most of the class is, "weak" that its recall is below that of all other rows.
    Both are said by intervals whose level is corrected for the number of classes (Bonferroni).
    """
    codes, hit = data.codes, predicted == data.codes
    sizes = np.bincount(codes)
    right = np.bincount(codes, weights=hit).astype(np.intp)
    low, high = clopper_pearson(right, sizes)
    strict = 1 - LEVEL / sizes.size
    _, own_high = clopper_pearson(right, sizes, confidence_level=strict)
    rest_low, _ = clopper_pearson(hit.sum() - right, codes.size - sizes, confidence_level=strict)
    rest = (hit.sum() - right) / (codes.size - sizes)
    return tuple(
        ClassFinding(
            label=label,
            size=int(sizes[i]),
            n_correct=int(right[i]),
            recall=float(right[i] / sizes[i]),
            low=float(low[i]),
            high=float(high[i]),
            status=(status := _status(own_high[i], rest_low[i], rest[i] - right[i] / sizes[i])),
            p_value=_class_p_value(status, i, right, sizes),
        )
        for i, label in enumerate(data.names)
    )


def _status(high: float, rest_low: float, gap: float) -> str:
    if high < MOST_RECALL:
        return "missed"
    return "weak" if high < rest_low and gap >= WEAK_GAP else "fine"


def low_classes(classes: Sequence[ClassFinding]) -> list[int]:
    """Numbers of the classes that are not fine, the lowest recall first."""
    low = [code for code, each in enumerate(classes) if each.status != "fine"]
    return sorted(low, key=lambda code: classes[code].recall)


def weakest_class(disjuncts: Sequence[DisjunctFinding], classes: Sequence[ClassFinding]) -> str:
    """Return the class of the first missed part; without any, the one of the lowest recall."""
    missed = [each.label for each in disjuncts if each.missed]
    return missed[0] if missed else min(classes, key=lambda each: (each.recall, each.size)).label


def _class_p_value(status: str, code: int, right: IndexArray, sizes: IndexArray) -> float:
    """Chance of so low a recall, times the number of classes; 1 where nothing is claimed."""
    own, size = int(right[code]), int(sizes[code])
    if status == "missed":
        chance = float(binom.cdf(own, size, MOST_RECALL))
    elif status == "weak":
        rest = int(right.sum()) - own
        others = int(sizes.sum()) - size
        chance = float(
            fisher_exact([[own, size - own], [rest, others - rest]], alternative="less").pvalue
        )
    else:
        return 1.0
    return min(1.0, sizes.size * chance)


def disjunct_findings(
    data: AuditData,
    places: Places,
    parts: Parts,
    predictions: OutOfFold,
    folds: Sequence[Split],
    seed: int,
) -> tuple[DisjunctFinding, ...]:
    """Test all disjuncts and, in more than a few columns, all boxes.

    Parameters
    ----------
    data : AuditData
    places : Places
        Where the rows lie.
    parts : Parts
        The disjuncts.
    predictions : OutOfFold
        Of the model under audit, for rows that it has not seen.
    folds : sequence of (train, test)
        For the smooth models of the null hypothesis.
    seed : int
        Seed of the draws.

    Returns
    -------
    tuple of DisjunctFinding
        Flagged ones first, with descriptions, then from the lowest recall.
    """
    null = null_hypothesis(data, places, predictions, folds)
    searches: list[Search] = [partial(highest_of_parts, null)]
    boxes = BoxSearch(data.table, null) if has_boxes(data) else None
    if boxes:
        searches.append(boxes.highest)
    chance = chance_of(searches, null, data.codes, seed=seed)
    p_values, missed = most_striking_first(null, data.codes, parts, boxes, chance)
    found = recalls_by_disjunct(null.predicted, data, parts, p_values)
    found = _in_order([*found, *_of_boxes(missed, null.predicted, data)])
    flagged = [each for each in found if each.missed]
    wrong = null.predicted != data.codes
    return (
        *(_described(each, data, null.predicted) for each in flagged),
        *(replace(e, told_in=told_in(e, flagged, wrong)) for e in found if not e.missed),
    )


def told_in(
    found: DisjunctFinding, flagged: Sequence[DisjunctFinding], wrong: NDArray[np.bool_]
) -> str:
    """Name the flagged finding with most missed rows of a part that is mostly told in such."""
    missed = {row for row in found.rows if wrong[row]}
    shared = {each.name: len(missed & {*each.rows}) for each in flagged}
    is_told = found.recall <= MOST_RECALL and sum(shared.values()) > len(missed) / 2
    return max(shared, key=lambda name: shared[name]) if is_told else ""


def has_boxes(data: AuditData) -> bool:
    """Tell whether there are so many columns that boxes show what neighbours do not."""
    return len(data.table.names) > COLUMNS_WITHOUT_BOXES


def recalls_by_disjunct(
    predicted: IndexArray, data: AuditData, parts: Parts, p_values: FloatArray
) -> list[DisjunctFinding]:
    """Recall of each disjunct that is large enough; the largest of a class is its first."""
    hit, found = predicted == data.codes, []
    for code, label in enumerate(data.names):
        own = np.flatnonzero((parts.owners == code) & (parts.sizes >= LEAST_SIZE))
        order = own[np.argsort(-parts.sizes[own], kind="stable")]
        for number, part in enumerate(order.tolist(), 1):
            rows = np.flatnonzero(parts.labels == part)
            p_value = float(p_values[part])
            found.append(_finding(f"{label}/{number}", label, rows, hit, p_value))
    return _in_order(found)


def _of_boxes(
    boxes: Sequence[Box], predicted: IndexArray, data: AuditData
) -> list[DisjunctFinding]:
    """Recall of missed boxes."""
    hit = predicted == data.codes
    found, count = [], Counter[int]()
    for box in boxes:
        count[box.code] += 1
        label = data.names[box.code]
        name = f"{label}/box {count[box.code]}"
        finding = _finding(name, label, box.rows, hit, box.p_value)
        found.append(replace(finding, where=box.where, columns=box.columns, n_region=box.n_region))
    return found


def _in_order(findings: Iterable[DisjunctFinding]) -> list[DisjunctFinding]:
    """Sort: flagged ones first, then from the lowest recall."""
    return sorted(findings, key=lambda each: (not each.missed, each.recall, -each.size))


def _finding(
    name: str, label: str, rows: IndexArray, hit: NDArray[np.bool_], p_value: float
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


def untested_rows(findings: Sequence[DisjunctFinding], n_rows: int) -> IndexArray:
    """Rows in no finding, because their parts are too small to be tested."""
    return np.delete(np.arange(n_rows), [row for each in findings for row in each.rows])


def in_given_rows(finding: DisjunctFinding, rows: IndexArray) -> DisjunctFinding:
    """Translate row numbers of the audited rows into those of the user's table."""
    own = replace(finding, rows=tuple(np.sort(rows[list(finding.rows)]).tolist()))
    words = finding.description
    if words is None:
        return own
    wrong = tuple(replace(each, row=int(rows[each.row])) for each in words.wrong_neighbours)
    words = replace(words, medoid=int(rows[words.medoid]), wrong_neighbours=wrong)
    return replace(own, description=words)


N_TRAITS = 3
N_WRONG = 3
# Columns that separate less than this tell a reader nothing.
LEAST_SEPARATION = 0.3
# Rows around a disjunct with which it is compared, per row of it.
CONFUSERS_PER_ROW = 3
# A number column is shown by its middle four fifths: one odd row should not make the range.
RANGE = (10, 90)


def _described(found: DisjunctFinding, data: AuditData, predicted: IndexArray) -> DisjunctFinding:
    rows = np.array(found.rows)
    words = describe(rows, data, predicted)
    first = [*found.columns, *(each.column for each in words.from_own_class + words.from_confusers)]
    return replace(
        found,
        description=words,
        n_region=found.n_region if found.columns else _n_near(rows, data),
        extents=_extents(data.table, rows, first),
    )


# Of a part, the share of rows whose nearest other row is taken for near.
NEAR = 0.9


def _n_near(rows: IndexArray, data: AuditData) -> int:
    """Count rows of all classes as near to one of these as these are to each other."""
    around = NearestNeighbors(n_neighbors=2).fit(data.points[rows])
    radius = np.quantile(around.kneighbors()[0][:, 0], NEAR)
    nearest = around.kneighbors(data.points, n_neighbors=1)[0][:, 0]
    return int((nearest <= radius).sum())


# Columns whose ranges are kept with a part, those that set it apart first; categories of each.
MOST_EXTENTS, MOST_CATEGORIES = 30, 5


def _extents(table: Table, rows: IndexArray, first: Sequence[str]) -> tuple[Extent, ...]:
    names = list(dict.fromkeys([*first, *table.names]))[:MOST_EXTENTS]
    return tuple(_extent(table, rows, table.names.index(name)) for name in names)


def _extent(table: Table, rows: IndexArray, column: int) -> Extent:
    name, known = table.names[column], table.values[rows, column]
    known = known[~np.isnan(known)]
    if known.size == 0:
        return Extent(name, None, None)
    if table.nominal[column]:
        kinds, counts = np.unique(known, return_counts=True)
        common = kinds[np.argsort(-counts, kind="stable")][:MOST_CATEGORIES].tolist()
        return Extent(name, None, None, tuple(table.show(kind, column) for kind in common))
    low, high = np.percentile(known, RANGE).tolist()
    return Extent(name, low, high)


def describe(rows: IndexArray, data: AuditData, predicted: IndexArray) -> Description:
    """Describe one disjunct in words and rows.

    Parameters
    ----------
    rows : ndarray of int
        Its rows.
    data : AuditData
    predicted : ndarray of shape (n_rows,)
        Numbers of the predicted classes.

    Returns
    -------
    Description
    """
    table, points, codes, names = data.table, data.points, data.codes, data.names
    code = codes[rows[0]]
    medoid = _medoid(rows, points)
    wrong = predicted[rows][predicted[rows] != code]
    others = np.flatnonzero(np.isin(codes, wrong) if wrong.size else codes != code)
    distance = np.linalg.norm(points[others] - points[medoid], axis=1)
    confusers = others[np.argsort(distance, kind="stable")[: CONFUSERS_PER_ROW * rows.size]]
    strangers = np.flatnonzero(codes != code)
    gaps = np.linalg.norm(points[strangers] - points[medoid], axis=1)
    rest = np.setdiff1d(np.flatnonzero(codes == code), rows)
    kinds, counts = np.unique(wrong, return_counts=True)
    return Description(
        medoid=int(medoid),
        medoid_values={
            name: table.show(float(table.values[medoid, j]), j)
            for j, name in enumerate(table.names)
        },
        from_own_class=_traits(table, rows, rest),
        from_confusers=_traits(table, rows, confusers),
        mistaken_for={names[k]: int(c) for k, c in zip(kinds, counts, strict=True)},
        wrong_neighbours=tuple(
            WrongNeighbour(int(strangers[i]), names[codes[strangers[i]]], float(gaps[i]))
            for i in np.argsort(gaps, kind="stable")[:N_WRONG]
        ),
    )


def _medoid(rows: IndexArray, points: FloatArray) -> int:
    """Row with the smallest sum of distances; of many rows, the one nearest to their mean."""
    own = points[rows]
    if rows.size > 2000:  # all pairs would not fit
        return int(rows[np.linalg.norm(own - own.mean(axis=0), axis=1).argmin()])
    squares = (own**2).sum(axis=1)
    squared = np.maximum(squares[:, None] + squares - 2 * own @ own.T, 0)
    return int(rows[np.sqrt(squared).sum(axis=1).argmin()])


def _traits(table: Table, rows: IndexArray, others: IndexArray) -> tuple[Trait, ...]:
    """Columns that tell the rows from the others, the clearest first."""
    if others.size == 0:
        return ()
    traits = []
    for j, name in enumerate(table.names):
        here, there = table.values[rows, j], table.values[others, j]
        measure = _nominal_separation if table.nominal[j] else _separation
        clarity = measure(here[~np.isnan(here)], there[~np.isnan(there)])
        if clarity >= LEAST_SEPARATION:
            traits.append(Trait(name, _words(table, here, j), _words(table, there, j), clarity))
    return tuple(sorted(traits, key=lambda trait: -trait.separation)[:N_TRAITS])


def _separation(here: FloatArray, there: FloatArray) -> float:
    """Share of pairs in order minus share of pairs out of order, or within there: 0 to 1.

    Values in the middle of a wider range are set apart too, so distances from the middle of the
    rows are ranked as well.
    """
    if here.size == 0 or there.size == 0:
        return 0.0
    middle = np.median(here)
    return max(abs(_order(here, there)), -_order(np.abs(here - middle), np.abs(there - middle)))


def _order(here: FloatArray, there: FloatArray) -> float:
    ranks = rankdata(np.concatenate([here, there]))[: here.size].sum()
    above = ranks - here.size * (here.size + 1) / 2
    return float(2 * above / (here.size * there.size) - 1)


def _nominal_separation(here: FloatArray, there: FloatArray) -> float:
    """Half the sum of the differences between the shares of the categories: 0 to 1."""
    if here.size == 0 or there.size == 0:
        return 0.0
    size = int(max(here.max(), there.max())) + 1
    shares = [np.bincount(v.astype(np.intp), minlength=size) / v.size for v in (here, there)]
    return float(np.abs(shares[0] - shares[1]).sum() / 2)


def _words(table: Table, values: FloatArray, column: int) -> str:
    known = values[~np.isnan(values)]
    if known.size == 0:
        return "missing"
    if table.nominal[column]:
        codes, counts = np.unique(known, return_counts=True)
        share = counts.max() / known.size
        return f"{table.show(float(codes[counts.argmax()]), column)} ({share:.0%})"
    low, high = (table.show(float(end), column) for end in np.percentile(known, RANGE))
    return low if low == high else f"{low} to {high}"
