"""The examples in docstrings do what they show."""

import ast
import doctest
from importlib import import_module
from pathlib import Path

import pytest

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
