"""The API page: every public name of every module that has an ``__all__``.

Modules are read, not imported, as some need packages that are not installed everywhere.
"""

import ast
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1] / "src"
# In the order of the user guide; modules that are not named here come after these.
ORDER = (
    "kpboost.disjuncts",
    "kpboost.metrics",
    "kpboost.ensemble",
    "kpboost.lowrank",
    "kpboost.dask",
    "kpboost.svm",
    "kpboost.tree",
    "kpboost.model_selection",
    "kpboost.datasets",
    "kpboost.experiments",
    "kpboost.reports",
    "kpboost.auditing",
    "kpboost.methods",
    "kpboost.model_files",
    "kpboost.integrations.onnx",
    "kpboost.integrations.skore_check",
    "kpboost.solvers",
    "kpboost.kernels",
)
TOP = "kpboost"


def api_page() -> str:
    """Return the whole page as reStructuredText."""
    modules = public_modules()
    ordered = sorted(modules, key=lambda name: (_place(name), name))
    head = ["API reference", "=============", "", _from_the_top(), ""]
    return "\n".join([*head, *(section(name, modules[name]) for name in ordered)])


def public_modules() -> dict[str, ast.Module]:
    """Return the syntax trees of all modules with an ``__all__``, by their dotted names."""
    found = {}
    for file in sorted(SOURCE.rglob("*.py")):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        if public_names(tree):
            parts = file.relative_to(SOURCE).with_suffix("").parts
            found[".".join(part for part in parts if part != "__init__")] = tree
    return found


def public_names(tree: ast.Module) -> list[str]:
    """Return the names in a module's ``__all__``."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return list(ast.literal_eval(node.value))
    return []


def section(name: str, tree: ast.Module) -> str:
    """Return a module's heading, what it says of itself, and its names."""
    names = public_names(tree)
    listed = [each for each in names if not each.isupper()]
    values = ", ".join(f"``{each}``" for each in names if each.isupper())
    lines = [name, "-" * len(name), "", ast.get_docstring(tree) or "", ""]
    lines += [f".. currentmodule:: {name}", "", ".. autosummary::", "   :toctree: api", ""]
    lines += [*(f"   {each}" for each in listed), ""]
    return "\n".join([*lines, *([f"Values: {values}.", ""] if values else [])])


def _from_the_top() -> str:
    """Name what the package finds in its packages when asked: its imports for type checkers."""
    tree = ast.parse((SOURCE / TOP / "__init__.py").read_text(encoding="utf-8"))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.level]
    names = ", ".join(sorted(f"``{alias.name}``" for node in imports for alias in node.names))
    return f"These can be imported from ``{TOP}`` itself: {names}. All others from their packages."


def _place(name: str) -> int:
    return ORDER.index(name) if name in ORDER else len(ORDER)
