"""The examples in docstrings do what they show."""

import ast
import doctest
import pkgutil
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

import kpboost

SOURCE = Path(__file__).parents[1] / "src"
MODULES = [
    ".".join(file.relative_to(SOURCE).with_suffix("").parts)
    for file in sorted(SOURCE.rglob("*.py"))
    if ">>> " in file.read_text(encoding="utf-8")
]


def test_there_are_examples():
    assert len(MODULES) > 30


def examples_of(module):
    """Examples of a module and of what it defines; exported classes bear their package's name."""
    parser, finder = doctest.DocTestParser(), doctest.DocTestFinder()
    yield parser.get_doctest(module.__doc__ or "", vars(module), module.__name__, None, 0)
    tree = ast.parse(Path(module.__file__).read_text(encoding="utf-8"))
    names = [node.name for node in tree.body if isinstance(node, ast.ClassDef | ast.FunctionDef)]
    for name in names:
        yield from finder.find(getattr(module, name), name, module=False, globs=vars(module))


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name):
    if "onnx" in name:
        pytest.importorskip("skl2onnx")
    runner = doctest.DocTestRunner()
    for example in examples_of(import_module(name)):
        runner.run(example, clear_globs=False)
    assert runner.tries
    assert not runner.failures


def public_classes():
    """Classes that a package of ours exports, but for those of compiled code."""
    for found in pkgutil.walk_packages(kpboost.__path__, "kpboost."):
        if "onnx" in found.name and find_spec("skl2onnx") is None:
            continue
        module = import_module(found.name)
        own = [getattr(module, name) for name in getattr(module, "__all__", ())]
        yield from (each for each in own if isinstance(each, type) and each.__module__ != CORE)


CORE = "kpboost._core"


def test_every_public_class_has_an_example_and_relatives():
    classes = {each for each in public_classes() if each.__module__.startswith("kpboost")}
    assert len(classes) > 60
    bare = {each.__name__ for each in classes if "\n    See Also\n" not in each.__doc__}
    assert bare == set()
    shown = {each for each in classes if not issubclass(each, Exception)}
    assert {each.__name__ for each in shown if "\n    Examples\n" not in each.__doc__} == set()


def test_relatives_exist():
    """What See Also names is a public name of the package, of the class's module, or of others."""
    for each in public_classes():
        for name in relatives(each.__doc__):
            where = name if "." in name else f"{each.__module__}.{name}"
            package, _, last = where.rpartition(".")
            found = hasattr(import_module(package), last) or find_spec(where)
            assert found, f"{each.__name__}: {name}"


def relatives(text):
    section = text.partition("\n    See Also\n    --------\n")[2].partition("\n\n")[0]
    return [line.split(" : ")[0].strip() for line in section.splitlines() if " : " in line]


def test_a_relative_is_found():
    section = "\n    See Also\n    --------\n    solve : Does.\n    b.c : Too.\n"
    assert relatives(f"A.\n{section}\n    Notes\n    x : y") == ["solve", "b.c"]
