"""The trade-off measure: the paper's example, the formula spelt out, and what must not matter."""

import pickle

import numpy as np
import pytest
import sklearn
from hypothesis import given, settings, strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import make_classification
from sklearn.metrics import recall_score
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

from kpboost.metrics import gsdi_scorer
from kpboost.model_selection import (
    best_tradeoff,
    class_recall_scorers,
    mean_class_recalls,
    tradeoff_score,
)
from kpboost.svm import KernelSVC

MANY = settings(max_examples=80, deadline=None)
PAPER = np.array([[0.4, 0.8], [0.67, 0.67], [0.875, 0.515], [0.9, 0.5]])

# Recalls as they occur: shares of a few points.
shares = st.builds(lambda k, n: k / n, st.integers(0, 20), st.just(20))
tables = arrays(np.float64, array_shapes(min_dims=2, max_dims=2, max_side=6), elements=shares)


def brute_force(recalls):
    scores = []
    for candidate in recalls:
        score = 0.0
        for column, recall in zip(recalls.T, candidate, strict=True):
            if column.max() > column.min():
                score += (recall - column.min()) / (column.max() - column.min())
        scores.append(score)
    return scores


def test_the_papers_four_classifiers():
    scores = tradeoff_score(PAPER)
    assert_allclose(scores, [1, 1.1067, 1, 1], atol=5e-5)
    assert scores.argmax() == 1


@MANY
@given(tables)
def test_the_formula(recalls):
    assert_allclose(tradeoff_score(recalls), brute_force(recalls), atol=1e-12)


@MANY
@given(tables)
def test_scores_lie_between_zero_and_the_number_of_classes(recalls):
    scores = tradeoff_score(recalls)
    assert scores.min() >= 0
    assert scores.max() <= recalls.shape[1] + 1e-12


@MANY
@given(tables, st.data())
def test_order_of_candidates_and_of_classes_does_not_matter(recalls, data):
    rows = data.draw(st.permutations(range(recalls.shape[0])))
    columns = data.draw(st.permutations(range(recalls.shape[1])))
    moved = tradeoff_score(recalls[np.ix_(rows, columns)])
    assert_allclose(moved, tradeoff_score(recalls)[rows], atol=1e-12)


@MANY
@given(tables, st.floats(0.1, 1.0), st.floats(0.0, 0.5))
def test_a_class_that_is_harder_for_all_alike_counts_the_same(recalls, factor, shift):
    other = recalls.copy()
    other[:, 0] = factor * other[:, 0] + shift
    assert_allclose(tradeoff_score(other), tradeoff_score(recalls), atol=1e-9)


def test_a_class_on_which_all_agree_adds_nothing():
    same = np.column_stack([PAPER, np.full(4, 0.3)])
    assert_array_equal(tradeoff_score(same), tradeoff_score(PAPER))
    assert_array_equal(tradeoff_score([[0.2, 0.4]]), [0.0])


def test_rounding_is_not_taken_for_a_difference():
    """0.1 + 0.2 and 0.3 differ in the last bit; that must not decide between 0 and 1."""
    nearly = np.column_stack([PAPER, [0.1 + 0.2, 0.3, 0.3, 0.3]])
    assert nearly[0, 2] != nearly[1, 2]
    assert_allclose(tradeoff_score(nearly), tradeoff_score(PAPER), atol=1e-12)


def test_a_failed_candidate_takes_no_part():
    failed = np.vstack([PAPER, [np.nan, 1.0]])
    assert_array_equal(tradeoff_score(failed), [*tradeoff_score(PAPER), np.nan])


@pytest.mark.parametrize(
    ("recalls", "message"),
    [
        ([0.4, 0.8], r"shape \(2,\)"),
        (np.empty((0, 2)), r"shape \(0, 2\)"),
        ([[0.5, np.inf]], "infinite"),
        ([[np.nan, 0.5], [0.5, np.nan]], "no complete row"),
    ],
)
def test_bad_input_is_refused(recalls, message):
    with pytest.raises(ValueError, match=message):
        tradeoff_score(recalls)


# The trade-off inside GridSearchCV: what is kept, what is chosen, and folds without a class.


def results_of(recalls):
    """``cv_results_`` of one fold with these recalls."""
    return {f"split0_test_class_recall_{c}": np.array(column) for c, column in enumerate(recalls.T)}


@pytest.fixture
def data_of_recall_search():
    return make_classification(
        120, n_informative=3, n_redundant=0, n_classes=3, weights=[0.6, 0.3], random_state=0
    )


@pytest.fixture
def search(data_of_recall_search):
    _, y = data_of_recall_search
    grid = {"C": [0.1, 1.0, 100.0], "class_weight": [None, "balanced"]}
    return GridSearchCV(
        KernelSVC(),
        grid,
        scoring=class_recall_scorers(np.unique(y)),
        refit=best_tradeoff,
        cv=StratifiedKFold(3),
    )


