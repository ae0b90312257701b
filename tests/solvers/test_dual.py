"""Next to libsvm, on real data, over the range of C and kernel widths that grids visit."""

import gc
import re
import time
import tracemalloc
import warnings
import weakref
from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel as rbf_kernel_of_gram

from kpboost.kernels import rbf_kernel
from kpboost.solvers import (
    DEFAULT_MAX_ITER,
    DenseGram,
    DualSolution,
    libsvm,
    optimality,
    solve_dual,
)
from kpboost.solvers._dual import rescaled_start
from support.fuzz_campaign import GAP_OF_ZERO
from support.random_problems import Problem, Recipe, build
from support.real_data import NAMES, load
from support.verdict import (
    assert_consistent,
    assert_feasible,
    assert_solved,
    field_of,
    rounding_of,
    true_gap,
)

SIGMAS = (0.1, 1.0, 10.0, 100.0)
BOUNDS = (1.0, 100.0, 1e4)


def real_problem(name, sigma, C):
    X, y = load(name)
    return Problem(rbf_kernel(X, gamma=0.5 / sigma**2), y, np.full(y.size, C), None)


@pytest.mark.parametrize("C", BOUNDS)
@pytest.mark.parametrize("sigma", SIGMAS)
@pytest.mark.parametrize("name", NAMES)
def test_not_above_libsvm(name, sigma, C):
    problem = real_problem(name, sigma, C)
    ours = solve_dual(problem.gram, problem.y, C)
    theirs = libsvm.solve_dual(problem.gram, problem.y, C, tol=1e-3)
    assert_solved(problem, ours)
    # By convexity no feasible point is lower by more than the gap times half the distance to it.
    distance = np.abs(ours.dual_coef - theirs.dual_coef).sum()
    rounding = rounding_of(problem, ours.dual_coef) * (1 + np.abs(ours.dual_coef).sum())
    assert ours.objective <= theirs.objective + 0.5 * ours.gap * distance + rounding
    # ... and libsvm, which stops a thousand times earlier, is close: the same problem was solved.
    assert_allclose(ours.objective, theirs.objective, rtol=1e-3)


@pytest.mark.parametrize("C", BOUNDS)
@pytest.mark.parametrize("sigma", SIGMAS)
@pytest.mark.parametrize("name", ["breast_cancer", "digits", "wine"])
def test_primal_and_dual_meet(name, sigma, C):
    """Strong duality: a bound on the distance to the optimum that needs no other solver."""
    problem = real_problem(name, sigma, C)
    for tol in (1e-6, 1e-10):
        solution = solve_dual(problem.gram, problem.y, C, tol=tol)
        beta, field = solution.dual_coef, field_of(problem, solution.dual_coef)
        duality = optimality.duality_gap(field, problem.y, C, beta, solution.intercept)
        rounding = rounding_of(problem, beta) * (1 + np.abs(beta).sum())
        assert -rounding <= duality <= solution.gap * problem.C.sum() + rounding
    assert duality <= 1e-5 * abs(solution.objective)


@pytest.mark.parametrize("C", [1.0, 100.0])
@pytest.mark.parametrize("sigma", [0.3, 1.0, 3.0])
@pytest.mark.parametrize("name", NAMES)
def test_the_decision_function_of_libsvm(name, sigma, C):
    """At a tight tolerance; libsvm's single precision inside leaves it a little off."""
    problem = real_problem(name, sigma, C)
    ours = solve_dual(problem.gram, problem.y, C, tol=1e-8)
    theirs = libsvm.solve_dual(problem.gram, problem.y, C, tol=1e-8)
    assert_allclose(ours.decision, theirs.decision, atol=5e-5 * C**0.5)
    assert_allclose(ours.intercept, theirs.intercept, atol=5e-5 * C**0.5)
    assert ours.objective <= theirs.objective * (1 - 1e-12)


