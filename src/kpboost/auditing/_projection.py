"""What the pictures show: rows on a flat map, and the scores of a class as curves."""

import warnings
from collections.abc import Iterable, Sequence
from importlib import import_module
from importlib.util import find_spec
from itertools import chain, combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.decomposition import PCA
from sklearn.metrics import (
    average_precision_score,
    precision_recall_curve,
    roc_auc_score,
    roc_curve,
)

from kpboost._typing import FloatArray, IndexArray
from kpboost.datasets import Table
from kpboost.metrics import clopper_pearson
from kpboost.model_selection import OutOfFold

from ._data import AuditData
from ._records import DisjunctFinding, Map, RatePoint, ReliabilityBin, ScoreCurves

# More points than this hide each other and make the page heavy.
MAP_ROWS = 2_000
# No eye sees more on a map, and the page stays light.
DIGITS = 5
UMAP_NEIGHBORS = 15  # its default


def map_of(
    data: AuditData,
    disjuncts: Sequence[DisjunctFinding],
    predicted: IndexArray,
    projection: str,
    seed: int,
) -> Map:
    """Show the rows in two dimensions.

    Parameters
    ----------
    data : AuditData
    disjuncts : sequence of DisjunctFinding
        Their names are noted with the rows.
    predicted : ndarray of shape (n_rows,)
        Numbers of the predicted classes.
    projection : {"pca", "umap"}
        Method; umap-learn must be installed for the latter. Two columns of numbers without gaps
        need no PCA: they are the map.
    seed : int
        Seed of the sample and of UMAP.

    Returns
    -------
    Map
    """
    table = data.table
    whole = not table.nominal.any() and not np.isnan(table.values).any()
    if projection == "pca" and len(table.names) == COLUMNS_OF_A_MAP and whole:
        return _in_columns(data, disjuncts, predicted, (0, 1), seed)
    shown = _shown(_flagged(disjuncts, predicted.size), seed)
    method = projection.upper()
    flat = _flat(data.points, shown, projection, seed)
    return _map(data, disjuncts, predicted, shown, flat, method, _axes(method))


def box_map_of(
    data: AuditData,
    disjuncts: Sequence[DisjunctFinding],
    predicted: IndexArray,
    seed: int,
    weak: Sequence[int] = (),
) -> Map | None:
    """Show the rows in the two columns that show a finding best.

    These are the columns of the first missed box that has two columns of numbers. Otherwise, of all
    pairs of columns of numbers, those in which the fewest other rows lie among the rows of the
    first missed part, or of the first weak class, for which there are such columns.

    Parameters
    ----------
    data : AuditData
    disjuncts : sequence of DisjunctFinding
        Only missed ones count.
    predicted : ndarray of shape (n_rows,)
        Numbers of the predicted classes.
    seed : int
        Seed of the sample.
    weak : sequence of int, default=()
        Numbers of the classes with a low recall.

    Returns
    -------
    Map or None
    """
    if len(data.table.names) <= COLUMNS_OF_A_MAP:
        return None
    missed = [each for each in disjuncts if each.missed]
    boxed = (_pair_of_box(data.table, each) for each in missed)
    parts = [(np.array(each.rows), each.columns) for each in missed]
    parts += [(np.flatnonzero(data.codes == code), ()) for code in weak]
    pair = next(filter(None, chain(boxed, (_clearest_pair(data, *each) for each in parts))), None)
    return None if pair is None else _in_columns(data, disjuncts, predicted, pair, seed)


def _pair_of_box(table: Table, found: DisjunctFinding) -> tuple[int, int] | None:
    pair = [table.names.index(name) for name in found.columns]
    shown = _shows(table, np.array(found.rows), pair)
    return (pair[0], pair[1]) if len(pair) == len(shown) == COLUMNS_OF_A_MAP else None


def _shows(table: Table, rows: IndexArray, columns: Iterable[int]) -> list[int]:
    """Columns of numbers in which most of the rows have a place; a gap is none."""
    gaps = np.isnan(table.values[rows]).mean(axis=0)
    return [j for j in columns if not table.nominal[j] and gaps[j] <= MOST_GAPS]


COLUMNS_OF_A_MAP = 2
# Of a finding's rows, the share that may be absent from its map.
MOST_GAPS = 0.2
# Columns that are paired; of more, those that show a part best alone.
MOST_PAIRED = 30
# The middle of a part's rows, whose range others may lie in: an odd row should not widen it.
MIDDLE = (5, 95)


