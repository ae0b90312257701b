from importlib.metadata import entry_points, version

import pytest

from cli.calls import call

COMMANDS = ("compare", "paper", "report", "status", "datasets", "disjuncts")


def test_the_installed_program_is_ours():
    found = [each for each in entry_points(group="console_scripts") if each.name == "kpboost"]
    assert [each.value for each in found] == ["kpboost.cli.app:main"]


def test_version(capsys):
    assert call(capsys, "--version").out == f"kpboost {version('kpboost')}\n"


def test_alone_it_shows_its_commands(capsys):
    answer = call(capsys)
    assert answer.code == 0
    assert all(f"  {name} " in answer.out for name in COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself(capsys, name):
    answer = call(capsys, name, "--help")
    assert answer.code == 0
    assert f"Usage: kpboost {name}" in answer.out
    assert "--json" in answer.out
