"""Matrices whose rows do not fit the cache, which are solved part by part."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from kpboost.kernels import RBFRows, rbf_kernel
from kpboost.solvers import DenseGram, solve_dual
from support.patience import CtrlC, worked
from support.random_problems import Problem
from support.verdict import assert_solved

# Room for parts of 2,096 points, a little more than the smallest part, and points for two of them;
# no multiple of any vector's length.
CACHE, PART = 34.0, 2096
N_POINTS = 4203
WIDE, NARROW = 0.1, 5.0
# Whole rows that a start of low rank asks for.
LANDMARKS = 48


def points(rare=0.5, seed=0, n=N_POINTS):
    """Two overlapping classes and some wrong labels; the classes follow each other."""
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) < rare * n, 1.0, -1.0)
    X = rng.normal(size=(n, 5)) + 0.7 * y[:, None]
    return X, np.where(rng.random(n) < 0.05, -y, y)


def solved_in_parts(X, y, C, gamma=WIDE, **options):
    """Few whole rows are asked for: that tells parts from working sets of all points."""
    rows = RBFRows(X, gamma, CACHE)
    solution = solve_dual(rows, y, C, **options)
    assert rows.hits == 0
    assert rows.misses <= LANDMARKS
    return solution


def solved_in_some_parts(X, y, C, gamma):
    """With more free points than a part has room for, blocks of all points may take part, too."""
    return solve_dual(RBFRows(X, gamma, CACHE), y, C)


@pytest.mark.parametrize(
    ("gamma", "solved"), [(WIDE, solved_in_parts), (NARROW, solved_in_some_parts)]
)
@pytest.mark.parametrize("rare", [0.5, 0.03])
@pytest.mark.parametrize("C", [1.0, 100.0])
def test_next_to_the_whole_matrix(C, rare, gamma, solved):
    X, y = points(rare)
    gram = rbf_kernel(X, gamma=gamma)
    ours, dense = solved(X, y, C, gamma), solve_dual(DenseGram(gram), y, C)
    assert_solved(Problem(gram, y, np.full(N_POINTS, C), None), ours)
    assert ours.objective == pytest.approx(dense.objective, rel=1e-9)
    assert_allclose(ours.decision, dense.decision, atol=1e-5)


def test_blocks_where_half_of_the_free_points_have_no_room():
    """All but 130 of 4,203 points are free."""
    X, y = points()
    rows = RBFRows(X, NARROW, CACHE)
    assert solve_dual(rows, y, 100.0).status == "converged"
    assert rows.misses > N_POINTS


@pytest.mark.parametrize(("gamma", "most"), [(0.5, 700_000), (1.0, 400_000)])
def test_parts_that_do_not_agree_are_given_up(gamma, most):
    """The kernel is wide beside the cloud: stretches alone take 850,000 steps with the first."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(5000, 6)), np.where(rng.random(5000) < 0.5, 1.0, -1.0)
    solution = solve_dual(RBFRows(X, gamma, 36.0), y, 1e4)
    assert solution.status == "converged"
    assert solution.n_iter < most


def test_far_from_the_origin_and_all_alike():
    """There is no line along which to sort such points."""
    X, y = points()
    for copies in (np.full_like(X, 1e200), np.zeros_like(X)):
        copies[:50] += X[:50]
        assert solve_dual(RBFRows(copies, NARROW, CACHE), y, 1.0).status == "converged"


def test_stretch_by_stretch():
    """More points are free than a part has, and yet no block of all points is needed."""
    X, y = points()
    ours = solved_in_parts(X, y, 1.0, gamma=2.0)
    beta = np.abs(ours.dual_coef)
    assert np.sum((beta > 0) & (beta < 1)) > PART
    gram = rbf_kernel(X, gamma=2.0)
    assert_solved(Problem(gram, y, np.full(N_POINTS, 1.0), None), ours)


def test_more_than_half_of_the_points_fit():
    """Blocks of all points have room for 4,096 free ones: 5,000 are solved in parts, too."""
    X, y = points(n=6000)
    rows = RBFRows(X, 5.0, 170.0)
    whole, ours = RBFRows(X, 5.0, 170.0, in_parts=False), solve_dual(rows, y, 10.0)
    beta = np.abs(ours.dual_coef)
    assert np.sum((beta > 0) & (beta < 10)) > 4096
    assert_solved(Problem(rbf_kernel(X, gamma=5.0), y, np.full(len(y), 10.0), None), ours)
    solve_dual(whole, y, 10.0)
    assert rows.hits + rows.misses < whole.hits + whole.misses


def test_no_parts_where_none_are_wanted():
    X, y = points()
    rows = RBFRows(X, WIDE, CACHE, in_parts=False)
    few = RBFRows(X, WIDE, CACHE / 2, in_parts=False)
    assert_array_equal(solve_dual(rows, y, 1.0).dual_coef, solve_dual(few, y, 1.0).dual_coef)
    assert rows.misses > 0


