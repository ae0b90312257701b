"""Tell missed parts of classes from what chance produces: disjuncts, and boxes of columns.

Disjuncts are found with the very labels that the model fails to predict. A few unlucky rows beyond
the border form a fragment that is missed altogether, and no test that takes the fragment as
given can tell it from a sub-concept. So chance gets the same freedom. The null hypothesis is that
the model's predictions are the best possible ones: its errors are unavoidable, with probabilities
under which each prediction is the likeliest class. Labels are drawn from these probabilities again
and again; each time disjuncts are found anew, and the most striking missed one is noted. A real
disjunct is flagged if it is more striking than that in 95 % of the draws. The chance of any false
flag in the data is then at most 5 %, however many disjuncts there are.

How striking a disjunct is: among the rows at its places and around them, O of n have its class
where E were expected. The scan statistic (a log-likelihood ratio)

    O log(O / E) + (n - O) log((n - O) / (n - E))      if O > E, otherwise 0

is high for a tight group of the class and low for a fragment between rows of other classes.

In many columns the nearest neighbours of a row are decided by columns that mean nothing, and a part
of a class that shows in two of them falls to pieces. So there is a second search, among boxes: an
interval of one column, or of two. A box is striking for a class by the same statistic, over its own
rows, and chance gets the same freedom: all boxes of all pairs of columns are looked at under the
drawn labels, too.
"""

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from kpboost._typing import FloatArray, IndexArray
from kpboost.datasets import Table
from kpboost.disjuncts import NOBODY

from ._null import NullHypothesis
from ._parts import Parts, Places, parts_of

Counts = FloatArray | NDArray[np.float32]

# Fewer rows could be a handful of wrong labels, and no interval says much about them.
LEAST_SIZE = 5
# A disjunct is missed if no more than this share of its rows is recognised.
MOST_RECALL = 0.5
# The smallest p-value is 1 / (1 + N_DRAWS).
N_DRAWS = 199
LEVEL = 0.05


def missed_p_values(
    null: NullHypothesis, codes: IndexArray, parts: Parts, *, seed: int, n_draws: int = N_DRAWS
) -> FloatArray:
    """p-value of each disjunct, corrected for all of them.

    Parameters
    ----------
    null : NullHypothesis
    codes : ndarray of shape (n_rows,)
        Numbers of the true classes.
    parts : Parts
        Disjuncts of these classes.
    seed : int
        Seed of the draws.
    n_draws : int, default=199
        Number of draws.

    Returns
    -------
    ndarray of shape (n_parts,)
        1 where a disjunct is too small, or most of it is recognised.
    """
    own = scan_statistics(null, codes, parts)
    if not own.any():
        return np.ones(own.size)
    random = np.random.default_rng(seed)
    highest = np.array([_highest(null, random) for _ in range(n_draws)])
    return np.where(own > 0, p_values(own, highest), 1.0)


def p_values(own: FloatArray, highest: FloatArray) -> FloatArray:
    """How often chance is as striking: shares of the draws, the data themselves counted as one.

    Parameters
    ----------
    own : ndarray
        Statistics of the data.
    highest : ndarray of shape (n_draws,)
        The highest statistic of each draw.

    Returns
    -------
    ndarray
        Of the shape of `own`.
    """
    as_high = np.greater_equal.outer(highest, own).sum(axis=0)
    return np.asarray((1 + as_high) / (1 + highest.size))


def scan_statistics(null: NullHypothesis, codes: IndexArray, parts: Parts) -> FloatArray:
    """How striking each disjunct is; 0 for those that are too small or mostly recognised."""
    right = np.bincount(parts.labels, weights=null.predicted == codes)
    candidate = (parts.sizes >= LEAST_SIZE) & (right <= MOST_RECALL * parts.sizes)
    if not candidate.any():
        return np.zeros(parts.sizes.size)
    part, place = _around(null.places, parts, candidate)
    owner = parts.owners[part]

    def total(values: FloatArray | IndexArray) -> FloatArray:
        return np.bincount(part, weights=values, minlength=candidate.size).astype(np.float64)

    counts = null.places.counts(codes, null.probabilities.shape[1])
    n, observed = total(null.places.weights[place]), total(counts[place, owner])
    expected = total(null.expected[place, owner])
    striking = np.zeros(candidate.size)
    above = candidate & (observed > expected)
    striking[above] = scan_statistic(observed[above], expected[above], n[above])
    return striking


def scan_statistic(observed: Counts, expected: Counts, n: Counts) -> FloatArray:
    """Compare observed counts with lower expected ones, out of n: the formula above."""
    observed, expected, n = (np.asarray(v, dtype=np.float64) for v in (observed, expected, n))
    other, least = n - observed, np.finfo(np.float64).tiny
    ratio = xlogy(observed, observed / np.maximum(expected, least))
    return np.asarray(ratio + xlogy(other, other / np.maximum(n - expected, least)))


def drawn_labels(probabilities: FloatArray, random: np.random.Generator) -> IndexArray:
    """Draw a class for each row."""
    steps = np.cumsum(probabilities, axis=1)[:, :-1]
    return np.asarray((random.random((steps.shape[0], 1)) > steps).sum(axis=1))


def _highest(null: NullHypothesis, random: np.random.Generator) -> float:
    """Highest statistic under labels drawn from the probabilities."""
    codes = drawn_labels(null.probabilities, random)
    return float(scan_statistics(null, codes, parts_of(null.places, codes)).max())


