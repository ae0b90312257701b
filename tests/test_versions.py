"""show_versions prints what somebody who looks into an error has to know."""

from importlib.metadata import version

import pytest

import kpboost
from kpboost import _versions


def shown(capsys):
    kpboost.show_versions()
    return dict(line.split(None, 1) for line in capsys.readouterr().out.splitlines())


@pytest.mark.parametrize("name", ["kpboost", "numpy", "scikit-learn", "typer"])
def test_versions_are_those_of_the_installed_packages(name, capsys):
    assert shown(capsys)[name] == version(name)


def test_a_package_that_is_missing_is_named(monkeypatch, capsys):
    monkeypatch.setattr(_versions, "requires", lambda name: ["no-such-package>=1"])
    assert shown(capsys)["no-such-package"] == "not installed"


def test_tools_of_development_are_left_out(capsys):
    assert not {"pytest", "sphinx", "ruff"} & shown(capsys).keys()