def test_every_digit_against_the_rest():
    """Ten problems on one matrix, some of them separable."""
    from sklearn.datasets import load_digits

    X, digit = load_digits(return_X_y=True)
    X, digit = X[:700] / 16, digit[:700]
    gram = rbf_kernel(X, gamma=0.05)
    for wanted in range(10):
        y = np.where(digit == wanted, 1.0, -1.0)
        ours = solve_dual(gram, y, 1e3)
        theirs = libsvm.solve_dual(gram, y, 1e3, tol=1e-6)
        assert_solved(Problem(gram, y, np.full(700, 1e3), None), ours)
        assert_allclose(ours.decision, theirs.decision, atol=1e-4)


# A Gram matrix is checked once, and kept as it is if it can be.


@pytest.fixture
def points():
    return np.random.default_rng(0).normal(size=(70, 3))


@pytest.fixture
def gram(points):
    return rbf_kernel_of_gram(points, gamma=0.4)


@pytest.fixture
def y(points):
    return np.where(points[:, 0] > 0, 1.0, -1.0)


def asymmetric(gram, difference, place=(3, 40)):
    changed = gram.copy()
    changed[place] += difference
    return changed


def test_a_double_precision_array_is_not_copied(gram):
    kept = DenseGram(gram)
    assert np.shares_memory(kept.array, gram)
    assert len(kept) == 70
    assert tuple(kept.shape) == gram.shape


def test_a_read_only_array_is_not_copied(gram, y):
    gram.flags.writeable = False
    kept = DenseGram(gram)
    assert np.shares_memory(kept.array, gram)
    assert solve_dual(kept, y, 1.0).status == "converged"


@pytest.mark.parametrize(
    "other",
    [
        lambda K: np.asfortranarray(K),
        lambda K: np.repeat(np.repeat(K, 2, axis=0), 2, axis=1)[::2, ::2],
        lambda K: K.astype(">f8"),
        lambda K: K.tolist(),
    ],
    ids=["fortran", "strided", "big endian", "list"],
)
def test_other_layouts_give_the_same_answer(gram, y, other):
    expected = solve_dual(gram, y, 10.0)
    found = solve_dual(other(gram), y, 10.0)
    assert_array_equal(found.dual_coef, expected.dual_coef)


def test_single_precision_is_accepted(points, y):
    """Its own rounding errors, which make it a little asymmetric, are forgiven."""
    noise = np.random.default_rng(1).normal(scale=1e-7, size=(70, 70))
    single = (rbf_kernel_of_gram(points, gamma=0.4) + noise).astype(np.float32)
    assert np.abs(single - single.T).max() > 1e-8
    kept = DenseGram(single)
    assert kept.array.dtype == np.float64
    assert_array_equal(kept.array, single)
    assert solve_dual(kept, y, 10.0).status == "converged"


@pytest.mark.parametrize("dtype", [int, bool, np.uint8, np.float16])
def test_whole_numbers_and_half_precision_are_accepted(dtype):
    kept = DenseGram(np.eye(4, dtype=dtype))
    assert_array_equal(kept.array, np.eye(4))


@pytest.mark.parametrize("size", [1.0, 1e6, 1e-6])
def test_a_tiny_asymmetry_is_forgiven_and_a_larger_one_refused(gram, size):
    """Tiny means relative to the diagonal: sqrt(epsilon), 1.5e-8 in double precision."""
    DenseGram(size * asymmetric(gram, 1e-9))
    with pytest.raises(ValueError, match="not symmetric"):
        DenseGram(size * asymmetric(gram, 1e-7))


