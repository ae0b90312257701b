"""The ensemble next to the paper's algorithms word by word, then its promises.

What the method is: transcriptions, many classes, stages, invariances, ties, weights. How it takes
its input and keeps its state is in ``test_kpboost_svc_interface.py``.
"""

import re
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import special_ortho_group
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.metrics import euclidean_distances
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV
from sklearn.utils.estimator_checks import parametrize_with_checks

from kpboost import KernelSVC, KPBoostSVC
from kpboost.ensemble import _kpboost_svc as messages
from kpboost.ensemble._boosting import boost
from kpboost.ensemble._kpboost_svc import (
    PLAIN_LINES,
    LongFitWarning,
    NoVotingRoundWarning,
    progress,
    warn_of,
)
from kpboost.problems._training_set import training_set
from support.reference.algorithm_1 import kpboost_svm
from support.reference.algorithm_s1 import kpboost_roi_svm
from support.solver_checks import check_solved

TWO_CLASSES = ["breast_cancer", "pima", "vehicle0", "glass0", "ecoli3", "thyroid1"]
# Early enough for the error of libsvm's single precision, which grows from round to round.
EARLY = 5
# Two solves of one problem at TIGHT agree this well in their decision values.
TIGHT, SAME = 1e-10, 1e-6
# MB: below 200 rows of doubles, so that the kernel's rows are computed on demand.
TINY_CACHE = 0.05


def halves(load, name):
    """Every other point for training, the rest for testing, in two classes."""
    X, y = load(name)
    if np.unique(y).size > 2:
        y = np.where(y == np.unique(y)[0], "first", "others")
    return X[::2], y[::2], X[1::2], y[1::2]


def votes(model, values):
    """Labels -1 and +1 of decision values, +1 for the positive class; zero is positive."""
    turned = values if model.classes_[1] == model.pos_label_ else -values
    return np.where(turned >= 0, 1, -1)


def overlapping(n=90, n_classes=3, seed=0):
    X, y = make_blobs(n, centers=n_classes, cluster_std=2.5, random_state=seed)
    return X, y


@pytest.mark.parametrize("roi_scale", [None, 0.0, 0.8])
@pytest.mark.parametrize(("C", "step"), [(1.0, 0.1), (100.0, 0.02)])
@pytest.mark.parametrize("name", [*TWO_CLASSES, "wine", "digits"])
def test_early_rounds_equal_the_transcription(load, name, C, step, roi_scale):
    X, y, new, _ = halves(load, name)
    model = KPBoostSVC(C, perturbation_step=step, n_estimators=EARLY, roi_scale=roi_scale)
    model.set_params(judge_rounds="paper").fit(X, y)
    target = np.where(y == model.pos_label_, 1, -1)
    K, K_new = rbf_kernel(X, gamma=model.gamma_), rbf_kernel(X, new, gamma=model.gamma_)
    options = {"C": C, "step": step, "n_rounds": EARLY}
    if roi_scale is None:
        theirs = kpboost_svm(K, K_new, target, **options)
    else:
        distances = euclidean_distances(X), euclidean_distances(X, new)
        theirs = kpboost_roi_svm(K, K_new, *distances, target, roi_scale=roi_scale, **options)
    assert_allclose(model.estimator_errors_, theirs.eps, atol=1e-12)
    assert_allclose(model.estimator_weights_, theirs.alpha, atol=1e-12)
    assert_array_equal(votes(model, model.round_decision_function(new)).T, theirs.h)
    assert_array_equal(votes(model, model.decision_function(new)), theirs.H)
    assert_array_equal(model.predict(new) == model.pos_label_, theirs.H == 1)


