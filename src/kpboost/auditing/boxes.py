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

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from kpboost.recipes import Columns

from .chance import (
    LEAST_SIZE,
    MOST_RECALL,
    N_DRAWS,
    Answers,
    drawn_labels,
    p_values,
    scan_statistic,
)
from .intervals import CountArray, Intervals, interval_words, intervals_of

FloatArray = NDArray[np.float64]
IndexArray = NDArray[np.intp]

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
