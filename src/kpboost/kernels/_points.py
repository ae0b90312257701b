"""Points as the kernels read them: float64, in rows, finite; dense or CSR.

A dense array that is already so is passed on as it is; these checks run before every kernel
block and take a few microseconds.
"""

from __future__ import annotations

import math
import sys
from numbers import Real
from typing import Any, TypeAlias, overload

import numpy as np
import numpy.typing as npt
from scipy import sparse

from kpboost import _core
from kpboost._validation import check_sample_weight, well_formed

Dense: TypeAlias = npt.NDArray[np.float64]
Points: TypeAlias = Any  # Dense or a scipy.sparse.csr_array; scipy carries no types


def as_points(X: Any, name: str, *, check: bool = True) -> Points:
    """Return X as a finite, non-empty C-contiguous float64 matrix or canonical CSR array.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, d)
    name : str
        What messages call it.
    check : bool, default=True
        False where the values are known to be finite, as those of a fitted model are: for a single
        row to predict, looking at all support vectors takes as long as the kernel.
    """
    if sparse.issparse(X):
        points = _as_csr(X)
        values = points.data
    else:
        points = values = as_float64(X, name)
    if points.ndim != 2:
        raise ValueError(
            f"{name} has {points.ndim} dimension(s); it must be a matrix, one row each."
        )
    if 0 in points.shape:
        raise ValueError(
            f"{name} has shape {points.shape}; it needs at least one row and one column."
        )
    if check:
        check_finite(values, name)
    return points


def as_float64(values: Any, name: str) -> Dense:
    """Return an array of real numbers as C-contiguous float64, without a copy where it is one."""
    if type(values) is np.ndarray and values.dtype == np.float64 and values.flags.c_contiguous:
        return values
    if np.iscomplexobj(values):
        raise ValueError(f"{name} holds complex numbers; it must hold real ones.")
    try:
        return np.ascontiguousarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must hold numbers: {error}.") from error


def all_finite(values: Dense) -> bool:
    """Tell whether a C-contiguous array holds neither NaN nor infinity."""
    return _core.all_finite(values)


def check_finite(values: Dense, name: str) -> None:
    """Refuse NaN and infinity."""
    if not all_finite(values):
        raise ValueError(f"{name} contains NaN or infinity; every value must be a finite number.")


def check_same_features(X: Points, Y: Points, names: str) -> None:
    """Refuse two sets of points that live in different spaces."""
    if X.shape[1] != Y.shape[1]:
        raise ValueError(
            f"{names} have {X.shape[1]} and {Y.shape[1]} features; the numbers must be equal."
        )


def new_or_given(out: Dense | None, shape: tuple[int, ...]) -> Dense:
    """Return `out` if it can hold the result, and a new array if it is None."""
    if out is None:
        return np.empty(shape)
    fits = isinstance(out, np.ndarray) and out.dtype == np.float64 and out.shape == shape
    if not (fits and out.flags.c_contiguous and out.flags.writeable):
        raise ValueError(f"out must be a writeable C-contiguous float64 array of shape {shape}.")
    return out


def _as_csr(X: Any) -> Points:
    points = sparse.csr_array(well_formed(X), dtype=np.float64)
    if not points.has_canonical_format:
        points = points.copy()  # the caller's matrix may share this memory
        points.sum_duplicates()
    return points


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
    return gamma_from_variance(n_features * _variance(points, sample_weight))


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


def gamma_from_variance(total: float) -> float:
    """Return gamma="scale" for a number of features times the variance of all entries."""
    if not total < math.inf:
        raise ValueError('gamma="scale" fails: the variance of X overflows; scale X down.')
    # points within 1e-154 of each other would ask for infinity
    return min(1.0 / total, sys.float_info.max) if total > 0 else 1.0


def _variance(X: Points, sample_weight: Any) -> float:
    """Variance of all entries of X about their common mean, with the rows weighted."""
    weight = check_sample_weight(sample_weight, X.shape[0])
    if sample_weight is not None:
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