def test_without_regions_the_rounds_are_those_of_kpboost_and_new_points_inherit(load):
    """The supplement's case 1: k of the nearest training point, D(x) = exp(-k f(x)^2)."""
    X, y, new, _ = halves(load, "pima")
    options = {"perturbation_step": 0.3, "n_estimators": EARLY, "judge_rounds": "paper"}
    plain = KPBoostSVC(**options).fit(X, y)
    bare = KPBoostSVC(roi_scale=0, **options).fit(X, y)
    assert_array_equal(bare.estimator_weights_, plain.estimator_weights_)
    assert_allclose(bare.log_scale_, plain.log_scale_)
    nearest = euclidean_distances(new, X).argmin(axis=1)
    sums = plain.round_decision_function(new) - plain.intercept_
    correct = (plain.round_decision_function(X)[:, 0] > 0) == (y == plain.classes_[1])
    f_1 = plain.round_decision_function(new)[:, 0]
    D_2 = np.exp(-0.3 * correct[nearest] * f_1**2)
    second = bare.round_decision_function(new)[:, 1]
    assert_allclose(second, D_2 * sums[:, 1] + plain.intercept_[1], atol=1e-9)
    assert np.abs(second - plain.round_decision_function(new)[:, 1]).max() > 0.05


def test_precomputed_regions_are_those_of_the_kernel(load):
    """Without points the distances are |phi(x) - phi(x')|, and so are the radii."""
    X, y, new, _ = halves(load, "breast_cancer")
    K, K_new = rbf_kernel(X, gamma=0.03), rbf_kernel(X, new, gamma=0.03)
    model = KPBoostSVC(kernel="precomputed", roi_scale=0.9, n_estimators=EARLY)
    model.set_params(perturbation_step=0.1, judge_rounds="paper").fit(K, y)
    target = np.where(y == model.pos_label_, 1, -1)
    induced, induced_new = np.sqrt(np.maximum(0, 2 - 2 * K)), np.sqrt(2 - 2 * K_new)
    options = {"C": 1.0, "step": 0.1, "roi_scale": 0.9, "n_rounds": EARLY}
    theirs = kpboost_roi_svm(K, K_new, induced, induced_new, target, **options)
    assert_allclose(model.estimator_errors_, theirs.eps, atol=1e-12)
    assert_allclose(model.estimator_weights_, theirs.alpha, atol=1e-12)
    assert_array_equal(votes(model, model.round_decision_function(K_new.T)).T, theirs.h)
    euclidean = KPBoostSVC(gamma=0.03, roi_scale=0.9, n_estimators=EARLY, perturbation_step=0.1)
    euclidean.fit(X, y)
    assert np.abs(euclidean.log_scale_ - model.log_scale_).max() > 0.01


def test_precomputed_regions_bear_points_that_are_all_but_equal():
    """K_ii + K_jj - 2 K_ij may round below zero, where no root is to be had."""
    X = np.random.default_rng(0).normal(size=(60, 3))
    X[20:40] = X[:20] + 1e-9
    kernel, y = X @ X.T, np.arange(60) % 2
    squared = kernel.diagonal()[:, None] + kernel.diagonal() - 2 * kernel
    assert squared.min() < 0
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        model = KPBoostSVC(kernel="precomputed", roi_scale=1.0).fit(kernel, y)
    assert np.all(np.isfinite(model.decision_function(kernel)))


def test_the_first_round_is_the_plain_machine(load):
    X, y, new, _ = halves(load, "breast_cancer")
    for roi_scale in (None, 0.5):
        model = KPBoostSVC(5.0, n_estimators=3, roi_scale=roi_scale).fit(X, y)
        plain = KernelSVC(5.0).fit(X, y)
        first = model.round_decision_function(new)[:, 0]
        assert_allclose(first, plain.decision_function(new), atol=1e-5)


def test_with_regions_training_points_are_where_they_were(load):
    """A training point is its own nearest: its value in round t is the one it was trained with."""
    X, y, *_ = halves(load, "breast_cancer")
    model = KPBoostSVC(n_estimators=6, perturbation_step=0.2, roi_scale=0.7).fit(X, y)
    right = (model.round_decision_function(X) > 0) == (y == model.classes_[1])[:, None]
    is_positive = y == model.pos_label_
    assert_allclose(right[is_positive].mean(axis=0), model.estimator_tpr_)
    assert_allclose(right[~is_positive].mean(axis=0), model.estimator_tnr_)


