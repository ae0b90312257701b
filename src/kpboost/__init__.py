"""Classification when some classes, and some parts of classes, are rare."""

from importlib.metadata import version

__version__ = version("kpboost")
