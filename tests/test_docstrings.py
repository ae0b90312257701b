"""The examples in docstrings do what they show."""

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


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name):
    if "onnx" in name:
        pytest.importorskip("skl2onnx")
    failed, attempted = doctest.testmod(import_module(name))
    assert attempted
    assert not failed
