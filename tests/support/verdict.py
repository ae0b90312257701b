"""Is it a solution? Judged from the coefficients alone, in double precision."""

import numpy as np
from numpy.testing import assert_allclose

from kpboost.solvers import DenseGram, libsvm, optimality, solve_dual

EPSILON = np.finfo(np.float64).eps
# An entry of the field is a sum of n products. Its rounding error is some epsilon times the sum of
# their sizes; the largest seen in 20,000 random problems with extended precision was 18.
ROUNDINGS = 64
# The solver recomputes its residuals when rounding may have moved them by this share of tol.
DRIFT = 0.1
# Newton steps put a coefficient on its bound within 1e-12 C, and not all of those shifts can be
# given to another one: what is left of the equality constraint, in units of the largest bound.
SUM_MARGIN = 1e-9
# A solver that gives up because of rounding must have come this close to it, by its own count: the
# bound is epsilon times the sum of all coefficients times the largest diagonal entry.
STALL_REACH = 200


def field_of(problem, dual_coef):
    """The field from a fresh copy of the matrix: nothing of the solver's state is used."""
    return optimality.field(problem.gram.copy(), dual_coef, problem.scale)


def rounding_of(problem, dual_coef):
    """How far rounding alone may move an entry of the field."""
    scale = np.ones(problem.y.size) if problem.scale is None else np.abs(problem.scale)
    sizes = scale * (np.abs(problem.gram) @ (scale * np.abs(dual_coef)))
    return ROUNDINGS * EPSILON * max(1.0, sizes.max())


def coarsest_rounding(problem, dual_coef):
    """What rounding may do to the field at worst, whatever the kernel's width."""
    diagonal = problem.gram.diagonal() * (1.0 if problem.scale is None else problem.scale**2)
    return EPSILON * np.abs(dual_coef).sum() * diagonal.max()


def true_gap(problem, dual_coef):
    return optimality.violation_gap(field_of(problem, dual_coef), problem.y, problem.C, dual_coef)


def assert_feasible(problem, dual_coef):
    alpha = problem.y * dual_coef
    assert np.all(alpha >= 0)
    assert np.all(alpha <= problem.C)
    assert abs(dual_coef.sum()) <= SUM_MARGIN * np.max(problem.C)


def assert_consistent(problem, solution, tol=1e-6):
    """What the record says about itself agrees with its coefficients."""
    beta, y = solution.dual_coef, problem.y
    field, slack = field_of(problem, beta), rounding_of(problem, beta) + DRIFT * tol
    objective = optimality.dual_objective(field, y, beta)
    assert_allclose(solution.decision, field + solution.intercept, rtol=0, atol=slack)
    assert_allclose(solution.objective, objective, rtol=0, atol=slack * (1 + np.abs(beta).sum()))
    assert abs(solution.gap - optimality.violation_gap(field, y, problem.C, beta)) <= slack


def assert_solved(problem, solution, tol=1e-6):
    """Feasible, consistent, and optimal: the true gap is below tol, or at rounding level."""
    assert_feasible(problem, solution.dual_coef)
    assert_consistent(problem, solution, tol)
    gap = true_gap(problem, solution.dual_coef)
    if solution.status == "stalled":
        assert gap <= STALL_REACH * coarsest_rounding(problem, solution.dual_coef)
    else:
        assert solution.status == "converged"
        assert gap <= tol + DRIFT * tol + rounding_of(problem, solution.dual_coef)


def solved(problem, **options):
    """Our solution of a problem, on its matrix."""
    return solve_dual(DenseGram(problem.gram), problem.y, problem.C, scale=problem.scale, **options)


def assert_next_to_libsvm(problem, C, objective):
    """Our solution is one, with libsvm's decision and its objective up to this relative error."""
    ours = solved(problem)
    theirs = libsvm.solve_dual(problem.gram, problem.y, C, tol=1e-9)
    assert_solved(problem, ours)
    assert_allclose(ours.objective, theirs.objective, rtol=objective)
    assert_allclose(ours.decision, theirs.decision, rtol=1e-7, atol=1e-5)
