"""AdaBoostSVC next to its transcription, over several classes, weights, widths and bad input."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import NearestNeighbors
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from kpboost import AdaBoostSVC
from kpboost.ensemble import _adaboost_svc as length_scales
from kpboost.ensemble._adaboost_svc import (
    mean_nearest_distance,
    scatter_radius,
    shared_distances,
    width_grams,
)
from kpboost.ensemble._width_boosting import WidthTrace
from kpboost.kernels import RBFRows, squared_distances
from kpboost.problems import training_set
from kpboost.problems._multiclass import one_vs_one_scores
from support.degenerate_data import on_degenerate_data
from support.reference.adaboost_svm import adaboost_svm
from support.solver_checks import check_solved

ALONE = pytest.mark.filterwarnings("ignore:No machine was better than chance:UserWarning")


def test_votes_equal_the_transcription(load):
    X, labels = load("glass0")
    classes, sizes = np.unique(labels, return_counts=True)
    rare = classes[sizes.argmin()]
    y = np.where(labels == rare, 1, -1)
    train, new = slice(None, None, 2), slice(1, None, 2)
    model = AdaBoostSVC(n_estimators=5, length_scale_step=2.0, tol=1e-9)
    model.fit(X[train], labels[train])
    theirs = adaboost_svm(X[train], y[train], X[new], C=50.0, step=2.0, T=5)
    sign = 1.0 if model.classes_[1] == rare else -1.0
    assert model.pos_label_ == rare
    assert_allclose(sign * model.decision_function(X[new]), theirs.vote, rtol=1e-6)
    assert_allclose(model.estimator_errors_, theirs.errors, atol=1e-9)


def test_pairs_of_classes_are_two_class_ensembles_of_their_own(load):
    X, y = load("new-thyroid")
    model = AdaBoostSVC(n_estimators=6).fit(X, y)
    votes = []
    for first, second in [(0, 1), (0, 2), (1, 2)]:
        own = np.isin(y, model.classes_[[first, second]])
        pair = AdaBoostSVC(n_estimators=6).fit(X[own], y[own])
        votes.append(pair.decision_function(X) / pair.estimator_weights_.sum())
    expected = one_vs_one_scores(np.array(votes).T, 3)
    assert_array_equal(model.predict(X), model.classes_[expected.argmax(axis=1)])
    assert model.estimator_weights_.shape == model.length_scales_.shape
    assert model.estimator_weights_.shape[0] == 3


def test_one_vs_rest(load):
    X, y = load("new-thyroid")
    model = AdaBoostSVC(n_estimators=6, multi_class="one_vs_rest").fit(X, y)
    assert model.decision_function(X).shape == (y.size, 3)
    assert model.score(X, y) > 0.95


def test_one_round_is_a_plain_svm(load):
    X, y = load("ecoli3")
    model = AdaBoostSVC(n_estimators=1).fit(X, y)
    gamma = 1 / (2 * model.length_scales_[0] ** 2)
    assert_array_equal(model.predict(X), SVC(C=50.0, gamma=gamma).fit(X, y).predict(X))


def test_weights_equal_repetition(load):
    X, y = load("glass0")
    weight = np.random.default_rng(0).integers(0, 3, size=y.size)
    rows = np.repeat(np.arange(y.size), weight)
    weighted = AdaBoostSVC(n_estimators=5, tol=1e-9).fit(X, y, sample_weight=weight)
    repeated = AdaBoostSVC(n_estimators=5, tol=1e-9).fit(X[rows], y[rows])
    assert_allclose(weighted.decision_function(X), repeated.decision_function(X), rtol=1e-6)


def test_sparse_points_rows_on_demand_and_threads_change_nothing(load):
    X, y = load("new-thyroid")
    plain = AdaBoostSVC(n_estimators=5).fit(X, y).decision_function(X)
    on_demand = AdaBoostSVC(n_estimators=5, cache_size=0.01).fit(X, y)
    threads = AdaBoostSVC(n_estimators=5, n_jobs=2).fit(X, y)
    thin = AdaBoostSVC(n_estimators=5).fit(sparse.csr_array(X), y)
    assert_allclose(on_demand.decision_function(X), plain, rtol=1e-4)
    assert_array_equal(threads.decision_function(X), plain)
    assert_allclose(thin.decision_function(sparse.csr_array(X)), plain, rtol=1e-4)


def test_stages_are_shorter_runs(load):
    X, y = load("glass0")
    model = AdaBoostSVC(n_estimators=6).fit(X, y)
    stages = list(model.staged_predict(X))
    shorter = AdaBoostSVC(n_estimators=3).fit(X, y)
    assert_array_equal(stages[2], shorter.predict(X))
    assert_array_equal(stages[-1], model.predict(X))


def test_class_weights_are_factors_of_c(load):
    X, y = load("ecoli3")
    labels, sizes = np.unique(y, return_counts=True)
    rare = labels[sizes.argmin()]
    plain = AdaBoostSVC(n_estimators=1).fit(X, y)
    heavy = AdaBoostSVC(n_estimators=1, class_weight="balanced").fit(X, y)
    assert np.sum(heavy.predict(X) == rare) > np.sum(plain.predict(X) == rare)


def test_given_widths(load):
    X, y = load("glass0")
    model = AdaBoostSVC(n_estimators=3, initial_length_scale=2.5, min_length_scale=1.0).fit(X, y)
    assert model.length_scales_[0] == 2.5
    rms = AdaBoostSVC(n_estimators=1, initial_length_scale="rms").fit(X, y)
    assert rms.length_scales_[0] == pytest.approx(np.sqrt(X.shape[1]))  # standardised


def test_one_machine_of_the_last_width_says_so(load):
    X, y = load("glass0")
    with pytest.warns(UserWarning, match="single machine of the last width"):
        model = AdaBoostSVC(initial_length_scale=0.5, min_length_scale=1.0).fit(X, y)
    assert_array_equal(model.length_scales_, [1.0])


def test_impatience_says_so():
    """Points with both labels, and one more: round 1 beats chance, the next widths do not."""
    X = np.repeat(np.random.default_rng(0).normal(size=(20, 2)), 2, axis=0)
    X, y = np.vstack([X, [[9.0, 9.0]]]), np.append(np.tile([1, 0], 20), 0)
    with pytest.warns(UserWarning, match="standardise the features or raise length_scale_step"):
        model = AdaBoostSVC(initial_length_scale=1e6).fit(X, y)
    assert model.n_failures_[0] >= 200


@ALONE
@on_degenerate_data
def test_degenerate_data_are_answered(X, y):
    model = AdaBoostSVC().fit(X, y)
    answers = model.predict(X)
    assert np.isin(answers, y).all()


def test_all_duplicates_answer_the_majority():
    with pytest.warns(UserWarning, match="single machine"):
        model = AdaBoostSVC().fit(np.ones((7, 2)), [0, 0, 0, 0, 0, 1, 1])
    assert_array_equal(model.predict(np.ones((1, 2))), [0])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"C": 0}, "C=0"),
        ({"n_estimators": 0}, "n_estimators=0"),
        ({"length_scale_step": -1.0}, "length_scale_step"),
        ({"diverse": "yes"}, "diverse='yes'"),
        ({"diversity": 0.0}, r"diversity=0\.0"),
        ({"diversity": 1.5}, r"diversity=1\.5"),
        ({"diversity": None}, "diversity=None"),
        ({"initial_length_scale": "mean"}, "'max', 'rms' or a positive"),
        ({"min_length_scale": None}, "min_length_scale=None"),
        ({"min_length_scale": -2}, "min_length_scale=-2"),
        ({"multi_class": "ovo"}, "multi_class='ovo'"),
        ({"voting": None}, "voting=None"),
        ({"pos_label": 7}, "pos_label=7"),
    ],
)
def test_bad_parameters_are_refused_in_words(load, parameters, message):
    X, y = load("breast_cancer")
    with pytest.raises(ValueError, match=message):
        AdaBoostSVC(**parameters).fit(X, y)


def test_pickle_and_clone_and_search(load):
    X, y = load("glass0")
    model = AdaBoostSVC(n_estimators=3, diverse=True).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    assert_array_equal(again.decision_function(X), model.decision_function(X))
    assert clone(model).get_params() == model.get_params()
    search = GridSearchCV(AdaBoostSVC(n_estimators=3), {"length_scale_step": [1, 2, 3]}, cv=2)
    assert search.fit(X, y).best_score_ > 0.5


# scikit-learn's own checks of an estimator; none is expected to fail.


CONFIGURATIONS = [
    AdaBoostSVC(n_estimators=5),
    AdaBoostSVC(n_estimators=5, multi_class="one_vs_rest", n_jobs=2, voting="soft"),
    # cache_size in MB: most checks read rows on demand
    AdaBoostSVC(n_estimators=5, diverse=True, class_weight="balanced", cache_size=0.01),
]


# Some checks train on labels without pattern.
@pytest.mark.filterwarnings("ignore:No machine was better than chance:UserWarning")
@parametrize_with_checks(CONFIGURATIONS)
def test_scikit_learns_checks(estimator, check):
    check_solved(estimator, check)


# Radius and neighbour distances next to scikit-learn's, and under weights.


@pytest.fixture
def points():
    return np.random.default_rng(0).normal(size=(50, 3))


def test_radius(points):
    distances = np.linalg.norm(points - points.mean(axis=0), axis=1)
    ones = np.ones(50)
    assert scatter_radius(points, ones, "max") == pytest.approx(distances.max())
    assert scatter_radius(points, ones, "rms") == pytest.approx(np.sqrt(np.mean(distances**2)))
    assert scatter_radius(sparse.csr_array(points), ones, "max") == pytest.approx(distances.max())


def test_nearest_neighbours_are_scikit_learns(points):
    theirs = NearestNeighbors(n_neighbors=1).fit(points).kneighbors()[0].mean()
    assert mean_nearest_distance(points, np.ones(50)) == pytest.approx(theirs)
    known = mean_nearest_distance(points, np.ones(50), squared_distances(points))
    assert known == pytest.approx(theirs)


def test_weights_equal_repetition_of_length_scales(points):
    weight = np.random.default_rng(1).integers(1, 4, size=50)
    repeated = np.repeat(points, weight, axis=0)
    ones = np.ones(len(repeated))
    for rule in ("max", "rms"):
        weighted = scatter_radius(points, weight.astype(float), rule)
        assert_allclose(weighted, scatter_radius(repeated, ones, rule))
    assert_allclose(
        mean_nearest_distance(points, weight.astype(float)), mean_nearest_distance(repeated, ones)
    )


def test_blocks_change_nothing(points, monkeypatch):
    whole = mean_nearest_distance(points, np.ones(50))
    monkeypatch.setattr(length_scales, "BLOCK_BYTES", 7 * 8 * 50)
    assert mean_nearest_distance(points, np.ones(50)) == whole


def test_points_that_coincide():
    assert mean_nearest_distance(np.ones((5, 2)), np.ones(5)) == 0.0
    assert scatter_radius(np.ones((5, 2)), np.ones(5), "max") == 0.0


# Gram matrices next to scikit-learn's; rows on demand where they do not fit.


@pytest.fixture
def points_of_width_grams():
    return np.random.default_rng(0).normal(size=(40, 3))


def test_one_exp_per_width(points_of_width_grams):
    gram = width_grams(
        points_of_width_grams, shared_distances(points_of_width_grams, 1000.0), 1000.0
    )
    for sigma in (3.0, 1.0, 0.2):
        expected = rbf_kernel(points_of_width_grams, gamma=1 / (2 * sigma**2))
        assert_allclose(gram(sigma).array, expected, rtol=1e-10)


def test_what_does_not_fit_is_computed_on_demand(points_of_width_grams):
    megabytes = 40 * 40 * 8 / 2**20
    assert shared_distances(points_of_width_grams, 2.01 * megabytes) is not None
    assert shared_distances(points_of_width_grams, 1.99 * megabytes) is None
    assert isinstance(width_grams(points_of_width_grams, None, 0.01)(1.0), RBFRows)


# Values of gathered machines next to the kernel written out.


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
