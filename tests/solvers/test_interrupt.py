"""Ctrl-C stops a solve within a second, and everything goes on working afterwards."""

import textwrap

import pytest

from support.patience import run_python

# CPU seconds until the signal comes; the work below takes many times as long, anywhere.
DELAY = 0.3
# CPU seconds until it is heard.
ALLOWED = 1.0

CHILD = """
import numpy as np
from kpboost.kernels import RBFRows, rbf_kernel
from kpboost.solvers import DenseGram, libsvm, solve_dual
from support.patience import CtrlC, worked

def noise(n, d):
    rng = np.random.default_rng(0)
    return rng.normal(size=(n, d)), rng.choice([-1.0, 1.0], size=n)

{prepare}
press = CtrlC(worked({delay}))
try:
    with press:
        {work}
except KeyboardInterrupt:
    print("interrupted", press.work_after)
else:
    print("finished")

X, y = noise(200, 4)
for gram in (rbf_kernel(X, gamma=0.2), RBFRows(X, 0.2)):
    ours = solve_dual(gram, y, 10.0)
    theirs = libsvm.solve_dual(rbf_kernel(X, gamma=0.2), y, 10.0)
    assert ours.status == "converged" and ours.gap < 1e-6, ours
    assert abs(ours.objective / theirs.objective - 1) < 1e-7, ours
{afterwards}
print("well")
"""

DENSE = """
X, y = noise(3500, 5)
gram = DenseGram(rbf_kernel(X, gamma=0.5))
"""
# Pages of zeros take no memory until they are written to, and the check only reads.
CHECK = "zeros = np.zeros((30_000, 30_000))"
ROWS = """
X, y = noise(20_000, 10)
gram = RBFRows(X, 0.05, 1)
"""


def run(prepare, work, delay=DELAY, afterwards=""):
    script = textwrap.dedent(CHILD).format(
        prepare=prepare, work=work, delay=delay, afterwards=afterwards
    )
    return run_python(script).split()


def assert_interrupted(words):
    assert words[0] == "interrupted", words
    assert float(words[1]) < ALLOWED
    assert words[-1] == "well"


def test_during_a_solve_on_a_matrix():
    # The very same matrix serves afterwards.
    again = "assert solve_dual(gram, y, 1e-3, tol=1e-3).status == 'converged'"
    assert_interrupted(run(DENSE, "solve_dual(gram, y, 1e6)", afterwards=again))


def test_early_in_a_solve():
    """The opening, before the first block."""
    assert_interrupted(run(DENSE, "solve_dual(gram, y, 1e6)", delay=0.01))


def test_during_a_solve_on_rows():
    again = "assert gram.row(7)[7] == 1.0"
    assert_interrupted(run(ROWS, "solve_dual(gram, y, 1e4)", afterwards=again))


def test_during_a_solve_on_rows_of_many_features():
    """A row of images takes milliseconds."""
    prepare = "X, y = noise(20_000, 784)\ngram = RBFRows(X, 1 / 1568, 10)"
    assert_interrupted(run(prepare, "solve_dual(gram, y, 1e2)", delay=0.1))


def test_during_the_check_of_a_matrix():
    assert_interrupted(run(CHECK, "DenseGram(zeros)", delay=0.1))


@pytest.mark.parametrize("work", ["solve_dual(np.eye(4), [1, -1, 1, -1], 1.0)"])
def test_short_work_ends_before_the_signal(work):
    """The test can tell: without an interruption the child says so."""
    assert run("", work, delay=5.0)[0] == "finished"
