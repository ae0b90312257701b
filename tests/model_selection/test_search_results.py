"""The table of a search: GridSearchCV's keys and shapes, recalls, ranks, and what is not finite."""

import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import make_blobs
from sklearn.metrics import get_scorer
from sklearn.model_selection import GridSearchCV

from kpboost import KPBoostSVC, KPBoostSVCCV
from kpboost.metrics import class_recalls
from kpboost.model_selection import tradeoff_score
from kpboost.model_selection._boosting_grid import CandidateResult
from kpboost.model_selection._search import HeldOut, best_candidate, results_table

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
