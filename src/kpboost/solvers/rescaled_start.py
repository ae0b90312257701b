"""Where to start after the Gram matrix has been rescaled."""

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

# Beyond this exponent a warm start is cut by its upper bound anyway; before it, exp is finite.
LARGEST_EXPONENT = 600.0


def rescaled_start(dual_coef: FloatArray, log_factor: FloatArray) -> FloatArray:
    """Coefficients from which to start after K has become diag(D) K diag(D).

    Free support vectors lie on the margin, and often have about the same D. Where all of them do,
    the new matrix is D^2 times the old one there, and the old coefficients over D^2 solve it,
    until an upper bound cuts in.

    Parameters
    ----------
    dual_coef : ndarray of shape (..., n)
        Signed coefficients that solve the old problem.
    log_factor : ndarray of shape (n,)
        log D.

    Returns
    -------
    ndarray of shape (..., n)
        Finite; not necessarily within the bounds, which the solver sees to.
    """
    return np.asarray(dual_coef * np.exp(np.minimum(-2.0 * log_factor, LARGEST_EXPONENT)))