def _around(
    places: Places, parts: Parts, candidate: NDArray[np.bool_]
) -> tuple[IndexArray, IndexArray]:
    """Pairs of a candidate and a place that it has rows at or that is near one, each once."""
    n_places = places.weights.size
    members = np.flatnonzero(candidate[parts.labels])
    own = np.unique(parts.labels[members] * n_places + places.numbers[members])
    part, place = np.divmod(own, n_places)
    near = np.column_stack([place, places.around[place]])
    keys = part[:, None] * n_places + near
    return np.divmod(np.unique(keys[near != NOBODY]), n_places)


# In so few columns neighbours see all that a box shows.
COLUMNS_WITHOUT_BOXES = 2
# The number of pairs grows with the square of the columns. Of more columns, those are taken that
# differ most between the predicted classes: labels must have no say, or chance would need one too.
MOST_COLUMNS = 30
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
    """A missed part of a class: number of the class, its rows, p-value, columns and limits.

    ``n_region`` counts the rows of all classes between the limits.
    """

    code: int
    rows: IndexArray
    p_value: float
    columns: tuple[str, ...]
    where: str
    n_region: int = 0


@dataclass(frozen=True, slots=True)
class _Top:
    """The most striking box under some labels: its statistic, class, pair and two intervals."""

    statistic: float = 0.0
    code: int = TAKEN
    position: tuple[int, int, int] = (0, 0, 0)


def missed_boxes(
    columns: Table,
    null: NullHypothesis,
    codes: IndexArray,
    taken: IndexArray,
    *,
    level: float,
    seed: int,
    n_draws: int = N_DRAWS,
) -> list[Box]:
    """Find the boxes that are more striking than chance makes them.

    Parameters
    ----------
    columns : Table
        The table.
    null : NullHypothesis
    codes : ndarray of shape (n_rows,)
        Numbers of the true classes.
    taken : ndarray of int
        Rows that are known to be missed; they count for no box.
    level : float
        Largest p-value of a box that is returned.
    seed : int
        Seed of the draws.
    n_draws : int, default=199
        Number of draws.

    Returns
    -------
    list of Box
        From the most striking on; no row is in two of them.
    """
    search = _Search(columns, null)
    left = codes.copy()
    left[taken] = TAKEN
    top = search.top(left)
    if not top.statistic:
        return []
    random = np.random.default_rng(seed)
    highest = np.array(
        [search.top(drawn_labels(null.probabilities, random)).statistic for _ in range(n_draws)]
    )
    found: list[Box] = []
    while top.statistic and len(found) < MOST_BOXES:
        p_value = float(p_values(np.array(top.statistic), highest))
        if p_value > level:
            break
        found.append(search.box(top, left, p_value))
        left[found[-1].rows] = TAKEN
        top = search.top(left)
    return found


class _Search:
    """Counts of rows in all boxes of all pairs of columns."""

    def __init__(self, columns: Table, null: NullHypothesis) -> None:
        self._columns, self._predicted = columns, null.predicted
        self._intervals = intervals_of(columns)
        chosen = chosen_columns(self._intervals.bins, null.predicted)
        self._pairs = list(combinations(chosen, 2)) or [(chosen[0], chosen[0])]
        first, second = np.array(self._pairs).T
        self._first = self._intervals.members[first]
        self._second = self._intervals.members[second].transpose(0, 2, 1)
        self._cells = _cells(self._intervals, first, second)
        everybody = np.arange(null.predicted.size)
        self._n = self._counts(everybody)
        self._expected = [self._counts(everybody, p) for p in null.probabilities.T]

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
        words = " and ".join(limits)
        return Box(top.code, rows, p_value, tuple(names), words, n_region=int(inside.sum()))

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
        best = int(statistics.argmax())
        pair, one, two = (int(axis[best]) for axis in positions)
        return _Top(float(statistics[best]), code, (pair, one, two))

    def _counts(self, rows: IndexArray, weights: FloatArray | None = None) -> CountArray:
        """Rows in every box, as an array of (pair, first interval, second interval)."""
        n_pairs, n_bins = len(self._pairs), self._first.shape[2]
        cells = self._cells[rows]
        repeated = None if weights is None else np.repeat(weights, n_pairs)
        counts = np.bincount(cells.ravel(), repeated, minlength=n_pairs * n_bins**2)
        squares = counts.astype(np.float32).reshape(n_pairs, n_bins, n_bins)
        return np.asarray(self._first @ squares @ self._second)


def chosen_columns(bins: IndexArray, predicted: IndexArray) -> list[int]:
    """Columns to pair: all, or those whose bins differ most between the predicted classes."""
    if bins.shape[1] <= MOST_COLUMNS:
        return list(range(bins.shape[1]))
    sizes = np.maximum(np.bincount(predicted), 1)[:, None]
    sums = np.array([np.bincount(predicted, weights=column) for column in bins.T]).T
    between = (sizes * (sums / sizes - bins.mean(axis=0)) ** 2).sum(axis=0)
    share = between / np.maximum(bins.var(axis=0), np.finfo(np.float64).tiny)
    return sorted(np.argsort(-share, kind="stable")[:MOST_COLUMNS].tolist())


def _cells(intervals: Intervals, first: IndexArray, second: IndexArray) -> NDArray[np.int32]:
    """Find each row's cell in each pair of columns; every pair has cells of its own."""
    bins, n_bins = intervals.bins, intervals.members.shape[2]
    cells = (np.arange(first.size) * n_bins + bins[:, first]) * n_bins + bins[:, second]
    return np.asarray(cells, dtype=np.int32)
