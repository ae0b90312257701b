from importlib.metadata import entry_points, version
from pathlib import Path

import pytest

from cli.calls import call
from kpboost.datasets._read import READERS

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


@pytest.fixture
def opened(monkeypatch):
    """Names of the files that tables were read from, one for each time."""
    files = []
    for ending, reader in READERS.items():

        def counting(path, *, reader=reader, **options):
            files.append(Path(path).name)
            return reader(path, **options)

        monkeypatch.setitem(READERS, ending, counting)
    return files


def test_every_command_reads_its_data_once(opened, capsys, small_csv):
    other = small_csv.with_name("other.csv")
    other.write_text(small_csv.read_text())
    quick = ("--methods", "svm", "--folds", "2", "--backend", "threads", "--jobs", "1")
    commands = {
        ("compare", small_csv, other, *quick): ["small.csv", "other.csv"],
        ("audit", small_csv, "--method", "svm", "--remedies", "never"): ["small.csv"],
        ("fit", small_csv, "--method", "svm", "--out", "m.skops"): ["small.csv"],
        ("audit", other, "--model", "m.skops", "--remedies", "never"): ["other.csv"],
        ("predict", "m.skops", other, "--out", "p.csv"): ["other.csv"],
        ("disjuncts", small_csv): ["small.csv"],
    }
    for words, files in commands.items():
        opened.clear()
        assert call(capsys, *words).code == 0, words
        assert opened == files, words
