"""The search next to brute force: GridSearchCV over KPBoostSVC makes the same choice.

Then what a search takes and gives, and how it bears Ctrl-C.
"""

import sys
import warnings

import numpy as np
import pandas as pd
import pytest
import sklearn
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.metrics import get_scorer
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    PredefinedSplit,
    StratifiedKFold,
    StratifiedShuffleSplit,
)

from kpboost import KPBoostSVC, KPBoostSVCCV
from kpboost.model_selection import (
    RareClassKFold,
    _kpboost_svc_cv as kpboost_svc_cv,
    best_tradeoff,
    class_recall_scorers,
    mean_class_recalls,
    tradeoff_score,
)
from support.patience import CtrlC, worked

# Rounds of two solvers' paths agree far better than labels need, at this tolerance.
TIGHT = 1e-9
AXES = {
    "C": "Cs",
    "gamma": "gammas",
    "perturbation_step": "perturbation_steps",
    "roi_scale": "roi_scales",
}
GRID = {"Cs": (0.3, 30.0), "perturbation_steps": (0.003, 0.1), "n_estimators": 4, "cv": 3}
CHOSEN = ("C_", "gamma_", "perturbation_step_", "roi_scale_")

# Some candidates answer one class only, by design of the grid.
pytestmark = pytest.mark.filterwarnings("ignore:No round met the conditions:UserWarning")


def blobs(n_classes, n=90, seed=0):
    """Overlapping clusters, the later classes rarer."""
    X, y = make_blobs(2 * n, centers=n_classes, cluster_std=2.2, random_state=seed)
    keep = np.random.default_rng(seed).random(2 * n) < np.array([0.9, 0.5, 0.3])[y]
    return X[keep], y[keep]


def brute_force(search, X, y):
    """Do what the search does with scikit-learn's GridSearchCV."""
    given = search.get_params()
    own = {name: value for name, value in given.items() if name in KPBoostSVC().get_params()}
    by_tradeoff = isinstance(search.scoring, str) and search.scoring == "tradeoff"
    return GridSearchCV(
        KPBoostSVC(**own | {"n_jobs": None, "verbose": 0}),
        {name: list(given[axis]) for name, axis in AXES.items()},
        scoring=class_recall_scorers(np.unique(y)) if by_tradeoff else search.scoring,
        refit=best_tradeoff if by_tradeoff else True,
        cv=search.cv,
    ).fit(X, y)


def weighted_brute_force(search, X, y, weight):
    """Let the weights reach the fits and the scores; older GridSearchCVs need to be told."""
    with sklearn.config_context(enable_metadata_routing=True):
        grid = clone(brute_force(search, X, y))
        grid.estimator.set_fit_request(sample_weight=True)
        if isinstance(grid.scoring, str):
            grid.scoring = {"score": get_scorer(grid.scoring)}
            grid.refit = "score"
        for scorer in grid.scoring.values():
            scorer.set_score_request(sample_weight=True)
        return grid.fit(X, y, sample_weight=weight)


def assert_same_search(search, brute, X):
    assert search.cv_results_["params"] == brute.cv_results_["params"]
    assert search.best_index_ == brute.best_index_
    chosen = {name: getattr(search, f"{name}_") for name in AXES}
    assert chosen == search.best_params_ == brute.best_params_
    for key in search.cv_results_:
        if "_test_" in key and key in brute.cv_results_:
            assert_allclose(search.cv_results_[key], brute.cv_results_[key], atol=1e-12)
    assert_array_equal(search.predict(X), brute.predict(X))
    assert_allclose(search.decision_function(X), brute.decision_function(X), atol=1e-12)