@pytest.mark.parametrize("roi_scale", [None, 0.6])
def test_one_vs_one_is_one_ensemble_per_pair(roi_scale):
    X, y = overlapping()
    model = KPBoostSVC(gamma=0.1, roi_scale=roi_scale, perturbation_step=0.1, tol=TIGHT).fit(X, y)
    assert model.estimator_errors_.shape == (3, 10)
    for problem, pair in enumerate([(0, 1), (0, 2), (1, 2)]):
        own = np.isin(y, pair)
        alone = clone(model).fit(X[own], y[own])
        assert_allclose(model.estimator_errors_[problem], alone.estimator_errors_, atol=1e-12)
        assert_allclose(model.estimator_weights_[problem], alone.estimator_weights_, atol=1e-12)
        values = model.round_decision_function(X)[:, problem]
        assert_allclose(values, alone.round_decision_function(X), atol=SAME)


@pytest.mark.parametrize("roi_scale", [None, 0.6])
def test_one_vs_rest_is_one_ensemble_per_class(roi_scale):
    X, y = overlapping()
    model = KPBoostSVC(gamma=0.1, roi_scale=roi_scale, perturbation_step=0.1, tol=TIGHT)
    model.set_params(multi_class="one_vs_rest").fit(X, y)
    for one in range(3):
        alone = clone(model).fit(X, y == one)
        assert_allclose(model.estimator_weights_[one], alone.estimator_weights_, atol=1e-12)
        values = model.round_decision_function(X)[:, one]
        assert_allclose(values, alone.round_decision_function(X), atol=SAME)
        share = alone.decision_function(X) / alone.estimator_weights_.sum()
        assert_allclose(model.decision_function(X)[:, one], share, atol=2e-6)


def test_pairs_elect_the_class_with_most_votes():
    X, y = overlapping(n=120, n_classes=4)
    model = KPBoostSVC(perturbation_step=0.1).fit(X, y)
    pairs = [(a, b) for a in range(4) for b in range(a + 1, 4)]
    won = np.zeros((y.size, 4))
    values = model.round_decision_function(X)
    for problem, (first, second) in enumerate(pairs):
        vote = np.sign(values[:, problem]) @ model.estimator_weights_[problem]
        won[np.arange(y.size), np.where(vote > 0, second, first)] += 1
    scores = model.decision_function(X)
    assert_array_equal(np.rint(scores), won)
    assert_array_equal(model.predict(X), scores.argmax(axis=1))


@pytest.mark.parametrize("multi_class", ["one_vs_one", "one_vs_rest"])
@pytest.mark.parametrize("roi_scale", [None, 0.6])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_stages_are_smaller_ensembles(n_classes, roi_scale, multi_class):
    X, y = overlapping(n_classes=n_classes)
    model = KPBoostSVC(n_estimators=6, perturbation_step=0.2, roi_scale=roi_scale)
    model.set_params(multi_class=multi_class).fit(X, y)
    stages = list(model.staged_decision_function(X))
    labels = list(model.staged_predict(X))
    assert len(stages) == len(labels) == 6
    assert_allclose(stages[-1], model.decision_function(X), atol=1e-12)
    assert_array_equal(labels[-1], model.predict(X))
    for t, (stage, label) in enumerate(zip(stages, labels, strict=True), start=1):
        smaller = clone(model).set_params(n_estimators=t).fit(X, y)
        assert_allclose(stage, smaller.decision_function(X), atol=1e-9)
        assert_array_equal(label, smaller.predict(X))


@pytest.mark.filterwarnings("ignore:No round met the conditions:UserWarning")
def test_early_stages_of_a_hard_problem_have_one_round_that_votes():
    """Only late rounds qualify here; without them the best of the early ones answers."""
    X, y = overlapping()
    X, y = X[::2], y[::2] == 0
    model = KPBoostSVC(perturbation_step=0.1, n_estimators=5).fit(X, y)
    assert_array_equal(model.selected_rounds_, [False, False, False, True, True])
    for t, stage in enumerate(model.staged_decision_function(X), start=1):
        smaller = clone(model).set_params(n_estimators=t).fit(X, y)
        assert_allclose(stage, smaller.decision_function(X), atol=1e-9)


