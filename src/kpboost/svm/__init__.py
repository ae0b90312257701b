"""Support vector machines, one machine each, on the solver of :mod:`kpboost.solvers`."""

from .kernel_svc import KernelSVC

__all__ = ["KernelSVC"]