@pytest.mark.parametrize("n", [1, 2, 31, 32, 33, 64, 65, 100])
def test_no_place_is_overlooked(n):
    """Every entry of matrices around the size of a tile, alone, makes the matrix bad."""
    matrix = np.eye(n)
    for i in (0, n // 2, n - 1):
        for j in range(n):
            for bad in (np.nan, np.inf) if i == j else (np.nan, -np.inf, 1e-3):
                old, matrix[i, j] = matrix[i, j], bad
                with pytest.raises(ValueError, match=r"^gram (contains NaN|is not symmetric)"):
                    DenseGram(matrix)
                matrix[i, j] = old
    DenseGram(matrix)


def test_a_zero_diagonal_forgives_nothing():
    hollow = 1 - np.eye(5)
    DenseGram(hollow)
    with pytest.raises(ValueError, match="not symmetric"):
        DenseGram(asymmetric(hollow, 1e-12, (1, 2)))


def test_checked_once(gram, y):
    """What a solve trusts was checked when the object was made, not again."""
    kept = DenseGram(gram)
    before = solve_dual(kept, y, 1.0)
    gram[0, 1] += 1e-3  # a caller's mistake that only a second check would find
    solve_dual(kept, y, 1.0)
    with pytest.raises(ValueError, match="not symmetric"):
        solve_dual(gram, y, 1.0)
    gram[0, 1] -= 1e-3
    assert_array_equal(solve_dual(kept, y, 1.0).dual_coef, before.dual_coef)


def test_the_matrix_lives_as_long_as_it_is_needed(points, y):
    kept = DenseGram(rbf_kernel_of_gram(points, gamma=0.4))
    gc.collect()
    expected = solve_dual(rbf_kernel_of_gram(points, gamma=0.4), y, 1.0)
    assert_array_equal(solve_dual(kept, y, 1.0).dual_coef, expected.dual_coef)
    alive = weakref.ref(kept.array)
    del kept
    gc.collect()
    assert alive() is None


def test_rows_are_those_of_the_matrix(gram):
    kept = DenseGram(gram)
    assert_array_equal(kept.row(11), gram[11])
    columns = np.array([3, 69, 0], dtype=np.uintp)
    assert_array_equal(kept.entries(5, columns), gram[5, [3, 69, 0]])


def test_a_product_is_that_of_the_matrix(gram):
    vectors = np.random.default_rng(1).normal(size=(4, 70))
    np.testing.assert_allclose(DenseGram(gram).product(vectors), vectors @ gram, atol=1e-12)


@pytest.mark.parametrize("log_factor", [-0.3, 0.5])
def test_it_solves_a_problem_that_is_scaled_alike_everywhere(load, log_factor):
    X, label = load("breast_cancer")
    gram, y = rbf_kernel(X, gamma=0.03), np.where(label == 0, 1.0, -1.0)
    before = solve_dual(gram, y, 1e6, tol=1e-10)  # no coefficient at this bound
    factor = np.full(y.size, log_factor)
    after = solve_dual(gram, y, 1e6, scale=np.exp(factor), tol=1e-10)
    assert_allclose(rescaled_start(before.dual_coef, factor), after.dual_coef, rtol=1e-5, atol=1e-6)


def test_it_is_finite_and_takes_several_machines():
    coef = np.array([[1.0, -2.0], [0.0, 3.0]])
    assert np.all(np.isfinite(rescaled_start(coef, np.array([-1e9, 1e9]))))
    assert_allclose(rescaled_start(coef, np.log([2.0, 0.5])), coef * [0.25, 4.0])


# A scale is the diagonal on both sides of the matrix, which is never formed.


TIGHT = 1e-9


@pytest.fixture(scope="module", params=["wine", "breast_cancer"])
def problem(request):
    """One that is a single block, and one that is not."""
    X, y = load(request.param)
    return Problem(rbf_kernel(X, gamma=0.05), y, np.full(y.size, 50.0), None)


def scales(n):
    rng = np.random.default_rng(11)
    return {
        "near one": rng.uniform(0.5, 1.5, size=n),
        "decades": 10.0 ** rng.uniform(-2, 1, size=n),
        "signs": rng.choice([-1.0, 1.0], size=n) * rng.uniform(0.5, 1.5, size=n),
        "zeros": rng.choice([0.0, 1.0], size=n),
        "boosted": np.exp(-rng.uniform(0, 400, size=n) * (rng.random(n) > 0.5)),
    }


@pytest.mark.parametrize("kind", list(scales(2)))
def test_equals_the_scaled_matrix(problem, kind):
    scale = scales(problem.y.size)[kind]
    formed = np.outer(scale, scale) * problem.gram
    ours = solve_dual(problem.gram, problem.y, 50.0, scale=scale, tol=TIGHT)
    same = solve_dual(formed, problem.y, 50.0, tol=TIGHT)
    theirs = libsvm.solve_dual(formed, problem.y, 50.0, tol=1e-6)
    assert_solved(problem._replace(scale=scale), ours, TIGHT)
    assert_allclose(ours.decision, same.decision, atol=1e-5)
    assert_allclose(ours.objective, same.objective, rtol=1e-9)
    assert_allclose(ours.objective, theirs.objective, rtol=1e-6)
    assert_allclose(ours.decision, theirs.decision, atol=5e-3)


def test_the_scale_matters(problem):
    scale = scales(problem.y.size)["near one"]
    scaled = solve_dual(problem.gram, problem.y, 50.0, scale=scale)
    assert np.abs(scaled.decision - solve_dual(problem.gram, problem.y, 50.0).decision).max() > 0.05


def test_ones_change_nothing(problem):
    plain = solve_dual(problem.gram, problem.y, 50.0)
    ones = solve_dual(problem.gram, problem.y, 50.0, scale=np.ones(problem.y.size))
    assert_allclose(ones.decision, plain.decision, atol=1e-5)
    assert_allclose(ones.objective, plain.objective, rtol=1e-7)


def test_a_common_factor_moves_into_the_bound(problem):
    """Q c^2 with bounds C / c^2 is the same problem in other units."""
    n, c = problem.y.size, 3.0
    plain = solve_dual(problem.gram, problem.y, 50.0, tol=TIGHT)
    scaled = solve_dual(problem.gram, problem.y, 50.0 / c**2, scale=np.full(n, c), tol=TIGHT)
    assert_allclose(scaled.dual_coef * c**2, plain.dual_coef, atol=1e-4)
    assert_allclose(scaled.decision, plain.decision, atol=1e-6)


def test_underflow_is_silent_and_harmless(problem):
    scale = np.exp(-np.linspace(0, 740, problem.y.size))  # squares far below the smallest double
    with np.errstate(all="raise"):
        solution = solve_dual(problem.gram, problem.y, 50.0, scale=scale)
    assert_solved(problem._replace(scale=scale), solution)
    assert np.isfinite(solution.decision).all()


def test_the_scaled_matrix_is_never_formed():
    X, y = load("digits")
    gram, scale = DenseGram(rbf_kernel(X, gamma=0.01)), np.linspace(0.5, 1.0, y.size)
    before = scale.copy()
    tracemalloc.start()
    solve_dual(gram, y, 10.0, scale=scale)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 0.1 * gram.array.nbytes
    assert_array_equal(scale, before)


# Kernel values of any size: the same problem in other units has the same solution.


@pytest.fixture(scope="module")
def problem_of_magnitude():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 5))
    return rbf_kernel(X, gamma=0.5), np.where(X[:, 0] + rng.normal(size=400) > 0, 1.0, -1.0)


