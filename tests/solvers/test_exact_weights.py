"""A bound per point is an exact sample weight: 2 is the point twice, 0 is the point left out."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from kpboost.solvers import libsvm, solve_dual
from support.random_problems import Problem, Recipe, build
from support.verdict import assert_solved

TIGHT = 1e-9
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
