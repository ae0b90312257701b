"""The loops of older processors solve the same problems to the same gap."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from numpy.testing import assert_allclose

from kpboost.solvers import solve_dual
from support.patience import with_support
from support.random_problems import Recipe, build
from support.verdict import true_gap

HERE = Path(__file__).parent
# One block, several blocks, a wide kernel with Newton paths, a narrow one; sizes with tails.
RECIPES = (
    Recipe(n=2, seed=0),
    Recipe(n=77, seed=1, C=10.0),
    Recipe(n=333, seed=2, sigma=5.0, C=1e3, decay=1.0),
    Recipe(n=401, seed=3, sigma=0.3, C=10.0),
    Recipe(n=601, seed=4, sigma=2.0, C=1e4, uneven=True),
)


def solve_all():
    """Objective and true gap of every problem, with the loops of this process."""
    found = []
    for problem in map(build, RECIPES):
        solution = solve_dual(problem.gram, problem.y, problem.C, scale=problem.scale)
        found.append((solution.objective, true_gap(problem, solution.dual_coef)))
    return found


SCRIPT = """
import json
from test_simd_levels import solve_all
from kpboost import _core
print(json.dumps([_core.simd_level(), solve_all()]))
"""


@pytest.fixture(scope="module")
def here():
    return solve_all()


@pytest.mark.parametrize("level", ["baseline", "avx2"])
def test_the_same_objective_and_gap(level, here):
    child = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env=with_support(KPBOOST_SIMD=level),
        cwd=HERE,
        capture_output=True,
        text=True,
    )
    assert child.returncode == 0, child.stderr
    used, found = json.loads(child.stdout)
    if used != level:
        pytest.skip(f"this processor has no {level} loops; it used {used}")
    for (objective, gap), (expected, own_gap) in zip(found, here, strict=True):
        assert_allclose(objective, expected, rtol=1e-6)
        assert max(gap, own_gap) <= 1.1e-6
