"""RBF kernels on dense and sparse points: arrays in, arrays out."""

from kpboost._public import publish

from ._points import gamma_to_length_scale, length_scale_to_gamma, resolve_gamma
from ._rbf import (
    RBFRows,
    add_runs,
    laplacian_decision,
    rbf_decision,
    rbf_from_squared_distances,
    rbf_kernel,
    squared_distances,
)

__all__ = [
    "RBFRows",
    "add_runs",
    "gamma_to_length_scale",
    "laplacian_decision",
    "length_scale_to_gamma",
    "rbf_decision",
    "rbf_from_squared_distances",
    "rbf_kernel",
    "resolve_gamma",
    "squared_distances",
]

# For the other packages of ours; nothing here is promised to users.
from ._points import all_finite as all_finite, gamma_from_variance as gamma_from_variance
from ._rbf import RBFMatrix as RBFMatrix
from ._single import (
    signed_rbf_decision as signed_rbf_decision,
    single_rbf_kernel as single_rbf_kernel,
)

publish(__name__, __all__)
