"""Traces side by side: nothing is lost, signs are turned, gaps are filled."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from kpboost.ensemble._boosting import boost
from kpboost.ensemble._ensembles import gather
from kpboost.kernels import rbf_kernel
from kpboost.problems._multiclass import binary_problems, slot_table, spread

CODES = np.array([0, 1, 2, 0, 1, 2, 0, 0, 1, 2, 0, 2])
SIGNS = np.array([1.0, -1.0, 1.0])
TABLE = slot_table(3, "one_vs_one")


@pytest.fixture(scope="module")
def gathered():
    X = np.random.default_rng(0).normal(size=(12, 2)) + CODES[:, None]
    gram = rbf_kernel(X, gamma=0.5)
    problems = list(binary_problems(CODES, 3, "one_vs_one"))
    traces = [
        boost(
            np.ascontiguousarray(gram[np.ix_(each.rows, each.rows)]),
            sign * each.target,
            np.ones(each.rows.size),
            step=0.1,
            n_rounds=n_rounds,
        )
        for each, sign, n_rounds in zip(problems, SIGNS, (3, 2, 3), strict=True)
    ]
    rows = [problem.rows for problem in problems]
    return gram, traces, rows, gather(traces, rows, SIGNS, CODES, TABLE, inherits=True)


def by_problem(found, name):
    codes = CODES[found.support] if name == "dual_coef" else CODES
    return spread(getattr(found, name), TABLE, codes)


def test_every_value_is_found_again(gathered):
    _, traces, rows, found = gathered
    for p, (trace, own, sign) in enumerate(zip(traces, rows, SIGNS, strict=True)):
        done = trace.errors.size
        for name in ("tpr", "tnr", "errors", "weights", "kept", "n_iter"):
            assert_array_equal(getattr(found, name)[p, :done], getattr(trace, name))
        for name in ("log_scale", "perturbation"):
            values = by_problem(found, name)[p]
            assert_array_equal(values[:done, own], getattr(trace, name))
            assert not np.delete(values, own, axis=1).any()
        assert_array_equal(found.intercept[p, :done], sign * trace.intercept)


def test_values_speak_for_the_later_class(gathered):
    gram, traces, rows, found = gathered
    for p, (trace, own, sign) in enumerate(zip(traces, rows, SIGNS, strict=True)):
        for t in range(trace.errors.size):
            scale = np.exp(by_problem(found, "log_scale")[p, t])
            coef = np.zeros(12)
            coef[found.support] = by_problem(found, "dual_coef")[p, t]
            values = scale * (gram @ (scale * coef)) + found.intercept[p, t]
            assert_allclose(values[own], sign * trace.decision[t], atol=1e-9)


def test_support_is_the_union_class_by_class(gathered):
    _, traces, rows, found = gathered
    union = {
        i for trace, own in zip(traces, rows, strict=True) for i in own[trace.dual_coef.any(0)]
    }
    assert_array_equal(found.support, sorted(union, key=lambda row: (CODES[row], row)))
    assert np.all(found.dual_coef.any(axis=(0, 1)))


def test_rounds_that_were_not_done_are_silent(gathered):
    *_, found = gathered
    assert np.isnan(found.errors[1, 2])
    assert np.isnan(found.tpr[1, 2])
    assert np.isnan(found.tnr[1, 2])
    assert found.weights[1, 2] == 0
    assert not found.kept[1, 2]
    assert not by_problem(found, "dual_coef")[1, 2].any()
    assert found.intercept[1, 2] == 0


def test_perturbation_is_kept_on_request_only(gathered):
    _, traces, rows, _ = gathered
    found = gather(traces, rows, SIGNS, CODES, TABLE, inherits=False)
    assert found.perturbation is None
