"""Rounds are judged by what training points get as new points: no ensemble collapses unseen."""

import warnings

import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.metrics import balanced_accuracy_score, recall_score
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC

from kpboost import KPBoostSVC, geometric_mean_score
from kpboost.ensemble import NoVotingRoundWarning
from kpboost.ensemble._boosting import boost
from kpboost.kernels import RBFRows
from kpboost.solvers import DenseGram, StopFlag

# Passengers of the Titanic: class, adult, male; how many there were, and how many survived.
PASSENGERS = [
    (1, 1, 1, 175, 57),
    (1, 1, 0, 144, 140),
    (1, 0, 1, 5, 5),
    (1, 0, 0, 1, 1),
    (2, 1, 1, 168, 14),
    (2, 1, 0, 93, 80),
    (2, 0, 1, 11, 11),
    (2, 0, 0, 13, 13),
    (3, 1, 1, 462, 75),
    (3, 1, 0, 165, 76),
    (3, 0, 1, 48, 13),
    (3, 0, 0, 31, 14),
]
TINY_CACHE = 0.01  # MB: rows on demand
TIGHT = 1e-10


def passengers(dummies):
    """Few distinct rows, repeated, with contradictory labels; a share of 0.38 is positive."""
    table = np.array(PASSENGERS)
    X = np.repeat(table[:, :3], table[:, 3], axis=0).astype(float)
    y = np.concatenate([np.arange(n) < survived for *_, n, survived in PASSENGERS]).astype(int)
    if dummies:
        X = np.column_stack([X[:, 0] == 2, X[:, 0] == 3, X[:, 1:]]).astype(float)
    return X, y


def overlapping(n_classes=2):
    X, y = make_blobs(120, centers=n_classes, cluster_std=3.0, random_state=0)
    keep = (y > 0) | (np.arange(y.size) % 3 == 0)
    return X[keep], y[keep]


def rates_as_new(model, X, y):
    """The tpr and tnr that the rounds show on some points of two classes."""
    side = 1.0 if model.pos_label_ == model.classes_[1] else -1.0
    says_positive = side * model.round_decision_function(X) > 0
    positive = y == model.pos_label_
    return says_positive[positive].mean(axis=0), 1 - says_positive[~positive].mean(axis=0)


@pytest.mark.parametrize("dummies", [False, True])
@pytest.mark.parametrize("roi_scale", [None, 0.6])
def test_few_rows_with_contradictory_labels_do_not_collapse(dummies, roi_scale):
    X, y = passengers(dummies)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = KPBoostSVC(roi_scale=roi_scale).fit(X, y)
    plain, answers = SVC().fit(X, y), model.predict(X)
    assert recall_score(y, answers, average=None).min() > 0.4
    assert model.score(X, y) >= plain.score(X, y) - 0.01
    assert balanced_accuracy_score(y, answers) >= balanced_accuracy_score(y, plain.predict(X))


def test_the_papers_rule_does_collapse_there():
    """Its heaviest rounds claim to be nearly perfect, and answer one class to everybody."""
    X, y = passengers(dummies=True)
    model = KPBoostSVC(judge_rounds="paper").fit(X, y)
    heaviest = model.estimator_weights_.argmax()
    assert model.estimator_tpr_[heaviest] == 1.0
    assert model.estimator_tnr_[heaviest] > 0.97
    assert_array_equal(recall_score(y, model.predict(X), average=None), [0.0, 1.0])


def test_rounds_without_training_error_may_get_worse():
    """At C = 1e4 eight rounds have eps = 0 in their own kernels, and weight 18 in the paper."""
    rng = np.random.default_rng(11)

    def draw(n_common, n_rare):
        labels = np.repeat([0, 1], [n_common, n_rare])
        points = rng.normal(size=(labels.size, 8))
        points[labels == 1, 0] += 3.0
        return points, labels

    X, y = draw(130, 6)
    new, truth = draw(2600, 120)
    as_new = KPBoostSVC(1e4, gamma=0.05, perturbation_step=0.1).fit(X, y)
    paper = clone(as_new).set_params(judge_rounds="paper").fit(X, y)
    perfect = paper.estimator_errors_ == 0
    assert perfect.sum() >= 6
    assert np.all(paper.estimator_weights_[perfect] > 18)
    by_round = [
        geometric_mean_score(truth, answers.astype(int))
        for answers in as_new.round_decision_function(new).T > 0
    ]
    assert min(np.array(by_round)[perfect]) < by_round[0] - 0.2
    assert not as_new.selected_rounds_[np.argmin(by_round)]
    score = geometric_mean_score(truth, as_new.predict(new))
    assert score > by_round[0]
    assert score > geometric_mean_score(truth, paper.predict(new)) + 0.05


