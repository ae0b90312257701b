"""Searches over kernel widths: what both of them refuse, and what Ctrl-C leaves."""

import warnings
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import make_blobs, make_classification
from sklearn.metrics import get_scorer
from sklearn.model_selection import GridSearchCV

from kpboost import KPBoostSVC, KPBoostSVCCV
from kpboost.kernels import squared_distances
from kpboost.metrics import class_recalls
from kpboost.model_selection import AsymmetricKernelScalingSVCCV, tradeoff_score
from kpboost.model_selection._boosting_grid import CandidateResult
from kpboost.model_selection._search import (
    FoldClassifier,
    HeldOut,
    best_candidate,
    check_scorer,
    check_scoring,
    named_scorer,
    over_widths,
    results_table,
)

SEARCHES = (KPBoostSVCCV, AsymmetricKernelScalingSVCCV)
GAMMAS = (0.1, 1.0, 10.0)


@pytest.fixture
def ready():
    """Return data and folds of a search."""
    X, y = make_classification(60, random_state=0)
    setup = KPBoostSVCCV(cv=3)._set_up(X, y, None)
    return setup.data, setup.plans


def walk(ready, try_fold):
    data, plans = ready
    squared = squared_distances(data.points)
    options = {"verbose": 0, "title": "", "steps_per_fold": 1}
    return over_widths(GAMMAS, plans, squared, data, try_fold, **options)


def interrupting(after):
    """Trials of which one is stopped by Ctrl-C."""
    done = []

    def try_fold(fold, on_step):
        if len(done) == after:
            raise KeyboardInterrupt
        done.append(fold)
        return len(done)

    return try_fold


def test_every_width_meets_every_fold_with_its_own_kernel(ready):
    kernels = walk(ready, lambda fold, on_step: fold.gram[0, 1])
    assert np.shape(kernels) == (3, 3)
    assert (np.diff(np.log(kernels), axis=0) < 0).all()  # a larger gamma, a smaller value


def test_ctrl_c_leaves_the_complete_widths(ready):
    with pytest.warns(UserWarning, match="among 2 of 3 kernel widths"):
        trials = walk(ready, interrupting(after=7))
    assert trials == [[1, 2, 3], [4, 5, 6]]


def test_ctrl_c_in_the_first_width_is_passed_on(ready):
    with pytest.raises(KeyboardInterrupt):
        walk(ready, interrupting(after=2))


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("cv", 1),
        ("scoring", "no such"),
        ("multi_class", "ovo"),
        ("class_weight", "even"),
        ("tol", 0),
        ("cache_size", -1),
        ("n_jobs", 0),
        ("verbose", -1),
    ],
)
def test_both_searches_refuse_the_same(search, option, value):
    X, y = make_classification(60, random_state=0)
    with pytest.raises(ValueError, match=option):
        search(**{option: value}).fit(X, y)


@pytest.mark.parametrize("search", SEARCHES)
def test_both_searches_name_the_memory_that_distances_take(search):
    X, y = make_classification(600, random_state=0)
    with pytest.raises(
        ValueError, match=r"600 points take 3 MB, above cache_size=1;.*no distances"
    ):
        search(cache_size=1).fit(X, y)


def test_a_warning_points_at_who_called_fit(monkeypatch):
    X, y = make_classification(60, random_state=0)
    widths = iter(range(4))  # three folds of the first width, then Ctrl-C

    def stopped(self, *_):
        if next(widths) == 3:
            raise KeyboardInterrupt
        return original(self, *_)

    original = KPBoostSVCCV._try
    monkeypatch.setattr(KPBoostSVCCV, "_try", stopped)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        KPBoostSVCCV(gammas=GAMMAS, perturbation_steps=(0.01,), cv=3).fit(X, y)
    (warning,) = [each for each in caught if "interrupted" in str(each.message)]
    assert warning.filename == __file__


# The table of a search: GridSearchCV's keys and shapes, recalls, ranks, and what is not finite.


CLASSES = np.array(["a", "b", "c"])
GRID = [{"C": C, "gamma": gamma} for C in (1.0, 2.0) for gamma in ("scale", 0.5)]


def held_out_of(truth):
    return HeldOut(np.zeros((len(truth), 1)), np.searchsorted(CLASSES, truth), None, CLASSES)


