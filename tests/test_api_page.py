import pkgutil
from importlib import import_module
from importlib.util import find_spec

import pytest

import kpboost
from support.docs_scripts import docs_script


@pytest.fixture(scope="module")
def writer():
    return docs_script("api_page")


def modules_with_public_names():
    for found in pkgutil.walk_packages(kpboost.__path__, "kpboost."):
        if "onnx" in found.name and find_spec("skl2onnx") is None:
            continue
        module = import_module(found.name)
        if hasattr(module, "__all__"):
            yield module


def names_by_module(page):
    """The names that a page lists under each module's heading."""
    sections, heading = {}, None
    lines = page.splitlines()
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        if below and set(below) == {"-"} and len(below) == len(line):
            heading = sections.setdefault(line, set())
        elif heading is not None and line.startswith("   ") and not line.strip().startswith(":"):
            heading.add(line.strip())
        elif heading is not None and line.startswith("Values: "):
            heading.update(word.strip("`.") for word in line.removeprefix("Values: ").split(", "))
    return sections


def test_every_public_name_of_every_module_is_on_the_page(writer):
    sections = names_by_module(writer.api_page())
    modules = list(modules_with_public_names())
    assert len(modules) > 10
    for module in modules:
        missing = set(module.__all__) - sections.get(module.__name__, set())
        assert not missing, f"{module.__name__}: {missing}"


def test_every_package_has_public_names_or_none_to_show():
    """A new package needs an ``__all__``; these are for the inside of the house."""
    inside = {"kpboost.cli", "kpboost.problems", "kpboost.integrations"}
    inside |= {"kpboost.experiments.storage"}
    packages = {m.name for m in pkgutil.walk_packages(kpboost.__path__, "kpboost.") if m.ispkg}
    shown = {module.__name__ for module in modules_with_public_names()}
    assert packages - shown == inside


def test_what_the_package_itself_shows_is_named(writer):
    head = writer.api_page().partition("kpboost.disjuncts")[0]
    assert not [name for name in kpboost.__all__ if name[0] != "_" and f"``{name}``" not in head]


def test_all_public_names_exist():
    for module in modules_with_public_names():
        assert not [name for name in module.__all__ if not hasattr(module, name)]


def test_a_forgotten_name_would_be_found(writer):
    page = writer.api_page().replace("   MethodClassifier\n", "")
    assert "MethodClassifier" not in names_by_module(page)["kpboost.methods"]


def test_the_order_names_modules_that_exist(writer):
    assert set(writer.ORDER) <= set(writer.public_modules())
