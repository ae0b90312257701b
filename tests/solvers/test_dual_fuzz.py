"""Whatever the problem, the solver ends, stays feasible and reaches the optimum."""

import warnings
from dataclasses import replace

import numpy as np
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from random_problems import Recipe, build, recipes
from sklearn.exceptions import ConvergenceWarning
from verdict import assert_feasible, assert_solved

from kpboost.solvers import solve_dual

# The hardest of 12,000 random problems of this size took 8000 steps.
ENOUGH_STEPS = 100_000
# Ten times the slowest; a hang is a failure with an example, not a suite that never ends.
patient = settings(deadline=2000, max_examples=1000, suppress_health_check=[HealthCheck.too_slow])


def solve(problem, *, start=None, tol=1e-6):
    """Solve without a word: the verdict reads the status."""
    gram, y, C, scale = problem
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return solve_dual(gram, y, C, scale=scale, start=start, tol=tol, max_iter=ENOUGH_STEPS)


@patient
@given(recipe=recipes())
# One of each kind of trouble that has bitten solvers before.
@example(Recipe(n=300, seed=0, copies=0.9, conflicts=True, C=1e4, sigma=100.0))
@example(Recipe(n=300, seed=0, grid=1, C=1e4, sigma=10.0))
@example(Recipe(n=300, seed=0, constant=True, n_features=1, C=1e4))
@example(Recipe(n=300, seed=0, shrunk=1e-9, n_features=1, C=1e4))
@example(Recipe(n=2, seed=0))
def test_any_problem_is_solved(recipe):
    problem = build(recipe)
    assert_solved(problem, solve(problem))


@settings(patient, max_examples=100)
@given(recipe=recipes(200), tol=st.sampled_from([1e-1, 1e-3]))
def test_any_tolerance_is_met_or_rounding_is(recipe, tol):
    problem = build(recipe)
    assert_solved(problem, solve(problem, tol=tol), tol)


@settings(patient, max_examples=100)
@given(recipe=recipes(200))
def test_swapped_labels_give_the_mirror_image(recipe):
    problem = build(recipe)
    mirrored = problem._replace(y=-problem.y)
    solution, image = solve(problem), solve(mirrored)
    assert_solved(mirrored, image)
    # Between two solutions of the same convex problem the objectives differ by no more than
    # the gap times the distance between them.
    distance = np.abs(solution.dual_coef + image.dual_coef).sum()
    assert abs(solution.objective - image.objective) <= 1e-6 * (1 + distance)


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
    distance = np.abs(solution.dual_coef[order] - other.dual_coef).sum()
    assert abs(solution.objective - other.objective) <= 1e-6 * (1 + distance)
