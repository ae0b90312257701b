from math import sqrt

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.metrics.pairwise import laplacian_kernel

from kpboost import KernelSVC
from kpboost.kernels import rbf_kernel
from kpboost.solvers import solve_dual
from kpboost.svm import ConformalSVC
from support.reference.perturbed_kernels import act, amari_wu, wu_amari
from support.transcribed import NAMES, assert_transcribed, gamma_of, halves

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
    model = ConformalSVC(rule="act", n_iterations=2, min_improvement=None)
    model.set_params(width_scope=scope, width_skew=skew)
    assert_transcribed(load, name, model, act(scope, skew), n_iterations=2)


@pytest.mark.parametrize("name", NAMES)
def test_act_stops_where_the_transcription_stops(load, name):
    model = ConformalSVC(100.0, rule="act", n_iterations=10)
    assert_transcribed(load, name, model, act(), n_iterations=10, theta=0.0)


def test_act_with_the_laplacian_kernel(load):
    model = ConformalSVC(10.0, rule="act", kernel="laplacian")
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
    by_rule = ConformalSVC(rule="act").fit(X, y)
    n_pos, n_neg = (first, second) if by_rule.pos_label_ == plain.classes_[0] else (second, first)
    assert n_pos < n_neg
    given = ConformalSVC(rule="act", width_skew=(n_neg / n_pos, n_pos / n_neg)).fit(X, y)
    assert_allclose(given.decision_function(new), by_rule.decision_function(new))
    mild = ConformalSVC(rule="act", width_skew=(1.0, n_pos / n_neg)).fit(X, y)
    by_rule.set_params(width_skew="mild").fit(X, y)
    assert_allclose(mild.decision_function(new), by_rule.decision_function(new))


@pytest.mark.parametrize("rule", ["amari_wu", "wu_amari", "act"])
def test_a_normalised_factor_is_at_most_one(load, rule):
    X, y, _ = halves(load, "ecoli3")
    free = ConformalSVC(10.0, rule=rule).fit(X, y)
    normal = ConformalSVC(10.0, rule=rule, normalize=True).fit(X, y)
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


def test_the_best_machine_may_be_kept(load):
    X, y, _ = halves(load, "breast_cancer")
    last = ConformalSVC(rule="act", n_iterations=10).fit(X, y)
    best = ConformalSVC(rule="act", n_iterations=10, keep_best=True).fit(X, y)
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
