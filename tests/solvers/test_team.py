"""Several threads inside one fit: the same numbers, bit for bit, and an end in every case."""

import threading
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from joblib import cpu_count
from numpy.testing import assert_array_equal
from sklearn.base import clone

from kpboost import KPBoostSVC, _core
from kpboost.kernels import RBFMatrix, RBFRows, rbf_kernel
from kpboost.solvers import DenseGram, StopFlag, _dual, several_threads, solve_dual
from kpboost.svm import KernelSVC
from support.patience import wait_until, worked

# Passes of this length are shared; no multiple of any vector's length, nor of two pieces a thread.
N_POINTS = 2203
PART_OF_ROWS = 34.0  # MB: parts of some two thousand points
NARROW, MIDDLE, WIDE = 3.0, 0.3, 0.05
TASKS = Path("/proc/self/task")
SOURCES = {
    "dense": lambda X, gamma: DenseGram(rbf_kernel(X, gamma=gamma)),
    "on demand": RBFMatrix,
    "rows": lambda X, gamma: RBFRows(X, gamma, PART_OF_ROWS),
}


def points(n=N_POINTS, seed=0):
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(n) < 0.3, 1.0, -1.0)
    return rng.normal(size=(n, 6)) + 0.6 * y[:, None], np.where(rng.random(n) < 0.1, -y, y)


@contextmanager
def always_shared(n_threads):
    """Share every pass that can be, whether it pays or not, and tell that there were some."""
    team = _core.Team(n_threads, always=True)
    _core.use_team(team)
    try:
        yield
    finally:
        _core.use_team(None)
    assert team.shared_passes > 0


def assert_same(found, expected):
    assert_array_equal(found.dual_coef, expected.dual_coef)
    assert_array_equal(found.decision, expected.decision)
    assert (found.n_iter, found.gap, found.intercept) == (
        expected.n_iter,
        expected.gap,
        expected.intercept,
    )


@pytest.mark.parametrize("C", [1.0, 300.0])
@pytest.mark.parametrize("gamma", [NARROW, MIDDLE, WIDE])
@pytest.mark.parametrize("source", SOURCES)
def test_threads_share_a_solve_and_change_nothing(source, gamma, C):
    X, y = points()
    alone = solve_dual(SOURCES[source](X, gamma), y, C)
    assert alone.status == "converged"
    for n_threads in (2, 3):
        with always_shared(n_threads):
            together = solve_dual(SOURCES[source](X, gamma), y, C)
        assert_same(together, alone)


def test_threads_share_parts_and_change_nothing():
    X, y = points(4203)
    alone = solve_dual(RBFRows(X, WIDE, PART_OF_ROWS), y, 10.0)
    with always_shared(2):
        together = solve_dual(RBFRows(X, WIDE, PART_OF_ROWS), y, 10.0)
    assert_same(together, alone)


@pytest.fixture
def teams(monkeypatch):
    """Those that estimators make in a test, which share every pass that can be."""
    made = []

    def make(n_threads):
        made.append(_core.Team(n_threads, always=True))
        return made[-1]

    monkeypatch.setattr(_dual, "_core", SimpleNamespace(**vars(_core) | {"Team": make}))
    return made


several_processors = pytest.mark.skipif(cpu_count() < 2, reason="there is no second processor")


@several_processors
@pytest.mark.parametrize("scale", [None, 0.5])
def test_threads_share_rounds_and_change_nothing(teams, scale):
    X, y = points(1203)
    model = KPBoostSVC(C=100, gamma=0.3, perturbation_step=0.05, roi_scale=scale)
    alone, together = (clone(model).set_params(n_jobs=n).fit(X, y) for n in (1, 2))
    assert_array_equal(together.dual_coef_, alone.dual_coef_)
    assert_array_equal(together.estimator_weights_, alone.estimator_weights_)
    assert [team.shared_passes > 0 for team in teams] == [False, True]