def test_the_sign_of_a_decision_is_the_prediction(load):
    X, y, new, answers = halves(load, "pima")
    model = KPBoostSVC(perturbation_step=0.1).fit(X, y)
    decision = model.decision_function(new)
    assert decision.shape == (new.shape[0],)
    assert np.all(decision != 0)
    assert_array_equal(model.predict(new), model.classes_[(decision > 0).astype(int)])
    assert model.score(new, answers) == np.mean(model.predict(new) == answers)
    limit = model.estimator_weights_.sum()
    assert np.all(np.abs(decision) <= limit * (1 + 1e-12))


@pytest.mark.parametrize("roi_scale", [None, 0.7])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_row_order_does_not_matter(n_classes, roi_scale):
    X, y = overlapping(n_classes=n_classes)
    model = KPBoostSVC(roi_scale=roi_scale, perturbation_step=0.1, tol=TIGHT)
    order = np.random.default_rng(0).permutation(y.size)
    one, other = clone(model).fit(X, y), clone(model).fit(X[order], y[order])
    assert_array_equal(one.predict(X), other.predict(X))
    values = one.round_decision_function(X)
    assert_allclose(values, other.round_decision_function(X), atol=SAME)
    assert_allclose(one.log_scale_[..., order], other.log_scale_, atol=SAME)


@pytest.mark.parametrize("roi_scale", [None, 0.7])
def test_relabelling_does_not_matter(load, roi_scale):
    X, y, new, _ = halves(load, "glass0")
    model = KPBoostSVC(roi_scale=roi_scale, perturbation_step=0.1)
    names = dict(zip(np.unique(y), ["z", "a"], strict=True))  # the order of the two is turned
    renamed = np.array([names[label] for label in y])
    one, other = clone(model).fit(X, y), clone(model).fit(X, renamed)
    assert other.pos_label_ == names[one.pos_label_]
    assert_array_equal([names[label] for label in one.predict(new)], other.predict(new))
    assert_allclose(one.decision_function(new), -other.decision_function(new), atol=1e-12)


@pytest.mark.parametrize("roi_scale", [None, 0.7])
@pytest.mark.parametrize("name", ["breast_cancer", "ecoli3"])
def test_moving_and_turning_the_space_does_not_matter(load, name, roi_scale):
    X, y, new, _ = halves(load, name)
    rng = np.random.default_rng(0)
    turn = special_ortho_group.rvs(X.shape[1], random_state=rng)
    move = rng.normal(size=X.shape[1])
    model = KPBoostSVC(gamma=0.05, roi_scale=roi_scale, perturbation_step=0.1, tol=TIGHT)
    here, there = clone(model).fit(X, y), clone(model).fit(X @ turn + move, y)
    assert_allclose(here.estimator_errors_, there.estimator_errors_, atol=1e-12)
    found = there.round_decision_function(new @ turn + move)
    assert_allclose(here.round_decision_function(new), found, atol=SAME)


def test_the_rarer_class_is_positive_unless_told():
    X, y = overlapping(n_classes=2)
    thin = np.r_[np.flatnonzero(y == 0), np.flatnonzero(y == 1)[:20]]
    assert KPBoostSVC().fit(X[thin], y[thin]).pos_label_ == 1
    assert KPBoostSVC().fit(X, y).pos_label_ == 0  # 45 each: the first
    given = KPBoostSVC(pos_label=0).fit(X[thin], y[thin])
    assert given.pos_label_ == 0
    model = KPBoostSVC().fit(X[thin], y[thin])
    assert_allclose(given.estimator_tpr_[0], model.estimator_tnr_[0])
    assert_allclose(given.estimator_tnr_[0], model.estimator_tpr_[0])
    assert not hasattr(KPBoostSVC().fit(*overlapping()), "pos_label_")


