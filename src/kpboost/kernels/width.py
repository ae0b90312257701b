"""The width of the RBF kernel, as gamma or as a length scale: gamma = 1 / (2 sigma^2)."""

from __future__ import annotations

import math
import sys
from numbers import Real
from typing import Any, overload

import numpy as np
import numpy.typing as npt
from scipy import sparse

from .points import Dense, Points, as_float64, as_points, check_finite

_RULES = ("scale", "auto")


def resolve_gamma(gamma: Any, X: Any, sample_weight: Any = None) -> float:
    """Return the number that `gamma` stands for on the points X.

    Parameters
    ----------
    gamma : {"scale", "auto"} or float
        "scale" is 1 / (n_features * variance of all entries of X), or 1 where that variance is 0;
        "auto" is 1 / n_features; a positive number is itself.
    X : array-like or sparse matrix of shape (n, d)
    sample_weight : array-like of shape (n,), default=None
        Weights for the variance: weight 2 counts a row twice, weight 0 leaves it out.

    Returns
    -------
    gamma : float
    """
    if not (isinstance(gamma, str) and gamma in _RULES):
        return positive_gamma(gamma, allowed='"scale", "auto" or a positive number')
    points = as_points(X, "X")
    n_features: int = points.shape[1]
    if gamma == "auto":
        return 1.0 / n_features
    return _gamma_from_variance(n_features * _variance(points, sample_weight))


def positive_gamma(gamma: Any, allowed: str = "a positive number") -> float:
    """Return gamma as a float, refusing anything but a positive finite number."""
    if isinstance(gamma, Real) and not isinstance(gamma, bool):
        value = float(gamma)
        if 0 < value < math.inf:
            return value
    raise ValueError(f"gamma is {gamma!r}; it must be {allowed}.")


@overload
def length_scale_to_gamma(length_scale: float) -> float: ...
@overload
def length_scale_to_gamma(length_scale: npt.ArrayLike) -> Dense: ...
def length_scale_to_gamma(length_scale: Any) -> Any:
    """Return gamma = 1 / (2 sigma^2) for a length scale sigma, or for an array of them."""
    sigma = _positive(length_scale, "length_scale")
    return _as_given(0.5 / sigma / sigma)


@overload
def gamma_to_length_scale(gamma: float) -> float: ...
@overload
def gamma_to_length_scale(gamma: npt.ArrayLike) -> Dense: ...
def gamma_to_length_scale(gamma: Any) -> Any:
    """Return the length scale sigma = 1 / sqrt(2 gamma), for a number or an array."""
    return _as_given(math.sqrt(0.5) / np.sqrt(_positive(gamma, "gamma")))


def _positive(values: Any, name: str) -> Dense:
    # not as_float64: that turns a number into an array of one
    array = np.asarray(values, dtype=np.float64)
    if not np.all((array > 0) & (array < np.inf)):
        raise ValueError(f"{name} is {values!r}; every value must be a positive finite number.")
    return array


def _as_given(values: Any) -> Any:
    return float(values) if np.ndim(values) == 0 else values


def _gamma_from_variance(total: float) -> float:
    if not total < math.inf:
        raise ValueError('gamma="scale" fails: the variance of X overflows; scale X down.')
    # points within 1e-154 of each other would ask for infinity
    return min(1.0 / total, sys.float_info.max) if total > 0 else 1.0


def _variance(X: Points, sample_weight: Any) -> float:
    """Variance of all entries of X about their common mean, with the rows weighted."""
    weight = np.ones(X.shape[0])
    if sample_weight is not None:
        weight = _checked_weight(sample_weight, X.shape[0])
        X, weight = X[weight > 0], weight[weight > 0]
    if X.min() == X.max():  # exactly 0, where sums of rounded numbers may leave a trace
        return 0.0
    with np.errstate(over="ignore", invalid="ignore"):
        if (weight == weight[0]).all() and not sparse.issparse(X):
            return float(X.var())
        return _weighted_variance(X, weight)


def _weighted_variance(X: Points, weight: Dense) -> float:
    share = weight / (weight.sum() * X.shape[1])
    mean = float(share @ np.asarray(X.sum(axis=1)))
    if not sparse.issparse(X):
        return float(share @ ((X - mean) ** 2).sum(axis=1))
    stored = np.diff(X.indptr)
    rows = np.repeat(np.arange(X.shape[0]), stored)
    squares = np.bincount(rows, weights=(X.data - mean) ** 2, minlength=X.shape[0])
    return float(share @ (squares + (X.shape[1] - stored) * mean**2))


def _checked_weight(sample_weight: Any, n_rows: int) -> Dense:
    weight = as_float64(sample_weight, "sample_weight")
    if weight.shape != (n_rows,):
        raise ValueError(
            f"sample_weight has shape {weight.shape}; it must be ({n_rows},), one entry per row."
        )
    check_finite(weight, "sample_weight")
    if weight.min() < 0 or weight.max() == 0:
        raise ValueError("sample_weight must not be negative, and must not be zero everywhere.")
    return weight
