"""Sums of some machines, added to their places among the sums of all machines."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from kpboost import _core

from .points import Dense


def add_runs(part: Dense, places: npt.NDArray[np.intp], out: Dense) -> None:
    """Add in place: ``out[:, places] += part``, in a quarter of the time.

    Parameters
    ----------
    part : float64 array of shape (n, m, t)
    places : integer array of shape (m,)
        None of them twice.
    out : float64 array of shape (n, k, t)
        C-contiguous, as `part` is.
    """
    n, m, t = part.shape
    if out.shape[::2] != (n, t) or places.shape != (m,):
        raise ValueError(
            f"part, places and out have shapes {part.shape}, {places.shape} and {out.shape}; "
            "they must be (n, m, t), (m,) and (n, k, t)."
        )
    if m and not 0 <= places.min() <= places.max() < out.shape[1]:
        raise ValueError(f"places must lie between 0 and {out.shape[1] - 1}.")
    _core.add_runs(part, places.astype(np.uintp), out)
