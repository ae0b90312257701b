"""Many classes as a list of two-class problems: which rows take part, and on which side.

Classes are numbered 0..K-1 in sorted order. A problem's target is +1 for the class it is named
after last, so that for two classes a positive decision means the second one.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class BinaryProblem:
    """Rows of the training set that take part, and their targets, -1 or +1."""

    rows: NDArray[np.intp]
    target: NDArray[np.float64]


def binary_problems(
    codes: NDArray[np.intp], n_classes: int, multi_class: str
) -> Iterator[BinaryProblem]:
    """Two-class problems of a classification; a single one for two classes.

    Parameters
    ----------
    codes : ndarray of shape (n,)
        Number of each row's class, 0 to n_classes - 1.
    n_classes : int
        Number of classes, at least 2.
    multi_class : {"one_vs_one", "one_vs_rest"}
        How more than two classes are split.

    Returns
    -------
    iterator of BinaryProblem
    """
    if n_classes == 2 or multi_class == "one_vs_one":
        return one_vs_one(codes, n_classes)
    return one_vs_rest(codes, n_classes)


def class_pairs(n_classes: int) -> NDArray[np.intp]:
    """Pairs in scikit-learn's order: (0, 1), (0, 2), ..., (1, 2), ...; one pair per row."""
    return np.array(list(combinations(range(n_classes), 2)), dtype=np.intp)


def one_vs_one(codes: NDArray[np.intp], n_classes: int) -> Iterator[BinaryProblem]:
    """One problem per pair of classes, on the rows of that pair; +1 is the later class."""
    for first, second in class_pairs(n_classes):
        rows = np.flatnonzero((codes == first) | (codes == second))
        yield BinaryProblem(rows, np.where(codes[rows] == second, 1.0, -1.0))


def one_vs_rest(codes: NDArray[np.intp], n_classes: int) -> Iterator[BinaryProblem]:
    """One problem per class, on all rows; +1 is that class."""
    rows = np.arange(codes.size)
    for one in range(n_classes):
        yield BinaryProblem(rows, np.where(codes == one, 1.0, -1.0))
