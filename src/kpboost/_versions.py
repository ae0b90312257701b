"""What is installed, for reports of errors."""

import platform
import re
import sys
from importlib.metadata import PackageNotFoundError, requires, version


def show_versions() -> None:
    """Print the versions of kpboost, Python and every package that kpboost can use.

    Copy the output into a report of an error. Nothing is imported but the compiled core.

    Examples
    --------
    >>> import kpboost
    >>> kpboost.show_versions()  # doctest: +ELLIPSIS
    kpboost ...
    """
    from ._core import simd_level  # what is compiled is only loaded when it is asked for

    lines = [("kpboost", version("kpboost")), ("instructions", simd_level())]
    lines += [("Python", sys.version.split()[0]), ("system", platform.platform())]
    lines += [(name, _version(name)) for name in _packages()]
    width = max(len(name) for name, _ in lines)
    print("\n".join(f"{name:{width}} {value}" for name, value in lines))


def _packages() -> list[str]:
    """Names of required packages and of those that extras bring, tools of development left out."""
    of_users = re.compile(r"extra == .(?!test|docs|bench|dev)")
    asked = [
        each for each in requires("kpboost") or [] if "extra" not in each or of_users.search(each)
    ]
    names = [re.split(r"[^\w.-]", each)[0] for each in asked]
    return sorted({name for name in names if name != "kpboost"}, key=str.lower)


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
