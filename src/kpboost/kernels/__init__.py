"""RBF kernels on dense and sparse points: arrays in, arrays out."""

from .decision import rbf_decision
from .distances import squared_distances
from .rbf import rbf_from_squared_distances, rbf_kernel
from .rows import RBFRows
from .runs import add_runs
from .width import gamma_to_length_scale, length_scale_to_gamma, resolve_gamma

__all__ = [
    "RBFRows",
    "add_runs",
    "gamma_to_length_scale",
    "length_scale_to_gamma",
    "rbf_decision",
    "rbf_from_squared_distances",
    "rbf_kernel",
    "resolve_gamma",
    "squared_distances",
]