@pytest.mark.parametrize("unit", [1e-30, 1e-9, 1e9, 1e20])
@pytest.mark.parametrize("points", [100, 400])
def test_units_do_not_matter(problem_of_magnitude, unit, points):
    gram, y = problem_of_magnitude[0][:points, :points], problem_of_magnitude[1][:points]
    plain = solve_dual(gram, y, 10.0, tol=1e-9)
    other = solve_dual(gram * unit, y, 10.0 / unit, tol=1e-9)
    assert other.status == "converged"
    assert_allclose(other.dual_coef * unit, plain.dual_coef, atol=1e-6)
    assert_allclose(other.decision, plain.decision, atol=1e-7)
    warm = solve_dual(gram * unit, y, 10.0 / unit, tol=1e-9, start=other)
    assert warm.n_iter <= other.n_iter / 10 + 2


def test_tiny_tolerances_end(problem_of_magnitude):
    assert (
        solve_dual(problem_of_magnitude[0] * 1e12, problem_of_magnitude[1], 1e-12, tol=1e-12).gap
        < 1e-12
    )


@pytest.mark.parametrize("unit", [1e26, 1e39, 1e300, 1e307])
def test_hopeless_sizes_are_refused_in_words(problem_of_magnitude, unit):
    gram, y = problem_of_magnitude
    with pytest.raises(ValueError, match="kernel value times the sum of C"):
        solve_dual(gram * unit, y, 1.0, start=np.ones(y.size), max_iter=1000)


