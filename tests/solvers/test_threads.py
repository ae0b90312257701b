"""Threads over one shared matrix: the same numbers, bit for bit, and at the same time."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from real_data import load

from kpboost.kernels import RBFRows, rbf_kernel
from kpboost.solvers import DenseGram, solve_dual

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


def slow_problem():
    """Some hundred milliseconds of solving, in one call."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(1500, 5)), rng.choice([-1.0, 1.0], size=1500)
    return DenseGram(rbf_kernel(X, gamma=0.1)), y


def test_solves_overlap(digits):
    """A short solve begins and ends while a long one is running: nobody holds the lock."""
    X, y = digits
    small = DenseGram(rbf_kernel(X, gamma=GAMMA))
    large, noise = slow_problem()
    times, running = {}, threading.Event()

    def long_solve():
        running.set()
        began = time.perf_counter()
        solve_dual(large, noise, 1e4)
        times["long"] = began, time.perf_counter()

    thread = threading.Thread(target=long_solve)
    thread.start()
    running.wait()
    began = time.perf_counter()
    solve_dual(small, y, 1.0)
    ended = time.perf_counter()
    thread.join()
    assert times["long"][0] - 0.05 < began
    assert ended < times["long"][1]


def test_python_goes_on_during_a_solve():
    """The interpreter counts while the solver works: the count grows in the middle, too."""
    large, noise = slow_problem()
    count, counts = 0, []
    thread = threading.Thread(target=lambda: solve_dual(large, noise, 1e4))
    thread.start()
    while thread.is_alive():
        count += 1
        counts.append(time.perf_counter())
    # A held lock would show as one pause as long as the solve.
    assert np.diff(counts).max() < 0.5 * (counts[-1] - counts[0])
