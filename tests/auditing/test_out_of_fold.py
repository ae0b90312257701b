import numpy as np
import pytest
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.svm import SVC

from kpboost.model_selection import make_folds, out_of_fold, same_folds


@pytest.fixture
def data(load):
    X, y = load("wine")
    return X, np.array(["a", "b", "c"])[y], y


@pytest.mark.parametrize(
    ("model", "method"),
    [
        (LogisticRegression(), "predict_log_proba"),
        (SVC(decision_function_shape="ovr"), "decision_function"),
    ],
)
def test_answers_are_those_of_cross_val_predict(data, model, method):
    X, y, codes = data
    folds = make_folds(codes, 4, 0)
    ours = out_of_fold(model, X, y, ["a", "b", "c"], folds)
    np.testing.assert_array_equal(
        ours.predicted, codes_of(cross_val_predict(model, X, y, cv=folds))
    )
    expected = cross_val_predict(model, X, y, cv=folds, method=method)
    np.testing.assert_allclose(ours.scores, np.maximum(expected, np.log(1e-6)), atol=1e-9)


def codes_of(labels):
    return np.searchsorted(["a", "b", "c"], labels)


def test_folds_are_stratified_and_keep_rare_classes():
    codes = np.repeat([0, 1], [60, 3])
    folds = make_folds(codes, 5, 0)
    assert sorted(np.concatenate([test for _, test in folds])) == list(range(63))
    assert all((codes[train] == 1).sum() >= 2 for train, _ in folds)


def test_seeds_give_other_folds():
    codes = np.repeat([0, 1], [60, 30])
    first, second = make_folds(codes, 5, 0), make_folds(codes, 5, 1)
    assert not np.array_equal(first[0][1], second[0][1])


def test_a_splitter_is_used():
    codes = np.repeat([0, 1], [60, 30])
    ours = make_folds(codes, StratifiedKFold(3), 0)
    theirs = list(StratifiedKFold(3).split(codes, codes))
    np.testing.assert_array_equal(ours[1][1], theirs[1][1])


@pytest.mark.parametrize("cv", [True, 2.5, "5", None])
def test_what_is_no_rule_for_folds_is_refused(cv):
    with pytest.raises(ValueError, match=r"cv=.* is not allowed; it must be a whole number"):
        make_folds(np.repeat([0, 1], 10), cv, 0)


@pytest.mark.parametrize("cv", [[], [([0], [1])]])
def test_rows_that_are_not_tested_are_refused(cv):
    with pytest.raises(ValueError, match="every row exactly once"):
        make_folds(np.repeat([0, 1], 10), cv, 0)


def test_folds_are_compared_by_the_rows_that_they_test():
    codes = np.repeat([0, 1], 10)
    first = make_folds(codes, 3, 0)
    assert same_folds(first, make_folds(codes, 3, 0))
    assert not same_folds(first, make_folds(codes, 3, 1))
    assert not same_folds(first, first[:2])


def test_a_class_that_a_fold_never_saw():
    X, y = np.arange(12.0).reshape(-1, 1), np.repeat([0, 1, 2], [5, 5, 2])
    folds = [(np.arange(10), np.array([10, 11])), (np.arange(2, 12), np.array([0, 1]))]
    answers = out_of_fold(LogisticRegression(), X, y, [0, 1, 2], folds)
    assert answers.scores[10, 2] == answers.scores[10].min()


def test_one_fitted_model_for_each_fold_is_not_trained_again(data):
    X, y, codes = data
    folds = make_folds(codes, 4, 0)
    fitted = [FrozenEstimator(SVC().fit(X[train], y[train])) for train, _ in folds]
    own_rows = [(test, test) for _, test in folds]
    theirs = out_of_fold(fitted, X, y, ["a", "b", "c"], own_rows)
    ours = out_of_fold(SVC(), X, y, ["a", "b", "c"], folds)
    np.testing.assert_array_equal(ours.predicted, theirs.predicted)
    np.testing.assert_allclose(ours.scores, theirs.scores)


def test_a_failure_names_the_model_and_the_fold():
    X, y = np.arange(8.0).reshape(-1, 1), np.repeat([0, 1], 4)
    folds = [(np.arange(2, 8), np.arange(2)), (np.arange(4), np.arange(2, 8))]
    with pytest.raises(ValueError, match=r"^LogisticRegression failed on fold 2 of 2: .*class"):
        out_of_fold(LogisticRegression(), X, y, [0, 1], folds)