@pytest.mark.parametrize("multi_class", ["one_vs_one", "one_vs_rest"])
@pytest.mark.parametrize(
    "gammas", [("scale", "auto"), (0.02, 0.5), (1.0, "scale")], ids=["words", "numbers", "mixed"]
)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_same_choice_and_recalls_as_brute_force(n_classes, gammas, multi_class):
    X, y = blobs(n_classes)
    search = KPBoostSVCCV(**GRID, gammas=gammas, multi_class=multi_class, tol=TIGHT)
    search.set_params(roi_scales=(None, 0.6)).fit(X, y)
    brute = brute_force(search, X, y)
    assert_same_search(search, brute, X)
    recalls = mean_class_recalls(brute.cv_results_)
    assert_allclose(mean_class_recalls(search.cv_results_), recalls, atol=1e-12)
    assert_allclose(search.cv_results_["mean_test_tradeoff"], tradeoff_score(recalls), atol=1e-9)
    assert np.unique(recalls, axis=0).shape[0] > 3  # otherwise any choice would do


@pytest.mark.parametrize("judge_rounds", ["as_new", "paper"])
@pytest.mark.parametrize("name", ["breast_cancer", "pima", "ecoli3", "wine", "new-thyroid"])
def test_same_choice_on_real_data(load, name, judge_rounds):
    X, y = load(name)
    search = KPBoostSVCCV((1.0, 100.0), perturbation_steps=(0.001, 0.05), tol=TIGHT, cv=3)
    search.set_params(judge_rounds=judge_rounds).fit(X, y)
    assert_same_search(search, brute_force(search, X, y), X)


def test_the_rule_of_judging_reaches_every_candidate():
    """Large steps, so that the two rules do not choose the same rounds."""
    X, y = blobs(2)
    search = KPBoostSVCCV((10.0,), perturbation_steps=(0.1, 0.3, 1.0), cv=3, tol=TIGHT).fit(X, y)
    paper = clone(search).set_params(judge_rounds="paper").fit(X, y)
    assert paper.best_estimator_.judge_rounds == "paper"
    for each in (search, paper):
        assert_same_search(each, brute_force(each, X, y), X)
    recalls = [mean_class_recalls(each.cv_results_) for each in (search, paper)]
    assert not np.allclose(*recalls)


@pytest.mark.parametrize("scoring", ["tradeoff", "roc_auc"])
def test_soft_votes_reach_every_candidate(scoring):
    X, y = blobs(2)
    search = KPBoostSVCCV(
        (10.0,), perturbation_steps=(0.1, 0.3, 1.0), cv=3, tol=TIGHT, scoring=scoring
    ).fit(X, y)
    soft = clone(search).set_params(voting="soft", roi_scales=(None, 0.6)).fit(X, y)
    assert soft.best_estimator_.voting == "soft"
    assert_same_search(soft, brute_force(soft, X, y), X)
    hard_values, soft_values = (np.unique(each.decision_function(X)) for each in (search, soft))
    assert soft_values.size > 3 * hard_values.size


def first_class_recall(estimator, X, y):
    own = y == estimator.classes_[0]
    return np.mean(estimator.predict(X)[own] == y[own]) - 0.01 * np.mean(X[:, 0])


@pytest.mark.parametrize(
    ("n_classes", "scoring"),
    [
        (2, "balanced_accuracy"),
        (3, "balanced_accuracy"),
        (2, "roc_auc"),
        (2, "average_precision"),
        (3, first_class_recall),
        (2, first_class_recall),
    ],
)
def test_same_choice_by_other_scores(n_classes, scoring):
    X, y = blobs(n_classes)
    search = KPBoostSVCCV(**GRID, gammas=(0.02, 0.5), scoring=scoring, tol=TIGHT).fit(X, y)
    brute = brute_force(search, X, y)
    assert_same_search(search, brute, X)
    assert search.best_score_ == pytest.approx(brute.best_score_, abs=1e-12)
    assert_array_equal(search.cv_results_["rank_test_score"], brute.cv_results_["rank_test_score"])