@several_processors
def test_threads_share_several_classes_and_change_nothing(teams):
    X, y = points(3000)
    y = y + 2 * (X[:, 0] > 1)
    alone, *together = (KernelSVC(C=10, gamma=0.3, n_jobs=n).fit(X, y) for n in (None, 2, 1000))
    for model in together:
        assert_array_equal(model.dual_coef_, alone.dual_coef_)
    assert [team.shared_passes > 0 for team in teams] == [False, True, True]


def n_threads_after_a_solve(n_points):
    X, y = points(n_points)
    with several_threads(2):
        solve_dual(rbf_kernel(X, gamma=MIDDLE), y, 1.0)
        return len(list(TASKS.iterdir()))


@pytest.mark.skipif(not TASKS.exists(), reason="this system does not list threads in /proc")
def test_small_fits_start_no_thread():
    before = len(list(TASKS.iterdir()))
    assert n_threads_after_a_solve(100) == before
    with always_shared(2):
        solve_dual(rbf_kernel(*points()[:1], gamma=MIDDLE), points()[1], 1.0)
        assert len(list(TASKS.iterdir())) == before + 1


def test_threads_that_share_a_solve_can_be_stopped():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(3000, 5)), rng.choice([-1.0, 1.0], size=3000)
    stop, gram = StopFlag(), DenseGram(rbf_kernel(X, gamma=0.1))
    ends = []

    def solve():
        with several_threads(2):
            try:
                solve_dual(gram, y, 1e9, stop=stop)
            except KeyboardInterrupt:
                ends.append("stopped")

    thread = threading.Thread(target=solve)
    thread.start()
    wait_until(worked(0.2))
    stop.set()
    thread.join(timeout=30)
    assert ends == ["stopped"]


def test_an_inner_block_leaves_the_outer_one_as_it_was():
    X, y = points()
    alone = solve_dual(rbf_kernel(X, gamma=MIDDLE), y, 1.0)
    with several_threads(2):
        with several_threads(1):
            assert_same(solve_dual(rbf_kernel(X, gamma=MIDDLE), y, 1.0), alone)
        assert_same(solve_dual(rbf_kernel(X, gamma=MIDDLE), y, 1.0), alone)


def test_blocks_may_end_in_any_order():
    def in_a_block_of_its_own():
        with several_threads(2):
            yield

    X, y = points()
    gram = DenseGram(rbf_kernel(X, gamma=MIDDLE))
    alone = solve_dual(gram, y, 1.0)
    with several_threads(2):
        inner = in_a_block_of_its_own()
        next(inner)
    assert_same(solve_dual(gram, y, 1.0), alone)
    inner.close()
    assert_same(solve_dual(gram, y, 1.0), alone)
    assert _dual._teams.all == []


def test_a_block_may_end_in_another_thread():
    def in_a_block():
        with several_threads(2):
            yield

    block, gram, y = in_a_block(), DenseGram(rbf_kernel(points()[0], gamma=MIDDLE)), points()[1]

    def begin():
        next(block)
        solve_dual(gram, y, 1.0)

    thread = threading.Thread(target=begin)
    thread.start()
    thread.join()
    block.close()
    assert solve_dual(gram, y, 1.0).status == "converged"


def test_teams_of_several_threads_do_not_mind_each_other():
    X, y = points()
    gram = DenseGram(rbf_kernel(X, gamma=MIDDLE))
    alone, found = solve_dual(gram, y, 10.0), {}

    def solve(k):
        with several_threads(2):
            found[k] = solve_dual(gram, y, 10.0)

    threads = [threading.Thread(target=solve, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for k in range(4):
        assert_same(found[k], alone)


def test_bad_numbers_of_threads_are_refused():
    X, y = points(50)
    for n_jobs in (0, 1.5, "two"):
        with pytest.raises(ValueError, match="n_jobs"):
            KernelSVC(n_jobs=n_jobs).fit(X, y)
        with pytest.raises(ValueError, match="n_jobs"), several_threads(n_jobs):
            pass
