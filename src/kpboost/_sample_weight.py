"""The check of sample weights that all estimators share."""

import reprlib

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]


def check_sample_weight(sample_weight: ArrayLike | None, n_samples: int) -> FloatArray:
    """Sample weights as an array: one per sample, none negative, some positive; ones by default.

    Parameters
    ----------
    sample_weight : array-like of shape (n_samples,), number or None
        Weights as the user gave them; one number stands for all samples.
    n_samples : int
        Number of samples.

    Returns
    -------
    ndarray of shape (n_samples,)
    """
    if sample_weight is None:
        return np.ones(n_samples)
    try:
        weight = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(
            f"sample_weight={reprlib.repr(sample_weight)} is not allowed; it must be one number "
            "per sample, or None."
        ) from None
    if weight.ndim == 0:
        weight = np.full(n_samples, weight)
    if weight.shape != (n_samples,):
        raise ValueError(
            f"sample_weight has shape {weight.shape}; one weight per sample is needed, "
            f"({n_samples},)."
        )
    if not np.all(np.isfinite(weight)) or np.any(weight < 0):
        raise ValueError("sample_weight has negative or non-finite values; 0 or more is allowed.")
    if not np.any(weight):
        raise ValueError("sample_weight is zero for every sample; some must be positive.")
    return weight