@pytest.mark.filterwarnings("ignore:No round met the conditions:UserWarning")
@pytest.mark.parametrize("pos_label", ["no", "yes"])
def test_points_on_the_boundary_are_positive(pos_label):
    X, y = np.array([[1.0], [1.0]]), ["no", "yes"]
    model = KPBoostSVC(pos_label=pos_label, gamma=1.0).fit(X, y)
    assert_array_equal(model.round_decision_function(X), 0.0)
    assert_array_equal(model.predict(X), [pos_label] * 2)
    assert_array_equal(model.estimator_tpr_, 1.0)
    assert_array_equal(model.estimator_tnr_, 0.0)


@pytest.mark.parametrize("pos_label", ["no", "yes"])
def test_tied_votes_are_positive(pos_label):
    X, y = overlapping(n_classes=2)
    model = KPBoostSVC(pos_label=pos_label, n_estimators=4, perturbation_step=0.5)
    model.fit(X, np.array(["no", "yes"])[y])
    # Let two rounds that differ somewhere weigh the same.
    values = model.round_decision_function(X)
    model.estimator_weights_ = np.array([1.0, 0.0, 0.0, 1.0])
    model.selected_rounds_ = np.array([True, False, False, True])
    tied = np.sign(values[:, 0]) != np.sign(values[:, 3])
    assert tied.any()
    assert np.all(model.predict(X[tied]) == pos_label)


@pytest.mark.filterwarnings("ignore:No round met the conditions:UserWarning")
@pytest.mark.parametrize("roi_scale", [None, 0.7])
@pytest.mark.parametrize("multi_class", ["one_vs_one", "one_vs_rest"])
def test_classes_of_one_and_two_points(multi_class, roi_scale):
    X, y = overlapping(n=60, n_classes=2)
    far_away = X.max(axis=0) + np.array([[9.0, 9.0], [9.5, 9.0], [-40.0, 30.0]])
    X = np.vstack([X, far_away])
    y = np.r_[np.array(["large", "middle"])[y], ["small"] * 2, ["tiny"]]
    model = KPBoostSVC(multi_class=multi_class, roi_scale=roi_scale, gamma=0.1, C=10.0).fit(X, y)
    assert model.classes_.tolist() == ["large", "middle", "small", "tiny"]
    assert_array_equal(model.predict(X[-3:]), ["small", "small", "tiny"])
    assert model.score(X, y) > 0.7
    assert np.all(np.isfinite(model.decision_function(X)))


@pytest.mark.parametrize("roi_scale", [None, 0.7])
def test_one_point_each(roi_scale):
    model = KPBoostSVC(roi_scale=roi_scale).fit([[0.0], [1.0]], ["a", "b"])
    assert model.predict([[0.1], [0.9]]).tolist() == ["a", "b"]


def test_no_round_that_may_vote_is_a_warning():
    """At this C the machine answers the larger class throughout: eps = 1 in every round."""
    X, y = overlapping(n_classes=2)
    thin = np.r_[np.flatnonzero(y == 0), np.flatnonzero(y == 1)[:5]]
    model = KPBoostSVC(1e-3, n_estimators=4)
    with pytest.warns(UserWarning, match="No round met the conditions for voting in 1 of 1"):
        model.fit(X[thin], y[thin])
    assert_array_equal(model.estimator_errors_, 1.0)
    assert_array_equal(model.estimator_weights_, [1.0, 0.0, 0.0, 0.0])
    assert_array_equal(model.selected_rounds_, [True, False, False, False])
    assert np.all(model.predict(X) == 0)
    assert_array_equal(np.abs(model.decision_function(X)), 1.0)


def test_rounds_of_a_hard_problem_can_still_replace_the_first(load):
    """Round 1 answers the larger class only, eps = 1; later rounds qualify without it."""
    X, y, new, _ = halves(load, "yeast1458vs7")
    model = KPBoostSVC(1.0, perturbation_step=0.1, n_estimators=6).fit(X, y)
    assert model.estimator_errors_[0] == 1.0
    assert not model.selected_rounds_[0]
    assert model.selected_rounds_.any()
    assert np.unique(model.predict(new)).size == 2