@pytest.mark.parametrize("scoring", ["tradeoff", "balanced_accuracy"])
@pytest.mark.parametrize("gammas", [("scale",), (0.1,)])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_same_choice_with_weights(n_classes, gammas, scoring):
    X, y = blobs(n_classes)
    weight = np.random.default_rng(0).uniform(0.2, 5.0, size=y.size)
    search = KPBoostSVCCV(**GRID, gammas=gammas, class_weight="balanced", tol=TIGHT)
    search.set_params(scoring=scoring).fit(X, y, sample_weight=weight)
    assert_same_search(search, weighted_brute_force(search, X, y, weight), X)
    unweighted = clone(search).fit(X, y)
    assert np.any(unweighted.decision_function(X) != search.decision_function(X))


@pytest.mark.parametrize("cv", [3, None, np.int64(3)])
def test_samples_without_weight_are_left_out(cv):
    X, y = blobs(3)
    weight = (np.arange(y.size) % 5 > 0).astype(float)
    kept = weight > 0
    search = KPBoostSVCCV(**GRID | {"cv": cv}, tol=TIGHT)
    with_zeros = clone(search).fit(X, y, sample_weight=weight)
    without = clone(search).fit(X[kept], y[kept], sample_weight=weight[kept])
    assert with_zeros.best_index_ == without.best_index_
    assert_array_equal(with_zeros.decision_function(X), without.decision_function(X))
    score = "mean_test_score"
    assert_array_equal(with_zeros.cv_results_[score], without.cv_results_[score])


@pytest.mark.parametrize("kind", ["iterable", "masks", "splitter"])
def test_splits_of_the_data_as_given_bear_zero_weights(kind):
    """Row numbers are those of the data as given; rows without weight are in neither part."""
    X, y = blobs(3)
    weight = (np.arange(y.size) % 5 > 0).astype(float)
    fold = np.arange(y.size) % 3
    splits = [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(3)]
    kept = np.flatnonzero(weight)
    expected = KPBoostSVCCV(**GRID, tol=TIGHT)
    renumbered = [tuple(np.flatnonzero(np.isin(kept, part)) for part in each) for each in splits]
    expected.set_params(cv=renumbered).fit(X[kept], y[kept], sample_weight=weight[kept])
    masks = [(fold != k, fold == k) for k in range(3)]
    cv = {"iterable": splits, "masks": masks, "splitter": PredefinedSplit(fold)}[kind]
    found = clone(expected).set_params(cv=cv).fit(X, y, sample_weight=weight)
    assert found.best_index_ == expected.best_index_
    for key in ("split0_test_score", "split2_test_class_recall_2", "mean_test_score"):
        assert_array_equal(found.cv_results_[key], expected.cv_results_[key])
    if kind == "splitter":
        assert_same_search(found, weighted_brute_force(found, X, y, weight), X)


def test_weight_is_repetition():
    """In the machines, in the rates, in the splits' scores."""
    X, y = blobs(3)
    weight = np.random.default_rng(1).integers(0, 4, size=y.size)
    fold = np.arange(y.size) % 3
    search = KPBoostSVCCV(**GRID | {"cv": PredefinedSplit(fold)}, tol=TIGHT)
    weighted = clone(search).fit(X, y, sample_weight=weight)
    repeated = clone(search).set_params(cv=PredefinedSplit(np.repeat(fold, weight)))
    repeated.fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    assert weighted.best_index_ == repeated.best_index_
    for key in ("split0_test_score", "split2_test_class_recall_2", "mean_test_score"):
        assert_allclose(weighted.cv_results_[key], repeated.cv_results_[key], atol=1e-12)


@pytest.mark.parametrize(
    "cv",
    [
        StratifiedKFold(4, shuffle=True, random_state=1),
        KFold(3, shuffle=True, random_state=0),
        StratifiedShuffleSplit(2, test_size=0.3, random_state=0),
        RareClassKFold(3, random_state=1),
    ],
    ids=lambda cv: type(cv).__name__,
)
def test_any_splitter(cv):
    X, y = blobs(3)
    search = KPBoostSVCCV(**GRID | {"cv": cv}, tol=TIGHT).fit(X, y)
    assert_same_search(search, brute_force(search, X, y), X)


