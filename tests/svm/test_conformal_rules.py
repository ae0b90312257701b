import numpy as np
from numpy.testing import assert_allclose

from kpboost.svm._conformal_svc import AmariWu, WuAmari
from kpboost.svm._perturbation import Problem, Stage


def made_up(X, coef):
    n = len(X)
    problem = Problem(np.asarray(X), np.ones((n, 1)), np.full(n, 5.0), np.ones(n))
    stage = Stage(
        np.array(coef, dtype=float)[None],
        np.zeros(1),
        np.zeros((n, 1)),
        np.zeros(n),
        0.0,
        1,
        True,
        None,
    )
    return problem, stage


def test_heights_are_coefficients_and_widths_are_one():
    factor = AmariWu(0.5)(*made_up([[0.0], [1.0], [2.0]], [3.0, 0.0, -2.0]))
    assert_allclose(np.exp(factor.log_heights), [3.0, 2.0])
    assert_allclose(factor.widths, 0.5)  # 2 tau^2
    value = np.exp(factor(np.array([[1.0]]), None, None))
    assert_allclose(value, 5.0 * np.exp(-2.0))


def test_widths_are_mean_distances_to_the_nearest_others():
    problem, stage = made_up([[0.0], [1.0], [3.0], [7.0]], [1.0, 1.0, -1.0, -1.0])
    assert_allclose(WuAmari(1)(problem, stage).widths, [1.0, 1.0, 4.0, 16.0])
    assert_allclose(WuAmari(2)(problem, stage).widths, [5.0, 2.5, 6.5, 26.0])
    everyone = WuAmari(99)(problem, stage).widths
    assert_allclose(everyone, [59 / 3, 41 / 3, 29 / 3, 101 / 3])


def test_places_that_coincide():
    problem, stage = made_up([[0.0], [0.0], [3.0]], [1.0, 1.0, -1.0])
    problem.target[1] = -1.0  # another class, so that the place counts for both
    assert_allclose(WuAmari(1)(problem, stage).widths, [9.0, 9.0, 9.0])
    alone, stage = made_up([[0.0], [0.0]], [1.0, 1.0])
    assert WuAmari(1)(alone, stage) is None  # one place
    alone.target[1] = -1.0
    assert WuAmari(1)(alone, stage) is None  # two, but no distance between them


def test_without_support_vectors_there_is_no_factor():
    for rule in (AmariWu(1.0), WuAmari(3)):
        assert rule(*made_up([[0.0], [1.0]], [0.0, 0.0])) is None
