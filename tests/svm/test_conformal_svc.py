from functools import partial
from math import sqrt

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.metrics.pairwise import laplacian_kernel

from kpboost import KernelSVC
from kpboost.kernels import rbf_kernel
from kpboost.solvers import solve_dual
from kpboost.svm import ConformalSVC
from kpboost.svm._conformal_svc import AdaptiveConformal, AmariWu, WuAmari, stretch
from kpboost.svm._perturbation import BaseKernel, Problem, Stage, SupportSamples
from support.reference.perturbed_kernels import act, amari_wu, wu_amari
from support.transcribed import NAMES, assert_transcribed, gamma_of, halves

# The last machine of ACT, which the transcription ends with.
literal_act = partial(ConformalSVC, rule="act", keep_best=False)
# Loops over pairs of points in plain Python: a part of the data sets does.
SOME = ["breast_cancer", "wine", "glass0", "ecoli3"]


@pytest.mark.parametrize("C", [1.0, 100.0])
@pytest.mark.parametrize("name", SOME)
def test_amari_wu_equals_the_transcription(load, name, C):
    X, *_ = halves(load, name)
    tau = 1 / sqrt(2 * gamma_of(X)) / sqrt(X.shape[1])
    assert_transcribed(load, name, ConformalSVC(C), amari_wu(tau), n_iterations=1)


def test_amari_wu_takes_a_width(load):
    model = ConformalSVC(10.0, factor_length_scale=2.5, n_iterations=2, min_improvement=None)
    assert_transcribed(load, "wine", model, amari_wu(2.5), n_iterations=2)


@pytest.mark.parametrize("n_neighbors", [1, 3, 10_000])
@pytest.mark.parametrize("name", SOME)
def test_wu_amari_equals_the_transcription(load, name, n_neighbors):
    model = ConformalSVC(10.0, rule="wu_amari", n_neighbors=n_neighbors)
    assert_transcribed(load, name, model, wu_amari(n_neighbors), n_iterations=1)


@pytest.mark.parametrize("scope", ["opposite", "all"])
@pytest.mark.parametrize("skew", ["ratio", "mild"])
@pytest.mark.parametrize("name", SOME)
def test_act_equals_the_transcription(load, name, scope, skew):
    model = literal_act(n_iterations=2, min_improvement=None)
    model.set_params(width_scope=scope, width_skew=skew)
    assert_transcribed(load, name, model, act(scope, skew), n_iterations=2)


@pytest.mark.parametrize("name", NAMES)
def test_act_stops_where_the_transcription_stops(load, name):
    model = literal_act(100.0, n_iterations=10)
    assert_transcribed(load, name, model, act(), n_iterations=10, theta=0.0)


def test_act_with_the_laplacian_kernel(load):
    model = literal_act(10.0, kernel="laplacian")
    factor = act(distance=lambda x, z: np.abs(x - z).sum())
    assert_transcribed(load, "wine", model, factor, base=laplacian_kernel, n_iterations=1)


def test_the_rules_can_be_told_apart(load):
    model = ConformalSVC(10.0, rule="wu_amari")
    with pytest.raises(AssertionError):
        assert_transcribed(load, "wine", model, act(), n_iterations=1)


def test_given_factors_of_the_widths(load):
    """The ratio of the first machine's support vectors, given as numbers, is the same rule."""
    X, y, new = halves(load, "pima")
    plain = KernelSVC().fit(X, y)
    first, second = plain.n_support_
    assert np.unique(X, axis=0).shape == X.shape
    by_rule = literal_act().fit(X, y)
    n_pos, n_neg = (first, second) if by_rule.pos_label_ == plain.classes_[0] else (second, first)
    assert n_pos < n_neg
    given = literal_act(width_skew=(n_neg / n_pos, n_pos / n_neg)).fit(X, y)
    assert_allclose(given.decision_function(new), by_rule.decision_function(new))
    mild = literal_act(width_skew=(1.0, n_pos / n_neg)).fit(X, y)
    by_rule.set_params(width_skew="mild").fit(X, y)
    assert_allclose(mild.decision_function(new), by_rule.decision_function(new))


