"""Soft votes next to a literal sum over the rounds, and what holds for both ways of voting."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.metrics import roc_auc_score
from sklearn.metrics.pairwise import rbf_kernel

from kpboost import AdaBoostSVC, KernelSVC, KPBoostSVC
from kpboost.ensemble import (
    BoostingRoundsDisplay,
    NoVotingRoundWarning,
    ResolutionMapDisplay,
    _kpboost_svc as kpboost_svc,
)
from kpboost.ensemble._voting import TIE, mean_margin, weighted_vote
from kpboost.problems._multiclass import one_vs_one_scores

TIGHT, SAME = 1e-10, 1e-6
MODELS = {
    "kpboost": KPBoostSVC(10.0, perturbation_step=0.2, voting="soft", tol=TIGHT),
    "roi": KPBoostSVC(10.0, perturbation_step=0.2, roi_scale=0.7, voting="soft", tol=TIGHT),
    "paper": KPBoostSVC(10.0, perturbation_step=0.2, judge_rounds="paper", voting="soft"),
    "adaboost": AdaBoostSVC(n_estimators=8, voting="soft", tol=TIGHT),
}
every_model = pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)


def overlapping(n_classes, n=90):
    return make_blobs(n, centers=n_classes, cluster_std=2.5, random_state=0)


def values_of(model, X):
    """Decision values of the rounds, with the axis of problems."""
    if isinstance(model, AdaBoostSVC):
        return adaboost_values(model, X)
    return model.round_decision_function(X).reshape(len(X), -1, model.n_estimators)


def adaboost_values(model, X):
    """Machine by machine; those that a problem lacks have no width, and no weight."""
    intercept, widths = np.atleast_2d(model.intercept_), np.atleast_2d(model.length_scales_)
    values = np.zeros((len(X), *widths.shape))
    coef = model.dual_coef_.reshape(*widths.shape, -1)
    for problem, t in np.argwhere(np.isfinite(widths)):
        gamma = 1 / (2 * widths[problem, t] ** 2)
        kernel = rbf_kernel(X, model.support_vectors_, gamma=gamma)
        values[:, problem, t] = kernel @ coef[problem, t] + intercept[problem, t]
    return values


def literal(model, X):
    """Sum of alpha_t f_t over the sum of alpha_t, problem by problem, round by round."""
    weights = np.atleast_2d(model.estimator_weights_)
    total = np.zeros((len(X), len(weights)))
    for problem, own in enumerate(weights):
        for t, alpha in enumerate(own):
            total[:, problem] += alpha * values_of(model, X)[:, problem, t]
    return total / weights.sum(axis=1)


@every_model
@pytest.mark.parametrize("multi_class", ["one_vs_one", "one_vs_rest"])
@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_a_soft_vote_is_the_literal_mean(model, n_classes, multi_class):
    X, y = overlapping(n_classes)
    fitted = clone(model).set_params(multi_class=multi_class).fit(X[::2], y[::2])
    expected, scores = literal(fitted, X), fitted.decision_function(X)
    if n_classes == 2:
        expected, codes = expected[:, 0], (scores > 0).astype(int)
    else:
        pairs = multi_class == "one_vs_one"
        expected = one_vs_one_scores(expected, n_classes) if pairs else expected
        codes = scores.argmax(axis=1)
    assert_allclose(scores, expected, atol=1e-12)
    assert_array_equal(fitted.predict(X), fitted.classes_[codes])


def test_one_round_is_the_svm(load):
    X, y = load("breast_cancer")
    model = KPBoostSVC(5.0, n_estimators=1, voting="soft", tol=TIGHT).fit(X[::2], y[::2])
    plain = KernelSVC(5.0, tol=TIGHT).fit(X[::2], y[::2])
    assert_allclose(model.decision_function(X), plain.decision_function(X), atol=SAME)


@every_model
def test_the_rounds_are_those_of_hard_votes(model):
    """Either vote can be had from one fit."""
    X, y = overlapping(3)
    soft, hard = clone(model).fit(X, y), clone(model).set_params(voting="hard").fit(X, y)
    assert_array_equal(soft.estimator_weights_, hard.estimator_weights_)
    assert_array_equal(soft.dual_coef_, hard.dual_coef_)
    expected = soft.decision_function(X)
    assert np.any(expected != hard.decision_function(X))
    assert_array_equal(hard.set_params(voting="soft").decision_function(X), expected)


def test_soft_votes_rank_where_hard_ones_cannot(load):
    X, y = load("breast_cancer")
    model = KPBoostSVC(perturbation_step=0.02).fit(X[::2], y[::2])
    hard = model.decision_function(X[1::2])
    soft = model.set_params(voting="soft").decision_function(X[1::2])
    assert np.unique(hard).size <= 2**10  # at most one value for each way to split ten votes
    assert np.unique(hard).size < soft.size / 5
    assert np.unique(soft).size == np.unique(X[1::2], axis=0).shape[0]
    assert roc_auc_score(y[1::2], soft) > roc_auc_score(y[1::2], hard) + 0.01
    plain = KernelSVC().fit(X[::2], y[::2]).decision_function(X[1::2])
    assert roc_auc_score(y[1::2], soft) > roc_auc_score(y[1::2], plain) - 0.01


def one_problem(values, weights, sign):
    return np.array([[values]]), np.array([weights]), np.array([sign])


def test_means_by_hand():
    assert_allclose(mean_margin(*one_problem([0.5, -2.0, 3.0], [1.0, 0.5, 2.0], 1.0)), 5.5 / 3.5)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_tie_goes_to_the_positive_class(sign):
    """0.1 + 0.2 - 0.3 is not 0, but for rounding."""
    for values, weights in (([0.0, -0.0], [1.0, 2.0]), ([0.1, 0.2, -0.3], [1.0, 1.0, 1.0])):
        assert_array_equal(mean_margin(*one_problem(values, weights, sign)), [[sign * TIE]])


def test_a_confident_round_outweighs_two_narrow_ones():
    problem = one_problem([0.1, 0.1, -1.0], [1.0, 1.0, 1.0], 1.0)
    assert weighted_vote(*problem) > 0 > mean_margin(*problem)


@every_model
@pytest.mark.parametrize("n_classes", [2, 3])
def test_row_order_and_threads_do_not_matter(model, n_classes):
    X, y = overlapping(n_classes)
    order = np.random.default_rng(0).permutation(y.size)
    expected = clone(model).fit(X, y).decision_function(X)
    threads = clone(model).set_params(n_jobs=2).fit(X, y)
    assert_array_equal(threads.decision_function(X), expected)
    shuffled = clone(model).set_params(tol=TIGHT).fit(X[order], y[order])
    assert_allclose(shuffled.decision_function(X), expected, atol=1e-5)


@pytest.mark.parametrize("model", [MODELS["kpboost"], MODELS["adaboost"]], ids=str)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_weight_is_repetition(model, n_classes):
    X, y = overlapping(n_classes)
    weight = np.random.default_rng(0).integers(0, 4, size=y.size)
    weighted = clone(model).fit(X, y, sample_weight=weight)
    repeated = clone(model).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    assert_allclose(weighted.decision_function(X), repeated.decision_function(X), atol=SAME)


@every_model
@pytest.mark.parametrize("n_classes", [2, 3])
def test_stages_are_smaller_ensembles(model, n_classes):
    X, y = overlapping(n_classes)
    fitted = clone(model).set_params(n_estimators=4).fit(X, y)
    stages = list(fitted.staged_decision_function(X))
    assert_allclose(stages[-1], fitted.decision_function(X), atol=1e-12)
    for t, label in enumerate(fitted.staged_predict(X), start=1):
        smaller = clone(fitted).set_params(n_estimators=t).fit(X, y)
        assert_allclose(stages[t - 1], smaller.decision_function(X), atol=1e-9)
        assert_array_equal(label, smaller.predict(X))


def test_the_judged_vote_is_the_one_that_answers(monkeypatch):
    """Of a poor vote `fit` warns; its rates are those of `predict` at the training points."""
    X, y = make_blobs(90, centers=2, cluster_std=4.0, random_state=0)
    rates = []
    for voting in ("hard", "soft"):
        traces = []
        monkeypatch.setattr(kpboost_svc, "warn_of", traces.extend)
        model = KPBoostSVC(perturbation_step=0.3, gamma=0.1, voting=voting).fit(X, y)
        right, positive = model.predict(X) == y, y == model.pos_label_
        rates.append((traces[0].vote_tpr, traces[0].vote_tnr))
        assert_allclose(rates[-1], (right[positive].mean(), right[~positive].mean()))
    assert rates[0] != rates[1]


def test_a_single_machine_that_says_one_thing_ranks_still():
    X, y = overlapping(2)
    thin = np.r_[np.flatnonzero(y == 0), np.flatnonzero(y == 1)[:5]]
    model = KPBoostSVC(1e-3, n_estimators=4, voting="soft")
    with pytest.warns(NoVotingRoundWarning):
        model.fit(X[thin], y[thin])
    scores = model.decision_function(X)
    assert np.all(scores < 0)
    assert np.unique(scores).size > 80  # points that nothing was learned of are alike


@pytest.mark.parametrize("model", [KPBoostSVC(), AdaBoostSVC(n_estimators=2)], ids=str)
def test_a_bad_word_is_refused_when_it_is_set_later_as_well(model):
    X, y = overlapping(2)
    with pytest.raises(ValueError, match="voting='graded' is not allowed; it must be 'hard' or"):
        clone(model).set_params(voting="graded").fit(X, y)
    fitted = clone(model).fit(X, y).set_params(voting="graded")
    for ask in (fitted.predict, lambda X: list(fitted.staged_predict(X))):
        with pytest.raises(ValueError, match="voting='graded' is not allowed"):
            ask(X)


def test_pictures_are_of_the_rounds():
    pytest.importorskip("matplotlib", reason="needs the extra cli")
    X, y = overlapping(2)
    model = clone(MODELS["kpboost"]).fit(X, y)
    rounds = BoostingRoundsDisplay.from_estimator(model)
    assert_array_equal(rounds.weights, model.estimator_weights_)
    drawn = ResolutionMapDisplay.from_estimator(model, X, y, grid_resolution=5)
    hard = ResolutionMapDisplay.from_estimator(
        model.set_params(voting="hard"), X, y, grid_resolution=5
    )
    assert_array_equal(drawn.decision, hard.decision)
