import os
import subprocess
import sys

import pytest

from support.calls import call_process

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
