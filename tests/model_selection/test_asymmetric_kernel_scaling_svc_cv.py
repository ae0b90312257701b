"""The search next to GridSearchCV over the estimator, then its promises."""

from time import process_time

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import make_blobs, make_classification
from sklearn.metrics import recall_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.utils.estimator_checks import parametrize_with_checks

from kpboost.model_selection import (
    AsymmetricKernelScalingSVCCV,
    best_tradeoff,
    class_recall_scorers,
)
from kpboost.model_selection._search import HeldOut
from kpboost.svm import AsymmetricKernelScalingSVC

CS, POS, NEG = (1.0, 50.0), (0.001, 0.05, 0.4), (0.01, 0.3)
SMALL = {"Cs": CS, "decays_pos": POS, "decays_neg": NEG, "cv": 3}
# CPU seconds for the whole grid of pairs on one fold of 1,000 points; measured: 0.06.
MOST_SECONDS = 2.0
# The equivalence is exact, the solver is not: two solves agree within tol, and this check compares
# them to 1e-7 where the default tol is 1e-6.
FINER_THAN_DEFAULT = "check_sample_weight_equivalence"
TIGHT = 1e-10


def brute_force(X, y, gammas, scoring=None, refit=best_tradeoff, **options):
    grid = {"C": CS, "gamma": list(gammas), "decay_pos": POS, "decay_neg": NEG}
    scoring = scoring or class_recall_scorers(np.unique(y))
    search = GridSearchCV(
        AsymmetricKernelScalingSVC(**options), grid, scoring=scoring, refit=refit, cv=3
    )
    return search.fit(X, y)


def data(n_classes=2, n=150, seed=0):
    X, y = make_blobs(n, centers=n_classes, cluster_std=3.0, random_state=seed)
    kept = (y > 0) | (np.arange(n) % 3 == 0)
    return X[kept], y[kept]


@pytest.mark.parametrize("multi_class", ["one_vs_one", "one_vs_rest"])
@pytest.mark.parametrize("gammas", [("scale",), (0.05, "auto", 0.5)])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_same_choice_and_recalls_as_brute_force(n_classes, gammas, multi_class):
    X, y = data(n_classes)
    ours = AsymmetricKernelScalingSVCCV(gammas=gammas, multi_class=multi_class, **SMALL).fit(X, y)
    theirs = brute_force(X, y, gammas, multi_class=multi_class)
    assert ours.cv_results_["params"] == theirs.cv_results_["params"]
    for label in np.unique(y):
        key = f"mean_test_class_recall_{label}"
        assert_allclose(ours.cv_results_[key], theirs.cv_results_[key])
    assert ours.best_index_ == theirs.best_index_
    assert_array_equal(ours.predict(X), theirs.predict(X))
    assert_allclose(ours.decision_function(X), theirs.decision_function(X))


@pytest.mark.parametrize("name", ["pima", "glass0", "ecoli3", "wine"])
def test_same_choice_on_real_data(load, name):
    X, y = load(name)
    ours = AsymmetricKernelScalingSVCCV(gammas=(0.02, 0.2), **SMALL).fit(X, y)
    theirs = brute_force(X, y, (0.02, 0.2))
    assert ours.best_index_ == theirs.best_index_
    chosen = theirs.best_params_
    assert (ours.C_, ours.gamma_) == (chosen["C"], chosen["gamma"])
    assert (ours.decay_pos_, ours.decay_neg_) == (chosen["decay_pos"], chosen["decay_neg"])


@pytest.mark.parametrize("scoring", ["balanced_accuracy", "roc_auc_ovr", "f1_macro"])
def test_same_choice_by_other_scores(scoring):
    X, y = data(2)
    if scoring == "roc_auc_ovr":
        scoring = "roc_auc"
    ours = AsymmetricKernelScalingSVCCV(scoring=scoring, **SMALL).fit(X, y)
    theirs = brute_force(X, y, ("scale",), scoring=scoring, refit=True)
    key = "mean_test_score"
    assert_allclose(ours.cv_results_[key], theirs.cv_results_[key])
    assert ours.best_index_ == theirs.best_index_
    assert ours.best_score_ == pytest.approx(theirs.best_score_)


def test_weight_is_repetition():
    X, y = data(2)
    weight = np.random.default_rng(1).integers(0, 3, y.size)
    folds = list(StratifiedKFold(3).split(X, y))
    twice = np.repeat(np.arange(y.size), weight)
    place = {row: np.flatnonzero(twice == row) for row in range(y.size)}
    repeated = [
        tuple(np.concatenate([place[row] for row in part]) for part in fold) for fold in folds
    ]
    options = {**SMALL, "gammas": (0.1,), "tol": 1e-9}
    ours = AsymmetricKernelScalingSVCCV(**{**options, "cv": folds}).fit(X, y, weight)
    theirs = AsymmetricKernelScalingSVCCV(**{**options, "cv": repeated}).fit(X[twice], y[twice])
    key = "mean_test_score"
    assert_allclose(ours.cv_results_[key], theirs.cv_results_[key])
    assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-6)


def test_only_ordered_pairs():
    X, y = data(2)
    search = AsymmetricKernelScalingSVCCV(ordered=True, **SMALL).fit(X, y)
    pairs = [(point["decay_pos"], point["decay_neg"]) for point in search.cv_results_["params"]]
    assert len(pairs) == len(CS) * 3
    assert all(pos < neg for pos, neg in pairs)
    free = AsymmetricKernelScalingSVCCV(**SMALL).fit(X, y)
    kept = [point["decay_pos"] < point["decay_neg"] for point in free.cv_results_["params"]]
    for label in np.unique(y):
        key = f"mean_test_class_recall_{label}"
        assert_array_equal(search.cv_results_[key], free.cv_results_[key][kept])


