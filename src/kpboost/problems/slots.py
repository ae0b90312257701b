"""Values of all two-class problems at all rows, in as few arrays as rows take part in problems.

A row of K classes takes part in K - 1 pairs of K (K - 1) / 2, or in all K problems of one class
against the rest. So an array (slots, ..., rows) with K - 1 or K slots holds what an array
(problems, ..., rows) would hold with zeros elsewhere: the slot of a problem at a row is that of
the row's class, and :func:`slot_table` tells it.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .binary_problems import class_pairs

IndexArray = NDArray[np.intp]

# Where a class does not take part in a problem.
NO_SLOT = -1


def slot_table(n_classes: int, multi_class: str) -> IndexArray:
    """Slot of each problem at the rows of each class.

    Parameters
    ----------
    n_classes : int
        Number of classes, at least 2.
    multi_class : {"one_vs_one", "one_vs_rest"}
        How more than two classes are split.

    Returns
    -------
    ndarray of shape (n_problems, n_classes)
        Numbers from 0, or NO_SLOT; each number once in every column.
    """
    if n_classes > 2 and multi_class == "one_vs_rest":
        return np.tile(np.arange(n_classes)[:, None], n_classes)
    pairs = class_pairs(n_classes)
    table = np.full((len(pairs), n_classes), NO_SLOT, dtype=np.intp)
    problems = np.arange(len(pairs))
    table[problems, pairs[:, 0]] = pairs[:, 1] - 1  # the other classes, numbered without a gap
    table[problems, pairs[:, 1]] = pairs[:, 0]
    return table


def problems_of_class(table: IndexArray, code: int) -> IndexArray:
    """Return the problems that a class takes part in, in the order of their slots."""
    problems = np.flatnonzero(table[:, code] != NO_SLOT)
    return problems[np.argsort(table[problems, code])]


def put(slots: NDArray[Any], values: NDArray[Any], row_slots: IndexArray, rows: IndexArray) -> None:
    """Write a problem's values at its rows into their slots.

    Parameters
    ----------
    slots : ndarray of shape (n_slots, n_rounds, n)
    values : ndarray of shape (n_done, n_own)
        One line for each round that was done, at most n_rounds.
    row_slots : ndarray of shape (n_own,)
        Slots of the problem at its rows.
    rows : ndarray of shape (n_own,)
    """
    slots[row_slots, : len(values), rows] = values.T


def spread(slots: NDArray[Any], table: IndexArray, codes: IndexArray) -> NDArray[Any]:
    """Return the array by problems: zeros at rows that do not take part.

    Parameters
    ----------
    slots : ndarray of shape (n_slots, n_rounds, n)
    table : ndarray of shape (n_problems, n_classes)
        From :func:`slot_table`.
    codes : ndarray of shape (n,)
        Number of each row's class; negative for rows of none.

    Returns
    -------
    ndarray of shape (n_problems, n_rounds, n)
    """
    full = np.zeros((len(table), *slots.shape[1:]), dtype=slots.dtype)
    for own, of_class in zip(full, table, strict=True):
        slot = np.where(codes < 0, NO_SLOT, of_class[codes])
        rows = np.flatnonzero(slot != NO_SLOT)
        own[:, rows] = slots[slot[rows], :, rows].T
    return full