def test_a_generator_of_splits():
    X, y = blobs(2)
    splits = list(StratifiedKFold(3).split(X, y))
    by_number = KPBoostSVCCV(**GRID).fit(X, y)
    search = KPBoostSVCCV(**GRID | {"cv": iter(splits)}).fit(X, y)
    assert_array_equal(
        search.cv_results_["mean_test_score"], by_number.cv_results_["mean_test_score"]
    )


def test_a_class_with_fewer_members_than_folds():
    X, y = blobs(3)
    few = np.r_[np.flatnonzero(y < 2), np.flatnonzero(y == 2)[:3]]
    search = KPBoostSVCCV(**GRID | {"cv": 5}, tol=TIGHT).fit(X[few], y[few])
    explicit = clone(search).set_params(cv=RareClassKFold(5, random_state=0))
    assert_same_search(search, brute_force(explicit, X[few], y[few]), X)
    assert np.all(np.isfinite(search.cv_results_["split4_test_class_recall_2"]))


def test_a_class_of_one_is_refused_before_work():
    X, y = blobs(2)
    with pytest.raises(ValueError, match="has 1 member; at least 2 are needed"):
        KPBoostSVCCV(**GRID).fit(X, np.r_[y[:-1], 2])


@pytest.mark.parametrize("multi_class", ["one_vs_one", "one_vs_rest"])
@pytest.mark.filterwarnings("ignore:One or more of the test scores")
def test_a_training_set_without_one_of_the_classes(multi_class):
    """The class that training lacks has recall 0 there, as with GridSearchCV."""
    X, y = blobs(3)
    lacks = np.flatnonzero(y != 1)[::2]
    whole = np.arange(0, y.size, 2)
    rest = np.arange(1, y.size, 2)
    search = KPBoostSVCCV(**GRID, multi_class=multi_class, tol=TIGHT, roi_scales=(None, 0.7))
    search.set_params(cv=[(lacks, rest), (whole, rest)]).fit(X, y)
    assert_same_search(search, brute_force(search, X, y), X)
    assert_array_equal(search.cv_results_["split0_test_class_recall_1"], 0.0)


def test_named_class_weights_bear_a_training_set_without_a_named_class():
    X, y = blobs(3)
    lacks, rest = np.flatnonzero(y != 1)[::2], np.arange(1, y.size, 2)
    search = KPBoostSVCCV(**GRID | {"cv": [(lacks, rest)]}, class_weight={0: 1.0, 1: 9.0})
    plain = clone(search).set_params(class_weight=None).fit(X, y)
    key = "split0_test_score"
    assert_array_equal(search.fit(X, y).cv_results_[key], plain.cv_results_[key])


def test_a_class_that_is_never_tested():
    X, y = blobs(3)
    train, test = np.arange(0, y.size, 2), np.flatnonzero(y != 1)[::3]
    search = KPBoostSVCCV(**GRID | {"cv": [(train, test)]}, tol=TIGHT)
    with pytest.raises(ValueError, match=r"no test point of the class\(es\) \[1\]"):
        search.fit(X, y)
    search.set_params(scoring="accuracy").fit(X, y)
    assert_same_search(search, brute_force(search, X, y), X)
    assert np.isnan(search.cv_results_["mean_test_class_recall_1"]).all()
    assert np.isfinite(search.cv_results_["mean_test_tradeoff"]).all()


