"""Exported classes and functions bear the name of their package, not of the file they stand in."""

import sys
from collections.abc import Iterable


def publish(package: str, names: Iterable[str]) -> None:
    """Make ``package`` the ``__module__`` of what it exports.

    Pickles and saved models then name ``kpboost.svm.KernelSVC``, wherever the class is written.

    Parameters
    ----------
    package : str
        Full name of the package, which has been imported as far as the names.
    names : iterable of str
        Its exports; those that are neither classes nor functions of its own stay as they are.
    """
    exports = vars(sys.modules[package])
    for name in names:
        if str(getattr(exports[name], "__module__", "")).startswith(f"{package}."):
            exports[name].__module__ = package
