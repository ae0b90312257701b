"""Every solve ends: at the limit with a warning that says how far it came."""

import re
import time
import warnings
from itertools import pairwise

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from kpboost.solvers import DEFAULT_MAX_ITER, DualSolution, solve_dual
from support.fuzz_campaign import GAP_OF_ZERO
from support.random_problems import Problem, Recipe, build
from support.verdict import assert_consistent, assert_feasible, assert_solved, rounding_of, true_gap


@pytest.fixture(scope="module", params=[100, 400])
def problem(request):
    """One that is a single block, and one that is not."""
    return build(Recipe(n=request.param, seed=0, C=1e3))


def capped(problem, max_iter, start=None):
    """The solution at the cap, and what was said about it."""
    with pytest.warns(ConvergenceWarning) as caught:
        solution = solve_dual(problem.gram, problem.y, problem.C, max_iter=max_iter, start=start)
    assert len(caught) == 1
    return solution, caught[0]


@pytest.mark.parametrize("max_iter", [1, 2, 10, 60])
def test_the_cap_is_reported(problem, max_iter):
    solution, warning = capped(problem, max_iter)
    assert solution.status == "iteration_limit"
    assert f"{solution.gap:.3g}" in str(warning.message)
    assert "iteration_limit" in str(warning.message)
    assert "max_iter" in str(warning.message)
    assert warning.filename == __file__  # points to the caller's line
    assert solution.gap > 1e-6


@pytest.mark.parametrize("max_iter", [1, 10, 60])
def test_the_cap_is_kept(problem, max_iter):
    """A Newton path that has begun, of at most 60 steps, is walked to its end; nothing more."""
    solution, _ = capped(problem, max_iter)
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
def test_what_comes_back_is_feasible_and_a_start(problem, max_iter):
    solution, _ = capped(problem, max_iter)
    assert_feasible(problem, solution.dual_coef)
    assert_consistent(problem, solution)
    assert solution.objective < 0  # better than where it began
    finished = solve_dual(problem.gram, problem.y, problem.C, start=solution)
    assert_solved(problem, finished)


def test_many_short_solves_make_a_long_one(problem):
    solution, objective = None, 0.0
    for _ in range(20):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            solution = solve_dual(problem.gram, problem.y, problem.C, max_iter=1000, start=solution)
        assert solution.objective <= objective + 1e-9
        objective = solution.objective
        if solution.status == "converged":
            break
    assert_solved(problem, solution)


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
