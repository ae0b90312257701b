"""Ctrl-C stops a solve within a second, and everything goes on working afterwards."""

import numpy as np
import pytest

from kpboost.kernels import RBFRows, rbf_kernel
from kpboost.solvers import DenseGram, libsvm, solve_dual
from support.patience import CtrlC, worked

# CPU seconds until the signal comes; the work below takes many times as long, anywhere.
DELAY = 0.3
# CPU seconds until it is heard.
ALLOWED = 1.0


def noise(n, d):
    rng = np.random.default_rng(0)
    return rng.normal(size=(n, d)), rng.choice([-1.0, 1.0], size=n)


@pytest.fixture(scope="module")
def dense():
    X, y = noise(3500, 5)
    return DenseGram(rbf_kernel(X, gamma=0.5)), y


def assert_interrupted(work, delay=DELAY):
    """Press Ctrl-C during a piece of work; it is heard soon, and solves are as good as ever."""
    press = CtrlC(worked(delay))
    with pytest.raises(KeyboardInterrupt), press:
        work()
    assert press.work_after < ALLOWED
    X, y = noise(200, 4)
    theirs = libsvm.solve_dual(rbf_kernel(X, gamma=0.2), y, 10.0)
    for gram in (rbf_kernel(X, gamma=0.2), RBFRows(X, 0.2)):
        ours = solve_dual(gram, y, 10.0)
        assert ours.status == "converged"
        assert ours.gap < 1e-6
        assert ours.objective == pytest.approx(theirs.objective, rel=1e-7)


def test_during_a_solve_on_a_matrix(dense):
    gram, y = dense
    assert_interrupted(lambda: solve_dual(gram, y, 1e6))
    # The very same matrix serves afterwards.
    assert solve_dual(gram, y, 1e-3, tol=1e-3).status == "converged"


def test_early_in_a_solve(dense):
    """The opening, before the first block."""
    gram, y = dense
    assert_interrupted(lambda: solve_dual(gram, y, 1e6), delay=0.01)


def test_during_a_solve_on_rows():
    X, y = noise(20_000, 10)
    gram = RBFRows(X, 0.05, 1)
    assert_interrupted(lambda: solve_dual(gram, y, 1e4))
    assert gram.row(7)[7] == 1.0


def test_during_a_solve_on_rows_of_many_features():
    """A row of images takes milliseconds."""
    X, y = noise(20_000, 784)
    gram = RBFRows(X, 1 / 1568, 10)
    assert_interrupted(lambda: solve_dual(gram, y, 1e2), delay=0.1)


def test_during_the_check_of_a_matrix():
    # Pages of zeros take no memory until they are written to, and the check only reads.
    zeros = np.zeros((30_000, 30_000))
    assert_interrupted(lambda: DenseGram(zeros), delay=0.1)


def test_short_work_ends_before_the_signal():
    """The test can tell: without an interruption there is none to be raised."""
    with pytest.raises(pytest.fail.Exception, match="DID NOT RAISE"):
        assert_interrupted(lambda: solve_dual(np.eye(4), [1, -1, 1, -1], 1.0), delay=5.0)
