"""Versions of everything that numbers may depend on."""

import json
import platform
from functools import cache
from importlib.metadata import PackageNotFoundError, version

PACKAGES = ("kpboost", "numpy", "scipy", "scikit-learn", "imbalanced-learn")


@cache
def versions() -> dict[str, str]:
    """Return the versions of Python and of the packages in use; those not installed are absent."""
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


@cache
def versions_text() -> str:
    """Return them as JSON."""
    return json.dumps(versions())
