"""Whatever the problem, the solver ends, stays feasible and reaches the optimum."""

import warnings
from dataclasses import replace
from time import process_time

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings, strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import ConvergenceWarning

from kpboost.solvers import solve_dual
from support.fuzz_campaign import run
from support.random_problems import Recipe, build, random_recipe, recipes
from support.verdict import assert_feasible, assert_solved, rounding_of

# The hardest of 10,000 random problems took 17,000 steps at a tolerance of 1e-6; at 1e-12 one took
# 123,000 until it stalled.
ENOUGH_STEPS = 1_000_000
# CPU seconds, ten times the slowest; Hypothesis' own deadline is one on the wall.
MOST_SECONDS = 2.0
patient = settings(deadline=None, max_examples=1000, suppress_health_check=[HealthCheck.too_slow])


def solve(problem, *, start=None, tol=1e-6):
    """Solve without a word: the verdict reads the status."""
    gram, y, C, scale = problem
    began = process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        found = solve_dual(gram, y, C, scale=scale, start=start, tol=tol, max_iter=ENOUGH_STEPS)
    assert process_time() - began < MOST_SECONDS
    return found


@patient
@given(recipe=recipes())
# One of each kind of trouble that has bitten solvers before.
@example(Recipe(n=300, seed=0, copies=0.9, conflicts=True, C=1e4, sigma=100.0))
@example(Recipe(n=300, seed=0, grid=1, C=1e4, sigma=10.0))
@example(Recipe(n=300, seed=0, constant=True, n_features=1, C=1e4))
@example(Recipe(n=300, seed=0, shrunk=1e-9, n_features=1, C=1e4))
@example(Recipe(n=300, seed=0, decay=400.0, sigma=0.1, C=1e4))
@example(Recipe(n=2, seed=0))
# A last Newton step that undoes what the steps before it reached, for ever.
@example(
    Recipe(
        n=2,
        seed=165819399,
        n_features=6,
        sigma=5.63,
        C=7200.0,
        rare=0.02,
        noise=0.0,
        conflicts=True,
        uneven=True,
        decay=20.0,
    )
)
@example(
    Recipe(
        n=20,
        seed=704778368,
        n_features=4,
        sigma=0.431,
        C=9380.0,
        noise=1.0,
        copies=0.9,
        grid=1,
        constant=True,
        uneven=True,
        decay=1.0,
    )
)
@example(
    Recipe(n=194, seed=0, sigma=20.1, C=9180.0, rare=0.2, noise=0.0, shrunk=0.001, decay=400.0)
)
# A nearly singular matrix: Newton steps lost their digits in a difference of two large vectors.
@example(
    Recipe(
        n=84,
        seed=1440603064,
        n_features=8,
        sigma=2.115,
        C=969344.0,
        copies=0.3,
        conflicts=True,
        shrunk=1e-160,
        decay=1.0,
    )
)
# The opening went on for 600 passes, because a block would have had to hold nearly all points.
@example(
    Recipe(
        n=271,
        seed=143,
        n_features=8,
        sigma=3.29,
        C=8430.0,
        rare=0.02,
        noise=1.0,
        conflicts=True,
        shrunk=1e-9,
    )
)
def test_any_problem_is_solved(recipe):
    problem = build(recipe)
    assert_solved(problem, solve(problem))


@settings(patient, max_examples=100)
@given(recipe=recipes(200), tol=st.sampled_from([1e-1, 1e-3, 1e-9, 1e-12]))
@example(
    recipe=Recipe(
        n=3,
        seed=44224,
        n_features=8,
        C=403.0,
        rare=0.2,
        noise=0.0,
        copies=0.9,
        conflicts=True,
        decay=1.0,
    ),
    tol=1e-9,
)
# A matrix of numerical rank 13, with and without a scale.
@example(
    recipe=Recipe(n=84, seed=0, n_features=1, C=2.72, copies=0.9, noise=1.0, decay=1.0), tol=1e-9
)
@example(recipe=Recipe(n=84, seed=0, n_features=1, C=2.72, copies=0.9, noise=1.0), tol=1e-9)
# Steps between points of a tiny scale gained the most, and the worst violation was left for ever.
@example(recipe=random_recipe(105), tol=1e-12)
@example(recipe=random_recipe(287), tol=1e-9)
def test_any_tolerance_is_met_or_rounding_is(recipe, tol):
    problem = build(recipe)
    assert_solved(problem, solve(problem, tol=tol), tol)


