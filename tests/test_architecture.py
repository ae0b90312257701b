"""The picture of who may import whom, kept true by reading every module's imports."""

import ast
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import pytest

PACKAGE = "kpboost"
SOURCE = Path(__file__).parents[1] / "src" / PACKAGE

# Imports point downwards only. A folder that is not here has no place in the picture yet.
MAY_IMPORT = {
    "kernels": {"_core"},
    "solvers": {"_core"},
    "problems": {"solvers", "kernels"},
    "svm": {"problems", "solvers", "kernels"},
    # KPBoost's rounds are compiled; RUSBoost's weak learner is C4.5 unless another is given.
    "ensemble": {"problems", "solvers", "kernels", "tree", "_core"},
    # Trees are grown, pruned and read in compiled code.
    "tree": {"_core"},
    # Distances, neighbours and growing disjuncts are compiled: n^2 d work has no place in Python.
    "disjuncts": {"_core"},
    "metrics": set(),
    "datasets": set(),
    "model_selection": {"metrics", "ensemble", "svm", "problems", "solvers", "kernels"},
    # Plans, jobs and stores; what a method is stands in methods.
    "experiments": {
        *("methods", "model_selection", "disjuncts", "datasets", "metrics"),
    },
    # Methods by name, for comparisons, the audit, saved models and the command line. Estimators
    # are named by their dotted names; what is imported here is what they share.
    "methods": {
        *("model_selection", "ensemble", "svm", "tree", "problems", "kernels", "datasets"),
    },
    # What the columns of a user's table are is decided in one place, beside the readers.
    "auditing": {"methods", "disjuncts", "metrics", "datasets"},
    # A saved model's card tells its scores, out of fold as in an audit.
    "model_files": {"methods", "datasets", "auditing"},
    "reports": {"experiments", "methods", "metrics", "auditing"},
    # Plug-ins write trained models down for other packages, and bring the audit's findings there.
    "integrations": {"auditing", "model_selection", "ensemble", "svm", "problems"},
    # Some commands work without any experiment: on data, disjuncts, an audit or one model.
    "cli": {
        *("reports", "experiments", "datasets", "disjuncts"),
        *("auditing", "model_files", "methods"),
    },
}
# Only these open windows and draw tables; everywhere else such a package is imported when needed.
HEAVY = {"matplotlib", "pandas", "rich", "typer"}
HEAVY_AT_HOME = {"cli", "reports"}


class Import(NamedTuple):
    """One imported module or name in full, e.g. sklearn.base.clone, and whether it runs at once."""

    name: str
    at_top: bool


def imports_of(source: str, module: str) -> list[Import]:
    """All imports of a module's source; ``module`` is its dotted name, for relative ones.

    A package's own source goes by the name ``package.__init__``.
    """
    found: list[Import] = []

    def visit(node: ast.AST, at_top: bool) -> None:
        for child in ast.iter_child_nodes(node):
            found.extend(Import(name, at_top) for name in names_of(child, module))
            visit(child, at_top and not runs_later(child))

    visit(ast.parse(source), at_top=True)
    return found


def names_of(node: ast.AST, module: str) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        above = module.split(".")[: -node.level] if node.level else []
        origin = ".".join([*above, *([node.module] if node.module else [])])
        return [f"{origin}.{alias.name}" for alias in node.names]
    return []


def runs_later(node: ast.AST) -> bool:
    """Tell whether the body waits for a call, or is for type checkers alone."""
    if isinstance(node, ast.If):
        return "TYPE_CHECKING" in ast.unparse(node.test)
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)


def room_of(name: str) -> str:
    """First part below the package: a folder, or a module beside the folders ('' for none)."""
    parts = name.split(".")
    return parts[1] if len(parts) > 1 else ""


def complaints(source: str, module: str) -> list[str]:
    """What a module imports against the rules, one sentence each."""
    room = room_of(module)
    verdicts = (verdict(each, room) for each in imports_of(source, module))
    return [f"{module}: {each}" for each in verdicts if each]


def verdict(imported: Import, room: str) -> str:
    top = imported.name.split(".")[0]
    if top == PACKAGE and not allowed(room, room_of(imported.name)):
        return f"{room or PACKAGE} may not import {imported.name}"
    if top == "sklearn" and any(is_private(part) for part in imported.name.split(".")):
        return f"{imported.name} is private to scikit-learn"
    if top in HEAVY and imported.at_top and room not in HEAVY_AT_HOME:
        return f"{imported.name} is imported at the top level"
    return ""


