"""Classification when some classes, and some parts of classes, are rare."""

from importlib.metadata import version

from .svm import KernelSVC

__version__ = version("kpboost")

__all__ = ["KernelSVC", "__version__"]
