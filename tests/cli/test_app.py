import json
import os
import subprocess
import sys
from importlib.metadata import entry_points, version
from pathlib import Path

import pytest

from kpboost.cli._options import METHOD_NAMES
from kpboost.datasets._read import READERS
from kpboost.methods import METHODS
from support.calls import call, call_process

# Where the extra is not installed: these packages cannot be imported.
WITHOUT = """
import sys
class Nothing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == {package!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Nothing())
sys.argv = ["kpboost", {command!r}]
from kpboost.cli.app import main
main()
"""


def run_without(package, command="datasets"):
    program = WITHOUT.format(package=package, command=command)
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)


@pytest.mark.parametrize("package", ["typer", "rich", "jinja2"])
def test_without_the_extra_it_says_which_to_install(package):
    done = run_without(package)
    assert done.returncode == 2
    assert f"needs the package {package}" in done.stderr
    assert 'pip install "kpboost[cli]"' in done.stderr
    assert "Traceback" not in done.stderr


def test_another_missing_package_is_not_blamed_on_the_extra():
    stderr = run_without("joblib").stderr
    assert "joblib" in stderr
    assert "kpboost[cli]" not in stderr


def test_the_version_needs_no_data_packages():
    assert run_without("numpy", "--version").returncode == 0


def test_the_program_answers(tmp_path):
    done = call_process("--version", cwd=tmp_path)
    assert done.code == 0
    assert done.out.startswith("kpboost ")


def test_letters_that_the_output_cannot_show_are_escaped(tmp_path):
    """As on Windows behind a pipe, or in an old locale."""
    rows = [f"{i},{i % 3},{'é' if i % 3 else 'ü'}\n" for i in range(30)]
    (tmp_path / "d.csv").write_text("größe,b,klasse\n" + "".join(rows), encoding="utf-8")
    ascii_only = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = call_process("disjuncts", "d.csv", cwd=tmp_path, env=ascii_only)
    assert (done.code, done.err) == (0, "")
    assert "\\xe9" in done.out


COMMANDS = ("audit", "fit", "compare", "paper", "report", "status", "datasets", "disjuncts")
ALL_COMMANDS = ("predict", "methods", *COMMANDS)


def test_the_installed_program_is_ours():
    found = [each for each in entry_points(group="console_scripts") if each.name == "kpboost"]
    assert [each.value for each in found] == ["kpboost.cli.app:main"]


def test_version(capsys):
    assert call(capsys, "--version").out == f"kpboost {version('kpboost')}\n"


def test_alone_it_shows_its_commands(capsys):
    answer = call(capsys)
    assert answer.code == 0
    for name in ("audit", "compare", "fit", "predict"):
        assert f"\n  kpboost {name} " in answer.out
    assert "kpboost --help" in answer.out


def test_help_lists_all_commands(capsys):
    answer = call(capsys, "--help")
    assert all(f"\n  {name} " in answer.out for name in ALL_COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself(capsys, name):
    answer = call(capsys, name, "--help")
    assert answer.code == 0
    assert f"Usage: kpboost {name}" in answer.out
    assert "--json" in answer.out


def test_method_names_in_help_are_those_of_the_registry():
    assert tuple(METHODS) == METHOD_NAMES


# Runs commands in a fresh process; prints what each said, and the heavy packages imported so far.
LOADED = """
import json, sys
from contextlib import redirect_stderr, redirect_stdout, suppress
from io import StringIO
from kpboost.cli.app import main
for words in json.loads(sys.argv[1]):
    sys.argv = ["kpboost", *words]
    with redirect_stdout(StringIO()) as said, redirect_stderr(said), suppress(SystemExit):
        main()
    heavy = [name for name in ("numpy", "sklearn", "scipy", "pandas") if name in sys.modules]
    print(json.dumps([said.getvalue(), heavy]))
"""


def loaded_by(*commands, **environment):
    done = subprocess.run(
        [sys.executable, "-c", LOADED, json.dumps(commands)],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_help_imports_nothing_heavy():
    expected = {
        ("--help",): "disjuncts",
        ("--version",): "kpboost",
        ("nonsense",): "There is no command",
        **{(name, "--help"): f"Usage: kpboost {name}" for name in ALL_COMMANDS},
    }
    answers = loaded_by(*expected)
    for (words, part), (said, heavy) in zip(expected.items(), answers, strict=True):
        assert part in said, words
        assert heavy == [], words


def test_completion_imports_nothing_heavy():
    words = {"COMP_WORDS": "kpboost comp", "COMP_CWORD": "1"}
    ((said, heavy),) = loaded_by([], **words, _KPBOOST_COMPLETE="complete_bash")
    assert said.split() == ["compare"]
    assert heavy == []


def test_heavy_packages_of_a_run_are_seen():
    ((_, heavy),) = loaded_by(["datasets", "--only", "embedded"])
    assert "numpy" in heavy


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
