"""Rows that stand in a table more than once, and whether they are copies of one record.

In a table of a few categories rows repeat by themselves, and new rows will repeat them too. Where a
column holds measurements that hardly ever repeat, two rows that are equal in all columns are the
same record twice: by a join, by an export, or by oversampling. A model that has seen one of them
is no judge of the other.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kpboost._typing import FloatArray, IndexArray

# A column holds measurements if it has at least so many values, and so many per different row.
FEWEST_VALUES, MEASUREMENT = 20, 0.5
# Different rows of a class from which on copies can be kept together in five folds.
FEWEST_DIFFERENT = 5


@dataclass(frozen=True, eq=False)
class CopiedRows:
    """Copies in a table.

    Attributes
    ----------
    n_copies : int
        Rows beyond the first of every record.
    records : ndarray of shape (n_rows,), or None
        Number of every row's record, for folds that keep copies together. None if there are no
        copies, or if a class has too few records for that.
    """

    n_copies: int = 0
    records: IndexArray | None = None

    @property
    def are_together(self) -> bool:
        """Whether folds keep copies together."""
        return self.records is not None


def record_numbers(X: FloatArray) -> IndexArray:
    """Return a number for every row; rows that are equal in all columns have the same."""
    first: dict[int, int] = {}
    rows = np.ascontiguousarray(X + 0.0)  # -0.0 and 0.0 are equal
    return np.array([first.setdefault(hash(row.tobytes()), i) for i, row in enumerate(rows)])


def copied_rows(X: FloatArray, codes: IndexArray) -> CopiedRows:
    """Find the copies of records in a table.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_columns)
        Numbers, and codes of categories; nan is missing.
    codes : ndarray of shape (n_rows,)
        Numbers of the classes.

    Returns
    -------
    CopiedRows
        Without copies, if no row is repeated or if rows repeat by themselves.

    Examples
    --------
    >>> import numpy as np
    >>> from kpboost.datasets import copied_rows
    >>> X = np.random.default_rng(0).normal(size=(50, 3))
    >>> y = np.arange(50) % 2
    >>> copied_rows(np.vstack([X, X[:7]]), np.append(y, y[:7])).n_copies
    7
    >>> copied_rows(np.round(X), y).n_copies
    0
    """
    records = record_numbers(X)
    different = np.unique(records)
    n_copies = int(records.size - different.size)
    if n_copies == 0 or not _has_measurements(X[different]):
        return CopiedRows()
    fewest = np.bincount(codes[different], minlength=int(codes.max()) + 1).min()
    return CopiedRows(n_copies, records if fewest >= FEWEST_DIFFERENT else None)


def _has_measurements(rows: FloatArray) -> bool:
    """Tell whether a column of different rows hardly ever repeats a value."""
    fewest = max(FEWEST_VALUES, MEASUREMENT * len(rows))
    return any(np.unique(column).size >= fewest for column in rows.T)


def copy_sentences(n_copies: int, n_rows: int, are_together: bool) -> tuple[str, ...]:
    """Say how many rows are copies, and what became of them; nothing of none."""
    if n_copies == 0:
        return ()
    many = "1 row repeats another" if n_copies == 1 else f"{n_copies:,} rows repeat others"
    then = (
        "Copies stay in one fold"
        if are_together
        else "A class has too few different rows to keep copies in one fold: scores may be too good"
    )
    return (
        f"Of {n_rows:,} rows, {many} in every column. {then}; leave them out unless they are "
        "separate cases.",
    )