def assert_as_good(problem, one, other):
    """Two solutions of a convex problem differ in their objectives by no more than the gap times
    the distance between them, and by what rounding does to each term of the sum."""
    distance = np.abs(one.dual_coef - other.dual_coef).sum()
    rounding = rounding_of(problem, one.dual_coef) * np.abs(one.dual_coef).sum()
    assert abs(one.objective - other.objective) <= 1e-6 * (1 + distance) + rounding


@settings(patient, max_examples=100)
@given(recipe=recipes(200))
def test_swapped_labels_give_the_mirror_image(recipe):
    problem = build(recipe)
    mirrored = problem._replace(y=-problem.y)
    solution, image = solve(problem), solve(mirrored)
    assert_solved(mirrored, image)
    assert_as_good(problem, solution, replace(image, dual_coef=-image.dual_coef))


@settings(patient, max_examples=60)
@given(recipe=recipes(100))
def test_the_arguments_are_left_alone(recipe):
    problem, untouched = build(recipe), build(recipe)
    start = np.random.default_rng(recipe.seed).normal(size=recipe.n)
    before = start.copy()
    first = solve(problem, start=start)
    assert_array_equal(problem.gram, untouched.gram)
    assert_array_equal(problem.y, untouched.y)
    assert_array_equal(problem.C, untouched.C)
    assert_array_equal(start, before)
    assert_feasible(problem, first.dual_coef)
    assert_array_equal(solve(problem, start=start).dual_coef, first.dual_coef)


@settings(patient, max_examples=60)
@given(recipe=recipes(60))
def test_the_order_of_the_points_does_not_matter(recipe):
    problem = build(replace(recipe, decay=None))
    order = np.random.default_rng(recipe.seed).permutation(recipe.n)
    shuffled = problem._replace(
        gram=problem.gram[np.ix_(order, order)], y=problem.y[order], C=problem.C[order]
    )
    solution, other = solve(problem), solve(shuffled)
    assert_as_good(shuffled, replace(solution, dual_coef=solution.dual_coef[order]), other)


@pytest.mark.parametrize("C", [1e6, 1e9, 1e12, 1e15])
def test_a_hard_margin(C):
    """Where no coefficient comes near its bound, the bound does not matter."""
    problem = build(Recipe(n=60, seed=0, noise=0.0))
    expected = solve(problem._replace(C=np.full(60, 1e5)))
    assert np.abs(expected.dual_coef).max() < 1e4
    found = solve(problem._replace(C=np.full(60, C)))
    assert found.status == "converged"
    assert_allclose(found.decision, expected.decision, atol=1e-5)


def test_a_slice_of_the_campaign():
    tally = run(range(60))
    assert not tally.failures
    assert tally.ends[1e-6, "converged"] == tally.ends[1e-9, "converged"] == 60


def complacent(gram, y, C, *, tol, **options):
    """Call a loose solution a tight one."""
    return replace(solve_dual(gram, y, C, tol=100 * tol, **options), status="converged")


def resigned(gram, y, C, *, max_iter=50, **options):
    """Give up early, and blame rounding."""
    return replace(solve_dual(gram, y, C, max_iter=max_iter, **options), status="stalled")


def forgetful(gram, y, C, *, max_iter=None, **options):
    """Lose with a thousand steps what fewer have reached."""
    return solve_dual(gram, y, C, max_iter=100 if max_iter == 1000 else max_iter, **options)


@pytest.mark.parametrize("solver", [complacent, resigned, forgetful], ids=lambda one: one.__name__)
def test_the_campaign_finds_a_bad_solver(solver):
    assert len(run(range(20), solver, say=lambda line: None).failures) >= 4
