"""The smallest and strangest data that a classifier must answer on."""

import numpy as np
import pytest

DEGENERATE = {
    "two points": ([[0.0], [1.0]], [0, 1]),
    "class of one": ([[0.0], [1.0], [1.5], [4.0]], [0, 1, 1, 1]),
    "class of one of three": ([[0.0], [1.0], [1.5], [4.0], [5.0]], [0, 1, 1, 2, 2]),
    "all duplicates": (np.ones((6, 2)), [0, 0, 0, 0, 1, 1]),
    "constant column": (np.c_[np.ones(6), np.arange(6.0)], [0, 0, 0, 1, 1, 1]),
}

on_degenerate_data = pytest.mark.parametrize(
    ("X", "y"),
    [(np.asarray(X), np.asarray(y)) for X, y in DEGENERATE.values()],
    ids=list(DEGENERATE),
)