@pytest.mark.parametrize("multi_class", ["one_vs_one", "one_vs_rest"])
@pytest.mark.parametrize("name", ["wine", "breast_cancer"])
def test_weight_is_repetition_and_zero_is_absence(load, name, multi_class):
    X, y = load(name)
    weight = np.random.default_rng(0).integers(0, 4, size=y.size)
    model = KPBoostSVC(n_estimators=5, perturbation_step=0.05, multi_class=multi_class, tol=TIGHT)
    weighted = clone(model).fit(X, y, sample_weight=weight)
    repeated = clone(model).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    assert_allclose(weighted.gamma_, repeated.gamma_, rtol=1e-12)
    assert_allclose(weighted.estimator_errors_, repeated.estimator_errors_, atol=1e-12)
    values = weighted.round_decision_function(X)
    assert_allclose(values, repeated.round_decision_function(X), atol=SAME)
    assert not np.any(weight[weighted.support_] == 0)


@pytest.mark.parametrize("roi_scale", [None, 0.7])
@pytest.mark.parametrize("precomputed", [False, True])
def test_points_without_weight_are_absent(precomputed, roi_scale):
    X, y = overlapping()
    present = np.arange(y.size) % 4 > 0
    kernel = rbf_kernel(X, gamma=0.1)
    model = KPBoostSVC(gamma=0.1, roi_scale=roi_scale, perturbation_step=0.1, tol=TIGHT)
    if precomputed:
        model.set_params(kernel="precomputed")
    whole = kernel if precomputed else X
    part = kernel[np.ix_(present, present)] if precomputed else X[present]
    weighted = clone(model).fit(whole, y, sample_weight=present.astype(float))
    without = clone(model).fit(part, y[present])
    found = weighted.round_decision_function(whole)
    expected = without.round_decision_function(kernel[:, present] if precomputed else X)
    assert_allclose(found, expected, atol=SAME)
    assert_array_equal(weighted.log_scale_[..., ~present], 0.0)
    assert_allclose(weighted.log_scale_[..., present], without.log_scale_, atol=SAME)


def test_class_weight_is_a_weight_for_the_machines(load):
    X, y, new, _ = halves(load, "pima")
    heavy = np.unique(y)[1]
    model = KPBoostSVC(gamma=0.1, pos_label=heavy, perturbation_step=0.1, tol=TIGHT)
    by_class = clone(model).set_params(class_weight={heavy: 4.0}).fit(X, y)
    by_sample = clone(model).fit(X, y, sample_weight=np.where(y == heavy, 4.0, 1.0))
    values = by_class.round_decision_function(new)
    assert_allclose(values, by_sample.round_decision_function(new), atol=SAME)
    assert np.all(by_class.estimator_tpr_[0] > clone(model).fit(X, y).estimator_tpr_[0])


@pytest.mark.parametrize("cache_size", [1000, TINY_CACHE])
@pytest.mark.parametrize("multi_class", ["one_vs_one", "one_vs_rest"])
@pytest.mark.parametrize("roi_scale", [None, 0.6])
def test_threads_change_not_a_bit(load, roi_scale, multi_class, cache_size):
    X, y = load("wine")
    model = KPBoostSVC(roi_scale=roi_scale, multi_class=multi_class, cache_size=cache_size)
    alone = clone(model).fit(X, y)
    for n_jobs in (2, 3, -1):
        together = clone(model).set_params(n_jobs=n_jobs).fit(X, y)
        assert_array_equal(alone.dual_coef_, together.dual_coef_)
        assert_array_equal(alone.intercept_, together.intercept_)
        assert_array_equal(alone.log_scale_, together.log_scale_)


def test_threads_that_share_a_small_cache_change_nothing():
    """Rows of pairs do not fit; how the solver goes about it must not depend on threads."""
    rng = np.random.default_rng(0)
    y = np.arange(7200) % 3
    X = rng.normal(size=(7200, 3)) + np.eye(3)[y]
    model = KPBoostSVC(gamma=0.5, n_estimators=1, cache_size=80)
    alone, together = (clone(model).set_params(n_jobs=n).fit(X, y) for n in (1, 2))
    assert_array_equal(alone.dual_coef_, together.dual_coef_)
    assert_array_equal(alone.intercept_, together.intercept_)


