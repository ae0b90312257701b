"""Sizes of disjuncts from two ratios: between the classes, and between the disjuncts of a class."""

from __future__ import annotations

from math import isfinite
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


def disjunct_sizes(
    n_samples: int,
    *,
    n_classes: int = 2,
    n_disjuncts: int = 3,
    imbalance_ratio: float = 4.0,
    size_ratio: float = 8.0,
) -> list[list[int]]:
    """Sizes for :func:`make_disjuncts`, falling geometrically from the first to the last.

    Parameters
    ----------
    n_samples : int
        Number of points in all; at least one for every disjunct.
    n_classes : int, default=2
        Number of classes, the largest first.
    n_disjuncts : int, default=3
        Number of disjuncts of each class, the largest first.
    imbalance_ratio : float, default=4.0
        Size of the largest class by that of the smallest, at least 1. Rounding to whole
        points changes it a little. IR
    size_ratio : float, default=8.0
        Size of a class's largest disjunct by that of its smallest, at least 1.

    Returns
    -------
    list of lists of int
        One list per class; they sum to ``n_samples``.

    Examples
    --------
    >>> from kpboost.datasets import disjunct_sizes
    >>> disjunct_sizes(100, n_disjuncts=2, imbalance_ratio=4, size_ratio=3)
    [[60, 20], [15, 5]]
    """
    for name, count in (("n_classes", n_classes), ("n_disjuncts", n_disjuncts)):
        _check_count(name, count, 1)
    _check_count("n_samples", n_samples, n_classes * n_disjuncts)
    for name, ratio in (("imbalance_ratio", imbalance_ratio), ("size_ratio", size_ratio)):
        _check_ratio(name, ratio)
    shares = np.outer(_falling(n_classes, imbalance_ratio), _falling(n_disjuncts, size_ratio))
    whole = _rounded_to_sum(shares.ravel(), n_samples)
    return [[int(size) for size in row] for row in whole.reshape(shares.shape)]


def _falling(count: int, ratio: float) -> FloatArray:
    """Return shares in geometric progression; they sum to 1, and first by last is the ratio."""
    values = np.geomspace(ratio, 1.0, count)
    return np.asarray(values / values.sum())


def _rounded_to_sum(shares: FloatArray, total: int) -> NDArray[np.intp]:
    """Return positive whole numbers in about these shares, by largest remainders."""
    exact = np.maximum(shares * total - 1, 0)
    exact *= (total - shares.size) / exact.sum() if exact.any() else 0
    whole = np.floor(exact).astype(np.intp)
    missing = total - shares.size - int(whole.sum())
    whole[np.argsort(whole - exact, kind="stable")[:missing]] += 1
    return whole + 1


def _check_count(name: str, value: Any, least: int) -> None:
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    if not (whole and value >= least):
        raise ValueError(
            f"{name}={value!r} is not allowed; it must be a whole number of at least {least}."
        )


def _check_ratio(name: str, value: Any) -> None:
    number = isinstance(value, Real) and not isinstance(value, bool)
    if not (number and isfinite(value) and value >= 1):
        raise ValueError(f"{name}={value!r} is not allowed; it must be a number of at least 1.")
