"""Rows that stand in a table more than once, and whether they are copies of one record.

In a table of a few categories rows repeat by themselves, and new rows will repeat them too. Where
that is next to impossible, two rows that agree in all features are the same record twice: by a
join, by an export, or by oversampling. A model that has seen one of them is no judge of the other.

Two rows agree in column j by chance with probability P_j = sum of squared shares of its values.
Columns that have nothing to do with each other would let n rows agree n (n - 1) / 2 prod_j P_j
times; as columns do have to do with each other, half of the evidence is taken: prod_j sqrt(P_j).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kpboost._typing import FloatArray, IndexArray

# Rows repeat by themselves if so many pairs of them are to be expected.
MOST_EXPECTED = 0.05
# A column that hardly ever repeats a value is evidence enough by itself: so many values at least,
# and so many per different row.
FEWEST_VALUES, MEASUREMENT = 20, 0.5
# Different rows of a class from which on copies can be kept together, also in inner folds.
FEWEST_DIFFERENT = 3


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
    if n_copies == 0 or _repeats_by_itself(X[different]):
        return CopiedRows()
    fewest = np.bincount(codes[different], minlength=int(codes.max()) + 1).min()
    return CopiedRows(n_copies, records if fewest >= FEWEST_DIFFERENT else None)


def _repeats_by_itself(rows: FloatArray) -> bool:
    """Tell whether different rows show that a table repeats rows by chance."""
    n_rows = len(rows)
    counts = [np.unique(column, return_counts=True)[1] for column in rows.T]
    if max(own.size for own in counts) >= max(FEWEST_VALUES, MEASUREMENT * n_rows):
        return False
    evidence = sum(np.log(np.square(own / n_rows).sum()) for own in counts) / 2
    return bool(np.log(n_rows * (n_rows - 1) / 2 + 1) + evidence > np.log(MOST_EXPECTED))


def copy_sentences(n_copies: int, n_rows: int, are_together: bool) -> tuple[str, ...]:
    """Say how many rows are copies, and what became of them; nothing of none."""
    if n_copies == 0:
        return ()
    many = "1 row agrees with another" if n_copies == 1 else f"{n_copies:,} rows agree with others"
    then = (
        "Such copies stay in one fold"
        if are_together
        else "A class has too few different rows to keep them in one fold: scores may be too good"
    )
    return (
        f"Of {n_rows:,} rows, {many} in every feature. {then}; leave copies out unless they are "
        "separate cases.",
    )