def kinds_of_input():
    X, y = overlapping()
    gram = rbf_kernel(X, gamma=0.1)
    return {
        "dense": ({"gamma": 0.1}, X, y),
        "rows": ({"gamma": 0.1, "cache_size": TINY_CACHE}, X, y),
        "sparse": ({"gamma": 0.1}, sparse.csr_array(X), y),
        "function": ({"kernel": lambda a, b: rbf_kernel(a, b, gamma=0.1)}, X, y),
        "precomputed": ({"kernel": "precomputed"}, gram, y),
        "regions": ({"gamma": 0.1, "roi_scale": 0.6}, X, y),
        "precomputed regions": ({"kernel": "precomputed", "roi_scale": 0.6}, gram, y),
        "copies": ({"gamma": 0.1, "roi_scale": 1.0}, np.repeat(X, 3, axis=0), np.repeat(y, 3)),
        "contradictions": ({"roi_scale": 0.6}, *passengers(dummies=True)),
    }


@pytest.mark.parametrize("kind", kinds_of_input())
def test_rates_are_those_of_the_training_points_as_new_ones(kind):
    options, X, y = kinds_of_input()[kind]
    model = KPBoostSVC(10.0, perturbation_step=0.3, tol=TIGHT, **options).fit(X, y)
    tpr, tnr = rates_as_new(model, X, y)
    assert_allclose(model.estimator_tpr_, tpr, atol=1e-12)
    assert_allclose(model.estimator_tnr_, tnr, atol=1e-12)
    assert_allclose(model.estimator_errors_, np.hypot(1 - tpr, 1 - tnr), atol=1e-12)


@pytest.mark.parametrize("kind", ["dense", "rows", "sparse", "function", "precomputed"])
def test_all_kinds_of_input_make_one_ensemble(kind):
    options, X, y = kinds_of_input()[kind]
    model = KPBoostSVC(10.0, perturbation_step=0.3, tol=TIGHT, **options).fit(X, y)
    paper = clone(model).set_params(judge_rounds="paper").fit(X, y)
    expected = KPBoostSVC(10.0, perturbation_step=0.3, tol=TIGHT, gamma=0.1).fit(*overlapping())
    assert np.any(model.estimator_errors_ != paper.estimator_errors_)  # or it would show nothing
    assert_allclose(model.estimator_weights_, expected.estimator_weights_, atol=1e-12)


def test_rates_with_weights_and_of_several_problems():
    X, y = overlapping(n_classes=3)
    weight = np.random.default_rng(0).integers(0, 4, size=y.size)
    model = KPBoostSVC(10.0, perturbation_step=0.3, tol=TIGHT)
    model.fit(X, y, sample_weight=weight)
    values = model.round_decision_function(X)
    for problem, (first, second) in enumerate([(0, 1), (0, 2), (1, 2)]):
        shares = []
        for label, right in ((first, values[:, problem] < 0), (second, values[:, problem] > 0)):
            own = weight * (y == label)
            shares.append((own[:, None] * right).sum(axis=0) / own.sum())
        found = model.estimator_tpr_[problem], model.estimator_tnr_[problem]
        assert_allclose(np.sort(shares, axis=0), np.sort(found, axis=0), atol=1e-12)


@pytest.mark.parametrize("roi_scale", [None, 0.6])
def test_the_rule_of_judging_changes_no_machine(roi_scale):
    X, y = overlapping(n_classes=3)
    model = KPBoostSVC(10.0, perturbation_step=0.3, roi_scale=roi_scale).fit(X, y)
    paper = clone(model).set_params(judge_rounds="paper").fit(X, y)
    for name in ("dual_coef_", "intercept_", "log_scale_"):
        assert_array_equal(getattr(model, name), getattr(paper, name))
    same = np.array_equal(model.estimator_errors_, paper.estimator_errors_)
    assert same == (roi_scale is not None)
    assert_array_equal(model.estimator_errors_[:, 0], paper.estimator_errors_[:, 0])


@pytest.mark.parametrize("judge_rounds", ["as_new", "paper"])
def test_stages_are_chosen_by_the_same_rule(judge_rounds):
    X, y = overlapping()
    model = KPBoostSVC(10.0, perturbation_step=0.3, judge_rounds=judge_rounds).fit(X, y)
    for t, stage in enumerate(model.staged_decision_function(X), start=1):
        smaller = clone(model).set_params(n_estimators=t).fit(X, y)
        assert_allclose(stage, smaller.decision_function(X), atol=1e-9)


@pytest.mark.parametrize("as_new", [False, True])
@pytest.mark.parametrize("step", [0.01, 0.3, 3.0])
def test_what_a_trace_is_judged_by(step, as_new):
    X, y = overlapping()
    gram, target = rbf_kernel(X, gamma=0.1), np.where(y == 0, 1.0, -1.0)
    bounds = np.full(y.size, 10.0)
    trace = boost(gram, target, bounds, step=step, n_rounds=6, as_new=as_new, tol=TIGHT)
    scale = np.exp(trace.log_scale)
    values = (trace.dual_coef * scale) @ gram + trace.intercept[:, None]
    assert_allclose(trace.judged, values if as_new else trace.decision, atol=1e-9)
    # The two are tied to each other: f = s (as new - b) + b.
    offset = trace.intercept[:, None]
    assert_allclose(scale * (values - offset) + offset, trace.decision, atol=1e-7)


