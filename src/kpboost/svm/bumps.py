"""A sum of bumps around anchors in the input space: the D of all rules that look at distances."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .base_kernel import distances

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Bumps:
    """D(x) = sum_s height_s exp(-d(x, s) / width_s).

    Attributes
    ----------
    anchors : ndarray or CSR matrix of shape (n_anchors, d)
        s.
    log_heights : ndarray of shape (n_anchors,)
    widths : ndarray of shape (n_anchors,)
        In the units of d; all positive.
    distance : {"sqeuclidean", "l1"}
        d.
    """

    anchors: Any
    log_heights: FloatArray
    widths: FloatArray
    distance: str

    @property
    def n_anchors(self) -> int:
        """Number of bumps."""
        return self.widths.size

    def __call__(self, points: Any, decision: FloatArray, log_scale: FloatArray) -> FloatArray:
        """Return log D; decision values and scales play no part."""
        with np.errstate(over="ignore"):  # a width next to nothing: the bump is gone
            exponents = self.log_heights - distances(points, self.anchors, self.distance) / (
                self.widths
            )
        return log_sum_exp(exponents)


def log_sum_exp(exponents: FloatArray) -> FloatArray:
    """Logarithm of the sum of exponentials, row by row, without overflow or underflow.

    Parameters
    ----------
    exponents : ndarray of shape (n, m)
        None NaN or +inf.

    Returns
    -------
    ndarray of shape (n,)
        -inf where a row has nothing else.
    """
    largest = exponents.max(axis=1)
    shift = np.where(np.isfinite(largest), largest, 0.0)
    with np.errstate(divide="ignore"):
        return np.asarray(shift + np.log(np.exp(exponents - shift[:, None]).sum(axis=1)))
