"""Narrow kernels, which are solved on the few entries of their matrix that matter."""

import threading
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from kpboost import KPBoostSVC
from kpboost.kernels import RBFMatrix, RBFRows, rbf_kernel
from kpboost.solvers import DenseGram, solve_dual
from support.random_problems import Problem
from support.verdict import assert_next_to_libsvm, assert_solved, solved

# Above the size up to which a problem is one block, and not a multiple of any vector's length.
N_POINTS = 605
NARROW, WIDE = 5.0, 0.1
LEFT_OUT = 1e-12
SOURCES = [lambda X, gamma: DenseGram(rbf_kernel(X, gamma=gamma)), RBFMatrix]


def points_of(n=N_POINTS, seed=0):
    return np.random.default_rng(seed).normal(size=(n, 8))


def labels_of(X, noise=1.0, seed=0):
    rng = np.random.default_rng(seed)
    return np.where(X[:, 0] + noise * rng.normal(size=len(X)) > 0.5, 1.0, -1.0)


def narrow_problem(C, seed=0, scale=None, gamma=NARROW, n=N_POINTS):
    X = points_of(n, seed)
    bounds = np.broadcast_to(C, n).astype(float)
    return Problem(rbf_kernel(X, gamma=gamma), labels_of(X, seed=seed), bounds, scale)


def matrix_of(near, n):
    begin, columns, values, _ = near
    return sparse.csr_array((values, columns, begin), shape=(n, n)).toarray()


# With the last two the last panel of points is not full.
@pytest.mark.parametrize("n", [257, 512, 605, 1027])
@pytest.mark.parametrize("source", SOURCES)
def test_entries_are_those_of_the_matrix(n, source):
    X = points_of(n)
    gram = rbf_kernel(X, gamma=NARROW)
    near = source(X, NARROW).near_entries()
    assert near[3] == LEFT_OUT
    assert_array_equal(matrix_of(near, n), np.where(gram > LEFT_OUT, gram, 0.0))
    for i in range(n):  # in order
        assert np.all(np.diff(near[1][near[0][i] : near[0][i + 1]].astype(int)) > 0)


def test_negative_entries_and_large_units():
    rng = np.random.default_rng(0)
    sizes = 10.0 ** rng.uniform(-9, 2, (N_POINTS, N_POINTS))
    drawn = np.where(rng.random(sizes.shape) < 0.05, rng.choice([-1.0, 1.0], sizes.shape), 0.0)
    upper = np.triu(drawn * sizes, 1)
    gram = upper + upper.T + 1e6 * np.diag(rng.uniform(1.0, 2.0, N_POINTS))
    least = LEFT_OUT * gram.diagonal().max()
    near = DenseGram(gram).near_entries()
    assert_array_equal(matrix_of(near, N_POINTS), np.where(np.abs(gram) > least, gram, 0.0))


@pytest.mark.parametrize("source", [*SOURCES, RBFRows])
def test_there_are_none_where_the_kernel_is_wide(source):
    assert source(points_of(), WIDE).near_entries() is None


@pytest.mark.parametrize("share", [1.0, 0.5])
@pytest.mark.parametrize("source", SOURCES)
def test_there_are_none_where_the_judged_rows_were_lucky(share, source):
    # Many points, but none of those that are looked at first, are copies of one: a quarter of all
    # pairs, or more.
    X = 100.0 * points_of(1280)
    alike = np.arange(1280) < share * 1280
    alike[5::10] = False
    X[alike] = 0.0
    assert source(X, 1.0).near_entries() is None


@pytest.mark.parametrize("source", SOURCES)
def test_there_are_none_where_clusters_are_wide_inside(source):
    # An eighth of all pairs, most of them with large values: conjugate gradients would be slow.
    X = points_of(800)
    X[:, 0] += 100.0 * (np.arange(800) % 8)
    assert source(X, 0.05).near_entries() is None


def test_smaller_problems_are_one_block():
    assert DenseGram(np.eye(256)).near_entries() is None
    assert DenseGram(np.eye(257)).near_entries() is not None


def test_there_are_none_without_a_diagonal():
    assert DenseGram(np.zeros((300, 300))).near_entries() is None


def test_negative_scales_count_what_is_left_out():
    # 0.9e-7 is left out beside a diagonal entry of 1e5, and would move decision values by 1e-4.
    rng = np.random.default_rng(0)
    y = np.where(rng.random(600) < 0.5, 1.0, -1.0)
    gram = np.diag(np.r_[1e5, np.ones(599)]) + 0.9e-7 * np.outer(y, y)
    assert DenseGram(gram).near_entries() is not None
    for scale in (np.ones(600), -np.ones(600), rng.choice([-1.0, 1.0], 600)):
        problem = Problem(gram, y, np.full(600, 10.0), scale)
        assert_solved(problem, solved(problem))


@pytest.mark.parametrize("C", [0.5, 1.0, 3.0, 100.0, 1e4])
def test_next_to_libsvm(C):
    assert_next_to_libsvm(narrow_problem(C), C, objective=1e-8)


@pytest.mark.parametrize("C", [1.0, 100.0])
def test_no_row_is_computed(C):
    X = points_of()
    rows = RBFMatrix(X, NARROW)
    solution = solve_dual(rows, labels_of(X), C)
    assert solution.status == "converged"
    assert rows.made_rows == 0
    assert_solved(narrow_problem(C), solution)


