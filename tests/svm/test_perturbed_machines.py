"""Chains of made-up stages, evaluated step by step beside the matrix written out."""

from dataclasses import dataclass

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from kpboost.kernels import rbf_kernel
from kpboost.svm._perturbation import BaseKernel, Stage, Step
from kpboost.svm._perturbed_classifier import gather_chains

draw = np.random.default_rng(0)
X, NEW = draw.normal(size=(12, 2)), draw.normal(size=(7, 2))
CODES = np.repeat([1, 0, 1], 4)
KERNEL = BaseKernel("rbf", 0.4)


@dataclass
class ByValue:
    """A factor that reads everything it may read."""

    rate: float
    n_anchors: int = 1

    def __call__(self, points, decision, log_scale):
        return -self.rate * decision[:, 0] ** 2 + 0.1 * points[:, 1] + 0.2 * log_scale


def made_up(rows, rates):
    """Stages with random coefficients; scales follow from the factors."""
    n, log_scale, stages, step = rows.size, np.zeros(rows.size), [], None
    for rate in (*rates, None):
        coef = draw.normal(size=(1, n)) * (draw.random(n) < 0.7)
        scale, intercept = np.exp(log_scale), draw.normal(size=1)
        gram = scale[:, None] * rbf_kernel(X[rows], gamma=0.4) * scale
        decision = (gram @ coef[0] + intercept)[:, None]
        stages.append(Stage(coef, intercept, decision, log_scale, 0.0, 1, True, step))
        if rate is not None:
            step = Step(ByValue(rate))
            log_scale = log_scale + step(X[rows], decision, log_scale)
    return stages


def literal(stages, rows, new):
    cross, log_scale = rbf_kernel(new, X[rows], gamma=0.4), np.zeros(len(new))
    for stage in stages:
        if stage.step is not None:
            log_scale = log_scale + stage.step(new, value[:, None], log_scale)  # noqa: F821
        here = np.exp(log_scale)[:, None] * cross * np.exp(stage.log_scale)
        value = here @ stage.dual_coef[0] + stage.intercept[0]
    return value


def test_new_points_pass_the_stages_in_order():
    all_rows = [np.arange(12), np.array([1, 4, 5, 9, 11])]
    stages = [made_up(all_rows[0], (0.1, 0.3)), made_up(all_rows[1], (0.2,))]
    signs = np.array([1.0, -1.0])
    machines, dual_coef = gather_chains(stages, all_rows, X, CODES, KERNEL, signs)
    values = machines.values(NEW)
    assert_allclose(values[:, 0], literal(stages[0], all_rows[0], NEW))
    assert_allclose(values[:, 1], -literal(stages[1], all_rows[1], NEW))
    for sign, rows, chain, coef in zip(signs, all_rows, stages, dual_coef, strict=True):
        full = np.zeros(12)
        full[rows] = sign * chain[-1].dual_coef[0]
        assert_array_equal(coef, full[machines.support])
    # Training points are where they were.
    assert_allclose(machines.values(X)[:, 0], stages[0][-1].decision[:, 0])


def test_support_vectors_are_those_of_all_stages_class_by_class():
    rows = np.arange(12)
    stages = [made_up(rows, (0.1, 0.3))]
    machines, _ = gather_chains(stages, [rows], X, CODES, KERNEL, np.ones(1))
    any_stage = np.any([stage.dual_coef[0] != 0 for stage in stages[0]], axis=0)
    assert_array_equal(np.sort(machines.support), rows[any_stage])
    order = np.lexsort((machines.support, CODES[machines.support]))
    assert_array_equal(order, np.arange(machines.support.size))


def test_a_value_of_zero_speaks_for_the_positive_side():
    stage = Stage(
        np.zeros((1, 12)), np.zeros(1), np.zeros((12, 1)), np.zeros(12), 0.0, 1, True, None
    )
    for sign in (1.0, -1.0):
        machines, _ = gather_chains([[stage]], [np.arange(12)], X, CODES, KERNEL, np.array([sign]))
        assert np.all(np.sign(machines.values(NEW)) == sign)