def test_one_cache_has_room_and_the_other_has_not():
    """What `solved_in_parts` looks at does tell them apart."""
    X, y = points(n=1000)
    with pytest.raises(AssertionError):
        solved_in_parts(X, y, 1.0)


def test_weights_and_scales():
    X, y = points(seed=1)
    rng = np.random.default_rng(2)
    C, scale = rng.choice([0.0, 0.5, 20.0], size=N_POINTS), np.exp(-3 * rng.random(N_POINTS))
    gram = rbf_kernel(X, gamma=WIDE)
    solution = solved_in_parts(X, y, C, scale=scale)
    assert_solved(Problem(gram, y, C, scale), solution)


def test_a_diagonal_far_from_one():
    """Parts are solved in the units of the whole, or in units of their own."""
    X, y = points(seed=3)
    scale = np.where(np.arange(N_POINTS) % 2, 1e-5, 1e5)
    whole = solve_dual(DenseGram(rbf_kernel(X, gamma=WIDE)), y, 1e-4, scale=scale)
    ours = solved_in_parts(X, y, 1e-4, scale=scale)
    assert ours.status == "converged"
    assert ours.objective == pytest.approx(whole.objective, rel=1e-8)


def test_from_a_start():
    X, y = points()
    cold = solved_in_parts(X, y, 10.0)
    warm = solved_in_parts(X, y, 10.0, start=solved_in_parts(X, y, 8.0))
    again = solved_in_parts(X, y, 10.0, start=cold)
    assert warm.objective == pytest.approx(cold.objective, rel=1e-10)
    assert_allclose(warm.decision, cold.decision, atol=1e-5)
    assert again.n_iter == 0


def test_copies_and_contradictions():
    X, y = points(n=N_POINTS // 2)
    X, y = np.vstack([X, X]), np.concatenate([y, np.roll(y, 5)])
    gram = rbf_kernel(X, gamma=WIDE)
    ours = solved_in_parts(X, y, 1e4)
    assert_solved(Problem(gram, y, np.full(len(y), 1e4), None), ours)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_short_solves_add_up():
    X, y = points()
    solution, solves = None, 0
    while solution is None or solution.status == "iteration_limit":
        solution = solved_in_parts(X, y, 1.0, start=solution, max_iter=200)
        solves += 1
        assert solves < 100
    assert solves > 2
    assert solution.status == "converged"
    assert solution.objective == pytest.approx(solved_in_parts(X, y, 1.0).objective, rel=1e-10)


MEGABYTES = """
from pathlib import Path
import numpy as np
from kpboost.kernels import RBFRows
from kpboost.solvers import solve_dual

def megabytes(of):
    lines = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return int(lines[of].split()[0]) / 1024

rng = np.random.default_rng(0)
X, y = rng.normal(size=(8000, 5)), rng.choice([-1.0, 1.0], size=8000)
"""
PARTS_THEN_ROWS = """
rows = RBFRows(X, 0.1, 100)
solve_dual(rows, y, 1.0)
before = megabytes("VmRSS")
sum(rows.row(i)[0] for i in range(rows.capacity))
assert rows.cached_rows == rows.capacity
print(megabytes("VmRSS") - before)
"""
ROWS_THEN_PARTS = """
rows, before = RBFRows(X[:6000], 5.0, 170), megabytes("VmHWM")
solve_dual(rows, y[:6000], 10.0)
assert rows.misses > rows.capacity > rows.cached_rows
print(megabytes("VmHWM") - before)
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read from /proc")
@pytest.mark.parametrize(("script", "most"), [(PARTS_THEN_ROWS, 30), (ROWS_THEN_PARTS, 200)])
def test_parts_and_whole_rows_take_each_others_memory(script, most):
    """Both together would be twice the cache, 100 and 170 MB."""
    done = subprocess.run(
        [sys.executable, "-c", MEGABYTES + script],
        check=True,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert float(done.stdout) < most


def test_threads_that_share_the_memory():
    X, y = points()
    rows, bounds = RBFRows(X, WIDE, CACHE), [0.5, 1.0, 2.0, 4.0]
    with ThreadPoolExecutor(len(bounds)) as pool:
        together = list(pool.map(lambda C: solve_dual(rows, y, C), bounds))
    for C, found in zip(bounds, together, strict=True):
        alone = solve_dual(rows, y, C)
        assert_array_equal(found.dual_coef, alone.dual_coef)
        assert_array_equal(found.decision, alone.decision)
    assert len({found.objective for found in together}) == len(bounds)


def test_interrupted():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20_000, 10)), rng.choice([-1.0, 1.0], size=20_000)
    rows, press = RBFRows(X, 0.05, 100), CtrlC(worked(0.3))
    with pytest.raises(KeyboardInterrupt), press:
        solve_dual(rows, y, 1e4)
    assert press.work_after < 1.0
    assert rows.misses <= LANDMARKS
    assert solve_dual(rows, y, 1e-3, tol=1e-2).status == "converged"