def allowed(room: str, other: str) -> bool:
    if room == "__init__" or room == other:  # the front door shows every room
        return True
    if other.startswith("_") and other != "_core":  # modules beside the folders serve everybody
        return True
    if room not in MAY_IMPORT:  # and stand on their own feet
        return other == "_core"
    return other in MAY_IMPORT[room]


def is_private(part: str) -> bool:
    return part.startswith("_") and not part.startswith("__")


MODULES = {
    ".".join([PACKAGE, *file.relative_to(SOURCE).with_suffix("").parts]): file
    for file in sorted(SOURCE.rglob("*.py"))
}


@pytest.mark.parametrize("module", MODULES)
def test_imports_point_downwards(module):
    assert complaints(MODULES[module].read_text(encoding="utf-8"), module) == []


def test_every_folder_is_in_the_picture():
    folders = {file.parent.name for file in SOURCE.glob("*/__init__.py")}
    assert folders
    assert folders <= set(MAY_IMPORT)


def test_the_picture_has_no_circle():
    def reach(room, path=()):
        assert room not in path, f"circle: {path}"
        for other in MAY_IMPORT.get(room, ()):
            reach(other, (*path, room))

    for room in MAY_IMPORT:
        reach(room)


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("kpboost.solvers._dual", "from kpboost import kernels"),
        ("kpboost.solvers._dual", "import kpboost.kernels._rbf"),
        ("kpboost.solvers._dual", "from ..kernels import rbf_kernel"),
        ("kpboost.solvers.__init__", "from ..svm import KernelSVC"),
        ("kpboost.metrics._by_class", "from kpboost._core import solve"),
        ("kpboost.solvers._dual", "def late():\n    from kpboost.svm import KernelSVC"),
        ("kpboost.svm.machine", "from ..ensemble.loop import boost"),
        ("kpboost.svm.machine", "import kpboost"),
        ("kpboost.metrics.scores", "from .. import svm"),
        ("kpboost._shared", "from .svm import KernelSVC"),
        ("kpboost.svm.machine", "from sklearn.utils._param_validation import Interval"),
        ("kpboost.svm.machine", "from sklearn.utils.validation import _check_sample_weight"),
        ("kpboost.svm.machine", "import sklearn.svm._base"),
        ("kpboost.metrics.display", "import matplotlib.pyplot as plt"),
        (
            "kpboost.datasets.read",
            "try:\n    import pandas as pd\nexcept ImportError:\n    pd = None",
        ),
        ("kpboost.datasets.read", "class Reader:\n    import pandas"),
    ],
)
def test_a_forbidden_import_is_found(module, source):
    assert len(complaints(source, module)) == 1


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("kpboost.__init__", "from .svm import KernelSVC"),
        ("kpboost.kernels._rbf", "from .. import _core"),
        ("kpboost.kernels._rbf", "from .._validation import well_formed"),
        ("kpboost.solvers._dual", "from kpboost._core import solve"),
        ("kpboost.solvers._dual", "from .solution import DualSolution"),
        ("kpboost.svm.machine", "from kpboost.solvers import solve_dual"),
        ("kpboost.svm.machine", "from sklearn import __version__"),
        ("kpboost.metrics.scores", "from kpboost._shared import thing"),
        ("kpboost.metrics.display", "def plot():\n    import matplotlib.pyplot as plt"),
        ("kpboost.datasets.read", "if TYPE_CHECKING:\n    import pandas as pd"),
        ("kpboost.reports._table", "import pandas as pd"),
        ("kpboost.cli.compare", "import rich, typer"),
    ],
)
def test_an_honest_import_passes(module, source):
    assert complaints(source, module) == []


PACKAGES = sorted(f"{PACKAGE}.{file.parent.name}" for file in SOURCE.glob("*/__init__.py"))


@pytest.mark.parametrize("package", PACKAGES)
def test_exports_bear_the_name_of_their_package(package):
    """Saved models and pickles name the package, so that files may move."""
    module = import_module(package)
    own = [getattr(module, name) for name in getattr(module, "__all__", ())]
    modules = {str(getattr(each, "__module__", package)) for each in own}
    assert not {name for name in modules if name.startswith(f"{package}.")}