def result_of(predicted):
    """One candidate's result on one fold, with scores that elect the wanted labels."""
    scores = np.eye(3)[np.searchsorted(CLASSES, predicted)]
    return CandidateResult(scores, np.arange(3), 0.5, 0.25)


def random_results(n_candidates=4, n_folds=3, seed=0):
    """Results by candidate and fold, and the test points."""
    rng = np.random.default_rng(seed)
    truth = [rng.choice(CLASSES, size=30) for _ in range(n_folds)]
    results = [
        [result_of(np.where(rng.random(30) < 0.6, own, rng.choice(CLASSES, 30))) for own in truth]
        for _ in range(n_candidates)
    ]
    return results, [held_out_of(own) for own in truth]


def mean_accuracy(estimator, X, y):
    return np.mean(estimator.predict(X) == y)


@pytest.mark.parametrize("scoring", ["tradeoff", "accuracy"])
def test_keys_and_shapes_are_those_of_grid_search(scoring):
    X, y = make_blobs(60, centers=3, cluster_std=3, random_state=0)
    search = KPBoostSVCCV((1.0, 5.0), perturbation_steps=(0.1,), cv=3, scoring=scoring).fit(X, y)
    axes = {"C": [1.0, 5.0], "gamma": ["scale"], "perturbation_step": [0.1], "roi_scale": [None]}
    theirs = GridSearchCV(KPBoostSVC(), axes, cv=3).fit(X, y).cv_results_
    assert set(theirs) <= set(search.cv_results_)
    for key, column in theirs.items():
        ours = search.cv_results_[key]
        assert type(ours) is type(column)
        assert np.shape(ours) == np.shape(column)
        assert np.asarray(ours).dtype == np.asarray(column).dtype
    extra = set(search.cv_results_) - set(theirs)
    assert all("class_recall_" in key for key in extra - {"mean_test_tradeoff", "n_without_voters"})


def test_it_is_a_frame_for_pandas():
    frame = pd.DataFrame(results_table(GRID, *random_results(), None))
    assert len(frame) == len(GRID)
    assert frame["param_C"].dtype == np.float64
    assert frame["param_gamma"].tolist() == ["scale", 0.5, "scale", 0.5]
    assert frame.sort_values("rank_test_score").iloc[0]["rank_test_score"] == 1
    assert not frame.isna().any(axis=None)


def test_recalls_and_tradeoff_next_to_their_definitions():
    results, tests = random_results()
    table = results_table(GRID, results, tests, None)
    expected = np.array(
        [
            [
                class_recalls(test.codes, result.predicted(), labels=np.arange(3))
                for test, result in zip(tests, own, strict=True)
            ]
            for own in results
        ]
    )
    for code, label in enumerate(CLASSES):
        for split in range(3):
            column = table[f"split{split}_test_class_recall_{label}"]
            assert_allclose(column, expected[:, split, code])
        assert_allclose(table[f"mean_test_class_recall_{label}"], expected[:, :, code].mean(axis=1))
        assert_allclose(table[f"std_test_class_recall_{label}"], expected[:, :, code].std(axis=1))
    mu = tradeoff_score(expected.mean(axis=1))
    assert_allclose(table["mean_test_tradeoff"], mu)
    assert_allclose(table["mean_test_score"], mu)
    assert_allclose(table["split1_test_score"], tradeoff_score(expected[:, 1]))
    assert best_candidate(table, "tradeoff") == mu.argmax()


def test_scores_means_and_ranks():
    table = results_table(GRID, *random_results(), get_scorer("accuracy"))
    by_split = np.column_stack([table[f"split{split}_test_score"] for split in range(3)])
    assert_allclose(table["mean_test_score"], by_split.mean(axis=1))
    assert_allclose(table["std_test_score"], by_split.std(axis=1))
    order = np.argsort(-table["mean_test_score"], kind="stable")
    assert_array_equal(table["rank_test_score"][order], [1, 2, 3, 4])
    assert best_candidate(table, "accuracy") == order[0]


def test_equal_scores_share_a_rank_and_the_first_wins():
    results, tests = random_results()
    table = results_table(GRID, [results[1]] * 4, tests, get_scorer("accuracy"))
    assert_array_equal(table["rank_test_score"], 1)
    assert best_candidate(table, "accuracy") == 0


