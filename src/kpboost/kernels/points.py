"""Points as the kernels read them: float64, in rows, finite; dense or CSR.

A dense array that is already so is passed on as it is; these checks run before every kernel
block and take a few microseconds.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import sparse

from kpboost import _core
from kpboost._sparse import well_formed

Dense: TypeAlias = npt.NDArray[np.float64]
Points: TypeAlias = Any  # Dense or a scipy.sparse.csr_array; scipy carries no types


def as_points(X: Any, name: str) -> Points:
    """Return X as a finite, non-empty C-contiguous float64 matrix or canonical CSR array."""
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


def check_finite(values: Dense, name: str) -> None:
    """Refuse NaN and infinity."""
    if not _core.all_finite(values):
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