def test_candidates_without_voters_are_counted_and_not_warned_of():
    X, y = make_blobs([60, 6], centers=[[0, 0], [1.5, 0]], random_state=0)
    search = KPBoostSVCCV(Cs=(1e-4, 100.0), gammas=(0.5,), perturbation_steps=(0.01,), cv=3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        search.fit(X, y)
    assert search.C_ == 100.0
    assert_array_equal(search.cv_results_["n_without_voters"], [3, 0])


@pytest.mark.parametrize("n_jobs", [2, 3, -1])
@pytest.mark.parametrize("multi_class", ["one_vs_one", "one_vs_rest"])
def test_threads_change_not_a_bit(n_jobs, multi_class):
    X, y = blobs(3)
    search = KPBoostSVCCV(**GRID, roi_scales=(None, 0.5), multi_class=multi_class)
    alone, together = clone(search).fit(X, y), clone(search).set_params(n_jobs=n_jobs).fit(X, y)
    for key, values in alone.cv_results_.items():
        if "time" not in key and key != "params":
            assert_array_equal(values, together.cv_results_[key])
    assert_array_equal(alone.decision_function(X), together.decision_function(X))


@pytest.mark.parametrize("labels", [["no", "yes", "maybe"], [-1, 0, 7]])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_labels_of_any_kind(n_classes, labels):
    X, y = blobs(n_classes)
    named = np.array(labels)[y]
    search = KPBoostSVCCV(**GRID, tol=TIGHT).fit(X, named)
    assert_array_equal(search.classes_, np.unique(named))
    assert_same_search(search, brute_force(search, X, named), X)
    assert f"mean_test_class_recall_{labels[0]}" in search.cv_results_


@pytest.mark.parametrize("container", [sparse.csr_array, sparse.csr_matrix, sparse.coo_array])
def test_sparse_points(container):
    X, y = blobs(3)
    X = np.where(X > 0, X, 0.0)
    search = KPBoostSVCCV(**GRID, gammas=("scale", 0.1), roi_scales=(None, 0.6), tol=TIGHT)
    dense, thin = clone(search).fit(X, y), clone(search).fit(container(X), y)
    assert thin.best_index_ == dense.best_index_
    for key in ("mean_test_score", "split1_test_class_recall_0"):
        assert_allclose(thin.cv_results_[key], dense.cv_results_[key], atol=1e-12)
    assert_array_equal(thin.predict(container(X)), dense.predict(X))


def test_pandas_frames():
    X, y = blobs(2)
    frame = pd.DataFrame(X, columns=["width", "height"])
    framed = KPBoostSVCCV(**GRID).fit(frame, pd.Series(y, index=np.arange(y.size)[::-1]))
    plain = KPBoostSVCCV(**GRID).fit(X, y)
    assert framed.feature_names_in_.tolist() == ["width", "height"]
    assert framed.best_estimator_.feature_names_in_.tolist() == ["width", "height"]
    assert_array_equal(framed.decision_function(frame), plain.decision_function(X))
    with pytest.raises(ValueError, match="feature names"):
        framed.predict(frame.rename(columns={"width": "depth"}))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_choice_is_refitted_on_all_data(n_classes):
    X, y = blobs(n_classes)
    weight = np.linspace(0.5, 2.0, y.size)
    search = KPBoostSVCCV(**GRID, gammas=(0.05, "auto"), class_weight="balanced")
    search.fit(X, y, sample_weight=weight)
    chosen = {name: getattr(search, f"{name}_") for name in AXES}
    model = KPBoostSVC(**chosen, n_estimators=4, class_weight="balanced")
    model.fit(X, y, sample_weight=weight)
    assert_array_equal(search.best_estimator_.dual_coef_, model.dual_coef_)
    assert_array_equal(search.decision_function(X), model.decision_function(X))
    assert_array_equal(search.predict(X), model.predict(X))
    assert search.score(X, y) == model.score(X, y)
    assert chosen == search.cv_results_["params"][search.best_index_]


def test_a_given_positive_class():
    X, y = blobs(2)
    search = KPBoostSVCCV(**GRID, pos_label=0, tol=TIGHT).fit(X, y)
    assert search.best_estimator_.pos_label_ == 0
    assert_same_search(search, brute_force(search, X, y), X)


def test_the_papers_steps():
    X, y = blobs(2, n=40)
    search = KPBoostSVCCV((100.0,), perturbation_steps="paper", n_estimators=3, cv=2).fit(X, y)
    steps = search.cv_results_["param_perturbation_step"]
    assert steps.size == 37
    assert (steps[0], steps[-1]) == (1e-4, 1.0)
    wide = KPBoostSVCCV((100.0,), gammas="paper", perturbation_steps=(0.01,), n_estimators=1, cv=2)
    gammas = wide.fit(X, y).cv_results_["param_gamma"]
    assert_allclose(gammas[[0, -1]], [0.5 / 200.0**2, 0.5 / 0.01**2])
    assert gammas.size == 38


def test_refitting_is_like_fitting():
    X, y = blobs(2)
    search = KPBoostSVCCV(**GRID).fit(*blobs(3)).fit(X, y)
    fresh = clone(search).fit(X, y)
    assert vars(search).keys() == vars(fresh).keys()
    assert search.cv_results_.keys() == fresh.cv_results_.keys()


@pytest.mark.parametrize("verbose", [0, 1])
def test_progress(verbose, monkeypatch, capfd):
    for name in ("rich", "rich.console", "rich.progress"):
        monkeypatch.setitem(sys.modules, name, None)
    KPBoostSVCCV(**GRID, gammas=(0.1, 1.0), n_jobs=2, verbose=verbose).fit(*blobs(2))
    lines = capfd.readouterr().err.splitlines()
    if verbose:
        assert lines[-1] == "KPBoost: 8 candidates on 3 folds: 24 of 24 done"
    else:
        assert lines == []


# CPU seconds; the work that is given up takes far longer.
SOON = 5.0


@pytest.fixture
def search_and_press_ctrl_c(monkeypatch):
    """Interrupt a search in the second fold of its first incomplete width, a work of minutes."""
    tried, calls, deep_in_it = kpboost_svc_cv.try_candidates, [], []

    def search_and_press(n_jobs, complete):
        def slowly(fold, candidates, regions, **options):
            calls.append(1)
            if len(calls) == 2 * complete + 2:
                options["n_rounds"] = 10**6
                deep_in_it.append(worked(0.3))
            return tried(fold, candidates, regions, **options)

        monkeypatch.setattr(kpboost_svc_cv, "try_candidates", slowly)
        y = np.arange(120) % 2
        X = np.random.default_rng(0).normal(size=(120, 2)) + y[:, None]
        search = KPBoostSVCCV((1.0, 10.0), gammas=(0.1, 0.2, 0.3), cv=2, n_jobs=n_jobs)
        press = CtrlC(lambda: deep_in_it and deep_in_it[0]())
        try:
            with press:
                search.set_params(n_estimators=3).fit(X, y)
        finally:
            assert press.work_after < SOON
        return search, search.score(X, y)

    return search_and_press


@pytest.mark.parametrize("n_jobs", [None, 2])
@pytest.mark.parametrize("complete", [1, 2])
def test_ctrl_c_leaves_a_choice_among_the_complete_widths(
    search_and_press_ctrl_c, n_jobs, complete
):
    words = f"fit was interrupted; the choice is among {complete} of 3 kernel widths."
    with pytest.warns(UserWarning, match=f"^{words}$") as caught:
        search, score = search_and_press_ctrl_c(n_jobs, complete)
    assert search.gamma_ in (0.1, 0.2)[:complete]
    assert len(search.cv_results_["params"]) == 6 * complete
    assert score > 0.6
    (interrupted,) = [each for each in caught if "interrupted" in str(each.message)]
    assert interrupted.filename == __file__  # the line that called fit


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_ctrl_c_before_the_first_width_is_complete_is_passed_on(search_and_press_ctrl_c, n_jobs):
    with warnings.catch_warnings(record=True) as caught, pytest.raises(KeyboardInterrupt):
        search_and_press_ctrl_c(n_jobs, complete=0)
    assert not [each for each in caught if "interrupted" in str(each.message)]
