"""Support vector machines, one machine each, on the solver of :mod:`kpboost.solvers`."""

from kpboost._public import publish

from ._asymmetric_kernel_scaling_svc import AsymmetricKernelScalingSVC, decay_pair_predictions
from ._boundary_alignment_svc import BoundaryAlignmentSVC
from ._chi_square_kernel_scaling_svc import ChiSquareKernelScalingSVC
from ._conformal_svc import ConformalSVC
from ._dissimilarity_svc import DissimilaritySVC
from ._kernel_scaling_svc import KernelScalingSVC
from ._kernel_svc import KernelSVC

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

# For the other packages of ours; nothing here is promised to users.
from ._asymmetric_kernel_scaling_svc import (
    PairSums as PairSums,
    decay_pair_scores as decay_pair_scores,
    pair_sums as pair_sums,
)
from ._boundary_alignment_svc import BoundaryBumps as BoundaryBumps
from ._dissimilarity_svc import Dissimilarities as Dissimilarities
from ._kernel_scaling_svc import Decay as Decay
from ._perturbation import BaseKernel as BaseKernel, Bumps as Bumps, Step as Step
from ._perturbed_classifier import Chain as Chain, PerturbedMachines as PerturbedMachines

# Saved models name the parts of fitted machines.
PARTS = (
    *("BaseKernel", "BoundaryBumps", "Bumps", "Chain", "Decay", "Dissimilarities"),
    *("PerturbedMachines", "Step"),
)
publish(__name__, (*__all__, *PARTS))
