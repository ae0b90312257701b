"""Sizes of disjuncts over a whole data set, and what a size weighs in the GSDI."""

from collections.abc import Mapping
from math import log
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]
# Sizes by label: a mapping (or a pandas series), or an array whose positions are the labels.
Sizes = Mapping[Any, float] | ArrayLike

# "scaled_exp" is 1 up to a size of 10 points or a tenth of the data, whichever is smaller, and has
# fallen to a tenth at half of the data: the constants of the weights released with the paper.
FULL_WEIGHT_SHARE = 0.1
FULL_WEIGHT_SIZE = 10.0
FALLEN_SHARE = 0.5
LOG_OF_FALL = log(10.0)


def sizes_of(labels: NDArray[Any], disjunct_sizes: Sizes) -> tuple[FloatArray, float, int]:
    """Look up the sizes of some disjuncts.

    Parameters
    ----------
    labels : ndarray of shape (n_disjuncts,)
        Disjuncts in question.
    disjunct_sizes : mapping, pandas series or array-like
        Sizes of all disjuncts of the data set, by label.

    Returns
    -------
    sizes : ndarray of shape (n_disjuncts,)
        Sizes of those in question.
    total : float
        Size of the whole data set.
    n_known : int
        Number of disjuncts that the data set has.
    """
    table = _by_label(disjunct_sizes)
    unknown = [label for label in labels.tolist() if label not in table]
    if unknown:
        raise ValueError(f"disjunct_sizes has no size for disjunct {unknown[0]!r}, which occurs.")
    everything = np.array(list(table.values()), dtype=np.float64)
    sizes = np.array([table[label] for label in labels.tolist()], dtype=np.float64)
    is_count = np.isfinite(everything) & (everything >= 0) & (everything == np.rint(everything))
    if not np.all(is_count) or np.any(sizes < 1):
        raise ValueError("disjunct_sizes must be whole numbers, at least 1 for disjuncts in use.")
    return sizes, float(everything.sum()), int(np.count_nonzero(everything))


def _by_label(disjunct_sizes: Any) -> Mapping[Any, float]:
    if isinstance(disjunct_sizes, Mapping):
        return disjunct_sizes
    if hasattr(disjunct_sizes, "to_dict"):  # a series: its index, not its order, names disjuncts
        by_label: dict[Any, float] = disjunct_sizes.to_dict()
        return by_label
    sizes = np.asarray(disjunct_sizes, dtype=np.float64)
    if sizes.ndim != 1:
        raise ValueError(
            f"disjunct_sizes has shape {sizes.shape}; one size per disjunct is needed, or a "
            "mapping from label to size."
        )
    return dict(enumerate(sizes.tolist()))


def log_size_weights(sizes: FloatArray, total: float, size_weighting: str) -> FloatArray:
    """Logarithms of the weights of disjuncts in the GSDI.

    Parameters
    ----------
    sizes : ndarray of shape (n_disjuncts,)
        Sizes over the whole data set.
    total : float
        Size of the whole data set.
    size_weighting : {"exp", "scaled_exp"}
        exp(-size), or min(1, exp(-a (size - s0))) with s0 = min(total / 10, 10) and a such that the
        weight of a disjunct of half the data is 1/10.

    Returns
    -------
    ndarray of shape (n_disjuncts,)
    """
    if size_weighting == "exp":
        return -sizes
    if size_weighting == "scaled_exp":
        full = min(FULL_WEIGHT_SHARE * total, FULL_WEIGHT_SIZE)
        slope = LOG_OF_FALL / (FALLEN_SHARE * total - full)
        return -slope * np.maximum(sizes - full, 0.0)
    raise ValueError(
        f"size_weighting={size_weighting!r} is not allowed; it must be 'exp' or 'scaled_exp'."
    )