# Every solve ends: at the limit with a warning that says how far it came.


@pytest.fixture(scope="module", params=[100, 400])
def problem_of_limits(request):
    """One that is a single block, and one that is not."""
    return build(Recipe(n=request.param, seed=0, C=1e3))


def capped(problem, max_iter, start=None):
    """The solution at the cap, and what was said about it."""
    with pytest.warns(ConvergenceWarning) as caught:
        solution = solve_dual(problem.gram, problem.y, problem.C, max_iter=max_iter, start=start)
    assert len(caught) == 1
    return solution, caught[0]


@pytest.mark.parametrize("max_iter", [1, 2, 10, 60])
def test_the_cap_is_reported(problem_of_limits, max_iter):
    solution, warning = capped(problem_of_limits, max_iter)
    assert solution.status == "iteration_limit"
    assert f"{solution.gap:.3g}" in str(warning.message)
    assert "iteration_limit" in str(warning.message)
    assert "max_iter" in str(warning.message)
    assert warning.filename == __file__  # points to the caller's line
    assert solution.gap > 1e-6


@pytest.mark.parametrize("max_iter", [1, 10, 60])
def test_the_cap_is_kept(problem_of_limits, max_iter):
    """A Newton path that has begun, of at most 60 steps, is walked to its end; nothing more."""
    solution, _ = capped(problem_of_limits, max_iter)
    assert max_iter <= solution.n_iter <= max_iter + 61


