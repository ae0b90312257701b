"""Threads over one shared matrix: the same numbers, bit for bit, and at the same time."""

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from kpboost.kernels import RBFRows, rbf_kernel
from kpboost.solvers import DenseGram, StopFlag, solve_dual
from support.patience import wait_until, worked
from support.real_data import load

GAMMA = 0.05
THREADS = 6
TINY_CACHE = 0.02  # MB: a handful of rows, so that threads take them from each other


@pytest.fixture(scope="module")
def digits():
    X, y = load("digits")
    return X, y


def jobs(y):
    """Different C, labels and scales on one matrix, enough to keep all threads in it."""
    rng = np.random.default_rng(0)
    return [
        (np.roll(y, 7 * k), C, None if k % 2 else rng.uniform(0.5, 1.0, size=y.size))
        for k in range(6)
        for C in (1.0, 100.0)
    ]


def run(rows, job):
    y, C, scale = job
    return solve_dual(rows, y, C, scale=scale)


@pytest.mark.parametrize("kind", ["dense", "rows", "few rows"])
def test_threads_equal_serial(digits, kind):
    X, y = digits
    make = {
        "dense": lambda: DenseGram(rbf_kernel(X, gamma=GAMMA)),
        "rows": lambda: RBFRows(X, GAMMA),
        "few rows": lambda: RBFRows(X, GAMMA, TINY_CACHE),
    }[kind]
    shared, work = make(), jobs(y)
    with ThreadPoolExecutor(THREADS) as pool:
        threaded = list(pool.map(lambda job: run(shared, job), work))
    alone = make()
    for job, found in zip(work, threaded, strict=True):
        expected = run(alone, job)
        assert_array_equal(found.dual_coef, expected.dual_coef)
        assert_array_equal(found.decision, expected.decision)
        assert (found.intercept, found.objective) == (expected.intercept, expected.objective)
        assert (found.n_iter, found.status) == (expected.n_iter, expected.status)
    # The jobs are different problems: equality above is not that of twelve equal answers.
    assert len({found.objective for found in threaded}) == len(work)


@contextmanager
def a_solve_under_way():
    """A thread in a solve that would take minutes, for as long as the block takes."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(3000, 5)), rng.choice([-1.0, 1.0], size=3000)
    gram, stop = DenseGram(rbf_kernel(X, gamma=0.1)), StopFlag()

    def solve():
        with suppress(KeyboardInterrupt):
            solve_dual(gram, y, 1e9, stop=stop)

    thread = threading.Thread(target=solve)
    thread.start()
    try:
        wait_until(worked(0.2))  # this thread sleeps meanwhile: it is the solver that works
        yield thread
    finally:
        stop.set()
        thread.join()


def test_solves_overlap(digits):
    """A short solve begins and ends while a long one is running: nobody holds the lock."""
    X, y = digits
    small = DenseGram(rbf_kernel(X, gamma=GAMMA))
    with a_solve_under_way() as thread:
        assert solve_dual(small, y, 1.0).status == "converged"
        assert thread.is_alive()


def test_python_goes_on_during_a_solve():
    """A held lock would keep this thread from looking until the solve is over."""
    with a_solve_under_way() as thread:
        for _ in range(20):
            wait_until(worked(0.01))
            assert thread.is_alive()
