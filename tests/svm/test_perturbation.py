"""The loop with rules made up for the purpose: what it carries, and where it stops."""

from dataclasses import dataclass

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import ConvergenceWarning

from kpboost.kernels import rbf_kernel
from kpboost.solvers import optimality, solve_dual
from kpboost.svm._perturbation import (
    LOG_SMALLEST_FACTOR,
    PerturbationPlan,
    Problem,
    perturb,
    row_blocks,
    supports,
    training_error,
)

GAMMA, C = 0.05, 5.0


@dataclass
class Given:
    """log D by the point's first feature."""

    slope: float = 0.0
    constant: float = 0.0
    n_anchors: int = 1

    def __call__(self, points, decision, log_scale):
        return self.slope * points[:, 0] + self.constant


@pytest.fixture
def problem(load):
    X, y = load("pima")
    target = np.where(y == np.unique(y)[0], 1.0, -1.0)[:, None]
    return Problem(X, target, np.full(y.size, C), np.ones(y.size))


def stages_of(problem, factor, n_iterations, **options):
    plan = PerturbationPlan(rule=lambda *_: factor, n_iterations=n_iterations, **options)
    return perturb(rbf_kernel(problem.points, gamma=GAMMA), problem, plan, tol=1e-8)


def test_every_stage_solves_its_own_dual(problem):
    """The matrix written out, diag(s) K diag(s), has the stage as its optimum."""
    gram = rbf_kernel(problem.points, gamma=GAMMA)
    stages = stages_of(problem, Given(slope=0.3), 3)
    assert len(stages) == 4
    y = problem.target[:, 0]
    for t, stage in enumerate(stages):
        scale = np.exp(0.3 * t * problem.points[:, 0])
        assert_allclose(stage.log_scale, np.log(scale), atol=1e-12)
        field = (scale[:, None] * gram * scale) @ stage.dual_coef[0]
        assert_allclose(field + stage.intercept[0], stage.decision[:, 0], atol=1e-6)
        assert optimality.violation_gap(field, y, C, stage.dual_coef[0]) < 1e-6
        assert stage.error == np.mean((stage.decision[:, 0] >= 0) != (y > 0))


def test_several_machines_share_one_scale(load):
    X, y = load("wine")
    target = np.where(y[:, None] == np.arange(3), 1.0, -1.0)
    problem = Problem(X, target, np.full(y.size, C), np.ones(y.size))
    stage = stages_of(problem, Given(slope=0.2), 2)[-1]
    scale = np.exp(0.4 * X[:, 0])
    for k in range(3):
        alone = solve_dual(rbf_kernel(X, gamma=GAMMA), target[:, k], C, scale=scale, tol=1e-8)
        assert_allclose(stage.decision[:, k], alone.decision, atol=1e-6)
    assert_array_equal(supports(problem, stage), (stage.dual_coef != 0).any(axis=0))
    assert stage.error == np.mean(stage.decision.argmax(axis=1) != y)


def test_without_training_again_coefficients_stay(problem):
    first, second = stages_of(problem, Given(slope=0.2), 1, retrain=False)
    assert_array_equal(first.dual_coef, second.dual_coef)
    assert_allclose(second.log_scale, 0.2 * problem.points[:, 0])


def test_a_rule_without_an_answer_ends_it(problem):
    assert len(stages_of(problem, None, 5)) == 1


def test_factors_that_all_underflow_end_it(problem):
    assert len(stages_of(problem, Given(constant=-1e4), 5)) == 1
    assert len(stages_of(problem, Given(constant=-np.inf), 5)) == 1


def test_a_single_factor_that_underflows_is_floored(problem):
    lowest = problem.points[:, 0].min()
    stages = stages_of(problem, Given(slope=1e4, constant=-1e4 * lowest - 1e3), 1, normalize=True)
    spread = stages[-1].log_scale.max() - stages[-1].log_scale.min()
    highest = 1e4 * (problem.points[:, 0].max() - lowest) - 1e3
    assert_allclose(spread, highest - LOG_SMALLEST_FACTOR)


def test_a_kernel_that_outgrows_the_solver_is_left_alone(problem):
    with pytest.warns(UserWarning, match="grown beyond"):
        stages = stages_of(problem, Given(constant=8.0), 9)
    assert 1 < len(stages) < 9
    assert len(stages_of(problem, Given(constant=8.0), 9, normalize=True)) == 10


def test_a_machine_that_could_not_be_trained_is_the_last_one(problem):
    gram, plan = (
        rbf_kernel(problem.points, gamma=GAMMA),
        PerturbationPlan(lambda *_: Given(slope=0.3), 5),
    )
    with pytest.warns(ConvergenceWarning):
        stages = perturb(gram, problem, plan, tol=1e-8, max_iter=1)
    assert len(stages) == 1
    assert not stages[0].converged


def test_it_ends_when_the_error_no_longer_falls(problem):
    endless = [stage.error for stage in stages_of(problem, Given(slope=0.4), 6)]
    falls = -np.diff(endless)
    for threshold in (0.0, float(falls.max())):
        stages = stages_of(problem, Given(slope=0.4), 6, min_improvement=threshold)
        steps = np.flatnonzero(falls <= threshold)
        assert len(stages) == (steps[0] + 2 if steps.size else 7)


def test_an_error_that_stays_is_no_improvement(problem):
    unchanged = Given(constant=0.0)
    assert len(stages_of(problem, unchanged, 6, min_improvement=0.0)) == 2
    assert len(stages_of(problem, unchanged, 6)) == 7


def test_the_best_stage_may_be_the_last_one_kept(problem):
    errors = [stage.error for stage in stages_of(problem, Given(slope=0.4), 6)]
    kept = stages_of(problem, Given(slope=0.4), 6, keep_best=True)
    assert len(kept) == np.argmin(errors) + 1
    assert kept[-1].error == min(errors)


def test_errors_are_weighted_and_zero_is_positive():
    target = np.array([[1.0], [1.0], [-1.0], [-1.0]])
    problem = Problem(None, target, np.ones(4), np.array([1.0, 2.0, 3.0, 4.0]))
    assert training_error(problem, np.array([[0.0], [-1.0], [0.0], [-1.0]])) == 0.5


def test_coefficients_of_rounding_size_support_nothing(problem):
    (stage,) = stages_of(problem, None, 1)
    own = np.flatnonzero(stage.dual_coef[0])
    stage.dual_coef[0, own[0]] = 1e-9 * C
    assert supports(problem, stage).sum() == own.size - 1


@pytest.mark.parametrize("n", [0, 1, 7, 1000])
def test_blocks_cover_all_rows_once(n, monkeypatch):
    monkeypatch.setattr("kpboost.svm._perturbation.BLOCK_BYTES", 800)
    rows = np.concatenate([np.arange(n)[part] for part in row_blocks(n, 10)])
    assert_array_equal(rows, np.arange(n))
    assert all(part.stop - part.start <= 10 for part in row_blocks(n, 10))