@pytest.mark.parametrize("rule", ["amari_wu", "wu_amari", "act"])
def test_a_normalised_factor_is_at_most_one(load, rule):
    X, y, _ = halves(load, "ecoli3")
    free = ConformalSVC(10.0, rule=rule, keep_best=False).fit(X, y)
    normal = ConformalSVC(10.0, rule=rule, keep_best=False, normalize=True).fit(X, y)
    assert normal.log_scale_.max() == 0.0
    assert_allclose(normal.log_scale_, free.log_scale_ - free.log_scale_.max())


def test_normalising_acts_on_the_price(load):
    """K / c^2 at C is K at C / c^2: coefficients scale, decisions do not."""
    X, y, _ = halves(load, "ecoli3")
    normal = ConformalSVC(10.0, rule="wu_amari", normalize=True, tol=1e-9).fit(X, y)
    free = ConformalSVC(10.0, rule="wu_amari", tol=1e-9).fit(X, y)
    target = np.where(y == free.classes_[1], 1.0, -1.0)
    gram, scale = rbf_kernel(X, gamma=free.gamma_), np.exp(free.log_scale_[0])
    cheaper = solve_dual(gram, target, 10.0 / scale.max() ** 2, scale=scale, tol=1e-9)
    assert_allclose(normal.decision_function(X), cheaper.decision, atol=1e-6)


def test_the_best_machine_is_kept_where_the_error_ends_the_iterations(load):
    X, y, _ = halves(load, "breast_cancer")
    last = literal_act(n_iterations=10).fit(X, y)
    best = ConformalSVC(rule="act", n_iterations=10).fit(X, y)
    errors = last.training_errors_[0]
    assert errors[-1] > errors.min()
    assert best.training_errors_[0, -1] == errors.min()
    assert best.n_perturbations_[0] == errors.argmin()
    assert np.mean(best.predict(X) != y) == errors.min()


def test_an_improvement_may_be_asked_for(load):
    X, y, _ = halves(load, "pima")
    options = {"C": 10.0, "rule": "wu_amari", "n_iterations": 4}
    endless = ConformalSVC(**options, min_improvement=None).fit(X, y)
    assert endless.n_perturbations_[0] == 4
    falls = -np.diff(endless.training_errors_[0])
    strict = ConformalSVC(**options, min_improvement=float(falls[0])).fit(X, y)
    assert strict.n_perturbations_[0] == 1


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


def places(n_positive, n_negative):
    n = n_positive + n_negative
    positive = np.arange(n) < n_positive
    return SupportSamples(np.zeros((n, 1)), positive, np.zeros(n), np.zeros(n))


@pytest.mark.parametrize(
    ("n_positive", "n_negative", "skew", "expected"),
    [
        (2, 8, "ratio", (4.0, 0.25)),
        (2, 8, "mild", (1.0, 0.25)),
        (8, 2, "ratio", (1.0, 1.0)),
        (8, 2, "mild", (1.0, 1.0)),
        (3, 3, "ratio", (1.0, 1.0)),
        (2, 8, (3.0, 0.5), (3.0, 0.5)),
        (8, 2, (3, 1), (3.0, 1.0)),
    ],
)
def test_widths_are_stretched_by_side(n_positive, n_negative, skew, expected):
    assert stretch(places(n_positive, n_negative), skew) == expected


def factor_of(X, target, **options):
    n = len(X)
    problem = Problem(np.asarray(X), np.array(target)[:, None], np.ones(n), np.ones(n))
    stage = Stage(np.ones((1, n)), np.zeros(1), np.zeros((n, 1)), np.zeros(n), 0.0, 1, True, None)
    return AdaptiveConformal(BaseKernel("rbf", 0.5), "sqeuclidean", **options)(problem, stage)


def test_two_points_by_hand():
    """One opposite point each: tau^2 is the distance of the images, 2 - 2 exp(-0.5)."""
    factor = factor_of([[0.0], [1.0]], [1.0, -1.0])
    np.testing.assert_allclose(factor.widths, 2.0 - 2.0 * np.exp(-0.5))


def test_points_of_both_classes_at_one_place_take_the_smallest_other_width():
    factor = factor_of([[0.0], [0.0], [3.0]], [1.0, -1.0, 1.0], width_skew=(1.0, 1.0))
    np.testing.assert_allclose(factor.widths, 2.0 - 2.0 * np.exp(-4.5))


def test_nothing_but_one_place_or_one_side_stops():
    assert factor_of([[0.0], [0.0]], [1.0, -1.0]) is None
    assert factor_of([[0.0], [1.0]], [1.0, 1.0]) is None
