"""Who may import whom, what may bear which name, and how long things may be."""

import ast
from collections import Counter
from importlib import import_module
from pathlib import Path
from statistics import median, quantiles
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
    # Many rows are learnt from on kernels of low rank.
    "ensemble": {"problems", "lowrank", "solvers", "kernels", "tree", "_core"},
    # Landmarks, features, blocks of rows and one linear machine on them.
    "lowrank": {"kernels"},
    # The same fit, with the blocks on a cluster.
    "dask": {"ensemble", "lowrank"},
    # Trees are grown, pruned and read in compiled code.
    "tree": {"_core"},
    # Distances, neighbours and growing disjuncts are compiled: n^2 d work has no place in Python.
    "disjuncts": {"_core"},
    "metrics": set(),
    "datasets": set(),
    "model_selection": {
        *("metrics", "lowrank", "ensemble", "svm", "problems", "solvers", "kernels"),
    },
    # Plans, jobs and stores; what a method is stands in methods.
    "experiments": {
        *("methods", "model_selection", "disjuncts", "datasets", "metrics"),
    },
    # Methods by name, for comparisons, the audit, saved models and the command line. Estimators
    # are named by their dotted names; what is imported here is what they share.
    "methods": {
        *("model_selection", "ensemble", "svm", "tree", "problems", "kernels", "datasets"),
        "metrics",
    },
    # What the columns of a user's table are is decided in one place, beside the readers.
    "auditing": {"methods", "model_selection", "disjuncts", "metrics", "datasets"},
    # A saved model's card tells its scores, out of fold as in an audit.
    "model_files": {"methods", "datasets", "metrics", "model_selection"},
    "reports": {"experiments", "datasets", "methods", "metrics", "auditing"},
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
    if top == PACKAGE and is_inside(imported.name) and room_of(imported.name) != room:
        return f"{imported.name} is inside another package"
    return ""


def is_inside(name: str) -> bool:
    """Tell whether a name goes through a marked module or is marked, below a package of ours."""
    return any(is_private(part) for part in name.split(".")[2:])


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


FILES = sorted(SOURCE.rglob("*.py"))
MODULES = {
    ".".join([PACKAGE, *file.relative_to(SOURCE).with_suffix("").parts]): file for file in FILES
}
SOURCES = {module: file.read_text(encoding="utf-8") for module, file in MODULES.items()}


@pytest.mark.parametrize("module", MODULES)
def test_imports_point_downwards(module):
    assert complaints(SOURCES[module], module) == []


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
        ("kpboost.svm._kernel_svc", "from kpboost.solvers._dual import solve_dual"),
        ("kpboost.svm._kernel_svc", "from ..solvers import _dual"),
        ("kpboost.svm._kernel_svc", "import kpboost.solvers._dual"),
        (
            "kpboost.svm._kernel_svc",
            "def late():\n    from kpboost.solvers._dual import solve",
        ),
        ("kpboost.__init__", "from .svm._kernel_svc import KernelSVC"),
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
        ("kpboost.svm._kernel_svc", "from ._perturbation import perturbed"),
        ("kpboost.experiments._run", "from kpboost.experiments.storage._store import Store"),
        ("kpboost.integrations.onnx", "from kpboost._validation import well_formed"),
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


# Lines without docstrings; the longest function is `audit`, step after step.
LONGEST_FUNCTION, P90_FUNCTION, MEDIAN_FUNCTION = 75, 15, 6
MOST_MODULES = 165
MEDIAN_FILE = 150, 400


def repeated_class_names(sources: dict[str, str]) -> set[str]:
    trees = map(ast.parse, sources.values())
    classes = (node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
    counts = Counter(node.name for node in classes if not is_private(node.name))
    return {name for name, count in counts.items() if count > 1}


def modules_named_like_exports(sources: dict[str, str]) -> list[str]:
    """Modules that a name in their package's ``__init__`` hides."""
    return [
        module
        for module in {name.removesuffix(".__init__") for name in sources}
        if (front := f"{module.rpartition('.')[0]}.__init__") in sources
        and module.rpartition(".")[2] in bound_names(sources[front])
    ]


def bound_names(source: str) -> set[str]:
    """Names that a source binds at the top level, imports for type checkers included."""
    tree = ast.parse(source)
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    defined = {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    return defined | {alias.asname or alias.name for node in imports for alias in node.names}


def function_lines(source: str) -> list[int]:
    """Lines of each function's body, without its docstring."""
    kinds = ast.FunctionDef | ast.AsyncFunctionDef
    functions = [node for node in ast.walk(ast.parse(source)) if isinstance(node, kinds)]
    bodies = (node.body[ast.get_docstring(node) is not None :] for node in functions)
    return [body[-1].end_lineno - body[0].lineno + 1 for body in bodies if body]


def faults_of_length(lines: list[int]) -> list[str]:
    found = {
        "longest": (max(lines), LONGEST_FUNCTION),
        "p90": (quantiles(lines, n=10)[-1], P90_FUNCTION),
        "median": (median(lines), MEDIAN_FUNCTION),
    }
    return [f"{name} function: {has} lines, not {most}"
            for name, (has, most) in found.items() if has > most]  # fmt: skip


def faults_of_size(file_lines: list[int]) -> list[str]:
    """What is wrong with the number of modules and their lines, ``__init__`` left out."""
    few, many = MEDIAN_FILE
    middle = median(file_lines)
    return [
        *([f"{len(file_lines)} modules"] if len(file_lines) > MOST_MODULES else []),
        *([] if few <= middle <= many else [f"the median file has {middle} lines"]),
    ]


def test_a_class_name_means_one_class():
    assert repeated_class_names(SOURCES) == set()


def test_no_module_bears_the_name_of_an_export():
    assert modules_named_like_exports(SOURCES) == []


def test_functions_stay_short():
    lines = [n for source in SOURCES.values() for n in function_lines(source)]
    assert faults_of_length(lines) == []


def test_files_are_few_and_full():
    files = [len(SOURCES[module].splitlines()) for module in SOURCES if "__init__" not in module]
    assert faults_of_size(files) == []


def test_what_is_forbidden_is_found():
    assert repeated_class_names({"a": "class A: ...", "b": "class A: ...\nclass _B: ..."}) == {"A"}
    front = {"kpboost.__init__": "", "kpboost.x.__init__": "from ._load import load"}
    assert modules_named_like_exports({**front, "kpboost.x.load": ""}) == ["kpboost.x.load"]
    assert modules_named_like_exports({**front, "kpboost.x._load": ""}) == []
    late = {"kpboost.__init__": "if TYPE_CHECKING:\n    from .x import x as x"}
    assert modules_named_like_exports({**late, "kpboost.x.__init__": ""}) == ["kpboost.x"]
    assert function_lines('def f():\n    """Say."""\n    a\n\n    def g(): b\n') == [3, 1]
    assert len(faults_of_length([5] * 99 + [76])) == 1
    assert len(faults_of_length([5] * 85 + [16] * 15)) == 1
    assert len(faults_of_length([7] * 9)) == 1
    assert faults_of_length([6] * 9 + [15]) == []
    assert len(faults_of_size([200] * (MOST_MODULES + 1))) == len(faults_of_size([100])) == 1
    assert faults_of_size([200] * 160) == []
