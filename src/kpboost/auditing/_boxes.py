"""Boxes: intervals of one column or two in which a model misses a part of a class.

In many columns the nearest neighbours of a row are decided by columns that mean nothing, and a part
of a class that shows in two of them falls to pieces. So there is a second search, among boxes. A
box is striking for a class by the scan statistic over its own rows, and chance gets the same
freedom: all boxes of all pairs of columns are looked at under the drawn labels, too.

Columns are not alike. Where a model's predictions follow a column, parts of classes are likelier to
show in it. So the logarithm of a prior over columns is added to the statistic. Half of the prior is
spread evenly, half by what the columns tell about the predictions. Labels have no say in it, so it
is the same in every draw. A part in two columns that tell nothing loses log 4 by it, at most.
"""

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from kpboost._typing import FloatArray, IndexArray
from kpboost.datasets import Table

from ._null import NullHypothesis
from ._parts import Parts
from ._significance import (
    LEAST_SIZE,
    LEVEL,
    MOST_RECALL,
    Chance,
    scan_statistic,
    scan_statistics,
)

# In so few columns neighbours see all that a box shows.
COLUMNS_WITHOUT_BOXES = 2
# The number of pairs grows with the square of the columns. Of more columns, those are taken that
# tell most about the predictions.
MOST_COLUMNS = 30
# The share of the prior that all columns have alike.
EVEN_SHARE = 0.5
# A model that is wrong everywhere would fill the page.
MOST_BOXES = 10
TAKEN = -1
CountArray = NDArray[np.float32]  # whole numbers below 2^24 are exact

# A box of one bin in each of two columns holds one row in 256 where columns are independent.
N_BINS = 16
# Lengths of runs: up to a quarter of the rows. What is longer is no small part of a class.
LENGTHS = (1, 2, 4)
MISSING_BIN = N_BINS


@dataclass(frozen=True, slots=True, eq=False)
class Intervals:
    """Bins of all cells, and intervals of all columns.

    Attributes
    ----------
    bins : ndarray of shape (n_rows, n_columns)
        Number of each cell's bin.
    members : ndarray of shape (n_columns, n_intervals, n_bins)
        1 where a bin belongs to an interval; the last interval is the whole column.
    """

    bins: IndexArray
    members: CountArray

    def inside(self, column: int, interval: int) -> NDArray[np.bool_]:
        """Tell which rows lie in an interval of a column."""
        return np.asarray(self.members[column, interval][self.bins[:, column]] > 0)


def intervals_of(columns: Table) -> Intervals:
    """Cut all columns of a table."""
    cut = [
        _common_categories(values) if nominal else _quantile_bins(values)
        for values, nominal in zip(columns.values.T, columns.nominal, strict=True)
    ]
    runs, singles = _runs(LENGTHS), _runs((1,))
    singles = np.vstack([singles, np.zeros((len(runs) - len(singles), N_BINS + 1), np.float32)])
    members = [_with_ends(singles if nominal else runs) for nominal in columns.nominal]
    return Intervals(np.column_stack(cut), np.array(members))


def interval_words(columns: Table, rows: NDArray[np.bool_], column: int) -> str:
    """Say what the rows of an interval have in common."""
    known = columns.values[rows, column]
    name, known = columns.names[column], known[~np.isnan(known)]
    if known.size == 0:
        return f"{name} missing"
    low, high = (columns.show(float(end), column) for end in (known.min(), known.max()))
    return f"{name} = {low}" if low == high else f"{name} from {low} to {high}"


def _quantile_bins(values: FloatArray) -> IndexArray:
    gone = np.isnan(values)
    shares = np.arange(1, N_BINS) / N_BINS
    edges = np.unique(np.quantile(values[~gone], shares)) if not gone.all() else np.zeros(0)
    return np.where(gone, MISSING_BIN, np.searchsorted(edges, values))


def _common_categories(values: FloatArray) -> IndexArray:
    """Bins of the most common categories; all others share the last one but for missing values."""
    kinds, counts = np.unique(values[~np.isnan(values)], return_counts=True)
    bins = np.where(np.isnan(values), MISSING_BIN, N_BINS - 1)
    for number, kind in enumerate(kinds[np.argsort(-counts, kind="stable")][: N_BINS - 1]):
        bins[values == kind] = number
    return bins


