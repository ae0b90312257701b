"""Candidates in one compiled call next to boosting problem by problem."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import ConvergenceWarning

from kpboost.ensemble import BoostingTrials, RegionsOfInfluence, TrialProblem
from kpboost.ensemble._boosting import boost, outside_regions, resolution_rule
from kpboost.ensemble._voting import perturbed_values
from kpboost.kernels import rbf_kernel, squared_distances
from kpboost.problems._multiclass import binary_problems
from kpboost.solvers import DenseGram, DualProblem, StopFlag
from support.patience import CtrlC, worked

GAMMA, STEP, N_ROUNDS = 0.3, 0.2, 6
RNG = np.random.default_rng(0)
CODES = np.sort(np.arange(70) % 3)
X = RNG.normal(size=(70, 2)) + CODES[:, None]
X_TEST = RNG.normal(size=(25, 2)) + 1
WEIGHT = RNG.uniform(0.5, 2.0, size=70)
TEST_KERNEL = rbf_kernel(X_TEST, X, gamma=GAMMA)


def trial_problems(multi_class="one_vs_one", roi_scale=None, tol=1e-9):
    """Return all problems with bounds from the weights."""

    def made(problem):
        rows = problem.rows
        gram = DenseGram(rbf_kernel(X[rows], gamma=GAMMA))
        dual = DualProblem(gram, problem.target, 5 * WEIGHT[rows])
        influence = None
        if roi_scale is not None:
            nearest = squared_distances(X_TEST, X[rows]).argmin(axis=1)
            influence = RegionsOfInfluence(rule(rows, problem.target, roi_scale).regions(), nearest)
        return TrialProblem(dual, dual.solve(tol=tol), WEIGHT[rows], rows, influence)

    return [made(problem) for problem in binary_problems(CODES, 3, multi_class)]


def rule(rows, target, roi_scale):
    return resolution_rule(roi_scale, target, rows, lambda i, j: squared_distances(X[i], X[j]))


def trials(problems, as_new=True, tol=1e-9):
    return BoostingTrials(problems, TEST_KERNEL, as_new=as_new, n_rounds=N_ROUNDS, tol=tol)


def alone(problem, roi_scale, as_new):
    """Return the trace of one problem, and its values at the test points."""
    dual = problem.dual
    trace = boost(
        dual.gram,
        dual.target,
        dual.bound,
        step=STEP,
        n_rounds=N_ROUNDS,
        rule=rule(problem.rows, dual.target, roi_scale),
        as_new=as_new,
        weight=problem.weight,
        first=problem.first,
        tol=1e-9,
    )
    sums = TEST_KERNEL[:, problem.rows] @ (trace.dual_coef * np.exp(trace.log_scale)).T
    if roi_scale is None:
        return trace, sums + trace.intercept
    inherited = trace.perturbation[:, problem.influence.nearest].T
    both = sums[:, None], trace.intercept[None], inherited[:, None]
    return trace, perturbed_values(*both)[:, 0]


@pytest.mark.parametrize("as_new", [True, False])
@pytest.mark.parametrize("roi_scale", [None, 0.8])
@pytest.mark.parametrize("multi_class", ["one_vs_one", "one_vs_rest"])
def test_together_is_each_problem_alone(multi_class, roi_scale, as_new):
    problems = trial_problems(multi_class, roi_scale)
    tried = trials(problems, as_new).run(STEP, StopFlag())
    rules = []
    for p, problem in enumerate(problems):
        trace, values = alone(problem, roi_scale, as_new)
        assert_allclose(tried.weights[p], trace.weights, rtol=1e-9)
        assert_allclose(tried.values[:, p], values, atol=1e-10)
        rules.append(trace.rule)
    assert tried.n_without_voters == rules.count("best_only")


def test_one_step_does_not_change_the_next():
    shared = trials(trial_problems())
    first = shared.run(STEP, StopFlag())
    other = shared.run(2 * STEP, StopFlag())
    again = shared.run(STEP, StopFlag())
    assert_array_equal(again.values, first.values)
    assert_array_equal(again.weights, first.weights)
    assert not np.array_equal(other.values, first.values)


def test_problems_live_as_long_as_the_trials():
    expected = trials(trial_problems(roi_scale=0.8)).run(STEP, StopFlag())
    shared = trials(trial_problems(roi_scale=0.8))  # nothing else holds their arrays
    heap = [np.full((70, 70), np.nan) for _ in range(50)]  # what was freed would be taken
    assert_array_equal(shared.run(STEP, StopFlag()).values, expected.values)
    assert len(heap) == 50


def test_solves_that_do_not_converge_are_told():
    shared = trials(trial_problems(), tol=1e-300)
    with pytest.warns(ConvergenceWarning, match="above tol=1e-300"):
        shared.run(STEP, StopFlag())


def test_a_stop_flag_ends_it():
    stop = StopFlag()
    stop.set()
    with pytest.raises(KeyboardInterrupt):
        trials(trial_problems()).run(STEP, stop)


def test_ctrl_c_ends_long_rounds():
    problems = trial_problems()
    endless = BoostingTrials(problems, TEST_KERNEL, as_new=True, n_rounds=10**5, tol=1e-9)
    with pytest.raises(KeyboardInterrupt), CtrlC(worked(0.3)):
        endless.run(STEP, StopFlag())


def test_regions_of_other_points_are_refused():
    problems = trial_problems(roi_scale=0.8)
    for wrong in (problems[0].influence.regions[1:], problems[0].influence.regions[:, 1:].copy()):
        influence = replace(problems[0].influence, regions=wrong)
        with pytest.raises(ValueError, match="one row of bits for every point"):
            trials([replace(problems[0], influence=influence)])


@pytest.mark.parametrize("n", [7, 8, 9])
def test_regions_may_end_anywhere_in_a_byte(n):
    """Few enough points for the rule to be followed bit by bit."""
    X, y = X_TEST[:n], np.where(np.arange(n) % 3 == 0, 1.0, -1.0)
    own = outside_regions(y, 1.0, lambda i, j: squared_distances(X[i], X[j]))
    gram, places = DenseGram(rbf_kernel(X, gamma=0.1)), np.arange(n)
    dual = DualProblem(gram, y, np.full(n, 0.5))
    problem = TrialProblem(
        dual, dual.solve(), np.ones(n), places, RegionsOfInfluence(own.regions(), places)
    )
    shared = BoostingTrials([problem], gram.array, as_new=False, n_rounds=5, tol=1e-6)
    *_, inherited, _, _ = shared._compiled.run(STEP, StopFlag())
    expected = boost(gram, y, dual.bound, step=STEP, n_rounds=5, rule=own, first=problem.first)
    assert_array_equal(inherited[:, 0], expected.perturbation.T)
    assert (expected.perturbation[-1] > 0).any()
    assert (expected.perturbation[-1] < 4 * STEP - 1e-9).any()  # some were protected