def test_the_papers_pairs_are_the_default():
    X, y = data(2)
    search = AsymmetricKernelScalingSVCCV((1.0,)).fit(X, y)
    assert len(search.cv_results_["params"]) == 37 * 37
    search.set_params(ordered=True).fit(X, y)
    assert len(search.cv_results_["params"]) == 666


def test_the_grid_of_pairs_takes_no_longer_than_a_few_fits():
    X, y = make_classification(1250, 10, flip_y=0.1, weights=[0.9], random_state=0)
    fold = [(np.arange(1000), np.arange(1000, 1250))]
    begun = process_time()
    AsymmetricKernelScalingSVCCV((100.0,), cv=fold).fit(X, y)
    assert process_time() - begun < MOST_SECONDS


@pytest.mark.parametrize("n_jobs", [2, -1])
def test_threads_change_not_a_bit(n_jobs):
    X, y = data(3)
    one = AsymmetricKernelScalingSVCCV(**SMALL).fit(X, y)
    many = AsymmetricKernelScalingSVCCV(n_jobs=n_jobs, **SMALL).fit(X, y)
    key = "mean_test_score"
    assert_array_equal(one.cv_results_[key], many.cv_results_[key])


def test_sparse_points_and_words_as_labels():
    X, y = data(2)
    words = np.array(["rare", "common"])[y]
    dense = AsymmetricKernelScalingSVCCV(**SMALL).fit(X, y)
    other = AsymmetricKernelScalingSVCCV(**SMALL).fit(sparse.csr_array(X), words)
    assert dense.best_index_ == other.best_index_
    assert other.cv_results_["params"] == dense.cv_results_["params"]
    assert set(other.predict(X)) <= {"rare", "common"}
    assert_allclose(
        other.cv_results_["mean_test_class_recall_rare"],
        dense.cv_results_["mean_test_class_recall_0"],
    )


def test_ctrl_c_leaves_a_choice_among_the_complete_widths(monkeypatch):
    from kpboost.model_selection import _asymmetric_kernel_scaling_svc_cv as module

    calls = []

    def interrupted(*args, **options):
        calls.append(args)
        if len(calls) > 4:  # in the middle of the second width
            raise KeyboardInterrupt
        return real(*args, **options)

    real = module.try_pairs
    monkeypatch.setattr(module, "try_pairs", interrupted)
    X, y = data(2)
    search = AsymmetricKernelScalingSVCCV(gammas=(0.1, 0.2), **SMALL)
    with pytest.warns(UserWarning, match="1 of 2 kernel widths"):
        search.fit(X, y)
    assert set(search.cv_results_["param_gamma"]) == {0.1}
    calls[:] = [None] * 4
    with pytest.raises(KeyboardInterrupt):
        clone(search).fit(X, y)


def test_progress_is_shown_on_request(capfd):
    X, y = data(2)
    AsymmetricKernelScalingSVCCV(verbose=1, **SMALL).fit(X, y)
    shown = capfd.readouterr()
    assert "6 machines" in shown.out + shown.err


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("Cs", ()),
        ("Cs", (1.0, -1.0)),
        ("gammas", "scale"),
        ("gammas", ("wide",)),
        ("decays_pos", 0.1),
        ("decays_pos", (0.1, 0.0)),
        ("decays_neg", "all"),
        ("ordered", 1),
        ("cv", 1),
        ("scoring", "accurracy"),
        ("multi_class", "all"),
        ("class_weight", "even"),
        ("tol", 0),
        ("cache_size", -1),
        ("n_jobs", 0),
        ("verbose", -1),
    ],
)
def test_a_bad_parameter_is_named_before_any_work(name, value):
    with pytest.raises(ValueError, match=name):
        AsymmetricKernelScalingSVCCV(**{name: value}).fit(None, None)


def test_no_ordered_pair_is_said_before_any_work():
    search = AsymmetricKernelScalingSVCCV(decays_pos=(0.5,), decays_neg=(0.1,), ordered=True)
    with pytest.raises(ValueError, match="no pair"):
        search.fit(None, None)


def test_distances_that_do_not_fit_are_refused():
    X, y = data(2)
    with pytest.raises(ValueError, match="cache_size"):
        AsymmetricKernelScalingSVCCV(cache_size=0.01).fit(X, y)


@parametrize_with_checks(
    [AsymmetricKernelScalingSVCCV((1.0,), decays_pos=(0.01,), decays_neg=(0.01, 0.1))]
)
def test_scikit_learns_checks(estimator, check):
    if check.func.__name__.startswith(FINER_THAN_DEFAULT):
        estimator = clone(estimator).set_params(tol=TIGHT)
    check(estimator)


def test_recalls_are_scikit_learns():
    draw = np.random.default_rng(0)
    codes, weight = draw.integers(0, 4, 60), draw.uniform(0.1, 2.0, 60)
    predicted = draw.integers(0, 4, (3, 2, 60))
    ours = HeldOut(None, codes, weight, np.arange(4)).recalls(predicted)
    for place in np.ndindex(3, 2):
        theirs = recall_score(codes, predicted[place], average=None, sample_weight=weight)
        assert_allclose(ours[place], theirs)


@pytest.mark.filterwarnings("error")
def test_a_class_without_test_points_is_nan():
    test = HeldOut(None, np.array([0, 0, 2]), None, np.arange(3))
    recalls = test.recalls(np.array([[0, 1, 2]]))
    assert_array_equal(recalls, [[0.5, np.nan, 1.0]])
