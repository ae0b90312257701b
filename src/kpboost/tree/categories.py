"""Nominal attributes: which columns they are, which values they have, and values as branches."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]
Mask = NDArray[np.bool_]
# Per column: its sorted values if it is nominal, None if it is numeric.
Categories: TypeAlias = list[FloatArray | None]


def categorical_mask(
    categorical_features: ArrayLike | None, n_features: int, names: NDArray[Any] | None
) -> Mask:
    """Which columns are nominal.

    Parameters
    ----------
    categorical_features : array-like or None
        A truth value per column, numbers of columns, or names of columns; None is none.
    n_features : int
        Number of columns.
    names : ndarray of shape (n_features,) or None
        Names of the columns, where the data had names.

    Returns
    -------
    ndarray of shape (n_features,)
    """
    mask = np.zeros(n_features, dtype=bool)
    if categorical_features is None:
        return mask
    chosen = np.asarray(categorical_features)
    if chosen.size == 0:
        return mask
    if chosen.ndim == 1 and chosen.dtype == bool:
        return _checked_mask(chosen, n_features)
    if chosen.ndim == 1 and np.issubdtype(chosen.dtype, np.integer):
        mask[_checked_numbers(chosen, n_features)] = True
        return mask
    if chosen.ndim == 1 and all(isinstance(name, str) for name in chosen.tolist()):
        mask[_positions(chosen, names)] = True
        return mask
    raise ValueError(
        f"categorical_features={categorical_features!r} is not allowed; it must be None, one truth "
        "value per column, or a list of column numbers or names."
    )


def _checked_mask(chosen: Mask, n_features: int) -> Mask:
    if chosen.size != n_features:
        raise ValueError(
            f"categorical_features has {chosen.size} truth values, but X has {n_features} columns."
        )
    return chosen.copy()


def _checked_numbers(chosen: NDArray[Any], n_features: int) -> NDArray[Any]:
    strange = chosen[(chosen < 0) | (chosen >= n_features)]
    if strange.size:
        raise ValueError(
            f"categorical_features names column {strange[0]}, but the columns of X are 0 to "
            f"{n_features - 1}."
        )
    return chosen


def _positions(chosen: NDArray[Any], names: NDArray[Any] | None) -> list[int]:
    known = [] if names is None else names.tolist()
    strange = [name for name in chosen.tolist() if name not in known]
    if strange:
        raise ValueError(
            f"categorical_features names the column {strange[0]!r}, but the columns of X "
            + (f"are {known}." if known else "have no names.")
        )
    return [known.index(name) for name in chosen.tolist()]


def find_categories(X: FloatArray, is_categorical: Mask) -> Categories:
    """Values of the nominal columns, sorted; missing ones do not count."""
    return [
        np.unique(column[~np.isnan(column)]) if nominal else None
        for column, nominal in zip(X.T, is_categorical, strict=True)
    ]


def encode(X: FloatArray, categories: Categories) -> FloatArray:
    """Nominal values as 0, 1, 2, ...; one that is not among the categories counts as missing."""
    coded = np.array(X, dtype=np.float64, order="C")
    for column, values in enumerate(categories):
        if values is not None:
            coded[:, column] = _codes(coded[:, column], values)
    return coded


def _codes(column: FloatArray, values: FloatArray) -> FloatArray:
    if not values.size:
        return np.full(column.size, np.nan)
    places = np.minimum(np.searchsorted(values, column), values.size - 1)
    return np.where(values[places] == column, places, np.nan)