def _clearest_pair(
    data: AuditData, rows: IndexArray, named: Sequence[str]
) -> tuple[int, int] | None:
    """Find two columns in which few other rows lie within the range of these, named ones first."""
    values, columns = data.table.values, _shows(data.table, rows, range(len(data.table.names)))
    if len(columns) < COLUMNS_OF_A_MAP:
        return None
    low, high = np.nanpercentile(values[rows][:, columns], MIDDLE, axis=0)
    others = np.delete(values[:, columns], rows, axis=0)
    inside = (others >= low) & (others <= high)
    later = np.array([data.table.names[j] not in named for j in columns])
    best = np.lexsort([inside.sum(axis=0), later])[:MOST_PAIRED]
    counts = inside[:, best].astype(np.float32).T @ inside[:, best].astype(np.float32)
    one, two = min(
        combinations(range(best.size), 2),
        key=lambda pair: (later[best[list(pair)]].all(), counts[pair]),
    )
    return columns[best[one]], columns[best[two]]


def _in_columns(
    data: AuditData,
    disjuncts: Sequence[DisjunctFinding],
    predicted: IndexArray,
    pair: tuple[int, int],
    seed: int,
) -> Map:
    """Rows in two columns, but for those that lack a value there."""
    table = data.table
    shown = _shown(_flagged(disjuncts, predicted.size), seed)
    values = table.values[shown][:, list(pair)]
    known = ~np.isnan(values).any(axis=1)
    axes = (table.names[pair[0]], table.names[pair[1]])
    return _map(data, disjuncts, predicted, shown[known], values[known], "columns", axes)


def _map(
    data: AuditData,
    disjuncts: Sequence[DisjunctFinding],
    predicted: IndexArray,
    shown: IndexArray,
    positions: FloatArray,
    method: str,
    axes: tuple[str, str],
) -> Map:
    names = np.full(predicted.size, "", dtype=object)
    for each in sorted(
        disjuncts, key=lambda found: bool(found.columns)
    ):  # boxes have the last word
        names[list(each.rows)] = each.name
    order = np.argsort(data.rows[shown])  # as the user's table has them
    shown, positions = shown[order], positions[order]
    return Map(
        method=method,
        axes=axes,
        rows=tuple(data.rows[shown].tolist()),
        positions=tuple((_rounded(a), _rounded(b)) for a, b in positions.tolist()),
        classes=tuple(data.names[code] for code in data.codes[shown]),
        disjuncts=tuple(names[shown].tolist()),
        correct=tuple((predicted == data.codes)[shown].tolist()),
    )


def _axes(method: str) -> tuple[str, str]:
    return f"{method} 1", f"{method} 2"