def _runs(lengths: tuple[int, ...]) -> CountArray:
    found = []
    for length in lengths:
        for start in range(N_BINS - length + 1):
            run = np.zeros(N_BINS + 1, dtype=np.float32)
            run[start : start + length] = 1
            found.append(run)
    return np.array(found)


def _with_ends(runs: CountArray) -> CountArray:
    """Intervals of a column with the two that every column has: missing values, and all rows."""
    ends = np.zeros((2, N_BINS + 1), dtype=np.float32)
    ends[0, MISSING_BIN] = 1
    ends[1] = 1
    return np.vstack([runs, ends])


@dataclass(frozen=True, slots=True, eq=False)
class Box:
    """A part of a class: its number, rows, p-value, statistic, columns and limits.

    ``n_region`` counts the rows of all classes between the limits.
    """

    code: int
    rows: IndexArray
    p_value: float
    statistic: float
    columns: tuple[str, ...]
    where: str
    n_region: int = 0


NO_BOX = Box(TAKEN, np.zeros(0, dtype=np.intp), 1.0, 0.0, (), "")


@dataclass(frozen=True, slots=True)
class _Top:
    """The most striking box under some labels: its statistic, class, pair and two intervals."""

    statistic: float = 0.0
    code: int = TAKEN
    position: tuple[int, int, int] = (0, 0, 0)


# Numbers of the two searches.
PARTS, BOXES = 0, 1


def most_striking_first(
    null: NullHypothesis,
    codes: IndexArray,
    parts: Parts,
    search: "BoxSearch | None",
    chance: Chance,
) -> tuple[FloatArray, list[Box]]:
    """Tell the disjuncts and boxes that are more striking than chance makes them.

    The least likely comes first, and its rows count for nothing that comes later: a large disjunct
    that is striking because of a box within is not told a second time.

    Parameters
    ----------
    null : NullHypothesis
    codes : ndarray of shape (n_rows,)
        Numbers of the true classes.
    parts : Parts
        Disjuncts of these classes.
    search : BoxSearch or None
        None where there are too few columns.
    chance : Chance
        What the draws gave to the search for disjuncts and to this one, in this order.

    Returns
    -------
    p_values : ndarray of shape (n_parts,)
        Of the disjuncts.
    boxes : list of Box
        No row is in two of them.
    """
    told, found = np.ones(parts.sizes.size), list[Box]()
    left = np.ones(codes.size, dtype=np.bool_)
    while True:
        own = np.where(told > LEVEL, scan_statistics(null, codes, parts, left), 0.0)
        p_values = chance.p_values(PARTS, own)
        part = int(own.argmax())
        box = _next_box(search, np.where(left, codes, TAKEN), found, chance)
        if min(p_values[part], box.p_value) > LEVEL:
            return np.where(told > LEVEL, p_values, told), found
        if (p_values[part], -own[part]) <= (box.p_value, -box.statistic):
            told[part] = p_values[part]
            left &= parts.labels != part
        else:
            found.append(box)
            left[box.rows] = False


def _next_box(
    search: "BoxSearch | None", left: IndexArray, found: list[Box], chance: Chance
) -> Box:
    """Return the most striking box; its p-value is 1 where there is none, or enough were told."""
    top = search.top(left) if search and len(found) < MOST_BOXES else _Top()
    if search is None or not top.statistic:
        return NO_BOX
    return search.box(top, left, float(chance.p_values(BOXES, np.array(top.statistic))))