@pytest.mark.parametrize("n", [20, 300])
@pytest.mark.parametrize("shift", [0.0, -1e-6])
def test_the_cap_is_kept_without_newton_steps(n, shift):
    """A linear kernel on features of a thousand: singular, so that pair steps are all there is."""
    rng = np.random.default_rng(n)
    X, y = 1e3 * rng.normal(size=(n, n // 10)), rng.choice([-1.0, 1.0], size=n)
    problem = Problem(X @ X.T + shift * np.eye(n), y, np.full(n, 1e4), None)
    began = time.process_time()
    solution, _ = solve_quietly(problem, max_iter=1000)
    assert solution.n_iter <= 1061
    assert time.process_time() - began < 1
    assert_feasible(problem, solution.dual_coef)


@pytest.mark.parametrize("max_iter", [1, 10, 60])
def test_what_comes_back_is_feasible_and_a_start(problem_of_limits, max_iter):
    solution, _ = capped(problem_of_limits, max_iter)
    assert_feasible(problem_of_limits, solution.dual_coef)
    assert_consistent(problem_of_limits, solution)
    assert solution.objective < 0  # better than where it began
    finished = solve_dual(
        problem_of_limits.gram, problem_of_limits.y, problem_of_limits.C, start=solution
    )
    assert_solved(problem_of_limits, finished)


def test_many_short_solves_make_a_long_one(problem_of_limits):
    solution, objective = None, 0.0
    for _ in range(20):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            solution = solve_dual(
                problem_of_limits.gram,
                problem_of_limits.y,
                problem_of_limits.C,
                max_iter=1000,
                start=solution,
            )
        assert solution.objective <= objective + 1e-9
        objective = solution.objective
        if solution.status == "converged":
            break
    assert_solved(problem_of_limits, solution)


def test_no_limit_is_a_finite_limit():
    assert 0 < DEFAULT_MAX_ITER < np.inf


def test_a_tolerance_beyond_rounding_stalls_and_says_so():
    problem = build(Recipe(n=150, seed=4, C=1e4))
    with pytest.warns(ConvergenceWarning, match="stalled.*rounding"):
        solution = solve_dual(problem.gram, problem.y, problem.C, tol=1e-18)
    assert solution.status == "stalled"
    assert_solved(problem, solution, 1e-18)


@pytest.mark.parametrize("n", [84, 150, 400])
def test_a_stalled_solve_ends_soon(n):
    problem = build(Recipe(n=n, seed=0, n_features=1, C=2.72, copies=0.9, noise=1.0, decay=1.0))
    solution, warned = solve_quietly(problem, DEFAULT_MAX_ITER, tol=1e-18)
    assert_solved(problem, solution, 1e-18)
    assert solution.n_iter < 20_000
    # Rounding may also leave a gap of exactly zero.
    assert [solution.status] == (["stalled"] if warned else ["converged"])
    assert all("nothing improves" in str(each.message) for each in warned)


# What made the solver return 1e-4 after having seen 2e-9.
FLAT = Recipe(n=84, seed=0, n_features=1, C=2.72, copies=0.9, noise=1.0, decay=1.0)


@pytest.mark.parametrize("recipe", [FLAT, Recipe(n=400, seed=5, sigma=5.0, C=1e5, copies=0.3)])
def test_more_steps_are_never_worse(recipe):
    problem = build(recipe)
    caps = (1000, 2000, 3000, 5000, 8000, 13_000, 21_000, 34_000)
    solutions = [solve_quietly(problem, max_iter, tol=1e-16)[0] for max_iter in caps]
    meaningful = [each for each in solutions if each.gap < GAP_OF_ZERO]
    for earlier, later in pairwise(meaningful):
        assert later.gap <= earlier.gap + rounding_of(problem, later.dual_coef)
    assert meaningful == solutions[-len(meaningful) :]
    assert_solved(problem, solutions[-1], 1e-16)


def test_a_stalled_solve_is_no_worse_than_its_start():
    problem = build(Recipe(n=150, seed=4, C=1e4))
    first, _ = solve_quietly(problem, tol=1e-18)
    for _ in range(5):
        again, _ = solve_quietly(problem, tol=1e-18, start=first)
        assert again.status == "stalled"
        assert again.gap <= first.gap + rounding_of(problem, first.dual_coef)
        first = again


def not_psd(n):
    """Symmetric matrices that no kernel has made."""
    rng = np.random.default_rng(n)
    X = rng.normal(size=(n, 5))
    noise = rng.normal(size=(n, n))
    return {
        "random": noise + noise.T,
        "sigmoid": np.tanh(0.2 * (X @ X.T) - 1),
        "steep sigmoid": np.tanh(5 * (X @ X.T) + 1),
        "minus identity": -np.eye(n),
        "hollow": 1 - np.eye(n),
        "distances": np.abs(X[:, :1] - X[:, 0]),
        "almost": X @ X.T - 1e-6 * np.eye(n),
    }


@pytest.mark.parametrize("n", [20, 100, 400])
@pytest.mark.parametrize("C", [1.0, 1e4])
@pytest.mark.parametrize("kind", list(not_psd(20)))
def test_a_matrix_that_is_not_psd_ends_soon(kind, C, n):
    """At a stationary point, or with a warning; in any case feasible, and within CPU seconds."""
    gram = (not_psd(n)[kind] + not_psd(n)[kind].T) / 2
    y = np.where(np.arange(n) % 2, 1.0, -1.0)
    problem = Problem(gram, y, np.full(n, C), None)
    began = time.process_time()
    solution, warned = solve_quietly(problem)
    assert time.process_time() - began < 5
    assert_feasible(problem, solution.dual_coef)
    assert np.linalg.eigvalsh(gram)[0] < 0
    if solution.status == "converged":
        size = np.abs(gram).max() * np.abs(solution.dual_coef).sum()
        assert true_gap(problem, solution.dual_coef) <= 1.1e-6 + 1e-13 * size
        assert not warned
    else:
        assert len(warned) == 1
        assert re.search(r"gap of \d", str(warned[0].message))


def solve_quietly(problem, max_iter=200_000, **options) -> tuple[DualSolution, list]:
    gram, y, C, scale = problem
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        solution = solve_dual(gram, y, C, scale=scale, max_iter=max_iter, **options)
    return solution, caught