@pytest.mark.parametrize("roi_scale", [None, 0.6])
@pytest.mark.parametrize("name", ["breast_cancer", "wine"])
def test_rows_on_demand_give_the_same_ensemble(load, name, roi_scale):
    X, y = load(name)
    model = KPBoostSVC(roi_scale=roi_scale, perturbation_step=0.05, tol=TIGHT, n_estimators=5)
    whole, rows = clone(model).fit(X, y), clone(model).set_params(cache_size=TINY_CACHE).fit(X, y)
    values = whole.round_decision_function(X)
    assert_allclose(values, rows.round_decision_function(X), atol=SAME)
    assert_allclose(whole.estimator_errors_, rows.estimator_errors_, atol=1e-12)


# scikit-learn's own checks of an estimator, one configuration per code path.
#
# No check is expected to fail.


CONFIGURATIONS = [
    KPBoostSVC(),
    KPBoostSVC(judge_rounds="paper", multi_class="one_vs_rest", class_weight="balanced", n_jobs=2),
    KPBoostSVC(roi_scale=0.6),
    KPBoostSVC(cache_size=0.01),  # MB: more than 36 points read rows on demand
    KPBoostSVC(kernel="precomputed", roi_scale=0.6),
    KPBoostSVC(voting="soft"),
]


# Some checks train on labels without pattern, or on classes that C = 1 cannot tell apart.
@pytest.mark.filterwarnings("ignore:No round met the conditions:UserWarning")
@parametrize_with_checks(CONFIGURATIONS)
def test_scikit_learns_checks(estimator, check):
    check_solved(estimator, check)


# One warning per fit, of a category that a search can silence.


@pytest.fixture
def good():
    y = np.array([1.0, -1.0, 1.0, -1.0])
    return boost(np.eye(4), y, np.ones(4), step=0.1, n_rounds=2)


def test_nothing_is_said_of_good_rounds(good):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_of([good, good])


def test_problems_without_voters_are_counted(good):
    poor = replace(good, rule="best_only", vote_tpr=0.25)
    poorer = replace(poor, vote_tpr=0.0)
    with pytest.warns(NoVotingRoundWarning, match="in 2 of 3 two-class") as caught:
        warn_of([poor, good, poorer])
    worst = "with tpr 0.00 and tnr 1.00 on the training points in the worst of them; another C"
    assert worst in str(caught[0].message)


def test_rounds_that_outvote_each_other_are_told(good):
    """Each may find another third of the positive points; together they find none."""
    poor = replace(good, rule="strict", vote_tpr=0.0)
    with pytest.warns(NoVotingRoundWarning, match=r"outvote each other in 1 of 2.* tpr 0\.00 and"):
        warn_of([good, poor])


def test_an_interruption_tells_the_fewest_rounds(good):
    cut = replace(good, interrupted=True, log_scale=good.log_scale[:1])
    with pytest.warns(UserWarning, match="at least 1 of every problem"):
        warn_of([good, cut])


def majority_only():
    X, y = make_blobs([200, 4, 4], centers=[[0, 0], [0.1, 0], [0, 0.1]], random_state=0)
    return X, y


def test_a_fit_warns_once_and_a_search_can_be_silent():
    X, y = majority_only()
    with pytest.warns(NoVotingRoundWarning) as caught:
        KPBoostSVC(1e-3).fit(X, y)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", NoVotingRoundWarning)
        GridSearchCV(KPBoostSVC(1e-3), {"gamma": [0.1, 1.0]}, cv=2).fit(X, y)


@pytest.fixture
def few_are_many(monkeypatch):
    """Sizes at which a fit is warned of, in miniature."""
    monkeypatch.setattr(messages, "MANY_ROWS", 300)
    monkeypatch.setattr(messages, "TRIAL_ROWS", (50, 100, 200))


