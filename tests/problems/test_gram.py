import subprocess
import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse

from kpboost import kernels
from kpboost.problems import _gram as gram_blocks
from kpboost.problems._gram import dense_source, fits_dense, rbf_source
from kpboost.solvers import DenseGram, solve_dual

TINY_CACHE = 0.01  # MB: 36 x 36 doubles


@pytest.fixture(scope="module")
def points():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    return X, np.where(X[:, 0] + rng.normal(size=60) > 0, 1.0, -1.0)


def test_the_cache_is_measured_in_mebibytes():
    assert fits_dense(1024, 8)
    assert not fits_dense(1025, 8)


@pytest.mark.parametrize("cache_size", [1000, TINY_CACHE])
@pytest.mark.parametrize("rows", [np.arange(60), np.arange(0, 60, 2), np.arange(3, 53)])
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_every_source_gives_the_same_solution(points, cache_size, rows, container):
    X, y = points
    gram = rbf_source(container(X), gamma=0.5, cache_size=cache_size)(rows)
    whole = kernels.rbf_kernel(X, gamma=0.5)
    ours = solve_dual(gram, y[rows], 5.0, tol=1e-9)
    plain = solve_dual(whole[np.ix_(rows, rows)], y[rows], 5.0, tol=1e-9)
    assert_allclose(ours.decision, plain.decision, atol=1e-7)


@pytest.mark.parametrize("cache_size", [1000, TINY_CACHE])
def test_problems_on_all_rows_share_one_gram(points, cache_size):
    source = rbf_source(points[0], gamma=0.5, cache_size=cache_size)
    assert source(np.arange(60)) is source(np.arange(60))


def test_rows_are_computed_on_demand_where_the_matrix_does_not_fit(points):
    source = rbf_source(points[0], gamma=0.5, cache_size=TINY_CACHE)
    assert isinstance(source(np.arange(60)), kernels.RBFRows)
    assert isinstance(source(np.arange(50)), kernels.RBFRows)
    assert not isinstance(source(np.arange(30)), kernels.RBFRows)


@pytest.mark.parametrize(
    "rows",
    [np.r_[0:20, 40:60], np.r_[5:6, 7:9, 30:60], np.arange(0, 60, 2), np.array([3, 50])],
)
def test_blocks_are_those_of_the_whole_matrix(points, rows):
    gram = kernels.rbf_kernel(points[0], gamma=0.5)
    block = dense_source(DenseGram(gram))(rows).array
    assert np.array_equal(block, gram[np.ix_(rows, rows)])
    assert block.flags.c_contiguous


def test_blocks_in_pages_of_their_own_are_the_same(points, monkeypatch):
    rows = np.r_[0:20, 40:60]
    usual = rbf_source(points[0], gamma=0.5, cache_size=1000)(rows).array
    monkeypatch.setattr(gram_blocks, "OWN_PAGES_FROM", 0)
    paged = rbf_source(points[0], gamma=0.5, cache_size=1000)(rows).array
    assert np.array_equal(paged, usual)
    assert np.array_equal(usual, kernels.rbf_kernel(points[0], gamma=0.5)[np.ix_(rows, rows)])


def test_a_wide_problem_is_held_whole(monkeypatch):
    """Rows on demand copy the points twice, which must stay small beside the matrix."""
    monkeypatch.setattr(gram_blocks, "ON_DEMAND_FROM", 50)
    X = np.random.default_rng(0).normal(size=(60, 7))
    source = rbf_source(X, gamma=0.1, cache_size=1000)
    assert isinstance(source(np.arange(60)), DenseGram)
    narrow = rbf_source(np.ascontiguousarray(X[:, :6]), gamma=0.1, cache_size=1000)
    assert isinstance(narrow(np.arange(60)), kernels.RBFMatrix)
    assert isinstance(narrow(np.arange(55)), DenseGram)  # 6 features are too many for 55 points


PEAK = """
import resource, sys
import numpy as np
from kpboost.ensemble import KPBoostSVC
def draw(n):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2, 3], [n - 3 * (n // 25) - 3, n // 25, n // 25 + 1, n // 25 + 2])
    return rng.normal(size=(n, 5)) + 2 * rng.normal(size=(4, 5))[y], y
KPBoostSVC(10.0).fit(*draw(100))
X, y = draw(950)
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
before = peak()
KPBoostSVC(10.0).fit(X, y)
print((peak() - before) * (1 if sys.platform == "darwin" else 1024) / (8 * y.size**2))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="peak memory is read from the resource module")
def test_pairs_of_several_sizes_take_the_memory_of_one():
    run = subprocess.run([sys.executable, "-c", PEAK], capture_output=True, text=True, check=True)
    assert float(run.stdout) < 1.3  # Gram matrices of all points


def test_large_problems_ask_for_rows_when_they_need_them(monkeypatch):
    monkeypatch.setattr(gram_blocks, "ON_DEMAND_FROM", 200)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    y = np.where(X[:, 0] + 0.1 * rng.normal(size=300) > 0, 1.0, -1.0)
    source = rbf_source(X, gamma=0.1, cache_size=1000)
    rows = source(np.arange(300))
    assert isinstance(rows, kernels.RBFMatrix)
    ours = solve_dual(rows, y, 5.0)
    assert 0 < rows.made_rows < 300  # most points are far from the boundary
    whole = solve_dual(kernels.rbf_kernel(X, gamma=0.1), y, 5.0)
    assert_allclose(ours.decision, whole.decision, atol=1e-5)
    assert isinstance(source(np.arange(100)), DenseGram)  # pairs of classes read blocks
    sparse_rows = rbf_source(sparse.csr_array(X), gamma=0.1, cache_size=1000)(np.arange(300))
    assert isinstance(sparse_rows, DenseGram)
