"""Missed parts of classes that show in one or two columns of many.

In many columns the nearest neighbours of a row are decided by columns that mean nothing, and a part
of a class that shows in two of them falls to pieces. So the audit looks a second time, at boxes:
an interval of one column, or of two. A box is striking for a class if O of its n rows have this
class where E were to be expected (the scan statistic of `chance`), while the model recognises at
most half of the O.

Chance gets the same freedom here as there. Labels are drawn from the probabilities under which the
model's answers are the best possible ones, all boxes of all pairs of columns are looked at anew,
and the most striking one is noted.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from kpboost._typing import FloatArray, IndexArray
from kpboost.methods import Columns

from ._records import Description, Trait, WrongNeighbour
from ._significance import (
    LEAST_SIZE,
    MOST_RECALL,
    N_DRAWS,
    Answers,
    CountArray,
    Intervals,
    drawn_labels,
    interval_words,
    intervals_of,
    p_values,
    scan_statistic,
)

# In so few columns neighbours see all that a box shows.
COLUMNS_WITHOUT_BOXES = 2
# The number of pairs grows with the square of the columns. Of more columns, those are taken that
# differ most between the predicted classes: labels must have no say, or chance would need one too.
MOST_COLUMNS = 30
# A model that is wrong everywhere would fill the page.
MOST_BOXES = 10
TAKEN = -1


@dataclass(frozen=True, slots=True, eq=False)
class Box:
    """A missed part of a class: number of the class, its rows, p-value, columns and limits."""

    code: int
    rows: IndexArray
    p_value: float
    columns: tuple[str, ...]
    where: str


@dataclass(frozen=True, slots=True)
class _Top:
    """The most striking box under some labels: its statistic, class, pair and two intervals."""

    statistic: float = 0.0
    code: int = TAKEN
    place: tuple[int, int, int] = (0, 0, 0)


def missed_boxes(
    columns: Columns,
    answers: Answers,
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
    columns : Columns
        The table.
    answers : Answers
        The model's answers and the probabilities of the null hypothesis.
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
    search = _Search(columns, answers)
    left = codes.copy()
    left[taken] = TAKEN
    top = search.top(left)
    if not top.statistic:
        return []
    random = np.random.default_rng(seed)
    highest = np.array(
        [search.top(drawn_labels(answers.probabilities, random)).statistic for _ in range(n_draws)]
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

    def __init__(self, columns: Columns, answers: Answers) -> None:
        self._columns, self._predicted = columns, answers.predicted
        self._intervals = intervals_of(columns)
        chosen = chosen_columns(self._intervals.bins, answers.predicted)
        self._pairs = list(combinations(chosen, 2)) or [(chosen[0], chosen[0])]
        first, second = np.array(self._pairs).T
        self._first = self._intervals.members[first]
        self._second = self._intervals.members[second].transpose(0, 2, 1)
        self._cells = _cells(self._intervals, first, second)
        everybody = np.arange(answers.predicted.size)
        self._n = self._counts(everybody)
        self._expected = [self._counts(everybody, p) for p in answers.probabilities.T]

    def top(self, codes: IndexArray) -> _Top:
        """Return the most striking box of all classes."""
        found = [self._top_of(code, codes) for code in range(len(self._expected))]
        return max(found, key=lambda each: each.statistic)

    def box(self, top: _Top, codes: IndexArray, p_value: float) -> Box:
        """Rows and words of a box."""
        pair, *intervals = top.place
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
        return Box(top.code, rows, p_value, tuple(names), " and ".join(limits))

    def _top_of(self, code: int, codes: IndexArray) -> _Top:
        own = np.flatnonzero(codes == code)
        hit = self._predicted[own] == code
        if (~hit).sum() < (1 - MOST_RECALL) * LEAST_SIZE:
            return _Top()
        observed, right, expected = self._counts(own), self._counts(own[hit]), self._expected[code]
        candidate = (observed >= LEAST_SIZE) & (right <= MOST_RECALL * observed)
        candidate[:, -1, -1] = False  # two whole columns are no box
        places = np.nonzero(candidate & (observed > expected))
        if not places[0].size:
            return _Top()
        statistics = scan_statistic(*(v[places] for v in (observed, expected, self._n)))
        best = int(statistics.argmax())
        pair, one, two = (int(axis[best]) for axis in places)
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


N_TRAITS = 3
N_WRONG = 3
# Columns that separate less than this tell a reader nothing.
LEAST_SEPARATION = 0.3
# Rows around a disjunct with which it is compared, per row of it.
CONFUSERS_PER_ROW = 3
# A number column is shown by its middle four fifths: one odd row should not make the range.
RANGE = (10, 90)


def describe(
    rows: IndexArray,
    columns: Columns,
    points: FloatArray,
    codes: IndexArray,
    predicted: IndexArray,
    names: Sequence[str],
) -> Description:
    """Describe one disjunct.

    Parameters
    ----------
    rows : ndarray of int
        Its rows.
    columns : Columns
        The table, for words.
    points : ndarray of shape (n_rows, n_directions)
        The prepared table, for distances.
    codes, predicted : ndarray of shape (n_rows,)
        Numbers of the true and of the predicted classes.
    names : sequence of str
        Names of the classes.

    Returns
    -------
    Description
    """
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
        medoid_values={name: columns.show(medoid, j) for j, name in enumerate(columns.names)},
        from_own_class=_traits(columns, rows, rest),
        from_confusers=_traits(columns, rows, confusers),
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


def _traits(columns: Columns, rows: IndexArray, others: IndexArray) -> tuple[Trait, ...]:
    """Columns that tell the rows from the others, the clearest first."""
    if others.size == 0:
        return ()
    traits = []
    for j, name in enumerate(columns.names):
        here, there = columns.values[rows, j], columns.values[others, j]
        measure = _nominal_separation if columns.nominal[j] else _separation
        clarity = measure(here[~np.isnan(here)], there[~np.isnan(there)])
        if clarity >= LEAST_SEPARATION:
            traits.append(Trait(name, _words(columns, here, j), _words(columns, there, j), clarity))
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


def _words(columns: Columns, values: FloatArray, column: int) -> str:
    known = values[~np.isnan(values)]
    if known.size == 0:
        return "missing"
    if columns.nominal[column]:
        codes, counts = np.unique(known, return_counts=True)
        share = counts.max() / known.size
        return f"{columns.show_value(float(codes[counts.argmax()]), column)} ({share:.0%})"
    low, high = (columns.show_value(float(end), column) for end in np.percentile(known, RANGE))
    return low if low == high else f"{low} to {high}"