@pytest.mark.usefixtures("few_are_many")
def test_a_long_fit_is_announced_once_with_an_estimate():
    X, y = make_blobs([300, 20, 5], random_state=0)
    named = y.astype(str)
    words = r"325 rows may take roughly \d+ (s|min|hours)"
    with pytest.warns(LongFitWarning, match=words) as caught:
        KPBoostSVC(class_weight={"0": 1, "1": 2, "2": 3}).fit(X, named)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error", LongFitWarning)
        KPBoostSVC().fit(X[:300], y[:300])
        KPBoostSVC(kernel="precomputed").fit(X @ X.T, named)


@pytest.mark.usefixtures("few_are_many")
def test_ctrl_c_in_a_trial_is_meant_for_the_fit(monkeypatch):
    X, y = make_blobs([300, 20], random_state=0)

    def interrupted(self, X, y, sample_weight):
        self.estimator_errors_ = np.zeros(1)
        return self

    data = training_set(KPBoostSVC(), X, y, None)
    monkeypatch.setattr(KPBoostSVC, "fit", interrupted)
    with pytest.raises(KeyboardInterrupt):
        messages.warn_of_time(KPBoostSVC(), data)


def test_trial_rows_keep_every_class():
    codes = np.repeat([0, 1, 2], [5_000, 3, 1])
    rows = messages._spread_rows(codes, 100)
    assert set(codes[rows]) == {0, 1, 2}
    assert rows.size <= 103


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.2, "1 s"), (59, "59 s"), (90, "2 min"), (7000, "117 min"), (36000, "10 hours")],
)
def test_a_duration_is_told_in_a_sensible_unit(seconds, words):
    assert messages._duration(seconds) == words


# Progress, with rich and without it.


@pytest.fixture
def without_rich(monkeypatch):
    for name in ("rich", "rich.console", "rich.progress"):
        monkeypatch.setitem(sys.modules, name, None)


TITLE = "KPBoost: 4 rounds"


def run(verbose, total):
    with progress(verbose, TITLE, total) as after_step:
        for _ in range(total):
            after_step()


def test_silent_by_default(capfd):
    run(0, 6)
    assert capfd.readouterr() == ("", "")


@pytest.mark.usefixtures("without_rich")
def test_plain_lines(capfd):
    run(1, 4)
    out, err = capfd.readouterr()
    assert out == ""
    assert err.splitlines() == [f"{TITLE}: {done} of 4 done" for done in (1, 2, 3, 4)]


@pytest.mark.usefixtures("without_rich")
@pytest.mark.parametrize("total", [10, 11, 19, 21, 450])
def test_few_lines_and_the_last_is_the_end(capfd, total):
    run(1, total)
    lines = capfd.readouterr().err.splitlines()
    assert 5 <= len(lines) <= PLAIN_LINES
    assert lines[-1].endswith(f"{total} of {total} done")


@pytest.mark.usefixtures("without_rich")
def test_threads_lose_no_round(capfd):
    with progress(1, TITLE, 4000) as after_step, ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: after_step(), range(4000)))
    assert "4000 of 4000 done" in capfd.readouterr().err


def test_plain_lines_where_there_is_no_terminal(capfd, monkeypatch):
    pytest.importorskip("rich")
    monkeypatch.setenv("FORCE_COLOR", "1")
    run(1, 2)
    assert capfd.readouterr().err.splitlines() == [f"{TITLE}: {done} of 2 done" for done in (1, 2)]


def test_a_bar_where_rich_is_installed(capfd, monkeypatch):
    pytest.importorskip("rich")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    run(1, 12)
    out, err = capfd.readouterr()
    assert out == ""
    assert TITLE in err
    assert re.search(r"100\s*%", err)


def test_the_bar_ends_with_an_interruption(capfd, monkeypatch):
    pytest.importorskip("rich")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)

    def interrupted():
        with progress(1, TITLE, 4):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    run(1, 2)  # rich allows one live bar at a time
    assert TITLE in capfd.readouterr().err
