"""The loops for machines without AVX2 pass the same tests."""

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
SAME_TESTS = sorted(map(str, {*HERE.glob("test_*.py")} - {Path(__file__)}))
SLOW = "memory or ctrl_c"  # nothing about them depends on the loops


def run(*arguments):
    environment = os.environ | {"KPBOOST_SIMD": "baseline"}
    command = [sys.executable, *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, cwd=HERE)


def test_the_environment_chooses_the_baseline():
    level = run("-c", "from kpboost import _core; print(_core.simd_level())")
    assert level.stdout.strip() == "baseline"


def test_the_baseline_passes_the_kernel_tests():
    options = ("-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-k", f"not ({SLOW})")
    result = run(*options, *SAME_TESTS)
    assert result.returncode == 0, result.stdout