@pytest.mark.parametrize(("step", "asked"), [(0.01, 0), (3.0, 5)])
def test_only_rounds_of_lost_resolution_need_the_kernel_again(step, asked, monkeypatch):
    X, y = overlapping()
    gram, target = DenseGram(rbf_kernel(X, gamma=0.1)), np.where(y == 0, 1.0, -1.0)
    product, rounds = DenseGram.product, []

    def counted(self, vectors):
        rounds.append(len(vectors))
        return product(self, vectors)

    monkeypatch.setattr(DenseGram, "product", counted)
    boost(gram, target, np.full(y.size, 10.0), step=step, n_rounds=6)
    assert sum(rounds) == asked


def test_rounds_in_which_no_support_vector_has_resolution_are_judged():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    target = np.where(X[:, 0] > 0, 1.0, -1.0)
    target[0] = -target[0]  # keeps its resolution, but must not be a support vector
    bounds = np.full(target.size, 10.0)
    bounds[0] = 0.0
    trace = boost(rbf_kernel(X, gamma=0.5), target, bounds, step=1e3, n_rounds=3)
    assert np.any(np.exp(trace.log_scale[1:]) == 0)
    assert np.isfinite(trace.judged).all()


def test_the_vote_is_judged_as_it_answers():
    X, y = overlapping()
    target, bounds = np.where(y == 0, 1.0, -1.0), np.full(y.size, 10.0)
    model = KPBoostSVC(10.0, gamma=0.1, perturbation_step=0.3, tol=TIGHT).fit(X, y)
    gram = rbf_kernel(X, gamma=0.1)
    trace = boost(gram, target, bounds, step=0.3, n_rounds=10, tol=TIGHT)
    recalls = recall_score(y, model.predict(X), average=None)
    assert_allclose([trace.vote_tpr, trace.vote_tnr], recalls)


@pytest.mark.parametrize("on_demand", [False, True])
def test_ctrl_c_while_rounds_are_judged_keeps_them(on_demand, monkeypatch):
    X, y = overlapping()
    target, bounds = np.where(y == 0, 1.0, -1.0), np.full(y.size, 10.0)
    gram = RBFRows(X, 0.1) if on_demand else DenseGram(rbf_kernel(X, gamma=0.1))
    whole = boost(gram, target, bounds, step=3.0, n_rounds=6)
    product, calls, flag = type(gram).product, [], StopFlag()

    def first_time_ctrl_c(self, vectors):
        calls.append(1)
        if len(calls) == 1:
            raise KeyboardInterrupt
        return product(self, vectors)

    monkeypatch.setattr(type(gram), "product", first_time_ctrl_c)
    trace = boost(gram, target, bounds, step=3.0, n_rounds=6, stop=flag)
    assert flag.is_set()
    assert_array_equal(trace.weights, whole.weights)


def test_a_poor_ensemble_says_how_poor_it_is():
    X, y = overlapping()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        KPBoostSVC(1e-3, n_estimators=4).fit(X, y)
    (only,) = caught
    assert only.category is NoVotingRoundWarning
    assert "with tpr 0.00 and tnr 1.00 on the training points" in str(only.message)


@given(st.integers(0, 10**6), st.floats(-2, 4), st.floats(-3, 0.5), st.sampled_from([None, 0.6]))
@settings(max_examples=60, deadline=None)
def test_no_one_class_answer_is_silent_and_rates_are_true(seed, log_C, log_step, roi_scale):
    """Tables of few distinct rows, with labels by chance, at any setting."""
    rng = np.random.default_rng(seed)
    distinct = rng.integers(0, 3, size=(10, 2)).astype(float)
    rows = rng.integers(0, 10, size=100)
    X, y = distinct[rows], (rng.random(100) < rng.random(10)[rows]).astype(int)
    assume(np.unique(y).size == 2)
    model = KPBoostSVC(10**log_C, perturbation_step=10**log_step, roi_scale=roi_scale)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(X, y)
    is_warned = any(each.category is NoVotingRoundWarning for each in caught)
    assert is_warned or np.unique(model.predict(X)).size == 2
    # On the boundary the last digit decides, and two sums may differ in it.
    assume(np.abs(model.round_decision_function(X)).min() > 1e-9)
    tpr, tnr = rates_as_new(model, X, y)
    assert_allclose(model.estimator_tpr_, tpr, atol=1e-12)
    assert_allclose(model.estimator_tnr_, tnr, atol=1e-12)
