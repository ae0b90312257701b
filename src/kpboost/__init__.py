"""Classification when some classes, and some parts of classes, are rare."""

from importlib.metadata import version

from .ensemble import KPBoostSVC
from .svm import KernelSVC

__version__ = version("kpboost")

__all__ = ["KPBoostSVC", "KernelSVC", "__version__"]
