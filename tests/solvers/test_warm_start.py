"""A start changes the time a solve takes, never its answer."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from kpboost.kernels import RBFRows, rbf_kernel
from kpboost.solvers import DenseGram, libsvm, solve_dual
from support.random_problems import Problem, Recipe, build, recipes
from support.real_data import load
from support.verdict import assert_feasible, assert_solved

TIGHT = 1e-9


@pytest.fixture(scope="module")
def cancer():
    X, y = load("breast_cancer")
    return Problem(rbf_kernel(X, gamma=0.02), y, np.full(y.size, 100.0), None)


@pytest.fixture(scope="module")
def cold(cancer):
    return solve_dual(cancer.gram, cancer.y, 100.0, tol=TIGHT)


def starts(y, rng):
    """Infeasible in every way a caller can think of."""
    n = y.size
    return {
        "zeros": np.zeros(n),
        "ones": np.ones(n),
        "outside": 1e9 * y,
        "wrong side": -50.0 * y,
        "sum not zero": 50.0 * (y > 0),
        "all at the bound": 100.0 * y,
        "noise": rng.normal(scale=100.0, size=n),
        "one point": 70.0 * (np.arange(n) == 3),
        "tiny": 1e-300 * y,
        "huge": 1e300 * rng.normal(size=n),
    }


@pytest.mark.parametrize("kind", list(starts(np.ones(9), np.random.default_rng(0))))
def test_any_start_gives_the_cold_answer(cancer, cold, kind):
    start = starts(cancer.y, np.random.default_rng(5))[kind]
    warm = solve_dual(cancer.gram, cancer.y, 100.0, start=start, tol=TIGHT)
    assert_solved(cancer, warm, TIGHT)
    assert_allclose(warm.decision, cold.decision, atol=1e-6)
    assert_allclose(warm.objective, cold.objective, rtol=1e-10)


@pytest.mark.parametrize("kind", list(starts(np.ones(9), np.random.default_rng(0))))
def test_a_start_is_made_feasible(cancer, kind):
    """With a tolerance nothing violates, the start itself comes back."""
    start = starts(cancer.y, np.random.default_rng(5))[kind]
    C = np.where(np.arange(cancer.y.size) % 5, 100.0, 0.0)
    returned = solve_dual(cancer.gram, cancer.y, C, start=start, tol=1e30)
    assert returned.n_iter == 0
    assert_feasible(cancer._replace(C=C), returned.dual_coef)


def test_a_solution_and_its_coefficients_are_the_same_start(cancer, cold):
    record = solve_dual(cancer.gram, cancer.y, 50.0, start=cold)
    array = solve_dual(cancer.gram, cancer.y, 50.0, start=cold.dual_coef)
    listed = solve_dual(cancer.gram, cancer.y, 50.0, start=cold.dual_coef.tolist())
    assert_array_equal(record.dual_coef, array.dual_coef)
    assert_array_equal(record.dual_coef, listed.dual_coef)


def test_continuing_takes_fewer_steps(cancer, cold):
    rough = solve_dual(cancer.gram, cancer.y, 100.0, tol=1e-2)
    finished = solve_dual(cancer.gram, cancer.y, 100.0, start=rough)
    assert_solved(cancer, finished)
    assert finished.n_iter < 0.5 * cold.n_iter


@pytest.mark.parametrize("C", [0.3, 1.0, 100.0])
def test_a_solution_is_its_own_continuation(cancer, C):
    """Points at a bound stay there, whatever rounding makes of the sum."""
    solution = solve_dual(cancer.gram, cancer.y, C, tol=TIGHT)
    again = solve_dual(cancer.gram, cancer.y, C, start=solution)
    assert again.n_iter == 0
    assert_array_equal(np.abs(again.dual_coef) == C, np.abs(solution.dual_coef) == C)
    assert_allclose(again.dual_coef, solution.dual_coef, rtol=1e-12)
    # ... while a start from elsewhere has work to do.
    assert solve_dual(cancer.gram, cancer.y, C, start=np.zeros(cancer.y.size)).n_iter > 100


def test_a_path_of_bounds(cancer):
    gram, warm = DenseGram(cancer.gram), None
    warm_steps = cold_steps = 0
    for C in np.geomspace(100, 200, 6):
        problem = cancer._replace(C=np.full(cancer.y.size, C))
        warm = solve_dual(gram, cancer.y, C, start=warm)
        cold = solve_dual(gram, cancer.y, C)
        assert_solved(problem, warm)
        assert_allclose(warm.objective, cold.objective, rtol=1e-7)
        warm_steps, cold_steps = warm_steps + warm.n_iter, cold_steps + cold.n_iter
    assert warm_steps < 0.9 * cold_steps


def test_a_path_over_the_scale(cancer):
    """Rounds of boosting: the matrix shrinks where the decision function is large."""
    gram, warm, log_scale = DenseGram(cancer.gram), None, np.zeros(cancer.y.size)
    warm_steps = cold_steps = 0
    for _ in range(6):
        scale = np.exp(log_scale)
        warm = solve_dual(gram, cancer.y, 100.0, scale=scale, start=warm)
        cold = solve_dual(gram, cancer.y, 100.0, scale=scale)
        assert_solved(cancer._replace(scale=scale), warm)
        assert_allclose(warm.objective, cold.objective, rtol=1e-7)
        warm_steps, cold_steps = warm_steps + warm.n_iter, cold_steps + cold.n_iter
        log_scale -= 0.01 * warm.decision**2
    assert warm_steps < 0.8 * cold_steps


def test_back_and_forth_between_bounds(cancer):
    """Down the path the earlier solution is cut to the new box."""
    warm = None
    for C in (1.0, 1e4, 1.0, 100.0, 0.01, 1e4):
        warm = solve_dual(cancer.gram, cancer.y, C, start=warm)
        assert_solved(cancer._replace(C=np.full(cancer.y.size, C)), warm)


@settings(deadline=None, max_examples=60)
@given(recipe=recipes(150), spread=st.sampled_from([1e-3, 1.0, 1e6]))
def test_random_problems_from_random_starts(recipe, spread):
    problem = build(recipe)
    start = np.random.default_rng(recipe.seed).normal(scale=spread, size=recipe.n)
    warm = solve_dual(
        problem.gram, problem.y, problem.C, scale=problem.scale, start=start, max_iter=100_000
    )
    assert_solved(problem, warm)


def test_a_start_from_other_data_does_no_harm():
    problem, other = build(Recipe(n=350, seed=1)), build(Recipe(n=350, seed=2, sigma=0.3))
    foreign = solve_dual(other.gram, other.y, other.C)
    warm = solve_dual(problem.gram, problem.y, problem.C, start=foreign)
    assert_solved(problem, warm)


# A bound per point is an exact sample weight: 2 is the point twice, 0 is the point left out.


SEEDS = range(4)


def plain(seed, n=120, C=10.0):
    """Few bounded points and many free ones, so that the decision function is unique."""
    return build(Recipe(n=n, seed=seed, C=C, noise=0.1))


def repeated(problem, times):
    """The same problem with point i in it times[i] times."""
    rows = np.repeat(np.arange(problem.y.size), times)
    gram = problem.gram[np.ix_(rows, rows)]
    return Problem(gram, problem.y[rows], problem.C[rows], None), rows


@pytest.mark.parametrize("n", [120, 300])
@pytest.mark.parametrize("seed", SEEDS)
def test_whole_weights_equal_repetition(seed, n):
    problem = plain(seed, n)
    weight = np.random.default_rng(seed).choice([0, 1, 2, 3], size=n)
    many, rows = repeated(problem, weight)
    weighted = solve_dual(problem.gram, problem.y, weight * problem.C, tol=TIGHT)
    expanded = solve_dual(many.gram, many.y, many.C, tol=TIGHT)
    assert_solved(many, expanded, TIGHT)
    assert_allclose(weighted.objective, expanded.objective, rtol=1e-9)
    assert_allclose(weighted.decision[rows], expanded.decision, atol=1e-6)
    together = np.bincount(rows, weights=expanded.dual_coef, minlength=n)
    assert_allclose(weighted.dual_coef, together, atol=1e-4)
    # The weights matter: without them the answer is another one.
    assert (
        np.abs(solve_dual(problem.gram, problem.y, 10.0).decision - weighted.decision).max() > 0.1
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_fractional_weights_agree_with_libsvm(seed):
    problem = plain(seed)
    C = problem.C * np.random.default_rng(seed).uniform(0.01, 3.0, size=problem.y.size)
    ours = solve_dual(problem.gram, problem.y, C, tol=TIGHT)
    theirs = libsvm.solve_dual(problem.gram, problem.y, C, tol=1e-8)
    assert_solved(problem._replace(C=C), ours, TIGHT)
    assert_allclose(ours.decision, theirs.decision, atol=1e-4)
    assert_allclose(ours.objective, theirs.objective, rtol=1e-8)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_third_and_two_thirds_make_a_whole(seed):
    problem = plain(seed)
    doubled, rows = repeated(problem, np.full(problem.y.size, 2))
    share = np.where(np.arange(rows.size) % 2, 1 / 3, 2 / 3)
    split = solve_dual(doubled.gram, doubled.y, share * doubled.C, tol=TIGHT)
    whole = solve_dual(problem.gram, problem.y, problem.C, tol=TIGHT)
    assert_allclose(split.decision, whole.decision[rows], atol=1e-6)


@pytest.mark.parametrize("n", [120, 400])
def test_weight_zero_equals_absence(n):
    problem = plain(1, n)
    weight = (np.arange(n) % 3 > 0).astype(float)
    kept = np.flatnonzero(weight)
    solution = solve_dual(problem.gram, problem.y, weight * problem.C, tol=TIGHT)
    without = solve_dual(
        problem.gram[np.ix_(kept, kept)], problem.y[kept], problem.C[kept], tol=TIGHT
    )
    assert_array_equal(solution.dual_coef[weight == 0], 0.0)
    assert_allclose(solution.decision[kept], without.decision, atol=1e-6)
    # Points that took no part are still told their decision value.
    elsewhere = problem.gram[:, kept] @ without.dual_coef + without.intercept
    assert_allclose(solution.decision, elsewhere, atol=1e-6)
    assert_allclose(solution.objective, without.objective, rtol=1e-9)


@pytest.mark.parametrize("label", [1.0, -1.0])
def test_one_class_weighted_away_leaves_a_constant(label):
    problem = plain(2)
    C = np.where(problem.y == label, 10.0, 0.0)
    solution = solve_dual(problem.gram, problem.y, C)
    assert_array_equal(solution.dual_coef, 0.0)
    assert_array_equal(solution.decision, label)
    assert (solution.objective, solution.gap, solution.status) == (0.0, 0.0, "converged")


def test_class_weights_are_bounds_per_class():
    from sklearn.svm import SVC

    problem = plain(3)
    C = np.where(problem.y > 0, 10.0 * 4, 10.0 * 0.5)
    ours = solve_dual(problem.gram, problem.y, C, tol=TIGHT)
    machine = SVC(kernel="precomputed", C=10.0, class_weight={1: 4, -1: 0.5}, tol=1e-8)
    machine.fit(problem.gram, problem.y)
    assert_allclose(ours.decision, machine.decision_function(problem.gram), atol=1e-4)


def test_all_bounds_equal_one_bound():
    problem = plain(0)
    one = solve_dual(problem.gram, problem.y, 10.0)
    each = solve_dual(problem.gram, problem.y, problem.C)
    assert_array_equal(one.dual_coef, each.dual_coef)


# Rows computed on demand give the solution of the matrix in memory, however few are kept.


ROW_MB = 600 * 8 / 2**20
# Room for: two rows (the least), a few, half of them, all of them.
CACHES = {"two": 1e-9, "few": 5 * ROW_MB, "half": 300 * ROW_MB, "all": 1000.0}
GAMMA = 0.04


def real_problem(name, C):
    X, y = load(name)
    return X, Problem(rbf_kernel(X, gamma=GAMMA), y, np.full(y.size, C), None)


@pytest.mark.parametrize("cache", CACHES.values(), ids=CACHES)
@pytest.mark.parametrize("C", [1.0, 1e3])
@pytest.mark.parametrize("name", ["wine", "breast_cancer", "digits"])
def test_any_cache_gives_the_same_solution(name, C, cache):
    X, problem = real_problem(name, C)
    rows = RBFRows(X, GAMMA, cache)
    found = solve_dual(rows, problem.y, C, tol=1e-8)
    dense = solve_dual(DenseGram(problem.gram), problem.y, C, tol=1e-8)
    theirs = libsvm.solve_dual(problem.gram, problem.y, C, tol=1e-6)
    assert_solved(problem, found, 1e-8)
    assert_allclose(found.objective, dense.objective, rtol=1e-9)
    assert_allclose(found.objective, theirs.objective, rtol=1e-6)
    assert_allclose(found.decision, dense.decision, atol=1e-5)
    assert rows.cached_rows <= rows.capacity


@pytest.mark.parametrize("cache", CACHES.values(), ids=CACHES)
def test_scale_weights_and_start(cache):
    """All the options at once."""
    X, problem = real_problem("breast_cancer", 1.0)
    rng = np.random.default_rng(0)
    problem = problem._replace(
        C=rng.choice([0.0, 1.0, 20.0], size=problem.y.size),
        scale=np.exp(-3 * rng.random(problem.y.size)),
    )
    start = solve_dual(problem.gram, problem.y, 5.0)
    rows = RBFRows(X, GAMMA, cache)
    found = solve_dual(rows, problem.y, problem.C, scale=problem.scale, start=start, tol=1e-8)
    assert_solved(problem, found, 1e-8)


def test_a_cache_that_is_used():
    """The second solve on the same rows finds them there."""
    X, problem = real_problem("breast_cancer", 1.0)
    rows = RBFRows(X, GAMMA)
    first = solve_dual(rows, problem.y, 1.0)
    misses = rows.misses
    second = solve_dual(rows, problem.y, 1.0)
    assert rows.misses == misses
    assert 0 < misses <= problem.y.size
    assert np.array_equal(first.dual_coef, second.dual_coef)


def test_wrong_rows_would_be_noticed():
    """The same check on rows of another kernel fails."""
    X, problem = real_problem("wine", 10.0)
    wrong = solve_dual(RBFRows(X, 1.5 * GAMMA), problem.y, 10.0)
    with pytest.raises(AssertionError):
        assert_solved(problem, wrong)
