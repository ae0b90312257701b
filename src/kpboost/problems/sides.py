"""Which side of a two-class problem is the positive one."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .binary_problems import BinaryProblem

FloatArray = NDArray[np.float64]


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
