"""Many classes as a list of two-class problems: which rows take part, and on which side.

Classes are numbered 0..K-1 in sorted order. A problem's target is +1 for the class it is named
after last, so that for two classes a positive decision means the second one.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kpboost._typing import FloatArray, IndexArray


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


def positive_sides(
    problems: Sequence[BinaryProblem], weight: FloatArray, classes: NDArray[Any], pos_label: Any
) -> FloatArray:
    """Return +1 where the target +1 of a problem is the positive class, -1 where it is not.

    Parameters
    ----------
    problems : sequence of BinaryProblem
    weight : ndarray of shape (n,)
        Sample weights.
    classes : ndarray of shape (n_classes,)
        Sorted labels.
    pos_label : label or None
        The positive class of a two-class problem; None takes the side with the smaller total
        weight, and on a tie the class that comes first.

    Returns
    -------
    ndarray of shape (n_problems,)
    """
    if pos_label is not None:
        return np.array([_given_side(classes, pos_label)])
    return np.array([_rarer_side(problem, weight, classes.size) for problem in problems])


def _given_side(classes: NDArray[Any], pos_label: Any) -> float:
    if classes.size > 2:
        raise ValueError(
            f"pos_label={pos_label!r} is for two classes; y has {classes.size}, where the rarer "
            "side of every two-class problem is positive: leave it at None."
        )
    found = np.flatnonzero(classes == pos_label) if np.ndim(pos_label) == 0 else np.empty(0)
    if found.size != 1:
        raise ValueError(
            f"pos_label={pos_label!r} is not a label of y; it must be one of {classes.tolist()}."
        )
    return 1.0 if found[0] == 1 else -1.0


def _rarer_side(problem: BinaryProblem, weight: FloatArray, n_classes: int) -> float:
    own = weight[problem.rows]
    up, down = own[problem.target > 0].sum(), own[problem.target < 0].sum()
    if up == down:  # of a pair the earlier class has target -1; one class against the rest +1
        return -1.0 if problem.rows.size < weight.size or n_classes == 2 else 1.0
    return 1.0 if up < down else -1.0


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


# Summed confidences are squeezed into (-1/3, 1/3): two classes one vote apart then differ by more
# than 1/3, so confidences order tied classes and never overrule a vote.
CONFIDENCE_RANGE = 1.0 / 3.0


def one_vs_one_scores(values: NDArray[np.float64], n_classes: int) -> NDArray[np.float64]:
    """Votes per class, with ties ordered by the machines' summed confidences.

    This is the aggregation scikit-learn publishes for one-vs-one machines: each machine votes for
    one class of its pair; the sum of a class's confidences, s, enters as s / (3 (|s| + 1)).

    Parameters
    ----------
    values : ndarray of shape (n, n_classes * (n_classes - 1) / 2)
        Decision values in the order of :func:`~kpboost.problems._multiclass.class_pairs`; a
        positive value means the later class of the pair.
    n_classes : int
        Number of classes.

    Returns
    -------
    ndarray of shape (n, n_classes)
        Scores; the largest one is the predicted class.
    """
    earlier, later = _membership(n_classes)
    from_earlier = later - earlier
    votes = earlier.sum(axis=0) + (values > 0.0) @ from_earlier
    confidence = values @ from_earlier
    return np.asarray(votes + CONFIDENCE_RANGE * confidence / (np.abs(confidence) + 1.0))


def predicted_codes(scores: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the number of the predicted class: by sign for two, else by the largest score."""
    if scores.ndim == 1:
        return (scores > 0).astype(np.intp)
    return np.asarray(scores.argmax(axis=1))


def _membership(n_classes: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Mark the earlier and the later class of each pair, in two matrices (pairs, classes)."""
    identity = np.eye(n_classes)
    pairs = class_pairs(n_classes)
    return identity[pairs[:, 0]], identity[pairs[:, 1]]
