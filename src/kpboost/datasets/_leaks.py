"""What makes scores too good: columns that give the class away, and rows that stand twice.

Columns: a rule of one column is learnt on four fifths of the rows and asked about the last fifth,
in turn. So text that occurs once predicts nothing, and only what holds for rows that were not seen
counts.

Rows: in a table of a few categories rows repeat by themselves, and new rows will repeat them too.
Where that is next to impossible, two rows that agree in all features are the same record twice: by
a join, by an export, or by oversampling. A model that has seen one of them is no judge of the
other.

Two rows agree in column j by chance with probability P_j = sum of squared shares of its values.
Columns that have nothing to do with each other would let n rows agree n (n - 1) / 2 prod_j P_j
times; as columns do have to do with each other, half of the evidence is taken: prod_j sqrt(P_j).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import PredefinedSplit, cross_val_predict
from sklearn.tree import DecisionTreeClassifier

from kpboost._text import some_of
from kpboost._typing import BoolArray, FloatArray, IndexArray

# Balanced accuracy, out of fold, from which on one column is called a possible leak.
ALMOST_PERFECT = 0.98
# The same for a column that rises or falls with the row number: in a table that is sorted by class,
# a date of entry or a kept running number gives the class away, and no new row will have it.
IN_ROW_ORDER = 0.9
# From this rank correlation with the row number on, a column follows the order of the rows.
FOLLOWS_ROWS = 0.999
# If more than this share of the columns are almost perfect, the classes are easy, and no column
# stands out. A leak, a copy of it and one good column do not make them easy, however few columns
# there are.
EASY_SHARE, MOST_IN_NARROW = 0.5, 3
# Classes with fewer rows are left out of the look: one in every fold is the least.
FEWEST_MEMBERS = 5
N_FOLDS = 5
# A first look at every column, with bins of equally many rows; a column below this level there is
# not almost perfect with finer cuts either.
MOST_BINS, ROWS_PER_BIN, FIRST_LOOK = 64, 8, 0.85
# Categories times classes; beyond, a column is too scattered to predict anything almost perfectly.
MOST_CELLS = 1_000_000
# Columns in one sentence.
MOST_SHOWN = 20
# Larger tables are sampled: a rule of one column needs no more.
MOST_ROWS = 20_000


@dataclass(frozen=True)
class Leak:
    """A column that may give the class away.

    Attributes
    ----------
    column : str
        Its name.
    score : float
        Balanced accuracy, out of fold, of a small rule that sees nothing else.
    follows_rows : bool
        Whether the column follows the order of the rows.

    See Also
    --------
    possible_leaks : Finds them.
    leak_sentences : Says them in words.

    Examples
    --------
    >>> from kpboost.datasets import Leak
    >>> Leak("discharge_code", score=0.999).column
    'discharge_code'
    """

    column: str
    score: float
    follows_rows: bool = False


def possible_leaks(
    X: FloatArray, nominal: BoolArray, names: Sequence[str], y: NDArray[np.generic]
) -> tuple[Leak, ...]:
    """Return the columns that alone predict the class almost perfectly.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_columns)
        Numbers, and codes of categories; nan is missing.
    nominal : ndarray of bool of shape (n_columns,)
        Which columns hold codes.
    names : sequence of str
        Names of the columns.
    y : ndarray of shape (n_rows,)
        Labels.

    Returns
    -------
    tuple of Leak
        None where most columns do, and more than three, as the classes are easy then.

    Examples
    --------
    >>> import numpy as np
    >>> from kpboost.datasets import possible_leaks
    >>> y = np.repeat(["ill", "well"], [30, 70])
    >>> X = np.column_stack([np.arange(100.0) % 7, y == "ill"])
    >>> [leak.column for leak in possible_leaks(X, np.zeros(2, bool), ["ward", "bill"], y)]
    ['bill']
    """
    found = telling_columns(X, nominal, names, y)
    are_easy = len(found) > max(MOST_IN_NARROW, EASY_SHARE * len(names))
    return () if are_easy else found


def telling_columns(
    X: FloatArray, nominal: BoolArray, names: Sequence[str], y: NDArray[np.generic]
) -> tuple[Leak, ...]:
    """Return all columns that alone predict the class almost perfectly, be they most of them."""
    rows, codes = _rows_and_codes(y)
    if rows.size == 0:
        return ()
    folds = _folds(codes, record_numbers(X[rows]))
    looks = [
        _binned_score(X[rows, j], bool(is_nominal), codes, folds)
        for j, is_nominal in enumerate(nominal)
    ]
    return tuple(
        leak
        for j in np.flatnonzero(np.array(looks) >= FIRST_LOOK).tolist()
        if (leak := _leak(X[rows, j], bool(nominal[j]), names[j], codes, folds, looks[j]))
    )


def leak_sentences(leaks: Sequence[Leak]) -> tuple[str, ...]:
    """Say what was seen of all possible leaks, in one sentence; none of none."""
    if not leaks:
        return ()
    start, end = "Possible leak: column", "is it"
    if len(leaks) > 1:
        start, end = "Possible leaks: each of the columns", "are they"
    shown = some_of([_in_words(leak) for leak in leaks], MOST_SHOWN)
    alone = "alone predicts the class almost perfectly"
    return (f"{start} {shown} {alone}; {end} known before the class is?",)


def _in_words(leak: Leak) -> str:
    return f"{leak.column!r}{' (in the order of the rows)' if leak.follows_rows else ''}"


def _rows_and_codes(y: NDArray[np.generic]) -> tuple[IndexArray, IndexArray]:
    """Return the rows of classes that are large enough, and numbers of these classes."""
    codes = np.unique(y, return_inverse=True)[1]
    rows = _of_large_classes(np.arange(codes.size), codes)
    if rows.size > MOST_ROWS:  # every k-th row: the order stays, and so does what follows it
        rows = _of_large_classes(rows[:: -(-rows.size // MOST_ROWS)], codes)
    kinds, numbers = np.unique(codes[rows], return_inverse=True)
    return (rows, numbers) if kinds.size > 1 else (rows[:0], numbers[:0])


def _of_large_classes(rows: IndexArray, codes: IndexArray) -> IndexArray:
    own = codes[rows]
    return rows[np.bincount(own)[own] >= FEWEST_MEMBERS]


def _folds(codes: IndexArray, places: IndexArray) -> IndexArray:
    """Return the fold of every row: each class goes round the folds in its own order.

    Copies of a row share its fold, lest a column predict rows that it has seen; but not where a
    class has fewer different rows than there are folds.
    """
    folds = np.empty_like(codes)
    for code in range(int(codes.max()) + 1):
        own = np.flatnonzero(codes == code)
        distinct, place = np.unique(places[own], return_inverse=True)
        if distinct.size < N_FOLDS:
            distinct, place = own, np.arange(own.size)
        fold = np.empty(distinct.size, dtype=codes.dtype)
        fold[np.random.default_rng(0).permutation(distinct.size)] = (
            np.arange(distinct.size) % N_FOLDS
        )
        folds[own] = fold[place]
    return folds


def _binned_score(
    values: FloatArray, is_nominal: bool, codes: IndexArray, folds: IndexArray
) -> float:
    """Balanced accuracy of: the class that is most over-represented in the bin or category."""
    bins = _bins(values, is_nominal)
    n_bins, n_classes = int(bins.max()) + 1, int(codes.max()) + 1
    if n_bins * n_classes > MOST_CELLS:
        return 0.0
    cells = (folds * n_bins + bins) * n_classes + codes
    counts = np.bincount(cells, minlength=N_FOLDS * n_bins * n_classes)
    counts = counts.reshape(N_FOLDS, n_bins, n_classes)
    learnt = (counts.sum(axis=0) - counts) / np.bincount(codes)
    answers = np.where(learnt.any(axis=2), learnt.argmax(axis=2), np.bincount(codes).argmax())
    return _balanced(answers[folds, bins], codes)


def _bins(values: FloatArray, is_nominal: bool) -> IndexArray:
    """Return the bin of every row: a category, or one of equally many rows; missing is one too."""
    missing = np.isnan(values)
    if is_nominal:
        return np.unique(np.where(missing, -1.0, values), return_inverse=True)[1]
    known = np.sort(values[~missing])
    n_bins = min(MOST_BINS, max(2, known.size // ROWS_PER_BIN))
    limits = known[(np.arange(1, n_bins) * known.size) // n_bins] if known.size else known
    bins = np.searchsorted(np.unique(limits), values, side="right")
    return np.where(missing, n_bins, bins)


def _leak(
    values: FloatArray,
    is_nominal: bool,
    name: str,
    codes: IndexArray,
    folds: IndexArray,
    look: float,
) -> Leak | None:
    """Look at a promising column with cuts between any two values."""
    follows = not is_nominal and follows_rows(values)
    score = look if is_nominal else max(look, _tree_score(values, codes, folds))
    enough = score >= (IN_ROW_ORDER if follows else ALMOST_PERFECT)
    return Leak(name, score, follows) if enough else None


def _tree_score(values: FloatArray, codes: IndexArray, folds: IndexArray) -> float:
    """Balanced accuracy of a small tree on one column: two cuts for every class at most."""
    tree = DecisionTreeClassifier(
        class_weight="balanced", max_leaf_nodes=2 * (int(codes.max()) + 1), random_state=0
    )
    cv = PredefinedSplit(folds)
    return _balanced(cross_val_predict(tree, values.reshape(-1, 1), codes, cv=cv), codes)


def follows_rows(values: FloatArray) -> bool:
    """Tell whether a column of many values rises or falls with the row number."""
    known = values[~np.isnan(values)]
    distinct, ranks = np.unique(known, return_inverse=True)
    if distinct.size < known.size / 2 or known.size < 2 * FEWEST_MEMBERS:
        return False
    return bool(abs(np.corrcoef(ranks, np.arange(ranks.size))[0, 1]) >= FOLLOWS_ROWS)


def _balanced(answers: IndexArray, codes: IndexArray) -> float:
    sizes = np.bincount(codes)
    right = np.bincount(codes[answers == codes], minlength=sizes.size)
    return float(np.mean(right / sizes))


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
    found : ndarray of shape (n_rows,), or None
        Number of every row's record, whether or not they can be kept together; None if there are no
        copies.
    """

    n_copies: int = 0
    records: IndexArray | None = None
    found: IndexArray | None = None

    @property
    def are_together(self) -> bool:
        """Whether folds keep copies together."""
        return self.records is not None


def record_numbers(X: FloatArray) -> IndexArray:
    """Return the first row that is equal to each in all columns, missing values included."""
    first: dict[int, int] = {}
    rows = np.ascontiguousarray(np.where(np.isnan(X), np.nan, X) + 0.0)  # one NaN, and no -0.0
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
    return CopiedRows(n_copies, records if fewest >= FEWEST_DIFFERENT else None, records)


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