@pytest.mark.parametrize("tol", [1e-3, 1e-6, 1e-9, 1e-12])
@pytest.mark.parametrize("seed", range(4))
def test_scales_and_bounds_of_every_size(tol, seed):
    rng = np.random.default_rng(seed)
    scale = rng.permutation(np.geomspace(1.0, 10.0 ** -rng.integers(1, 8), N_POINTS))
    bounds = 10.0 ** rng.uniform(-2, 4, N_POINTS)
    bounds[::7] = 0.0
    scale *= rng.choice([-1.0, 1.0], N_POINTS) if seed % 2 else 1.0
    problem = narrow_problem(bounds, seed, scale, gamma=rng.uniform(4.0, 30.0))
    assert DenseGram(problem.gram).near_entries() is not None
    assert_solved(problem, solved(problem, tol=tol), tol)


@pytest.mark.parametrize("C", [1.0, 1e3, 1e6])
@pytest.mark.parametrize("agree", [True, False])
def test_copies_of_points(C, agree):
    # Copies make the matrix singular; those of unlike label end at their bounds.
    X = np.repeat(points_of(N_POINTS), 2, axis=0)
    y = labels_of(X) if not agree else np.repeat(labels_of(X[::2]), 2)
    problem = Problem(rbf_kernel(X, gamma=NARROW), y, np.full(y.size, C), None)
    assert_solved(problem, solved(problem))


@pytest.mark.parametrize("share", [0.01, 0.5])
def test_the_identity(share):
    # Every beta is y - b, or at its bound: with few positives they take all the room there is.
    n = 400
    y = np.where(np.arange(n) < share * n, 1.0, -1.0)
    solution = solve_dual(np.eye(n), y, 1.5)
    bound = min(1.5, 2 * (1 - share))
    assert_allclose(solution.dual_coef[y > 0], bound, atol=1e-9)
    assert_allclose(solution.dual_coef[y < 0], -bound * share / (1 - share), atol=1e-9)


def test_a_matrix_that_is_symmetric_to_single_precision():
    problem = narrow_problem(100.0)
    single = problem.gram.astype(np.float32)
    single[np.triu_indices(N_POINTS, 1)] *= np.float32(1 - 1e-5)
    solution = solve_dual(single, problem.y, 100.0)
    assert solution.status == "converged"
    assert_allclose(solution.decision, solved(problem).decision, atol=1e-3)


def test_short_solves_add_up_to_a_long_one():
    problem = narrow_problem(100.0)
    solution, gram = None, DenseGram(problem.gram)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for _ in range(20):
            solution = solve_dual(gram, problem.y, 100.0, start=solution, max_iter=300)
    assert_solved(problem, solution)


def test_threads_that_ask_at_the_same_time():
    X = points_of(1500)
    rows, y, found = RBFMatrix(X, NARROW), labels_of(X), []

    def work():
        found.append(solve_dual(rows, y, 10.0).dual_coef)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for coef in found:
        assert_array_equal(coef, found[0])


@pytest.mark.parametrize("step", [1e-3, 0.1])
def test_rounds_of_boosting(step):
    X = points_of(1100)
    y = labels_of(X)
    narrow = KPBoostSVC(gamma=NARROW, C=100.0, perturbation_step=step).fit(X, y)
    given = KPBoostSVC(kernel="precomputed", C=100.0, perturbation_step=step)
    gram = rbf_kernel(X, gamma=NARROW)
    assert_allclose(narrow.estimator_weights_, given.fit(gram, y).estimator_weights_)
    for ours, theirs in zip(
        narrow.staged_decision_function(X), given.staged_decision_function(gram), strict=True
    ):
        assert_allclose(ours, theirs, atol=1e-5)


def drawn_problem(seed):
    """Anything: copies, rounded values, rare classes, bounds of 0 and of a million, lost scales."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(257, 900)), int(rng.integers(1, 20))
    X = rng.normal(size=(n, d)) * 10.0 ** rng.uniform(-1, 1, d)
    if rng.random() < 0.3:
        X = np.round(X, int(rng.integers(0, 3)))
    if rng.random() < 0.3:
        X[rng.integers(0, n, n // 4)] = X[rng.integers(0, n, n // 4)]
    y = np.where(rng.random(n) < rng.choice([0.5, 0.2, 0.02]), 1.0, -1.0)
    y[:2] = 1.0, -1.0
    pairs = X[rng.integers(0, n, (2, 500))]
    typical = max(np.median(((pairs[0] - pairs[1]) ** 2).sum(axis=1)), 1e-12)
    gram = rbf_kernel(X, gamma=10.0 ** rng.uniform(0.5, 3) / typical)
    C = (
        np.full(n, 10.0 ** rng.uniform(-2, 6))
        if rng.random() < 0.6
        else 10 ** rng.uniform(-2, 4, n)
    )
    C[rng.integers(2, n, n // 5)] *= rng.random() > 0.2
    lost = rng.exponential(10.0 ** rng.uniform(-2, 2.5), n)
    scale = np.exp(-lost) * (rng.choice([-1.0, 1.0], n) if rng.random() < 0.3 else 1.0)
    return Problem(gram, y, C, scale if rng.random() < 0.5 else None)


# With all scales lost but a few, cutting coefficients to their bounds moves far more than rounding.
@pytest.mark.parametrize("seeds", [range(first, first + 50) for first in range(0, 400, 50)])
def test_any_problem(seeds):
    for seed in seeds:
        problem = drawn_problem(seed)
        for tol in (1e-3, 1e-6, 1e-9):
            assert_solved(problem, solved(problem, tol=tol), tol)
