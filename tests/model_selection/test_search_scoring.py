"""Scores in the form that scorers expect, and scorers that are tried before the work."""

from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import get_scorer

from kpboost.model_selection._boosting_grid import CandidateResult
from kpboost.model_selection._search import (
    FoldClassifier,
    HeldOut,
    check_scorer,
    check_scoring,
    named_scorer,
)

CLASSES = np.array(["a", "b", "c"])


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


def mean_accuracy(estimator, X, y):
    return np.mean(estimator.predict(X) == y)


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
