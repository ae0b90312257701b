"""Whatever the problem, the solver ends, stays feasible and reaches the optimum."""

import warnings
from dataclasses import replace
from time import process_time

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from random_problems import Recipe, build, recipes
from sklearn.exceptions import ConvergenceWarning
from verdict import assert_feasible, assert_solved

from kpboost.solvers import solve_dual

# The hardest of 12,000 random problems of this size took 8000 steps.
ENOUGH_STEPS = 100_000
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
def test_any_problem_is_solved(recipe):
    problem = build(recipe)
    assert_solved(problem, solve(problem))


@settings(patient, max_examples=100)
@given(recipe=recipes(200), tol=st.sampled_from([1e-1, 1e-3, 1e-9]))
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


@pytest.mark.parametrize("C", [1e6, 1e9, 1e12, 1e15])
def test_a_hard_margin(C):
    """Where no coefficient comes near its bound, the bound does not matter."""
    problem = build(Recipe(n=60, seed=0, noise=0.0))
    expected = solve(problem._replace(C=np.full(60, 1e5)))
    assert np.abs(expected.dual_coef).max() < 1e4
    found = solve(problem._replace(C=np.full(60, C)))
    assert found.status == "converged"
    assert_allclose(found.decision, expected.decision, atol=1e-5)