class BoxSearch:
    """Counts of rows in all boxes of all pairs of columns.

    Parameters
    ----------
    columns : Table
        The table.
    null : NullHypothesis
        Its predictions say which columns are likelier, its probabilities what is to be expected.
    """

    def __init__(self, columns: Table, null: NullHypothesis) -> None:
        self._columns, self._predicted = columns, null.predicted
        self._intervals = intervals_of(columns)
        telling = what_columns_tell(self._intervals.bins, null.predicted)
        chosen = np.sort(np.argsort(-telling, kind="stable")[:MOST_COLUMNS]).tolist()
        self._pairs = list(combinations(chosen, 2)) or [(chosen[0], chosen[0])]
        first, second = np.array(self._pairs).T
        self._log_prior = log_prior(telling, first, second)
        self._first = self._intervals.members[first]
        self._second = self._intervals.members[second].transpose(0, 2, 1)
        self._cells = _cells(self._intervals, first, second)
        everybody = np.arange(null.predicted.size)
        self._n = self._counts(everybody)
        self._expected = [self._counts(everybody, p) for p in null.probabilities.T]

    def highest(self, codes: IndexArray) -> float:
        """Return the statistic of the most striking box."""
        return self.top(codes).statistic

    def top(self, codes: IndexArray) -> _Top:
        """Return the most striking box of all classes."""
        found = [self._top_of(code, codes) for code in range(len(self._expected))]
        return max(found, key=lambda each: each.statistic)

    def box(self, top: _Top, codes: IndexArray, p_value: float) -> Box:
        """Rows and words of a box."""
        pair, *intervals = top.position
        inside = np.ones(codes.size, dtype=np.bool_)
        limits, names = [], []
        whole = self._first.shape[1] - 1
        for column, interval in zip(self._pairs[pair], intervals, strict=True):
            if interval != whole:
                here = self._intervals.inside(column, interval)
                limits.append(interval_words(self._columns, here, column))
                names.append(self._columns.names[column])
                inside &= here
        rows = np.flatnonzero(inside & (codes == top.code))
        where, n_region = " and ".join(limits), int(inside.sum())
        return Box(top.code, rows, p_value, top.statistic, tuple(names), where, n_region)

    def _top_of(self, code: int, codes: IndexArray) -> _Top:
        own = np.flatnonzero(codes == code)
        hit = self._predicted[own] == code
        if (~hit).sum() < (1 - MOST_RECALL) * LEAST_SIZE:
            return _Top()
        observed, right, expected = self._counts(own), self._counts(own[hit]), self._expected[code]
        candidate = (observed >= LEAST_SIZE) & (right <= MOST_RECALL * observed)
        candidate[:, -1, -1] = False  # two whole columns are no box
        positions = np.nonzero(candidate & (observed > expected))
        if not positions[0].size:
            return _Top()
        statistics = scan_statistic(*(v[positions] for v in (observed, expected, self._n)))
        statistics += self._log_prior[positions[0]]
        best = int(statistics.argmax())
        pair, one, two = (int(axis[best]) for axis in positions)
        return _Top(max(float(statistics[best]), 0.0), code, (pair, one, two))

    def _counts(self, rows: IndexArray, weights: FloatArray | None = None) -> CountArray:
        """Rows in every box, as an array of (pair, first interval, second interval)."""
        n_pairs, n_bins = len(self._pairs), self._first.shape[2]
        cells = self._cells[rows]
        repeated = None if weights is None else np.repeat(weights, n_pairs)
        counts = np.bincount(cells.ravel(), repeated, minlength=n_pairs * n_bins**2)
        squares = counts.astype(np.float32).reshape(n_pairs, n_bins, n_bins)
        return np.asarray(self._first @ squares @ self._second)


def what_columns_tell(bins: IndexArray, predicted: IndexArray) -> FloatArray:
    """How much each column's bins tell about the predictions, beyond what chance would.

    That is the G statistic of independence less its mean and two standard deviations, or 0.
    """
    return np.array([_excess_of_g(column, predicted) for column in bins.T])


def _excess_of_g(bins: IndexArray, predicted: IndexArray) -> float:
    n_classes = int(predicted.max()) + 1
    counts = np.bincount(bins * n_classes + predicted, minlength=(N_BINS + 1) * n_classes)
    counts = counts.reshape(-1, n_classes)
    counts = counts[counts.sum(axis=1) > 0][:, counts.sum(axis=0) > 0]
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / bins.size
    freedom = (counts.shape[0] - 1) * (counts.shape[1] - 1)
    g = 2 * xlogy(counts, counts / expected).sum()
    return float(max(g - freedom - 2 * np.sqrt(2 * freedom), 0.0))


def log_prior(telling: FloatArray, first: IndexArray, second: IndexArray) -> FloatArray:
    """Logarithm of the prior of each pair of columns, relative to columns that are all alike."""
    total = telling.sum()
    if not total:
        return np.zeros(first.size)
    relative = EVEN_SHARE + (1 - EVEN_SHARE) * telling.size * telling / total
    return np.asarray(np.log(relative[first] * relative[second]))


def _cells(intervals: Intervals, first: IndexArray, second: IndexArray) -> NDArray[np.int32]:
    """Find each row's cell in each pair of columns; every pair has cells of its own."""
    bins, n_bins = intervals.bins, intervals.members.shape[2]
    cells = (np.arange(first.size) * n_bins + bins[:, first]) * n_bins + bins[:, second]
    return np.asarray(cells, dtype=np.int32)