def test_grid_search_chooses_what_brute_force_chooses(data_of_recall_search, search):
    X, y = data_of_recall_search
    search.fit(X, y)
    recalls = []
    for parameters in search.cv_results_["params"]:
        folds = [
            recall_score(
                y[test],
                KernelSVC(**parameters).fit(X[train], y[train]).predict(X[test]),
                average=None,
            )
            for train, test in StratifiedKFold(3).split(X, y)
        ]
        recalls.append(np.mean(folds, axis=0))
    assert_allclose(mean_class_recalls(search.cv_results_), recalls, atol=1e-12)
    scores = tradeoff_score(recalls)
    assert search.best_index_ == scores.argmax()
    assert search.best_params_ == search.cv_results_["params"][scores.argmax()]
    assert np.sum(scores > scores.max() - 1e-6) == 1
    assert_array_equal(search.predict(X), KernelSVC(**search.best_params_).fit(X, y).predict(X))


def test_the_choice_is_not_the_first_nor_that_of_accuracy(data_of_recall_search, search):
    """Otherwise the test above could not tell a wrong rule from the right one."""
    X, y = data_of_recall_search
    by_accuracy = GridSearchCV(KernelSVC(), search.param_grid, cv=StratifiedKFold(3)).fit(X, y)
    chosen = search.fit(X, y).best_index_
    assert chosen not in (0, by_accuracy.best_index_)


def test_disjuncts_are_routed_beside_the_recalls(data_of_recall_search):
    X, y = data_of_recall_search
    disjuncts = 2 * y + (X[:, 0] > 0)
    with sklearn.config_context(enable_metadata_routing=True):
        scoring = class_recall_scorers(np.unique(y)) | {"gsdi": gsdi_scorer(np.bincount(disjuncts))}
        search = GridSearchCV(
            DecisionTreeClassifier(random_state=0),
            {"max_depth": [1, 3, 6]},
            scoring=scoring,
            refit=best_tradeoff,
            cv=3,
        ).fit(X, y, disjuncts=disjuncts)
    assert np.all(np.isfinite(search.cv_results_["mean_test_gsdi"]))
    recalls = mean_class_recalls(search.cv_results_)
    assert recalls.shape == (3, 3)
    scores = tradeoff_score(recalls)
    assert scores[search.best_index_] == pytest.approx(scores.max())


@pytest.mark.filterwarnings("ignore:One or more of the test scores")
def test_a_fold_without_the_class_is_left_out_of_its_mean(data_of_recall_search):
    X, y = data_of_recall_search
    order = np.argsort(y, kind="stable")
    search = GridSearchCV(
        DecisionTreeClassifier(random_state=0),
        {"max_depth": [1, 4]},
        scoring=class_recall_scorers([0, 1, 2]),
        refit=best_tradeoff,
        cv=KFold(6),  # sorted by class: each fold has one or two
    ).fit(X[order], y[order])
    assert np.isnan(search.cv_results_["mean_test_class_recall_2"]).all()
    recalls = mean_class_recalls(search.cv_results_)
    assert np.all(np.isfinite(recalls))
    folds = [search.cv_results_[f"split{k}_test_class_recall_2"] for k in range(6)]
    assert_allclose(recalls[:, 2], np.nanmean(folds, axis=0))


def test_a_candidate_that_failed_on_a_fold_is_out():
    results = {
        "split0_test_class_recall_a": [0.1, 0.9, 0.2],
        "split1_test_class_recall_a": [0.1, np.nan, 0.2],
        "split0_test_class_recall_b": [0.3, 0.9, 0.2],
        "split1_test_class_recall_b": [0.3, np.nan, 0.4],
    }
    assert_array_equal(mean_class_recalls(results)[1], [np.nan, np.nan])
    assert best_tradeoff(results) in (0, 2)


def test_the_papers_four_classifiers_of_recall_search():
    assert best_tradeoff(results_of(PAPER)) == 1


def test_ties_go_to_the_larger_geometric_mean_and_then_to_the_first():
    assert best_tradeoff(results_of(PAPER[[0, 3]])) == 1  # Gmean 0.5657 and 0.6708
    assert best_tradeoff(results_of(np.array([[0.0, 0.9], [0.9, 0.0]]))) == 0
    assert best_tradeoff(results_of(np.full((3, 2), 0.5))) == 0
    assert best_tradeoff(results_of(np.array([[0.3, 0.7, 0.9], [0.9, 0.7, 0.3]]))) == 0


def test_other_scores_do_not_count():
    results = results_of(PAPER)
    others = {
        "split0_test_recall_macro": np.array([9.0, 0, 0, 0]),
        "split0_train_class_recall_0": np.array([9.0, 0, 0, 0]),
        "mean_test_class_recall_0": np.array([9.0, 0, 0, 0]),
    }
    assert best_tradeoff(others | results) == 1


def test_names_of_the_scorers():
    scorers = class_recall_scorers(np.array(["yes", "no"]))
    assert list(scorers) == ["class_recall_yes", "class_recall_no"]
    pickle.loads(pickle.dumps(scorers))


def test_results_without_recalls_are_refused():
    with pytest.raises(ValueError, match="class_recall_scorers"):
        best_tradeoff({"mean_test_score": [0.5]})


@pytest.mark.parametrize(
    ("classes", "message"),
    [([], "a list of labels"), ("ab", "a list of labels"), ([0, 1, 0], "read the same")],
)
def test_bad_classes_are_refused(classes, message):
    with pytest.raises(ValueError, match=message):
        class_recall_scorers(classes)