def test_candidates_without_a_finite_score_come_last():
    results, tests = random_results()
    unlucky = results[0][0].scores

    def scorer(estimator, X, y):
        return np.nan if estimator.scores is unlucky else mean_accuracy(estimator, X, y)

    table = results_table(GRID, results, tests, scorer)
    assert table["rank_test_score"][0] == 4
    with pytest.warns(UserWarning, match="not finite"):
        assert best_candidate(table, scorer) != 0


def test_a_fold_that_does_not_test_a_class():
    tests = [held_out_of(["a", "b", "c"]), held_out_of(["a", "b"])]
    rare = [
        [result_of(["a", "b", "c"]), result_of(["a", "a"])],
        [result_of(["b", "b", "a"]), result_of(["b", "b"])],
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        table = results_table(GRID[:2], rare, tests, None)
    assert_array_equal(table["split1_test_class_recall_c"], [np.nan, np.nan])
    assert_array_equal(table["mean_test_class_recall_c"], [1.0, 0.0])
    assert_array_equal(table["std_test_class_recall_c"], [0.0, 0.0])
    assert_array_equal(table["split1_test_score"], [1.0, 1.0])
    assert np.all(np.isfinite(table["mean_test_score"]))
    assert best_candidate(table, "tradeoff") == 0


# Scores in the form that scorers expect, and scorers that are tried before the work.


def scored(truth, predicted, weight=None, present=(0, 1, 2)):
    """The test points of a fold, and a candidate whose scores elect the wanted labels."""
    scores = np.eye(len(present))[np.searchsorted(CLASSES[list(present)], predicted)]
    if len(present) == 2:
        scores = scores[:, 1] - scores[:, 0]
    test = HeldOut(np.zeros((len(truth), 1)), np.searchsorted(CLASSES, truth), weight, CLASSES)
    return test, CandidateResult(scores, np.array(present), 0.5, 0.25)


def plan_of(test, present):
    """What making up scores reads of a plan."""
    return SimpleNamespace(classes=np.array(present), test=np.arange(test.codes.size))


def test_weights_count_in_recalls_and_scores():
    weight = np.array([1.0, 3.0, 2.0, 0.5])
    test, result = scored(["a", "a", "b", "c"], ["a", "b", "b", "a"], weight)
    assert_allclose(test.recalls(result.predicted()), [0.25, 1.0, 0.0])
    assert test.score(result, get_scorer("accuracy")) == pytest.approx(3.0 / 6.5)
    assert test.score(result, mean_accuracy) == 0.5  # a function that knows no weights


def test_a_class_that_training_lacks_has_no_recall():
    test, result = scored(["a", "b", "c"], ["a", "a", "c"], present=(0, 2))
    model = FoldClassifier(CLASSES[[0, 2]], result.scores, test.points)
    assert_array_equal(model.classes_, ["a", "c"])
    assert_array_equal(model.predict(test.points), ["a", "a", "c"])
    assert_array_equal(result.predicted(), [0, 0, 2])
    assert_array_equal(test.recalls(result.predicted()), [1.0, 0.0, 1.0])


def test_scores_are_about_the_test_points_alone():
    points = np.zeros((2, 1))
    model = FoldClassifier(CLASSES[:2], np.array([-1.0, 1.0]), points)
    with pytest.raises(ValueError, match="test points of a fold only"):
        model.predict(np.zeros((2, 1)))
    assert model.score(points, ["a", "b"]) == 1.0


@pytest.mark.parametrize("scoring", ["tradeoff", "accuracy", "roc_auc", mean_accuracy])
def test_scoring_that_is_allowed(scoring):
    check_scoring(scoring)
    assert (named_scorer(scoring) is None) == (scoring == "tradeoff")


def test_a_scorer_that_cannot_work_is_named_with_its_reason():
    test, _ = scored(["a", "b"], ["a", "b"], present=(0, 1))
    folds = [plan_of(test, (0, 1))], [test]
    check_scorer("accuracy", get_scorer("accuracy"), *folds)
    with pytest.raises(ValueError, match=r"^scoring='f1' does not work here \(.*pos_label"):
        check_scorer("f1", get_scorer("f1"), *folds)


def test_a_metric_without_weights_is_refused_where_there_are_some():
    """Scores that ignore weights would not be those of the repeated samples."""
    test, _ = scored(["a", "b"], ["a", "b"], np.array([1.0, 2.0]))
    rand = get_scorer("rand_score")
    with pytest.raises(ValueError, match="sample_weight"):
        check_scorer("rand_score", rand, [plan_of(test, (0, 1, 2))], [test])
