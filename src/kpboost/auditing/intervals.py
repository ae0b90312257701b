"""Every column cut into bins, and the runs of bins that count as intervals.

A number column has bins of equally many rows, a nominal one a bin for each of its most common
categories, and both have one for missing values. Categories have no order, so only single bins are
intervals there. The whole column is an interval, too.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kpboost.recipes import Columns

FloatArray = NDArray[np.float64]
IndexArray = NDArray[np.intp]
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


def intervals_of(columns: Columns) -> Intervals:
    """Cut all columns of a table."""
    cut = [
        _common_categories(values) if nominal else _quantile_bins(values)
        for values, nominal in zip(columns.values.T, columns.nominal, strict=True)
    ]
    runs, singles = _runs(LENGTHS), _runs((1,))
    singles = np.vstack([singles, np.zeros((len(runs) - len(singles), N_BINS + 1), np.float32)])
    members = [_with_ends(singles if nominal else runs) for nominal in columns.nominal]
    return Intervals(np.column_stack(cut), np.array(members))


def interval_words(columns: Columns, rows: NDArray[np.bool_], column: int) -> str:
    """Say what the rows of an interval have in common."""
    known = columns.values[rows, column]
    name, known = columns.names[column], known[~np.isnan(known)]
    if known.size == 0:
        return f"{name} missing"
    low, high = (columns.show_value(float(end), column) for end in (known.min(), known.max()))
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