def _rounded(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")


def _flagged(disjuncts: Sequence[DisjunctFinding], n_rows: int) -> NDArray[np.bool_]:
    flagged = np.zeros(n_rows, dtype=np.bool_)
    for each in disjuncts:
        if each.missed:
            flagged[list(each.rows)] = True
    return flagged


def _shown(flagged: NDArray[np.bool_], seed: int) -> IndexArray:
    if flagged.size <= MAP_ROWS:
        return np.arange(flagged.size)
    order = np.random.default_rng(seed).permutation(flagged.size)
    return np.sort(order[np.argsort(~flagged[order], kind="stable")][:MAP_ROWS])


def _flat(points: FloatArray, shown: IndexArray, projection: str, seed: int) -> FloatArray:
    if points.shape[1] == 1:
        return np.column_stack([points[shown], np.zeros(shown.size)])
    if projection == "umap":  # of the rows shown only: it is slow, and places each among the others
        flat = _umap(shown.size, seed).fit_transform(points[shown])
        return np.asarray(flat, dtype=np.float64)
    calm, scale = _without_outliers(points)
    with np.errstate(invalid="ignore"):  # shares of no variance at all, where all rows are equal
        directions = PCA(2, random_state=seed).fit(calm * scale)
    return np.asarray(directions.transform(points[shown] * scale), dtype=np.float64)


# Values further from the middle half of a column than this many times its width are outliers; of
# normal ones, two in a million.
FAR = 3.0


def _without_outliers(points: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Move outliers to the fence, and return the factors by which columns then regain their spread.

    Otherwise a few rows choose the directions of the map, and all others lie on one heap.
    """
    first, third = np.percentile(points, (25, 75), axis=0)
    width = np.where(third > first, FAR * (third - first), np.inf)  # none where most are equal
    calm = np.clip(points, first - width, third + width)
    before, after = points.std(axis=0), calm.std(axis=0)
    return calm, np.divide(before, after, out=np.ones_like(after), where=after > 0)


def _umap(n_rows: int, seed: int) -> Any:
    """UMAP by its own defaults, but for what it would warn of: too many neighbours, and threads."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ImportWarning)  # of parts of it that are not needed here
        package = import_module("umap")
    n_neighbors = min(UMAP_NEIGHBORS, n_rows - 1)
    return package.UMAP(n_neighbors=n_neighbors, n_jobs=1, random_state=seed)


def check_projection(projection: str) -> None:
    """Refuse an unknown method, and UMAP where it is not installed."""
    if projection not in ("pca", "umap"):
        raise ValueError(f"projection={projection!r} is not allowed; it must be 'pca' or 'umap'.")
    if projection == "umap" and find_spec("umap") is None:
        raise ValueError(
            "A map by UMAP needs umap-learn, which is not installed: pip install umap-learn."
        )


# Points of a curve; no eye tells more apart.
CURVE_POINTS = 200
# Bins of equal width for predicted probabilities.
N_RELIABILITY = 10
# More classes than this make a confusion matrix that nobody reads.
MOST_CONFUSED = 8
OTHERS = "all others"


def curves_of(
    data: AuditData,
    code: int,
    predictions: OutOfFold,
    points: Sequence[tuple[str, str, IndexArray]],
    predicted: IndexArray,
) -> ScoreCurves:
    """Show how the scores of a model rank one class before all others.

    Parameters
    ----------
    data : AuditData
    code : int
        Number of the class.
    predictions : OutOfFold
        Of the audited model; its scores make the curves.
    points : sequence of (name, title, predicted)
        The models to mark on them, with their predictions under the same folds.
    predicted : ndarray of shape (n_rows,)
        Numbers of the classes that the audited model predicts, for the confusion matrix.

    Returns
    -------
    ScoreCurves
    """
    own = data.codes == code
    score = np.nan_to_num(predictions.scores[:, code])  # some models overflow
    n_class = int(own.sum())
    false, true, _ = roc_curve(own, score)
    precision, recall, _ = precision_recall_curve(own, score)
    labels, counts = _confusion(data, predicted)
    return ScoreCurves(
        label=data.names[code],
        n_class=n_class,
        n_others=own.size - n_class,
        roc=_thinned(false, true),
        precision_recall=_thinned(recall[::-1], precision[::-1]),
        roc_area=float(roc_auc_score(own, score)),
        average_precision=float(average_precision_score(own, score)),
        reliability=_reliability(own, predictions.scores, code),
        points=tuple(
            RatePoint(
                name, title, int((guess[own] == code).sum()), int((guess[~own] == code).sum())
            )
            for name, title, guess in points
        ),
        confusion=counts,
        confusion_labels=labels,
    )


def _thinned(x: FloatArray, y: FloatArray) -> tuple[tuple[float, float], ...]:
    """Return points at about equal distances along a curve, its two ends among them."""
    along = np.concatenate([[0.0], np.cumsum(np.hypot(np.diff(x), np.diff(y)))])
    steps = np.linspace(0.0, along[-1], CURVE_POINTS)
    kept = np.unique(np.append(np.searchsorted(along, steps).clip(max=x.size - 1), [0, x.size - 1]))
    return tuple((_rounded(a), _rounded(b)) for a, b in zip(x[kept], y[kept], strict=True))


def _reliability(
    own: NDArray[np.bool_], scores: FloatArray, code: int
) -> tuple[ReliabilityBin, ...]:
    """Compare predicted probabilities with shares; of other scores there is nothing to compare."""
    with np.errstate(over="ignore"):
        shares = np.exp(scores)
    if not np.allclose(shares.sum(axis=1), 1.0, atol=1e-3):
        return ()
    bins = np.minimum((shares[:, code] * N_RELIABILITY).astype(np.intp), N_RELIABILITY - 1)
    found = []
    for number in np.unique(bins).tolist():
        here = bins == number
        low, high = clopper_pearson(int(own[here].sum()), int(here.sum()))
        means = float(shares[here, code].mean()), float(own[here].mean())
        found.append(ReliabilityBin(*means, float(low), float(high), int(here.sum())))
    return tuple(found)


def _confusion(
    data: AuditData, predicted: IndexArray
) -> tuple[tuple[str, ...], tuple[tuple[int, ...], ...]]:
    """Names of classes, and rows by true and predicted class; of many, the rest as one."""
    n_classes = len(data.classes)
    counts = np.zeros((n_classes, n_classes), dtype=np.intp)
    np.add.at(counts, (data.codes, predicted), 1)
    names = tuple(data.names)
    if n_classes > MOST_CONFUSED:
        wrong = counts.sum(axis=1) - counts.diagonal()
        kept = np.sort(np.argsort(-wrong, kind="stable")[: MOST_CONFUSED - 1])
        group = np.full(n_classes, kept.size)
        group[kept] = np.arange(kept.size)
        merged = np.zeros((kept.size + 1, kept.size + 1), dtype=np.intp)
        np.add.at(merged, (group[:, None], group[None, :]), counts)
        counts, names = merged, (*(names[k] for k in kept), OTHERS)
    return names, tuple(tuple(line) for line in counts.tolist())
