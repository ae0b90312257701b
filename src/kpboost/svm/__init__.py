"""Support vector machines, one machine each, on the solver of :mod:`kpboost.solvers`."""

from .asymmetric_kernel_scaling_svc import AsymmetricKernelScalingSVC
from .boundary_alignment_svc import BoundaryAlignmentSVC
from .chi_square_kernel_scaling_svc import ChiSquareKernelScalingSVC
from .conformal_svc import ConformalSVC
from .decay_pairs import decay_pair_predictions
from .dissimilarity_svc import DissimilaritySVC
from .kernel_scaling_svc import KernelScalingSVC
from .kernel_svc import KernelSVC

__all__ = [
    "AsymmetricKernelScalingSVC",
    "BoundaryAlignmentSVC",
    "ChiSquareKernelScalingSVC",
    "ConformalSVC",
    "DissimilaritySVC",
    "KernelSVC",
    "KernelScalingSVC",
    "decay_pair_predictions",
]
