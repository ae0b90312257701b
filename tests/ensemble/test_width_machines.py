"""Values of gathered machines next to the kernel written out."""

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics.pairwise import rbf_kernel

from kpboost import AdaBoostSVC
from kpboost.ensemble._width_boosting import WidthTrace
from kpboost.problems import training_set

X = np.random.default_rng(0).normal(size=(6, 2))
NEW = np.random.default_rng(1).normal(size=(9, 2))
CODES = np.array([0, 0, 1, 1, 2, 2])


def trace(coef, widths):
    coef = np.array(coef, dtype=float)
    rounds = np.arange(1.0, len(widths) + 1)
    return WidthTrace(coef, 0.1 * rounds, np.array(widths), 0.1 * rounds, rounds, 0, "complete")


def fitted():
    """AdaBoostSVC with two made-up problems instead of trained ones."""
    first = trace([[1, 0, -1, 0], [0.5, 0.5, -1, 0], [0, 0, 0, 0]], [3.0, 3.0, 2.0])
    second = trace([[0, 2, 0, -2]], [1.0])
    model = AdaBoostSVC()
    data = training_set(model, X, CODES, None)
    rows = [np.arange(4), np.array([2, 3, 4, 5])]
    model._remember([first, second], rows, np.array([1.0, -1.0]), data)
    return model


def test_side_by_side():
    model = fitted()
    assert_array_equal(model.support_, [0, 1, 2, 3, 5])
    assert model.dual_coef_.shape == (2, 3, 5)
    assert_array_equal(model.dual_coef_[1, 0], [0, 0, 0, -2, 2])  # turned by its sign
    assert_array_equal(model.estimator_weights_, [[1, 2, 3], [1, 0, 0]])
    assert_array_equal(np.isnan(model.estimator_errors_), [[False] * 3, [False, True, True]])


def test_values():
    model = fitted()
    values = model._values(NEW)
    for problem, t, sigma in [(0, 0, 3.0), (0, 1, 3.0), (0, 2, 2.0), (1, 0, 1.0)]:
        kernel = rbf_kernel(NEW, X[model.support_], gamma=1 / (2 * sigma**2))
        expected = kernel @ model.dual_coef_[problem, t] + model.intercept_[problem, t]
        assert_allclose(values[:, problem, t], expected, rtol=1e-9, atol=1e-12)
    assert_array_equal(values[:, 1, 1:], 0.0)
