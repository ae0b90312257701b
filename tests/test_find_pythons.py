"""Pythons for `make wheels`: on PATH, among the versions of pyenv, or missing in one sentence."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

FILE = Path(__file__).parents[1] / "packaging" / "find_pythons.py"
SHIM = "#!/bin/sh\nexit 127\n"


@pytest.fixture
def find(tmp_path):
    """Run the script where no Python is on PATH but a shim, and pyenv has the versions named."""
    (tmp_path / "bin").mkdir()

    def find(*names, versions=()):
        for version in versions:
            folder = tmp_path / "pyenv" / "versions" / version / "bin"
            folder.mkdir(parents=True)
            (folder / "python3.98").symlink_to(sys.executable)
        shim = tmp_path / "bin" / "python3.98"
        shim.write_text(SHIM)
        shim.chmod(0o755)
        environment = os.environ | {
            "PATH": str(tmp_path / "bin"),
            "PYENV_ROOT": str(tmp_path / "pyenv"),
        }
        command = [sys.executable, str(FILE), *names]
        return subprocess.run(command, env=environment, capture_output=True, text=True)

    return find


def test_pyenvs_newest_is_found_behind_its_shim(find):
    done = find("python3.98", versions=("3.98.9", "3.98.10"))
    assert Path(done.stdout.strip()).parts[-3:] == ("3.98.10", "bin", "python3.98")
    assert not done.returncode


def test_a_path_is_taken_as_it_is(find):
    assert find(sys.executable).stdout.strip() == sys.executable


def test_what_is_missing_is_named_in_one_sentence(find):
    done = find("python3.98", sys.executable, "python3.99")
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith("python3.98 and python3.99 cannot be run: install what is")
    assert "WHEEL_PYTHONS=" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
def test_make_asks_before_it_builds(tmp_path):
    root = FILE.parents[1]
    pythons = ["WHEEL_PYTHONS=python3.97", "WHEEL_TOOLS=" + str(tmp_path / "tools")]
    done = subprocess.run(["make", "wheels", *pythons], cwd=root, capture_output=True, text=True)
    assert done.returncode
    assert "python3.97 cannot be run" in done.stderr
    assert not (tmp_path / "tools").exists()
